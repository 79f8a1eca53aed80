//! The DNS answerer, over UDP and TCP.

use crate::world::{World, nobody, patient};
use actum_model::{Refusal, Verdict, Via};
use std::{
    io::{Read, Write},
    net::{TcpStream, UdpSocket},
    time::Duration,
};

const A: u16 = 1;
const AAAA: u16 = 28;
const TXT: u16 = 16;

fn query(name: &str, kind: u16) -> Vec<u8> {
    let mut packet = vec![0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name.split('.') {
        packet.push(label.len() as u8);
        packet.extend(label.as_bytes());
    }
    packet.push(0);
    packet.extend(kind.to_be_bytes());
    packet.extend([0, 1]);
    packet
}

fn over_udp(world: &World, packet: &[u8]) -> Vec<u8> {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    socket.send_to(packet, world.dns_udp).unwrap();
    let mut buffer = [0; 600];
    let (length, from) = socket.recv_from(&mut buffer).unwrap();
    assert_eq!(from, world.dns_udp);
    buffer[..length].to_vec()
}

/// Answer code and number of records.
fn gist(answer: &[u8]) -> (u8, u8) {
    assert_eq!(&answer[..2], [0xab, 0xcd]);
    assert_eq!(answer[2], 0x81);
    (answer[3] & 15, answer[7])
}

#[test]
fn granted_names_have_addresses_and_nothing_else() {
    let world = World::open(nobody());
    for (name, kind, expected) in [
        ("good.test", A, (0, 1)),
        ("GOOD.test", AAAA, (0, 1)),
        ("good.test", TXT, (0, 0)),
        ("a.wild.test", A, (0, 1)),
        ("a.wild.test", AAAA, (0, 0)),
        ("unknown.wild.test", A, (2, 0)),
        ("bad.test", A, (3, 0)),
        ("evil.test", A, (3, 0)),
        ("c2VjcmV0.good.test", TXT, (3, 0)),
        ("has space.wild.test", A, (3, 0)),
    ] {
        assert_eq!(gist(&over_udp(&world, &query(name, kind))), expected, "{name} {kind}");
    }
    assert!(over_udp(&world, &query("good.test", A)).ends_with(&[0, 0, 0, 60, 0, 4, 93, 184, 216, 34]));
    let (dialled, decided) = world.close();
    assert_eq!(dialled, []);
    let of = |host: &str| decided.decisions.iter().find(|decision| decision.host.as_str() == host).unwrap();
    assert_eq!(
        (of("good.test").verdict, of("good.test").times, of("good.test").port),
        (Verdict::Allowed, 4, None)
    );
    assert_eq!(of("bad.test").verdict, Verdict::Refused(Refusal::PrivateAddress));
    assert_eq!(of("evil.test").verdict, Verdict::Refused(Refusal::Unlisted));
    assert_eq!(of("has space.wild.test").verdict, Verdict::Refused(Refusal::Grammar));
    assert_eq!(of("unknown.wild.test").verdict, Verdict::Failed);
    assert!(decided.decisions.iter().all(|decision| decision.via == Via::Dns));
}

#[test]
fn what_is_no_query_is_a_format_error() {
    let world = World::open(nobody());
    let mut long = query("good.test", A);
    long.resize(600, 0);
    assert_eq!(gist(&over_udp(&world, &long)), (1, 0));
    let mut pointer = query("good.test", A);
    pointer[12] = 0xc0;
    assert_eq!(gist(&over_udp(&world, &pointer)), (1, 0));
    assert_eq!(world.refused(), (Via::Dns, String::new(), Refusal::Malformed));
}

#[test]
fn the_same_over_tcp_one_after_the_other() {
    let world = World::open(nobody());
    let mut client = patient(TcpStream::connect(world.dns_tcp).unwrap());
    for (name, expected) in [("good.test", (0, 1)), ("evil.test", (3, 0))] {
        let packet = query(name, A);
        client.write_all(&[&(packet.len() as u16).to_be_bytes(), &packet[..]].concat()).unwrap();
        let mut length = [0; 2];
        client.read_exact(&mut length).unwrap();
        let mut answer = vec![0; usize::from(u16::from_be_bytes(length))];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(gist(&answer), expected);
    }
    client.write_all(&[0xff, 0xff]).unwrap();
    assert_eq!(client.read(&mut [0]).unwrap(), 0, "too long: the end");
}
