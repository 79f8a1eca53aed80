//! The head of a request. Pure; the grammar is httparse's.

/// 16 KiB and 64 fields: the client sends ten, and a query holds a filter.
pub(super) const LONGEST: usize = 16 * 1024;
const FIELDS: usize = 64;

/// What of a head matters here.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) body: usize,
    /// The client waits for a word before it sends the body.
    pub(super) expects_continue: bool,
    /// The connection stays open for another request.
    pub(super) stays_open: bool,
    /// How many bytes the head takes.
    pub(super) used: usize,
}

/// Why there is no head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoHead {
    /// More bytes are needed.
    Short,
    /// It is to be refused with this status.
    Refused(u16),
}

/// Reads the head that these bytes begin with. Of a path and its query, the bytes are ASCII or the head is refused.
pub(super) fn read(bytes: &[u8], largest_body: usize) -> Result<Head, NoHead> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let used = match request.parse(bytes) {
        Ok(httparse::Status::Complete(used)) => used,
        Ok(httparse::Status::Partial) if bytes.len() < LONGEST => return Err(NoHead::Short),
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            return Err(NoHead::Refused(431));
        }
        Err(_) => return Err(NoHead::Refused(400)),
    };
    let (Some(method), Some(target), Some(version)) = (request.method, request.path, request.version) else {
        return Err(NoHead::Refused(400));
    };
    let field = |name: &str| -> Result<Option<&str>, NoHead> {
        let mut values = request.headers.iter().filter(|one| one.name.eq_ignore_ascii_case(name));
        let first = values.next();
        // Two lengths are how one request is hidden in another.
        if values.next().is_some() {
            return Err(NoHead::Refused(400));
        }
        first
            .map(|one| std::str::from_utf8(one.value).map(str::trim))
            .transpose()
            .map_err(|_| NoHead::Refused(400))
    };
    // A page in a browser has no business here: it could be anybody's.
    if field("origin")?.is_some() {
        return Err(NoHead::Refused(403));
    }
    if field("transfer-encoding")?.is_some() {
        return Err(NoHead::Refused(411));
    }
    let body = match field("content-length")? {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            let length = digits.parse().map_err(|_| NoHead::Refused(413))?;
            if length > largest_body { Err(NoHead::Refused(413)) } else { Ok(length) }
        }
        Some(_) => Err(NoHead::Refused(400)),
        None => Ok(0),
    }?;
    let closes = field("connection")?.is_some_and(|value| value.eq_ignore_ascii_case("close"));
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Ok(Head {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        body,
        expects_continue: field("expect")?.is_some_and(|value| value.eq_ignore_ascii_case("100-continue")),
        stays_open: version == 1 && !closes,
        used,
    })
}

/// The words behind a status.
pub(super) fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn heads_are_read_or_refused() {
        let read = |text: &str| {
            read(text.as_bytes(), 100).map(|head| (head.path, head.query, head.body, head.stays_open))
        };
        let whole = read("POST /a/b?c=d%20e HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n");
        assert_eq!(whole, Ok(("/a/b".to_owned(), "c=d%20e".to_owned(), 12, true)));
        assert_eq!(read("GET / HTTP/1.0\r\n\r\n").map(|head| head.3), Ok(false));
        assert_eq!(read("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n").map(|head| head.3), Ok(false));
        for (text, expected) in [
            ("GET / HTT", NoHead::Short),
            ("", NoHead::Short),
            ("no head\r\n\r\n", NoHead::Refused(400)),
            ("POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n", NoHead::Refused(413)),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", NoHead::Refused(413)),
            ("POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", NoHead::Refused(400)),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 2\r\n\r\n", NoHead::Refused(400)),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", NoHead::Refused(411)),
            ("POST / HTTP/1.1\r\nOrigin: https://example.com\r\n\r\n", NoHead::Refused(403)),
        ] {
            assert_eq!(read(text), Err(expected), "{text}");
        }
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(FIELDS + 1));
        assert_eq!(read(&many), Err(NoHead::Refused(431)));
        let long = format!("GET /{} HTTP/1.1\r\n", "a".repeat(LONGEST));
        assert_eq!(read(&long), Err(NoHead::Refused(431)));
    }

    proptest! {
        #[test]
        fn nothing_panics_and_what_is_used_is_there(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(head) = read(&bytes, 10) {
                prop_assert!(head.used <= bytes.len() && head.body <= 10);
            }
        }
    }
}
