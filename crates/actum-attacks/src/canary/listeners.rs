//! Services that answer with a secret and remember who spoke: TCP, UDP, and unix sockets by path and by name.

use crate::{AttackError, Parameters, Token, User, token::contains};
use std::{
    io::{self, Read, Write},
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::chown,
            net::{SocketAddr, UnixListener},
        },
    },
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// How often a listener looks whether it should stop.
const BEAT: Duration = Duration::from_millis(10);
/// How long a caller may take to say something; the leaked connection is silent until it is misused.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub(super) struct Listeners {
    pub(super) tcp_port: u16,
    tcp6_port: u16,
    udp_port: u16,
    path: PathBuf,
    name: String,
    answer: Token,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// What the threads have in common.
#[derive(Debug)]
struct Shared {
    stop: AtomicBool,
    heard: Mutex<Vec<(&'static str, Vec<u8>)>>,
    answer: String,
}

impl Listeners {
    pub(super) fn start(home: &Path, user: &User, label: &str) -> Result<Listeners, AttackError> {
        let listen = |name| move |source| AttackError::Listen { name, source };
        let answer = Token::fresh("service")?;
        let shared = Arc::new(Shared {
            stop: AtomicBool::new(false),
            heard: Mutex::default(),
            answer: answer.text().to_owned(),
        });
        let path = home.join("agent.sock");
        let name = format!("actum-canary-{label}");
        let tcp = TcpListener::bind("127.0.0.1:0").map_err(listen("tcp"))?;
        // Not every machine has IPv6; without it the attempts find one door less.
        let tcp6 = TcpListener::bind("[::1]:0").ok();
        let udp = UdpSocket::bind("127.0.0.1:0").map_err(listen("udp"))?;
        let unix = UnixListener::bind(&path).map_err(listen("unix"))?;
        chown(&path, Some(user.uid), Some(user.gid)).map_err(listen("unix"))?;
        let address = SocketAddr::from_abstract_name(&name).map_err(listen("abstract"))?;
        let by_name = UnixListener::bind_addr(&address).map_err(listen("abstract"))?;
        let port = |listener: &TcpListener| listener.local_addr().map_or(0, |address| address.port());
        let mut listeners = Listeners {
            tcp_port: port(&tcp),
            tcp6_port: tcp6.as_ref().map_or(0, port),
            udp_port: udp.local_addr().map_or(0, |address| address.port()),
            path,
            name,
            answer,
            shared,
            threads: Vec::new(),
        };
        tcp.set_nonblocking(true).map_err(listen("tcp"))?;
        unix.set_nonblocking(true).map_err(listen("unix"))?;
        by_name.set_nonblocking(true).map_err(listen("abstract"))?;
        udp.set_read_timeout(Some(BEAT)).map_err(listen("udp"))?;
        listeners.serve("tcp", move || tcp.accept().map(|(stream, _)| stream));
        if let Some(tcp6) = tcp6.filter(|tcp6| tcp6.set_nonblocking(true).is_ok()) {
            listeners.serve("tcp6", move || tcp6.accept().map(|(stream, _)| stream));
        }
        listeners.serve("unix", move || unix.accept().map(|(stream, _)| stream));
        listeners.serve("abstract", move || by_name.accept().map(|(stream, _)| stream));
        listeners.serve_datagrams(udp);
        Ok(listeners)
    }

    pub(super) fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::default();
        parameters.set("tcp_port", self.tcp_port);
        parameters.set("tcp6_port", self.tcp6_port);
        parameters.set("udp_port", self.udp_port);
        parameters.set("unix_path", self.path.display());
        parameters.set("abstract_name", &self.name);
        parameters
    }

    pub(super) fn tokens(&self) -> [Token; 1] {
        [self.answer.clone()]
    }

    /// Which services heard the marker.
    pub(super) fn heard(&self, marker: &str) -> Vec<String> {
        let heard = self.shared.heard.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let with_marker = heard.iter().filter(|(_, bytes)| contains(bytes, marker.as_bytes()));
        with_marker.map(|(name, _)| (*name).to_owned()).collect()
    }

    fn serve<S: Conversation>(
        &mut self,
        name: &'static str,
        accept: impl Fn() -> io::Result<S> + Send + 'static,
    ) {
        let shared = Arc::clone(&self.shared);
        self.threads.push(thread::spawn(move || {
            let mut callers: Vec<JoinHandle<()>> = Vec::new();
            while !shared.stop.load(Ordering::Relaxed) {
                let Ok(stream) = accept() else {
                    thread::sleep(BEAT);
                    continue;
                };
                let shared = Arc::clone(&shared);
                callers.push(thread::spawn(move || converse(name, stream, &shared)));
            }
            for caller in callers {
                let _ = caller.join();
            }
        }));
    }

    fn serve_datagrams(&mut self, socket: UdpSocket) {
        let shared = Arc::clone(&self.shared);
        self.threads.push(thread::spawn(move || {
            let mut bytes = [0_u8; 2048];
            while !shared.stop.load(Ordering::Relaxed) {
                let Ok((length, from)) = socket.recv_from(&mut bytes) else { continue };
                shared.note("udp", &bytes[..length]);
                let _ = socket.send_to(shared.answer.as_bytes(), from);
            }
        }));
    }
}

impl Drop for Listeners {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn note(&self, name: &'static str, bytes: &[u8]) {
        let mut heard = self.heard.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        heard.push((name, bytes.to_vec()));
    }
}

/// Listens to one caller until it has spoken, then answers with the secret.
fn converse(name: &'static str, mut stream: impl Conversation, shared: &Shared) {
    let began = crate::clock::now();
    let mut bytes = [0_u8; 2048];
    if stream.be_patient(BEAT).is_err() {
        return;
    }
    while began.elapsed() < PATIENCE && !shared.stop.load(Ordering::Relaxed) {
        match stream.read(&mut bytes) {
            Ok(0) => return,
            Ok(length) => {
                shared.note(name, &bytes[..length]);
                let _ = stream.write_all(shared.answer.as_bytes());
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

/// A connected stream of either kind.
trait Conversation: Read + Write + Send + 'static {
    fn be_patient(&self, beat: Duration) -> io::Result<()>;
}

impl Conversation for std::net::TcpStream {
    fn be_patient(&self, beat: Duration) -> io::Result<()> {
        self.set_nonblocking(false)?;
        self.set_read_timeout(Some(beat))
    }
}

impl Conversation for std::os::unix::net::UnixStream {
    fn be_patient(&self, beat: Duration) -> io::Result<()> {
        self.set_nonblocking(false)?;
        self.set_read_timeout(Some(beat))
    }
}
