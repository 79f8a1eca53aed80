//! Reads the head of a proxy request and writes the one that goes on in its place.
//!
//! Nothing of a head is passed on as it came: [`Forward::origin_form`] writes a new one from the parts that were
//! understood, so there is no second way to read it. Pure; the grammar is httparse's. Start at [`request`].

use super::{
    Reading,
    framing::{Framing, framing},
};
use crate::asked::Asked;

/// More headers than any browser sends.
const HEADERS: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// `CONNECT host:port`: a tunnel. Its headers are for us, and we need none of them.
    Connect { authority: String },
    /// `GET http://host/path`: one plain request.
    Forward(Forward),
}

/// One plain request, as far as it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Forward {
    pub(crate) authority: String,
    /// What the `Host` header says, where there is one.
    pub(crate) host: Option<String>,
    pub(crate) framing: Framing,
    method: String,
    path: String,
    minor_version: u8,
    headers: Vec<(String, Vec<u8>)>,
}

pub(crate) fn request(bytes: &[u8]) -> Reading<Request> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(used)) => {
            understood(&parsed).map_or(Reading::Broken, |value| Reading::Whole { value, used })
        }
        Ok(httparse::Status::Partial) => Reading::Short,
        Err(_) => Reading::Broken,
    }
}

impl Forward {
    /// The head as the origin gets it: path only, one `Host`, one framing, nothing meant for a proxy, no second request.
    pub(crate) fn origin_form(&self, asked: &Asked) -> Vec<u8> {
        let host = if asked.port == 80 { host_alone(asked) } else { asked.to_string() };
        let mut head =
            format!("{} {} HTTP/1.{}\r\nHost: {host}\r\n", self.method, self.path, self.minor_version);
        match self.framing {
            Framing::None => {}
            Framing::Length(length) => head.push_str(&format!("Content-Length: {length}\r\n")),
            Framing::Chunked => head.push_str("Transfer-Encoding: chunked\r\n"),
        }
        let mut head = head.into_bytes();
        for (name, value) in &self.headers {
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"Connection: close\r\n\r\n");
        head
    }
}

fn host_alone(asked: &Asked) -> String {
    let with_port = asked.to_string();
    with_port.strip_suffix(":80").unwrap_or(&with_port).to_owned()
}

fn understood(parsed: &httparse::Request<'_, '_>) -> Option<Request> {
    let (method, target, minor_version) = (parsed.method?, parsed.path?, parsed.version?);
    if method == "CONNECT" {
        return Some(Request::Connect { authority: target.to_owned() });
    }
    let (authority, path) = split_absolute(target)?;
    let framing = framing(parsed.headers.iter().map(|header| (header.name, header.value)))?;
    if framing == Framing::Chunked && minor_version == 0 {
        return None;
    }
    Some(Request::Forward(Forward {
        authority: authority.to_owned(),
        host: only_host(parsed.headers)?,
        framing,
        method: method.to_owned(),
        path,
        minor_version,
        headers: end_to_end(parsed.headers),
    }))
}

/// `http://authority/path`, in any case of the scheme. A fragment never belongs in a request.
fn split_absolute(target: &str) -> Option<(&str, String)> {
    let (scheme, rest) = target.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") || rest.contains('#') {
        return None;
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some((authority, format!("{slash}{path}")))
}

/// `None`: several, or not text. `Some(None)`: there is none.
fn only_host(headers: &[httparse::Header<'_>]) -> Option<Option<String>> {
    let mut hosts = headers.iter().filter(|header| header.name.eq_ignore_ascii_case("host"));
    let first = hosts.next();
    if hosts.next().is_some() {
        return None;
    }
    first
        .map(|header| String::from_utf8(header.value.to_vec()).ok())
        .map_or(Some(None), |host| host.map(Some))
}

/// The headers meant for the origin: not the hop's own, not those that `Connection` names, not those we write.
fn end_to_end(headers: &[httparse::Header<'_>]) -> Vec<(String, Vec<u8>)> {
    const OURS: [&str; 9] = [
        "connection",
        "keep-alive",
        "te",
        "trailer",
        "upgrade",
        "host",
        "content-length",
        "transfer-encoding",
        "http2-settings",
    ];
    let of_connection = headers.iter().filter(|header| header.name.eq_ignore_ascii_case("connection"));
    let named: Vec<String> = of_connection
        .flat_map(|header| header.value.split(|byte| *byte == b','))
        .map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase())
        .collect();
    let goes_on = |name: &str| {
        let name = name.to_ascii_lowercase();
        !OURS.contains(&name.as_str()) && !name.starts_with("proxy-") && !named.contains(&name)
    };
    let kept = headers.iter().filter(|header| goes_on(header.name));
    kept.map(|header| (header.name.to_owned(), header.value.to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forward(text: &str) -> Forward {
        match request(text.as_bytes()) {
            Reading::Whole { value: Request::Forward(forward), .. } => forward,
            other @ (Reading::Whole { .. } | Reading::Short | Reading::Broken) => {
                panic!("{text:?} read as {other:?}")
            }
        }
    }

    fn rewritten(text: &str) -> String {
        let forward = forward(text);
        let asked = Asked::from_authority(&forward.authority, Some(80)).unwrap();
        String::from_utf8(forward.origin_form(&asked)).unwrap()
    }

    #[test]
    fn writes_a_new_head_of_what_it_understood() {
        let head = "POST HTTP://Example.com/a?b=c HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\n\
            Proxy-Authorization: Basic x\r\nProxy-Connection: keep-alive\r\nConnection: keep-alive, X-Hop\r\n\
            X-Hop: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(
            rewritten(head),
            "POST /a?b=c HTTP/1.1\r\nHost: example.com\r\nContent-Length: 5\r\nAccept: */*\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(
            rewritten("GET http://[::1]:8080?q HTTP/1.0\r\n\r\n"),
            "GET /?q HTTP/1.0\r\nHost: [::1]:8080\r\nConnection: close\r\n\r\n"
        );
    }

    #[test]
    fn connection_cannot_strike_out_the_framing() {
        let head =
            "POST http://a.b/ HTTP/1.1\r\nConnection: Content-Length, Host\r\nContent-Length: 5\r\n\r\n";
        assert!(rewritten(head).contains("Content-Length: 5\r\n"));
    }

    #[test]
    fn reads_a_tunnel() {
        let bytes = b"CONNECT example.com:443 HTTP/1.1\r\nHost: whatever\r\n\r\n\x16";
        let value = Request::Connect { authority: "example.com:443".to_owned() };
        assert_eq!(request(bytes), Reading::Whole { value, used: bytes.len() - 1 });
    }

    #[test]
    fn what_could_be_read_twice_is_broken() {
        for text in [
            "GET / HTTP/1.1\r\nHost: a.b\r\n\r\n",
            "GET https://a.b/ HTTP/1.1\r\n\r\n",
            "GET ftp://a.b/ HTTP/1.1\r\n\r\n",
            "GET http://a.b/#x HTTP/1.1\r\n\r\n",
            "GET http://a.b/ HTTP/2.0\r\n\r\n",
            "GET http://a.b/ HTTP/1.1\r\nHost: a.b\r\nHost: c.d\r\n\r\n",
            "GET http://a.b/ HTTP/1.1\r\nHost : a.b\r\n\r\n",
            "GET http://a.b/ HTTP/1.1\r\nX: a\r\n folded\r\n\r\n",
            "GET http://a.b/ HTTP/1.1\r\nX: a\0b\r\n\r\n",
            "POST http://a.b/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST http://a.b/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST http://a.b/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert_eq!(request(text.as_bytes()), Reading::Broken, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[A-Z]{3} (http://)?\\PC{0,30} HTTP/1.1\r\n\\PC{0,20}\r\n\r\n") {
            let _ = (request(&bytes), request(text.as_bytes()));
        }

        #[test]
        fn a_head_passed_on_holds_one_request(value in "[ -~\\t\\r\\n]{0,40}", path in "[!-~]{0,30}") {
            let text = format!("GET http://a.b/{path} HTTP/1.1\r\nX: {value}\r\n\r\n");
            if let Reading::Whole { value: Request::Forward(forward), .. } = request(text.as_bytes()) {
                let asked = Asked::from_authority("a.b", Some(80)).unwrap();
                let head = forward.origin_form(&asked);
                let mut headers = [httparse::EMPTY_HEADER; HEADERS];
                let read = httparse::Request::new(&mut headers).parse(&head);
                prop_assert_eq!(read, Ok(httparse::Status::Complete(head.len())));
            }
        }
    }
}
