//! As much of HTTP as the agents' clients speak: a head, a body of a known length or in chunks, one answer.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

pub(super) const JSON: &str = "application/json";
pub(super) const EVENTS: &str = "text/event-stream";

/// One request.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) method: String,
    /// Without the host, which a client that takes us for a proxy puts before it.
    pub(super) path: String,
    /// Nothing where it is no JSON.
    pub(super) body: Value,
}

/// More than any agent sends.
const LONGEST: u64 = 64 << 20;

/// Reads one request; nothing where the client went away before it.
pub(super) fn read(stream: &TcpStream) -> io::Result<Option<Asked>> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut words = first.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or_default(),
            "transfer-encoding" => chunked = value.trim().eq_ignore_ascii_case("chunked"),
            // Some clients wait for this before they send a long body.
            "expect" => (&*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
            _ => {}
        }
    }
    let mut body = Vec::new();
    match chunked {
        true => read_chunks(&mut reader, &mut body)?,
        false => drop(reader.take(u64::min(length, LONGEST)).read_to_end(&mut body)?),
    }
    let path = match target.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]).to_owned(),
        None => target,
    };
    Ok(Some(Asked { method, path, body: serde_json::from_slice(&body).unwrap_or_default() }))
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = u64::from_str_radix(line.trim(), 16).unwrap_or_default();
        reader.take(length).read_to_end(body)?;
        reader.read_line(&mut String::new())?;
        if length == 0 || body.len() as u64 > LONGEST {
            return Ok(());
        }
    }
}

pub(super) fn answer(mut stream: &TcpStream, status: u16, kind: &str, body: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} As Told\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}
