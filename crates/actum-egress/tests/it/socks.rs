//! SOCKS5 on the same port.

use crate::world::{PUBLIC, World, echo, hello, nobody};
use actum_model::{Refusal, Verdict, Via};
use std::{
    io::{Read, Write},
    net::TcpStream,
};

/// Greets and asks; the reply's code.
fn ask(world: &World, command: u8, kind: u8, host: &[u8], port: u16) -> (u8, TcpStream) {
    let mut client = world.client();
    client.write_all(&[5, 2, 2, 0]).unwrap();
    let mut method = [0; 2];
    client.read_exact(&mut method).unwrap();
    assert_eq!(method, [5, 0]);
    client.write_all(&[&[5, command, 0, kind], host, &port.to_be_bytes()].concat()).unwrap();
    let mut reply = [0; 10];
    client.read_exact(&mut reply).unwrap();
    (reply[1], client)
}

fn name(text: &[u8]) -> Vec<u8> {
    [&[text.len() as u8], text].concat()
}

#[test]
fn a_name_is_resolved_here_and_carried() {
    let world = World::open(echo());
    let (code, mut client) = ask(&world, 1, 3, &name(b"a.wild.test"), 443);
    assert_eq!(code, 0);
    let sent = hello(Some("a.wild.test"));
    client.write_all(&sent).unwrap();
    let mut back = vec![0; sent.len()];
    client.read_exact(&mut back).unwrap();
    assert_eq!(back, sent);
    let (dialled, decided) = world.close();
    assert_eq!(dialled, [format!("{PUBLIC}:443").parse().unwrap()]);
    assert_eq!((decided.decisions[0].via, decided.decisions[0].verdict), (Via::Socks, Verdict::Allowed));
}

#[test]
fn refusals_have_their_codes() {
    let metadata = [169, 254, 169, 254];
    let mut mapped = [0; 16];
    mapped[10..].copy_from_slice(&[0xff, 0xff, 127, 0, 0, 1]);
    for (command, kind, host, port, code, refusal) in [
        (1, 3, name(b"evil.test"), 443, 2, Refusal::Unlisted),
        (1, 3, name(b"evil.test\0.wild.test"), 443, 2, Refusal::Grammar),
        (1, 3, name(b"127.1"), 8080, 2, Refusal::Grammar),
        (1, 3, name(b"[::1]"), 8080, 2, Refusal::Grammar),
        (1, 3, name(b"10.0.0.1"), 80, 2, Refusal::Literal),
        (1, 3, name(b"good.test"), 25, 2, Refusal::Port),
        (1, 3, name(b"bad.test"), 443, 2, Refusal::PrivateAddress),
        (1, 1, metadata.to_vec(), 80, 2, Refusal::Literal),
        (1, 4, mapped.to_vec(), 8080, 2, Refusal::Literal),
        (2, 3, name(b"good.test"), 443, 7, Refusal::Malformed),
        (3, 3, name(b"good.test"), 443, 7, Refusal::Malformed),
    ] {
        let world = World::open(nobody());
        assert_eq!(ask(&world, command, kind, &host, port).0, code, "{host:?}");
        let (via, _, noted) = world.refused();
        assert_eq!((via, noted), (Via::Socks, refusal), "{host:?}");
    }
}

#[test]
fn a_host_that_refuses_is_told_apart() {
    let world = World::open(nobody());
    assert_eq!(ask(&world, 1, 3, &name(b"good.test"), 443).0, 5);
    assert_eq!(ask(&world, 1, 3, &name(b"unknown.wild.test"), 443).0, 4);
}

#[test]
fn whoever_insists_on_a_password_is_turned_away() {
    let world = World::open(nobody());
    let mut client = world.client();
    client.write_all(&[5, 1, 2]).unwrap();
    let mut method = [0; 2];
    client.read_exact(&mut method).unwrap();
    assert_eq!(method, [5, 0xff]);
    drop(client);
    assert_eq!(world.refused(), (Via::Socks, String::new(), Refusal::Malformed));
}
