//! The server: one thread that accepts, one for each connection, one request for each of those.

use super::package::{Damage, Package};
use super::shelf::{Answer, Dialect, Shelf};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How the index treats who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conduct {
    Well,
    /// Pages only, without upload times: as old mirrors are.
    PagesOnly,
    /// Every answer begins this much later.
    Slow(Duration),
    /// Connections are accepted and nothing is ever said.
    Silent,
    /// Every answer is this status.
    Failing(u16),
    /// Connections end as soon as they begin.
    Down,
}

/// A running index. It stops when it is dropped.
#[derive(Debug)]
pub struct PackageIndex {
    address: SocketAddr,
    counter: Arc<Counter>,
    accepting: Option<JoinHandle<()>>,
}

/// What the threads share.
#[derive(Debug)]
struct Counter {
    shelf: Shelf,
    conduct: Mutex<Conduct>,
    asked: Mutex<Vec<String>>,
    closing: AtomicBool,
    /// Wakes those who are slow or silent, so that stopping waits for nobody.
    closed: (Mutex<()>, Condvar),
}

impl PackageIndex {
    /// Serves these packages on a port of loopback that was free. A package that is not among them does not exist.
    ///
    /// # Panics
    ///
    /// Where loopback has no port left.
    pub fn start(packages: Vec<Package>) -> PackageIndex {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let counter = Arc::new(Counter {
            shelf: Shelf::new(packages, &format!("http://{address}")),
            conduct: Mutex::new(Conduct::Well),
            asked: Mutex::default(),
            closing: AtomicBool::new(false),
            closed: (Mutex::default(), Condvar::new()),
        });
        let shared = Arc::clone(&counter);
        let accepting = thread::spawn(move || accept(&listener, &shared));
        PackageIndex { address, counter, accepting: Some(accepting) }
    }

    /// The address that pip and uv take as `--index-url`.
    pub fn url(&self) -> String {
        format!("http://{}/simple/", self.address)
    }

    /// The address that npm takes as `--registry`.
    pub fn npm_url(&self) -> String {
        format!("http://{}/npm/", self.address)
    }

    /// Host and port, as a rule for granted hosts is written.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// From now on it behaves so.
    pub fn behave(&self, conduct: Conduct) {
        *lock(&self.counter.conduct) = conduct;
    }

    /// Every request so far: `GET /simple/gadget/`.
    pub fn asked(&self) -> Vec<String> {
        lock(&self.counter.asked).clone()
    }
}

impl Drop for PackageIndex {
    fn drop(&mut self) {
        self.counter.closing.store(true, Ordering::SeqCst);
        {
            let _held = lock(&self.counter.closed.0);
            self.counter.closed.1.notify_all();
        }
        // One more connection wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn accept(listener: &TcpListener, counter: &Arc<Counter>) {
    for stream in listener.incoming() {
        if counter.closing.load(Ordering::SeqCst) {
            return;
        }
        let counter = Arc::clone(counter);
        // A client that goes away in the middle is its own affair.
        thread::spawn(move || stream.and_then(|stream| serve(&stream, &counter)));
    }
}

/// The head of a request, as far as it matters here.
struct Head {
    method: String,
    path: String,
    accept: String,
    range: Option<String>,
}

fn serve(stream: &TcpStream, counter: &Counter) -> io::Result<()> {
    let conduct = *lock(&counter.conduct);
    if conduct == Conduct::Down {
        return Ok(());
    }
    let head = read_head(stream)?;
    lock(&counter.asked).push(format!("{} /{}", head.method, head.path));
    match conduct {
        Conduct::Well | Conduct::Down => {}
        Conduct::PagesOnly => return answer(stream, counter, &head, Dialect::Pages),
        Conduct::Slow(time) => counter.wait(Some(time)),
        Conduct::Silent => {
            return {
                counter.wait(None);
                Ok(())
            };
        }
        Conduct::Failing(status) => return write_head(stream, status, &[], 0),
    }
    answer(stream, counter, &head, Dialect::Both)
}

impl Counter {
    /// Waits until the time is over or the index stops.
    fn wait(&self, time: Option<Duration>) {
        let held = lock(&self.closed.0);
        let open = |(): &mut ()| !self.closing.load(Ordering::SeqCst);
        match time {
            Some(time) => drop(self.closed.1.wait_timeout_while(held, time, open)),
            None => drop(self.closed.1.wait_while(held, open)),
        }
    }
}

fn read_head(stream: &TcpStream) -> io::Result<Head> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let mut words = first.split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let path = words.next().unwrap_or_default().trim_start_matches('/').to_owned();
    let mut head = Head { method, path, accept: String::new(), range: None };
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "accept" => value.trim().clone_into(&mut head.accept),
            "range" => head.range = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    Ok(head)
}

fn answer(stream: &TcpStream, counter: &Counter, head: &Head, dialect: Dialect) -> io::Result<()> {
    let body = head.method != "HEAD";
    match counter.shelf.answer(&head.path, &head.accept, dialect) {
        Answer::Missing => write_head(stream, 404, &[], 0),
        Answer::Page { kind, text } => {
            let kind = format!("Content-Type: {kind}");
            write_head(stream, 200, &[&kind], text.len())?;
            write_body(stream, if body { text.as_bytes() } else { &[] })
        }
        Answer::File(file) if file.damage == Damage::CutOff => {
            write_head(stream, 200, &[], file.bytes.len())?;
            write_body(stream, &file.bytes[..file.bytes.len() / 2])
        }
        Answer::File(file) => write_file(stream, &file.bytes, head, body),
    }
}

fn write_file(stream: &TcpStream, bytes: &[u8], head: &Head, body: bool) -> io::Result<()> {
    let ranges = "Accept-Ranges: bytes";
    let Some(range) = head.range.as_deref().and_then(|range| wanted(range, bytes.len())) else {
        write_head(stream, 200, &[ranges], bytes.len())?;
        return write_body(stream, if body { bytes } else { &[] });
    };
    let part = &bytes[range.0..range.1];
    let said = format!("Content-Range: bytes {}-{}/{}", range.0, range.1.saturating_sub(1), bytes.len());
    write_head(stream, 206, &[ranges, &said], part.len())?;
    write_body(stream, if body { part } else { &[] })
}

/// `bytes=FIRST-LAST`, `bytes=FIRST-` or `bytes=-COUNT`, as a half-open range; none where it makes no sense.
fn wanted(range: &str, length: usize) -> Option<(usize, usize)> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let range = match (first, last) {
        ("", count) => (length.saturating_sub(count.parse().ok()?), length),
        (first, "") => (first.parse().ok()?, length),
        (first, last) => (first.parse().ok()?, last.parse::<usize>().ok()?.checked_add(1)?.min(length)),
    };
    (range.0 < range.1).then_some(range)
}

fn write_head(mut stream: &TcpStream, status: u16, fields: &[&str], length: usize) -> io::Result<()> {
    let reason = match status {
        200 => "OK",
        206 => "Partial Content",
        404 => "Not Found",
        _ => "As Told",
    };
    let mut head = format!("HTTP/1.1 {status} {reason}\r\n");
    for field in fields {
        head += &format!("{field}\r\n");
    }
    head += &format!("Content-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())
}

fn write_body(mut stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}

/// A lock that a failed test left behind is as good as any.
fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_clients_write_them() {
        let cases = [
            ("bytes=0-3", Some((0, 4))),
            ("bytes=6-", Some((6, 10))),
            ("bytes=-4", Some((6, 10))),
            ("bytes=-99", Some((0, 10))),
            ("bytes=8-99", Some((8, 10))),
            ("bytes=10-", None),
            ("bytes=5-3", None),
            ("lines=1-2", None),
        ];
        for (range, expected) in cases {
            assert_eq!(wanted(range, 10), expected, "{range}");
        }
    }
}
