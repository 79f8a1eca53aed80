//! What one sandbox can hold us up with: little, and not for long.

use crate::world::{PUBLIC, RULES, World, echo, head, hello, nobody, rest, server};
use actum_egress::{Caps, Decided, Dial, Egress, Gates, Outside, Resolve};
use actum_model::{Refusal, Verdict, Via};
use std::{
    io::{self, Read, Write},
    net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket},
    sync::{Mutex, mpsc},
    time::{Duration, Instant},
};

/// A resolver that answers only when it is told to, and says when it was asked.
struct Stuck {
    asked: Mutex<mpsc::Sender<()>>,
    go_on: Mutex<mpsc::Receiver<()>>,
}

impl Resolve for Stuck {
    fn resolve(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.lock().unwrap().send(()).unwrap();
        let _ = self.go_on.lock().unwrap().recv();
        Ok(vec![PUBLIC.parse().unwrap()])
    }
}

/// A dialler that gives away the one connection it has, and hands back its other end.
struct Once(Mutex<Option<TcpStream>>);

impl Dial for Once {
    fn dial(&self, _to: SocketAddr, _within: Duration) -> io::Result<TcpStream> {
        self.0.lock().unwrap().take().ok_or_else(|| io::Error::other("dialled twice"))
    }
}

const SOON: Duration = Duration::from_millis(150);

fn echoes(client: &mut TcpStream) {
    client.write_all(b"ping").unwrap();
    let mut back = [0; 4];
    client.read_exact(&mut back).unwrap();
    assert_eq!(&back, b"ping");
}

#[test]
fn two_hundred_at_once_are_a_hundred_and_twenty_eight() {
    let world = World::open(echo());
    let request = b"CONNECT plain.test:7000 HTTP/1.1\r\n\r\n";
    let mut all: Vec<TcpStream> = (0..200).map(|_| world.client()).collect();
    // Who is turned away may be so before it has spoken.
    all.iter_mut().for_each(|client| drop(client.write_all(request)));
    let mut open: Vec<TcpStream> = Vec::new();
    for mut client in all {
        let mut first = [0; 12];
        let answered = client.read_exact(&mut first).is_ok();
        if answered && &first == b"HTTP/1.1 200" {
            head(&mut client);
            open.push(client);
        }
    }
    assert_eq!(open.len(), 128);
    open.iter_mut().for_each(echoes);
    let (_, decided) = world.close();
    let times = |verdict| -> u64 {
        let same = decided.decisions.iter().filter(|decision| decision.verdict == verdict);
        same.map(|decision| decision.times).sum()
    };
    assert_eq!((times(Verdict::Allowed), times(Verdict::Refused(Refusal::TooMany))), (128, 72));
}

#[test]
fn a_seat_is_free_again_when_its_client_is_gone() {
    let (gone, is_gone) = mpsc::channel();
    let gone = Mutex::new(gone);
    let world = World::with(
        &RULES,
        Caps { connections: 1, ..Caps::default() },
        server(move |client| {
            let _ = io::copy(&mut &client, &mut &client);
            let _ = gone.lock().unwrap().send(());
        }),
    );
    echoes(&mut world.tunnel("plain.test:7000"));
    is_gone.recv().unwrap();
    // The host's end is closed a moment before the seat is given back; until then clients are turned away.
    let again = (0..10_000).find(|_| world.exchange(b"GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400"));
    assert!(again.is_some());
}

#[test]
fn a_slow_client_holds_one_seat_and_not_for_long() {
    let world = World::with(&RULES, Caps { head_time: SOON, ..Caps::default() }, echo());
    let mut slow = world.client();
    slow.write_all(b"CONNECT good.te").unwrap();
    echoes(&mut world.tunnel("plain.test:7000"));
    assert!(rest(&mut slow).starts_with("HTTP/1.1 400 "));
    let mut silent = world.client();
    assert_eq!(rest(&mut silent), "");
    let malformed = Verdict::Refused(Refusal::Malformed);
    assert!(world.close().1.decisions.iter().any(|one| one.verdict == malformed && one.via == Via::Http));
}

#[test]
fn a_hello_that_does_not_come_is_not_waited_for() {
    let world = World::with(&RULES, Caps { hello_time: SOON, ..Caps::default() }, echo());
    let mut client = world.tunnel("good.test:443");
    client.write_all(&hello(Some("good.test"))[..20]).unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    assert_eq!(answer.first(), Some(&0x15));
    assert_eq!(world.close().1.decisions[0].verdict, Verdict::Refused(Refusal::Malformed));
}

#[test]
fn a_silent_tunnel_ends() {
    let world = World::with(&RULES, Caps { idle_time: SOON, ..Caps::default() }, echo());
    let mut client = world.tunnel("plain.test:7000");
    echoes(&mut client);
    assert_eq!(rest(&mut client), "");
}

#[test]
fn a_head_without_end_is_refused_at_its_bound() {
    let world = World::open(nobody());
    let long = format!("GET http://good.test/ HTTP/1.1\r\nX: {}", "a".repeat(40 * 1024));
    assert!(world.exchange(long.as_bytes()).starts_with("HTTP/1.1 400 "));
    assert_eq!(world.refused().2, Refusal::Malformed);
}

#[test]
fn stopping_ends_everything_within_a_second() {
    let world = World::open(echo());
    let (proxy, dns_udp, dns_tcp) = (world.proxy, world.dns_udp, world.dns_tcp);
    let mut tunnels: Vec<TcpStream> = (0..20).map(|_| world.tunnel("plain.test:7000")).collect();
    tunnels.iter_mut().for_each(echoes);
    let mut waiting = world.tunnel("good.test:443");
    // Both are answered, so the gates have let them in and wait for the next.
    let mut asking = world.client();
    asking.write_all(&[5, 1, 0]).unwrap();
    asking.read_exact(&mut [0; 2]).unwrap();
    let mut resolver = TcpStream::connect(dns_tcp).unwrap();
    resolver.write_all(&[0, 12, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    resolver.read_exact(&mut [0; 14]).unwrap();
    let before = Instant::now();
    let (_, decided) = world.close();
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
    let of_plain = decided.decisions.iter().find(|decision| decision.host.as_str() == "plain.test").unwrap();
    assert_eq!((of_plain.verdict, of_plain.times), (Verdict::Allowed, 20));
    for client in tunnels.iter_mut().chain([&mut waiting, &mut asking, &mut resolver]) {
        assert_eq!(rest(client), "");
    }
    assert!(
        TcpStream::connect(proxy).is_err() && TcpStream::connect(dns_tcp).is_err(),
        "nobody listens any more"
    );
    assert!(UdpSocket::bind(dns_udp).is_ok(), "nor holds the socket");
}

#[test]
fn stopping_does_not_wait_for_a_lookup_and_the_late_one_sends_nothing() {
    let (asked, is_asked) = mpsc::channel();
    let (go, go_on) = mpsc::channel();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let dialled = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut host, _) = listener.accept().unwrap();
    let gate = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = gate.local_addr().unwrap();
    let egress = Egress::start(
        vec!["good.test".parse().unwrap()],
        Gates { proxy: gate, dns_udp: None, dns_tcp: None, forwards: Vec::new() },
        Outside {
            resolve: Box::new(Stuck { asked: Mutex::new(asked), go_on: Mutex::new(go_on) }),
            dial: Box::new(Once(Mutex::new(Some(dialled)))),
        },
        Caps::default(),
    )
    .unwrap();
    let mut client = TcpStream::connect(proxy).unwrap();
    client.write_all(b"GET http://good.test/ HTTP/1.1\r\n\r\n").unwrap();
    is_asked.recv().unwrap();
    let before = Instant::now();
    assert_eq!(egress.stop(), Decided::default());
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
    go.send(()).unwrap();
    assert_eq!(rest(&mut host), "", "closed without a byte");
    assert_eq!(rest(&mut client), "");
}
