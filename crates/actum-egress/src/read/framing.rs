//! Where a request's body ends. One answer or none: two readings of one length is how requests are smuggled. Pure.

use super::Reading;

/// How a body is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    None,
    Length(u64),
    Chunked,
}

/// The framing that some headers declare; `None` where they contradict each other or say what we do not know.
pub(crate) fn framing<'a>(headers: impl Iterator<Item = (&'a str, &'a [u8])>) -> Option<Framing> {
    let mut found = Framing::None;
    for (name, value) in headers {
        let declared = if name.eq_ignore_ascii_case("content-length") {
            Framing::Length(decimal(value)?)
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            value.eq_ignore_ascii_case(b"chunked").then_some(Framing::Chunked)?
        } else {
            continue;
        };
        if found != Framing::None {
            return None;
        }
        found = declared;
    }
    Some(found)
}

/// The line in front of a chunk: its size in hexadecimal and nothing else. Extensions have no meaning that survives a
/// proxy, and have been used to smuggle, so they are refused.
pub(crate) fn chunk_size(bytes: &[u8]) -> Reading<u64> {
    // 15 digits: no sum of what is read can overflow.
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (number, rest) = bytes.split_at(digits);
    if digits > 15 || (digits == 0 && !rest.is_empty()) {
        return Reading::Broken;
    }
    match line_end(rest) {
        Reading::Whole { used, .. } => {
            let value = std::str::from_utf8(number).ok().and_then(|text| u64::from_str_radix(text, 16).ok());
            value.map_or(Reading::Broken, |value| Reading::Whole { value, used: digits + used })
        }
        Reading::Short => Reading::Short,
        Reading::Broken => Reading::Broken,
    }
}

/// Exactly CR LF.
pub(crate) fn line_end(bytes: &[u8]) -> Reading<()> {
    match bytes {
        [b'\r', b'\n', ..] => Reading::Whole { value: (), used: 2 },
        [] | [b'\r'] => Reading::Short,
        _ => Reading::Broken,
    }
}

/// Digits only, up to 18 of them: no sign, no list, no overflow.
fn decimal(value: &[u8]) -> Option<u64> {
    let plain = (1..=18).contains(&value.len()) && value.iter().all(u8::is_ascii_digit);
    plain.then(|| std::str::from_utf8(value).ok()?.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_length_or_none() {
        for (headers, expected) in [
            (&[("Accept", "*/*")][..], Some(Framing::None)),
            (&[("Content-Length", "12")], Some(Framing::Length(12))),
            (&[("transfer-encoding", "Chunked")], Some(Framing::Chunked)),
            (&[("Content-Length", "12"), ("content-length", "12")], None),
            (&[("Content-Length", "12"), ("Transfer-Encoding", "chunked")], None),
            (&[("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")], None),
            (&[("Content-Length", "+12")], None),
            (&[("Content-Length", "12, 12")], None),
            (&[("Content-Length", "")], None),
            (&[("Content-Length", "99999999999999999999")], None),
            (&[("Transfer-Encoding", "gzip, chunked")], None),
            (&[("Transfer-Encoding", "identity")], None),
            (&[("Transfer-Encoding", "\x0bchunked")], None),
        ] {
            assert_eq!(
                framing(headers.iter().map(|(name, value)| (*name, value.as_bytes()))),
                expected,
                "{headers:?}"
            );
        }
    }

    #[test]
    fn chunk_lines_are_bare() {
        for bytes in [
            &b"\r\n"[..],
            b"-1\r\n",
            b"5 \r\n",
            b"5;a=b\r\n",
            b"5\n",
            b"5\rx",
            b"0x5\r\n",
            b"1111111111111111\r\n",
        ] {
            assert_eq!(chunk_size(bytes), Reading::Broken, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = (chunk_size(&bytes), line_end(&bytes));
        }

        #[test]
        fn sizes_read_back(size in 0u64..1 << 60, tail in "[a-z\\r\\n]{0,4}") {
            let line = format!("{size:x}\r\n");
            let all = format!("{line}{tail}");
            prop_assert_eq!(chunk_size(all.as_bytes()), Reading::Whole { value: size, used: line.len() });
            prop_assert_eq!(chunk_size(&line.as_bytes()[..line.len() - 1]), Reading::Short);
        }
    }
}
