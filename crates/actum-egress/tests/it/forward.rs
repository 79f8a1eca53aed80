//! A listener that leads to one named server, and to no other.

use actum_egress::{Caps, Egress, Forward, Gates, Outside};
use actum_model::{Verdict, Via};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

fn open(host: &str, port: u16) -> (Egress, std::net::SocketAddr) {
    let gate = listener();
    let address = gate.local_addr().unwrap();
    let forwards = vec![Forward { listener: gate, host: host.to_owned(), port }];
    let gates = Gates { proxy: listener(), dns_udp: None, dns_tcp: None, forwards };
    (Egress::start(Vec::new(), gates, Outside::system(), Caps::default()).unwrap(), address)
}

#[test]
fn a_client_reaches_the_server_that_was_named_even_on_this_machine() {
    let server = listener();
    let port = server.local_addr().unwrap().port();
    let serving = thread::spawn(move || {
        let (mut client, _) = server.accept().unwrap();
        let mut asked = [0; 4];
        client.read_exact(&mut asked).unwrap();
        client.write_all(&[b"you said ", &asked[..]].concat()).unwrap();
    });
    let (egress, gate) = open("127.0.0.1", port);
    let mut client = TcpStream::connect(gate).unwrap();
    client.write_all(b"ping").unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "you said ping");
    serving.join().unwrap();
    let decided = egress.stop();
    let [decision] = decided.decisions.as_slice() else { panic!("{decided:?}") };
    assert_eq!((decision.via, decision.verdict, decision.port), (Via::Forward, Verdict::Allowed, Some(port)));
}

#[test]
fn a_server_that_is_not_there_ends_the_connection_and_is_told() {
    let port = listener().local_addr().unwrap().port();
    let (egress, gate) = open("127.0.0.1", port);
    let mut answer = Vec::new();
    let _ = TcpStream::connect(gate).unwrap().read_to_end(&mut answer);
    assert_eq!(answer, b"");
    assert_eq!(egress.stop().decisions[0].verdict, Verdict::Failed);
}
