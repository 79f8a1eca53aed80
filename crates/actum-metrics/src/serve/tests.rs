//! Plain sockets against the server.

use super::*;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// A server that answers with what it was asked.
fn echo(options: ServeOptions) -> (HttpServer, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let handle = |request: &TrackingRequest<'_>| {
        let TrackingRequest { method, path, query, body } = *request;
        let body = format!("{method} {path} {query} {}", String::from_utf8_lossy(body)).into_bytes();
        Response { status: 200, content_type: "text/plain", body }
    };
    (HttpServer::start(vec![listener.into()], options, Box::new(handle)).unwrap(), address)
}

/// Everything that comes back for these pieces until the server closes.
fn talk(address: SocketAddr, pieces: &[&[u8]]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    for piece in pieces {
        stream.write_all(piece).unwrap();
    }
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

const LAST: &[u8] = b"GET /last HTTP/1.1\r\nConnection: close\r\n\r\n";

#[test]
fn a_connection_carries_many_requests_however_they_are_cut() {
    let (server, address) = echo(ServeOptions::default());
    let first = b"POST /a?b=c HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody";
    let single: Vec<&[u8]> = first.chunks(1).chain(LAST.chunks(7)).collect();
    for pieces in [vec![&first[..], LAST], single, vec![&[&first[..], LAST].concat()]] {
        let answer = talk(address, &pieces);
        assert!(answer.contains("POST /a b=c body") && answer.ends_with("GET /last  "), "{answer}");
        assert!(answer.contains("Connection: keep-alive"), "{answer}");
    }
    server.stop();
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
}

#[test]
fn a_body_is_waited_for_and_asked_for() {
    let (_server, address) = echo(ServeOptions::default());
    let head = b"POST /a HTTP/1.1\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n";
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(head).unwrap();
    let mut word = [0; 25];
    stream.read_exact(&mut word).unwrap();
    assert_eq!(&word, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"ok").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.ends_with("POST /a  ok"), "{answer}");
}

#[test]
fn what_is_too_large_or_no_request_is_refused_and_closed() {
    let (_server, address) = echo(ServeOptions { largest_body: 10, ..ServeOptions::default() });
    for (request, status) in [
        (&b"POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n"[..], "413"),
        (b"nonsense\r\n\r\n", "400"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "411"),
        (b"GET / HTTP/1.1\r\nOrigin: http://evil.example\r\n\r\n", "403"),
    ] {
        let answer = talk(address, &[request]);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains("Connection: close"),
            "{answer}"
        );
    }
}

#[test]
fn connections_have_a_bound_and_stopping_ends_them_all() {
    let (server, address) = echo(ServeOptions { most_connections: 2, ..ServeOptions::default() });
    let mut open: Vec<TcpStream> = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        assert!(stream.read(&mut [0; 200]).unwrap() > 0);
        open.push(stream);
    }
    let mut refused = String::new();
    TcpStream::connect(address).unwrap().read_to_string(&mut refused).unwrap();
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    server.stop();
    for stream in &mut open {
        assert_eq!(stream.read(&mut [0; 10]).unwrap(), 0);
    }
}
