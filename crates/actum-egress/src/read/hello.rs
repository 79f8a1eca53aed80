//! Reads the server name out of a TLS ClientHello, and nothing else of it.
//!
//! Strict where TLS (RFC 8446, 6066) is: lengths must add up, the message fills its records exactly, and there is one
//! server name or none. The message may come in any number of records and segments, up to [`CAP`]. With Encrypted
//! Client Hello the outer name is what is seen here; docs/design/egress.md says what that leaves open.
//! Pure. Start reading at [`client_hello`].

use super::{Reading, cursor::Cursor};

/// The first byte of every TLS stream: a record that holds a handshake.
pub(crate) const HANDSHAKE: u8 = 0x16;

/// The most that is read before a verdict. Hellos with post-quantum keys are below 2 KiB.
pub(crate) const CAP: usize = 16 * 1024;

const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;
const HOST_NAME: u8 = 0;

/// The server name of the hello that the bytes begin with, if it carries one.
pub(crate) fn client_hello(bytes: &[u8]) -> Reading<Option<String>> {
    let mut records = Cursor::new(bytes);
    let mut message = Vec::new();
    loop {
        match record(&mut records) {
            Reading::Whole { value: fragment, .. } => message.extend_from_slice(fragment),
            Reading::Short => return if bytes.len() < CAP { Reading::Short } else { Reading::Broken },
            Reading::Broken => return Reading::Broken,
        }
        let Some(([kind, high, middle, low], body)) = message.split_first_chunk::<4>() else { continue };
        let length = u32::from_be_bytes([0, *high, *middle, *low]) as usize;
        if *kind != CLIENT_HELLO || length > CAP || body.len() > length {
            return Reading::Broken;
        }
        if body.len() == length {
            let used = records.used();
            return server_name(body).map_or(Reading::Broken, |value| Reading::Whole { value, used });
        }
    }
}

/// One record's contents. Bytes that cannot begin a handshake record are refused as soon as they are seen.
fn record<'a>(bytes: &mut Cursor<'a>) -> Reading<&'a [u8]> {
    let Some(kind) = bytes.u8() else { return Reading::Short };
    if kind != HANDSHAKE {
        return Reading::Broken;
    }
    let Some(major) = bytes.u8() else { return Reading::Short };
    if major != 3 {
        return Reading::Broken;
    }
    let (Some(_minor), Some(length)) = (bytes.u8(), bytes.u16()) else { return Reading::Short };
    if length == 0 || length > 1 << 14 {
        return Reading::Broken;
    }
    bytes
        .take(usize::from(length))
        .map_or(Reading::Short, |value| Reading::Whole { value, used: value.len() })
}

/// `None`: not a well-formed hello. `Some(None)`: one without a server name.
fn server_name(body: &[u8]) -> Option<Option<String>> {
    let mut body = Cursor::new(body);
    let _version = body.u16()?;
    let _random = body.array::<32>()?;
    let session = body.short_vector()?;
    let suites = body.vector()?;
    let compressions = body.short_vector()?;
    if session.len() > 32 || suites.is_empty() || suites.len() % 2 != 0 || compressions.is_empty() {
        return None;
    }
    if body.is_at_end() {
        return Some(None);
    }
    let mut extensions = Cursor::new(body.vector()?);
    if !body.is_at_end() {
        return None;
    }
    let mut found = None;
    while !extensions.is_at_end() {
        let (kind, contents) = (extensions.u16()?, extensions.vector()?);
        if kind == SERVER_NAME {
            let name = only_host_name(contents)?;
            if found.replace(name).is_some() {
                return None;
            }
        }
    }
    Some(found)
}

fn only_host_name(extension: &[u8]) -> Option<String> {
    let mut extension = Cursor::new(extension);
    let mut list = Cursor::new(extension.vector()?);
    let (kind, name) = (list.u8()?, list.vector()?);
    let alone = list.is_at_end() && extension.is_at_end();
    let good = alone && kind == HOST_NAME && !name.is_empty() && name.is_ascii();
    good.then(|| String::from_utf8(name.to_vec()).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sized(bytes: &[u8]) -> Vec<u8> {
        [&(bytes.len() as u16).to_be_bytes(), bytes].concat()
    }

    fn name_extension(names: &[&str]) -> Vec<u8> {
        let list: Vec<u8> =
            names.iter().flat_map(|name| [&[0][..], &sized(name.as_bytes())].concat()).collect();
        [&[0, 0][..], &sized(&sized(&list))].concat()
    }

    fn message(extensions: &[u8]) -> Vec<u8> {
        let mut body = vec![3, 3];
        body.extend([7; 32]);
        body.extend([0, 0, 2, 0x13, 0x01, 1, 0]);
        body.extend(sized(extensions));
        let length = (body.len() as u32).to_be_bytes();
        [&[1], &length[1..], &body].concat()
    }

    fn records(message: &[u8], piece: usize) -> Vec<u8> {
        message.chunks(piece).flat_map(|part| [&[0x16, 3, 1][..], &sized(part)].concat()).collect()
    }

    fn whole(name: Option<&str>, used: usize) -> Reading<Option<String>> {
        Reading::Whole { value: name.map(str::to_owned), used }
    }

    #[test]
    fn a_hello_with_no_name_is_well_formed() {
        let bytes = records(&message(&[0, 10, 0, 2, 0, 0]), 4096);
        assert_eq!(client_hello(&bytes), whole(None, bytes.len()));
    }

    #[test]
    fn what_is_crooked_is_broken() {
        let good = message(&name_extension(&["example.com"]));
        let twice = [name_extension(&["a.com"]), name_extension(&["b.com"])].concat();
        let server_hello = [&[2], &good[1..]].concat();
        for bytes in [
            b"GET / HTTP/1.1".to_vec(),
            vec![0x16, 2],
            vec![0x16, 3, 1, 0, 0],
            vec![0x16, 3, 1, 0xff, 0xff],
            records(&server_hello, 4096),
            records(&message(&twice), 4096),
            records(&message(&name_extension(&["a.com", "b.com"])), 4096),
            records(&message(&name_extension(&[""])), 4096),
            records(&message(&name_extension(&["ex\u{430}mple.com"])), 4096),
            records(&[&good[..], &[0]].concat(), 4096),
            [records(&good[..20], 20), vec![0x15, 3, 1, 0, 2, 2, 40]].concat(),
        ] {
            assert_eq!(client_hello(&bytes), Reading::Broken, "{bytes:02x?}");
        }
    }

    #[test]
    fn a_hello_that_never_ends_is_broken_at_the_cap() {
        let endless =
            records(&[1, 0, 0x3f, 0xff].into_iter().chain([0; CAP]).take(CAP).collect::<Vec<_>>(), 64);
        assert_eq!(client_hello(&endless[..CAP - 1]), Reading::Short);
        assert_eq!(client_hello(&endless[..CAP]), Reading::Broken);
    }

    proptest! {
        #[test]
        fn never_panics(mut bytes in proptest::collection::vec(any::<u8>(), 0..600), tls: bool) {
            if tls {
                bytes.splice(0..0, [0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]);
            }
            let _ = client_hello(&bytes);
        }

        #[test]
        fn a_bent_hello_never_panics(at in 0usize..90, to: u8) {
            let mut bytes = records(&message(&name_extension(&["example.com"])), 40);
            if let Some(byte) = bytes.get_mut(at) {
                *byte = to;
            }
            let _ = client_hello(&bytes);
        }

        #[test]
        fn a_name_reads_back_however_it_was_cut(name in "[a-z]{1,9}(\\.[a-z]{1,9}){1,3}", piece in 1usize..120, cut: prop::sample::Index) {
            let extensions = [&[0, 10, 0, 2, 0, 0][..], &name_extension(&[&name])].concat();
            let bytes = records(&message(&extensions), piece);
            prop_assert_eq!(client_hello(&bytes), whole(Some(&name), bytes.len()));
            prop_assert_eq!(client_hello(&bytes[..cut.index(bytes.len())]), Reading::Short);
            let early_data = [&bytes[..], &[0x17, 3, 3]].concat();
            prop_assert_eq!(client_hello(&early_data), whole(Some(&name), bytes.len()));
        }
    }
}
