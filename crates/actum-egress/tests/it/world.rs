//! A small internet: some names, one local server behind all of them, and a memory of what was dialled.

use actum_egress::{Caps, Decided, Dial, Egress, Gates, Outside, Resolve};
use actum_model::{Refusal, Verdict, Via};
use std::{
    collections::HashMap,
    io::{self, Read, Write},
    net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

pub(crate) const PUBLIC: &str = "93.184.216.34";
pub(crate) const RULES: [&str; 5] =
    ["good.test", "*.wild.test", "plain.test:7000", "bad.test", "127.0.0.1:8080"];

pub(crate) struct World {
    pub(crate) proxy: SocketAddr,
    pub(crate) dns_udp: SocketAddr,
    pub(crate) dns_tcp: SocketAddr,
    egress: Egress,
    dialled: Arc<Mutex<Vec<SocketAddr>>>,
}

impl World {
    /// The usual rules and bounds, with `server` behind every address.
    pub(crate) fn open(server: SocketAddr) -> Self {
        Self::with(&RULES, Caps::default(), server)
    }

    pub(crate) fn with(rules: &[&str], caps: Caps, server: SocketAddr) -> Self {
        let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
        let dns_udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let dns_tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let dialled = Arc::new(Mutex::new(Vec::new()));
        let names = [
            ("good.test", &[PUBLIC, "2606:2800::1"][..]),
            ("a.wild.test", &[PUBLIC]),
            ("plain.test", &[PUBLIC]),
            ("bad.test", &[PUBLIC, "10.0.0.1"]),
        ];
        let names = names.map(|(name, ips)| (name, ips.iter().map(|ip| ip.parse().unwrap()).collect()));
        Self {
            proxy: proxy.local_addr().unwrap(),
            dns_udp: dns_udp.local_addr().unwrap(),
            dns_tcp: dns_tcp.local_addr().unwrap(),
            egress: Egress::start(
                rules.iter().map(|rule| rule.parse().unwrap()).collect(),
                Gates { proxy, dns_udp: Some(dns_udp), dns_tcp: Some(dns_tcp), forwards: Vec::new() },
                Outside {
                    resolve: Box::new(Names(HashMap::from(names))),
                    dial: Box::new(Lead { server, dialled: Arc::clone(&dialled) }),
                },
                caps,
            )
            .unwrap(),
            dialled,
        }
    }

    /// A client of the proxy that gives up rather than hang the tests.
    pub(crate) fn client(&self) -> TcpStream {
        patient(TcpStream::connect(self.proxy).unwrap())
    }

    /// Says something to the proxy and reads until it closes.
    pub(crate) fn exchange(&self, bytes: &[u8]) -> String {
        let mut client = self.client();
        client.write_all(bytes).unwrap();
        rest(&mut client)
    }

    /// A tunnel that has been granted.
    pub(crate) fn tunnel(&self, authority: &str) -> TcpStream {
        let mut client = self.client();
        client
            .write_all(format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n").as_bytes())
            .unwrap();
        let head = head(&mut client);
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        client
    }

    /// Ends it: what was dialled, and what was decided.
    pub(crate) fn close(self) -> (Vec<SocketAddr>, Decided) {
        let decided = self.egress.stop();
        (self.dialled.lock().unwrap().clone(), decided)
    }

    /// Ends it, where exactly one decision is expected and nothing was dialled.
    pub(crate) fn refused(self) -> (Via, String, Refusal) {
        let (dialled, decided) = self.close();
        assert_eq!(dialled, []);
        match decided.decisions.as_slice() {
            [one] if one.dialled.is_none() => match one.verdict {
                Verdict::Refused(refusal) => (one.via, one.host.as_str().to_owned(), refusal),
                Verdict::Allowed | Verdict::Failed => panic!("{one:?}"),
            },
            other => panic!("{other:?}"),
        }
    }
}

struct Names(HashMap<&'static str, Vec<IpAddr>>);

impl Resolve for Names {
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self.0.get(name).cloned().ok_or_else(|| io::Error::other("no such name"))
    }
}

struct Lead {
    server: SocketAddr,
    dialled: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Dial for Lead {
    fn dial(&self, to: SocketAddr, within: Duration) -> io::Result<TcpStream> {
        self.dialled.lock().unwrap().push(to);
        TcpStream::connect_timeout(&self.server, within)
    }
}

/// A server that does the same with every client.
pub(crate) fn server(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let serve = Arc::clone(&serve);
            thread::spawn(move || serve(client));
        }
    });
    address
}

/// A server that says back what it hears.
pub(crate) fn echo() -> SocketAddr {
    server(|client| drop(io::copy(&mut &client, &mut &client)))
}

/// A web server that answers `hello` to one request, and hands on every byte that it was sent.
pub(crate) fn web() -> (SocketAddr, mpsc::Receiver<String>) {
    let (heard, hears) = mpsc::channel();
    let heard = Mutex::new(heard);
    let address = server(move |client| {
        let mut client = patient(client);
        let mut all = head(&mut client);
        let body =
            all.split("Content-Length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse().ok());
        let mut bytes = vec![0; body.unwrap_or(0)];
        client.read_exact(&mut bytes).unwrap();
        all.push_str(&String::from_utf8_lossy(&bytes));
        while all.contains("chunked") && !all.ends_with("0\r\n\r\n") {
            all.push_str(&rest(&mut (&mut client).take(1)));
        }
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello").unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        all.push_str(&rest(&mut client));
        let _ = heard.lock().unwrap().send(all);
    });
    (address, hears)
}

/// A place where nobody listens.
pub(crate) fn nobody() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Everything up to and with the empty line.
pub(crate) fn head(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let mut one = [0];
    while !bytes.ends_with(b"\r\n\r\n") && stream.read(&mut one).unwrap() == 1 {
        bytes.push(one[0]);
    }
    String::from_utf8(bytes).unwrap()
}

/// Everything up to the end, however that comes.
pub(crate) fn rest(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(crate) fn patient(stream: TcpStream) -> TcpStream {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// A TLS ClientHello for a server name, or for none.
pub(crate) fn hello(name: Option<&str>) -> Vec<u8> {
    let sized = |bytes: &[u8]| [&(bytes.len() as u16).to_be_bytes(), bytes].concat();
    let extension = |name: &str| {
        let entry = [&[0][..], &sized(name.as_bytes())].concat();
        [&[0, 0][..], &sized(&sized(&entry))].concat()
    };
    let mut body = [&[3, 3][..], &[7; 32], &[0, 0, 2, 0x13, 1, 1, 0]].concat();
    body.extend(sized(&name.map(extension).unwrap_or_default()));
    let message = [&[1, 0][..], &sized(&body)].concat();
    [&[0x16, 3, 1][..], &sized(&message)].concat()
}
