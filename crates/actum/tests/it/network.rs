//! No network unless granted, and then exactly what was granted.

use crate::world::{Walls, World};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A service of the machine on loopback that answers every request in the same way, and counts them.
struct Service {
    port: u16,
    asked: Arc<AtomicUsize>,
}

impl Service {
    fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello");
            }
        });
        Self { port, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Asks for a page through the proxy that the variables name, whatever they say about loopback.
const ASK: &str = "\
import os, sys, urllib.request, urllib.error
os.environ['no_proxy'] = os.environ['NO_PROXY'] = ''
proxy = os.environ.get('HTTP_PROXY') or os.environ['http_proxy']
opener = urllib.request.build_opener(urllib.request.ProxyHandler({'http': proxy}))
for url in sys.argv[1:]:
    try: print(opener.open(url, timeout=10).read().decode())
    except urllib.error.HTTPError as error: print(error.code)
";

/// The same through a tunnel, as TLS would use it.
const TUNNEL: &str = "\
import os, sys, http.client, urllib.parse
proxy = urllib.parse.urlsplit(os.environ.get('HTTPS_PROXY') or os.environ['https_proxy'])
for port in sys.argv[1:]:
    connection = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=10)
    connection.set_tunnel('127.0.0.1', int(port))
    try:
        connection.request('GET', '/')
        print(connection.getresponse().read().decode())
    except OSError as error: print('refused', error)
";

#[test]
fn by_default_the_machine_s_own_services_are_out_of_reach() {
    let service = Service::open();
    let program = format!(
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', {}), 5)\n    print('reached')\n\
         except OSError as error: print('refused')",
        service.port
    );
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.python(&program).walls(walls).go().expect(0);
            assert_eq!(done.out(), "refused\n", "{done}");
        }
        // Direct ways stay shut when a way through the proxy is granted.
        let granted = format!("127.0.0.1:{}", service.port);
        let done = world.python(&program).flags(&["--net", &granted]).go().expect(0);
        assert_eq!(done.out(), "refused\n", "{done}");
        assert_eq!(service.asked(), 0);
        let done = world.python(&program).flags(&["--policy", "open"]).go().expect(0);
        assert_eq!(done.out(), "reached\n", "{done}");
        service.asked.store(0, Ordering::SeqCst);
    }
}

#[test]
fn a_granted_host_is_reached_and_its_neighbour_is_not() {
    let (granted, other) = (Service::open(), Service::open());
    let url = |service: &Service| format!("http://127.0.0.1:{}/", service.port);
    for world in World::each() {
        let net = format!("127.0.0.1:{}", granted.port);
        let run =
            world.run(&["python3", "-c", ASK, &url(&granted), &url(&other), "http://unlisted.example/"]);
        let done = run.flags(&["--net", &net]).go().expect(0);
        assert_eq!(done.out(), "hello\n403\n403\n", "{done}");
        let told = done.told("/hosts/decisions").to_string();
        for (port, verdict) in [(granted.port, "allowed"), (other.port, "refused")] {
            let found = done.told("/hosts/decisions").as_array().unwrap().iter().any(|decision| {
                decision["port"] == port && decision["verdict"].to_string().contains(verdict)
            });
            assert!(found, "{port} {verdict} is not in {told}");
        }
        assert!(told.contains("unlisted.example"), "{told}");
        let ports = [granted.port.to_string(), other.port.to_string()];
        let run = world.run(&["python3", "-c", TUNNEL, &ports[0], &ports[1]]);
        let done = run.flags(&["--net", &net]).go().expect(0);
        let lines: Vec<String> = done.out().lines().map(str::to_owned).collect();
        assert_eq!(lines[0], "hello", "{done}");
        assert!(lines[1].starts_with("refused") && lines[1].contains("403"), "{done}");
        assert_eq!(other.asked(), 0, "{done}");
    }
    assert!(granted.asked() >= 2);
}

#[test]
fn its_own_loopback_is_there_unless_even_that_is_refused() {
    let program = "import socket\nserver = socket.socket()\ntry:\n    server.bind(('127.0.0.1', 0))\n    server.listen()\n    \
                   socket.create_connection(server.getsockname(), 5)\n    print('up')\n\
                   except OSError as error: print('down')";
    for world in World::each() {
        for (flags, state) in
            [(&[][..], "up\n"), (&["--net", "loopback"], "up\n"), (&["--net", "none"], "down\n")]
        {
            let done = world.python(program).flags(flags).go().expect(0);
            assert_eq!(done.out(), state, "{done}");
        }
        let done = world.python(program).flags(&["--policy", "locked"]).go().expect(0);
        assert_eq!(done.out(), "down\n", "{done}");
    }
}
