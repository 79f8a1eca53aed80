//! One request to a server over HTTP/1.1 and its answer. Each has a connection of its own; nothing is encrypted, so addresses begin
//! with `http://`. Answers are bounded.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long a server may take for a piece of its answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// An answer is no larger.
const LARGEST: u64 = 32 << 20;
const LARGEST_HEAD: u64 = 64 << 10;

/// A server's address: host, port and what its paths begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    host: String,
    port: u16,
    base: String,
}

/// Why a text is no address of a server that can be spoken to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("`{0}` is encrypted, and this speaks plain HTTP only")]
    Encrypted(String),
    #[error("`{0}` is not the address of a server")]
    Form(String),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, AddressError> {
        let wrong = || AddressError::Form(text.to_owned());
        if text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://")) {
            return Err(AddressError::Encrypted(text.to_owned()));
        }
        let rest = text.strip_prefix("http://").ok_or_else(wrong)?;
        let (place, base) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') => (host, port.parse().map_err(|_| wrong())?),
            Some(_) | None => (place, 80),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_[]:".contains(c);
        let is_path = |c: char| c.is_ascii_graphic() && !"?#".contains(c);
        if host.is_empty() || !host.chars().all(is_plain) || !base.chars().all(is_path) {
            return Err(wrong());
        }
        let base = base.trim_end_matches('/');
        let base = if base.is_empty() { String::new() } else { format!("/{base}") };
        Ok(Self { host: host.to_owned(), port, base })
    }

    /// Sends JSON, or asks where there is none.
    pub(super) fn ask(&self, path: &str, body: Option<&[u8]>) -> io::Result<Answer> {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let mut tried = Err(io::ErrorKind::NotFound.into());
        for address in (host, self.port).to_socket_addrs()? {
            tried = TcpStream::connect_timeout(&address, PATIENCE);
            if tried.is_ok() {
                break;
            }
        }
        let mut stream = tried?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (method, body) = body.map_or(("GET", &[][..]), |body| ("POST", body));
        let head = format!(
            "{method} {}{path} HTTP/1.1\r\nHost: {}:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Accept: application/json\r\nConnection: close\r\n\r\n",
            self.base,
            self.host,
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        read_answer(stream)
    }
}

/// Reads an answer up to its end.
fn read_answer(stream: impl Read) -> io::Result<Answer> {
    let wrong =
        |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("the server's answer {what}"));
    let mut reader = BufReader::new(stream);
    let mut head = reader.by_ref().take(LARGEST_HEAD);
    let mut line = String::new();
    head.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let is_http = words.next().is_some_and(|word| word.starts_with("HTTP/1."));
    let status = words.next().and_then(|word| word.parse().ok()).filter(|_| is_http);
    let status: u16 = status.ok_or_else(|| wrong("is not HTTP"))?;
    let (mut length, mut is_chunked) = (None, false);
    loop {
        line.clear();
        if head.read_line(&mut line)? == 0 {
            return Err(wrong("was cut"));
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse::<u64>().ok();
        }
        is_chunked |=
            name.eq_ignore_ascii_case("transfer-encoding") && value.trim().eq_ignore_ascii_case("chunked");
    }
    let mut body = Vec::new();
    match (is_chunked, length) {
        (true, _) => read_chunks(&mut reader, &mut body)?,
        (false, Some(length)) if length <= LARGEST => {
            reader.take(length).read_to_end(&mut body)?;
            if (body.len() as u64) < length {
                return Err(wrong("was cut"));
            }
        }
        (false, Some(_)) => return Err(wrong("is too large")),
        (false, None) => drop(reader.take(LARGEST).read_to_end(&mut body)?),
    }
    Ok(Answer { status, body })
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "the server's answer has wrong chunks");
    loop {
        let mut line = String::new();
        reader.by_ref().take(LARGEST_HEAD).read_line(&mut line)?;
        let size = line.trim_end().split(';').next().unwrap_or_default();
        let size = u64::from_str_radix(size.trim(), 16).map_err(|_| wrong())?;
        if size == 0 {
            return Ok(());
        }
        if size.saturating_add(body.len() as u64) > LARGEST {
            return Err(wrong());
        }
        let before = body.len() as u64;
        reader.by_ref().take(size).read_to_end(body)?;
        let mut end = [0; 2];
        reader.read_exact(&mut end)?;
        if body.len() as u64 - before != size || &end != b"\r\n" {
            return Err(wrong());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_are_read() {
        let read = |text: &str| Address::parse(text).map(|one| (one.host, one.port, one.base));
        let of = |host: &str, port, base: &str| Ok((host.to_owned(), port, base.to_owned()));
        assert_eq!(read("http://127.0.0.1:5000"), of("127.0.0.1", 5000, ""));
        assert_eq!(read("http://tracker/a/b/"), of("tracker", 80, "/a/b"));
        assert_eq!(read("http://[::1]:5000/"), of("[::1]", 5000, ""));
        assert!(matches!(read("https://x"), Err(AddressError::Encrypted(_))));
        for bad in ["", "x", "http://", "http://a b", "http://a:b", "ftp://x", "http://a/\r\nX: y"] {
            assert!(matches!(read(bad), Err(AddressError::Form(_))), "{bad}");
        }
    }

    #[test]
    fn answers_are_read_by_length_by_chunks_and_to_their_end() {
        for text in [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}more",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\n\r\n",
            "HTTP/1.0 200 OK\r\n\r\n{}",
        ] {
            let answer = read_answer(text.as_bytes()).unwrap();
            assert_eq!((answer.status, answer.body.as_slice()), (200, &b"{}"[..]), "{text}");
        }
        for bad in [
            "",
            "nothing",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        ] {
            assert!(read_answer(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read_answer(bytes.as_slice());
            let text = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", bytes.as_slice()].concat();
            let _ = read_answer(text.as_slice());
        }
    }
}
