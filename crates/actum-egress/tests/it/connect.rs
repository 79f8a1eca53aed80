//! Tunnels by CONNECT.

use crate::world::{PUBLIC, World, echo, hello, nobody, rest, server};
use actum_model::{Refusal, Verdict, Via};
use std::io::{Read, Write};

fn heard(client: &mut impl Read, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    client.read_exact(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_tunnel_carries_tls_to_the_checked_address() {
    let world = World::open(echo());
    let hello = hello(Some("good.test"));
    let mut client = world.tunnel("GOOD.test:443");
    // In two segments: the hello is held back until it is whole.
    client.write_all(&hello[..9]).unwrap();
    client.write_all(&hello[9..]).unwrap();
    assert_eq!(heard(&mut client, hello.len()), hello);
    client.write_all(b"more").unwrap();
    client.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(rest(&mut client), "more", "the end of one direction is passed on");
    let (dialled, decided) = world.close();
    assert_eq!(dialled, [format!("{PUBLIC}:443").parse().unwrap()]);
    let one = &decided.decisions[0];
    assert_eq!((one.via, one.host.as_str(), one.port), (Via::Connect, "good.test", Some(443)));
    assert_eq!((one.verdict, one.dialled), (Verdict::Allowed, Some(PUBLIC.parse().unwrap())));
}

#[test]
fn another_server_name_is_cut_before_a_byte_leaves() {
    for (authority, bytes, refusal) in [
        ("good.test:443", hello(Some("evil.test")), Refusal::ServerName),
        ("good.test:443", hello(None), Refusal::ServerName),
        ("good.test:443", b"SSH-2.0-tunnel\r\n".to_vec(), Refusal::Malformed),
        ("good.test:443", b"\x16\x03\x01\x00\x00".to_vec(), Refusal::Malformed),
        ("plain.test:7000", hello(Some("evil.test")), Refusal::ServerName),
    ] {
        let (heard, hears) = std::sync::mpsc::channel();
        let heard = std::sync::Mutex::new(heard);
        let world = World::open(server(move |mut client| {
            heard.lock().unwrap().send(rest(&mut client)).unwrap();
        }));
        let mut client = world.tunnel(authority);
        client.write_all(&bytes).unwrap();
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
        assert_eq!(answer, [0x15, 3, 3, 0, 2, 2, 49], "a TLS alert, then the end");
        assert_eq!(hears.recv().unwrap(), "");
        let (_, decided) = world.close();
        let verdicts: Vec<Verdict> = decided.decisions.iter().map(|decision| decision.verdict).collect();
        assert_eq!(verdicts, [Verdict::Refused(refusal)], "{authority}");
    }
}

#[test]
fn on_other_ports_plain_bytes_pass_and_the_server_may_speak_first() {
    let world = World::open(server(|mut client| {
        client.write_all(b"220 ready\r\n").unwrap();
        let _ = std::io::copy(&mut &client, &mut &client);
    }));
    let mut client = world.tunnel("plain.test:7000");
    assert_eq!(heard(&mut client, 11), b"220 ready\r\n");
    client.write_all(b"EHLO").unwrap();
    assert_eq!(heard(&mut client, 4), b"EHLO");
    assert_eq!(world.close().1.decisions[0].verdict, Verdict::Allowed);
}

#[test]
fn a_granted_address_may_be_private() {
    let world = World::open(echo());
    let mut client = world.tunnel("127.0.0.1:8080");
    client.write_all(b"ping").unwrap();
    assert_eq!(heard(&mut client, 4), b"ping");
    assert_eq!(world.close().0, ["127.0.0.1:8080".parse().unwrap()]);
}

#[test]
fn refusals_say_why_and_dial_nothing() {
    for (authority, refusal, told) in [
        (
            "evil.test:443",
            Refusal::Unlisted,
            "this run has no access to evil.test:443; allow it with --net evil.test\n",
        ),
        ("good.test.evil:443", Refusal::Unlisted, "--net good.test.evil\n"),
        ("good.test:22", Refusal::Port, "--net good.test:22\n"),
        ("169.254.169.254:80", Refusal::Literal, "--net 169.254.169.254\n"),
        ("[::ffff:127.0.0.1]:8080", Refusal::Literal, "--net [::ffff:127.0.0.1]:8080\n"),
        ("2130706433:8080", Refusal::Grammar, "not a valid host name"),
        ("evil.test%00.wild.test:443", Refusal::Grammar, "not a valid host name"),
        ("user@good.test:443", Refusal::Grammar, "not a valid host name"),
        ("bad.test:443", Refusal::PrivateAddress, "resolves to an internal address"),
    ] {
        let world = World::open(nobody());
        let answer = world.exchange(format!("CONNECT {authority} HTTP/1.1\r\n\r\n").as_bytes());
        let start = format!("HTTP/1.1 403 Forbidden\r\nX-Actum-Refused: {}\r\n", refusal.word());
        assert!(answer.starts_with(&start), "{authority}: {answer}");
        assert!(answer.contains(told), "{authority}: {answer}");
        let (via, host, noted) = world.refused();
        assert_eq!((via, noted), (Via::Connect, refusal), "{host}");
    }
}

#[test]
fn an_empty_list_grants_nothing() {
    let world = World::with(&[], actum_egress::Caps::default(), nobody());
    assert!(world.exchange(b"CONNECT good.test:443 HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 403 "));
    assert_eq!(world.refused().2, Refusal::Unlisted);
}

#[test]
fn a_host_that_does_not_answer_is_a_failure_not_a_refusal() {
    let world = World::open(nobody());
    assert!(world.exchange(b"CONNECT good.test:443 HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 502 "));
    assert!(world.exchange(b"CONNECT unknown.wild.test:443 HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 502 "));
    let (dialled, decided) = world.close();
    assert_eq!(dialled.len(), 2, "both addresses of good.test were tried");
    assert!(decided.decisions.iter().all(|decision| decision.verdict == Verdict::Failed));
}
