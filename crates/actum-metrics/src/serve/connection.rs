//! One connection: request, answer, and the next one.

use super::Shared;
use super::head::{self, Head, NoHead};
use crate::tracking::{Response, TrackingRequest};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How long the rest of a request may take to come, and an answer to be taken, piece by piece.
const PATIENCE: Duration = Duration::from_secs(30);
const PIECE: usize = 16 * 1024;

/// Serves a new connection in a thread of its own, or refuses it.
pub(super) fn admit(shared: &Arc<Shared>, stream: TcpStream) {
    let stream = Arc::new(stream);
    let Some(number) = shared.crew.enter(&stream, shared.options.most_connections) else {
        let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
        let _ = write(&stream, &refusal(503), Form { stays_open: false, has_body: true });
        return;
    };
    let inside = Arc::clone(shared);
    let builder = thread::Builder::new().name("tracking-client".to_owned());
    let serve = move || {
        // Whatever failed, the client sees a closed connection; there is nobody else to tell.
        let _ = serve(&inside, &stream);
        inside.crew.leave(number);
    };
    if builder.spawn(serve).is_err() {
        shared.crew.leave(number);
    }
}

/// How an answer is written.
#[derive(Clone, Copy)]
struct Form {
    stays_open: bool,
    has_body: bool,
}

fn serve(shared: &Shared, stream: &TcpStream) -> io::Result<()> {
    // An answer is one small write: waiting for more to send would cost 40 ms each.
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut held = Vec::new();
    loop {
        let head = match read_head(shared, stream, &mut held)? {
            Some(Ok(head)) => head,
            Some(Err(status)) => {
                return write(stream, &refusal(status), Form { stays_open: false, has_body: true });
            }
            None => return Ok(()),
        };
        let end = head.used + head.body;
        if head.expects_continue && held.len() < end {
            let mut out = stream;
            out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        while held.len() < end {
            let missing = end - held.len();
            if read_more(stream, &mut held, missing, PATIENCE)? == 0 {
                return Ok(());
            }
        }
        let request = TrackingRequest {
            method: &head.method,
            path: &head.path,
            query: &head.query,
            body: &held[head.used..end],
        };
        let stays_open = head.stays_open && !shared.crew.is_stopped();
        write(stream, &shared.answer(&request), Form { stays_open, has_body: head.method != "HEAD" })?;
        held.drain(..end);
        // A large body is not held for as long as the connection is silent.
        held.shrink_to(PIECE);
        if !stays_open {
            return Ok(());
        }
    }
}

/// The next head, or the status to refuse it with. None where the client has closed the connection.
fn read_head(
    shared: &Shared,
    stream: &TcpStream,
    held: &mut Vec<u8>,
) -> io::Result<Option<Result<Head, u16>>> {
    loop {
        match head::read(held, shared.options.largest_body) {
            Ok(head) => return Ok(Some(Ok(head))),
            Err(NoHead::Refused(status)) => return Ok(Some(Err(status))),
            Err(NoHead::Short) => {}
        }
        let patience = if held.is_empty() { shared.options.idle } else { PATIENCE };
        if read_more(stream, held, PIECE, patience)? == 0 {
            return Ok(None);
        }
    }
}

/// Reads as much as is there, at most `most` bytes.
fn read_more(
    mut stream: &TcpStream,
    held: &mut Vec<u8>,
    most: usize,
    patience: Duration,
) -> io::Result<usize> {
    stream.set_read_timeout(Some(patience))?;
    let start = held.len();
    held.resize(start + most.min(4 * PIECE), 0);
    let read = loop {
        match stream.read(&mut held[start..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    held.truncate(start + read.as_ref().copied().unwrap_or(0));
    read
}

fn write(mut stream: &TcpStream, response: &Response, form: Form) -> io::Result<()> {
    let Response { status, content_type, body } = response;
    let connection = if form.stays_open { "keep-alive" } else { "close" };
    let mut bytes = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: {connection}\r\n\r\n",
        head::reason(*status),
        body.len(),
    )
    .into_bytes();
    if form.has_body {
        bytes.extend_from_slice(body);
    }
    stream.write_all(&bytes)
}

fn refusal(status: u16) -> Response {
    let body = format!("{{\"error_code\":\"BAD_REQUEST\",\"message\":\"{}\"}}", head::reason(status));
    Response { status, content_type: "application/json", body: body.into_bytes() }
}
