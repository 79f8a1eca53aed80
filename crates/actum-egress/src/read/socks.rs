//! Reads what a SOCKS5 client says (RFC 1928): the greeting, then one request. Pure.
//!
//! Only "no authentication" and only CONNECT. A host stays bytes here; [`crate::asked`] judges its grammar.

use super::{Reading, cursor::Cursor};
use std::net::{Ipv4Addr, Ipv6Addr};

/// The first byte of everything a SOCKS5 client sends, and how it is told from HTTP.
pub(crate) const VERSION: u8 = 5;

/// What a client offers before it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Greeting {
    /// It can do without authentication.
    Open,
    /// It insists on some.
    Guarded,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) command: Command,
    /// As text, whichever way it was sent.
    pub(crate) host: Vec<u8>,
    pub(crate) port: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Connect,
    /// BIND, UDP ASSOCIATE and whatever else: ways in, or ways out that cannot be judged.
    Other,
}

/// The reply codes of RFC 1928 that we use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Granted = 0,
    NotAllowed = 2,
    HostUnreachable = 4,
    ConnectionRefused = 5,
    CommandUnknown = 7,
}

pub(crate) fn greeting(bytes: &[u8]) -> Reading<Greeting> {
    let mut bytes = Cursor::new(bytes);
    match bytes.u8() {
        Some(VERSION) => {}
        Some(_) => return Reading::Broken,
        None => return Reading::Short,
    }
    let Some(methods) = bytes.short_vector() else { return Reading::Short };
    let value = if methods.contains(&0) { Greeting::Open } else { Greeting::Guarded };
    Reading::Whole { value, used: bytes.used() }
}

pub(crate) fn request(bytes: &[u8]) -> Reading<Request> {
    let mut bytes = Cursor::new(bytes);
    let Some([version, command, reserved, kind]) = bytes.array() else { return Reading::Short };
    if version != VERSION || reserved != 0 {
        return Reading::Broken;
    }
    let host = match kind {
        1 => bytes.array::<4>().map(|octets| Ipv4Addr::from(octets).to_string().into_bytes()),
        3 => bytes.short_vector().map(<[u8]>::to_vec),
        4 => bytes.array::<16>().map(|octets| Ipv6Addr::from(octets).to_string().into_bytes()),
        _ => return Reading::Broken,
    };
    let (Some(host), Some(port)) = (host, bytes.u16()) else { return Reading::Short };
    let command = if command == 1 { Command::Connect } else { Command::Other };
    Reading::Whole { value: Request { command, host, port }, used: bytes.used() }
}

/// A reply. The bound address in it is of no use through a proxy, and would tell of the host's network.
pub(crate) fn reply(reply: Reply) -> [u8; 10] {
    [VERSION, reply as u8, 0, 1, 0, 0, 0, 0, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asks(kind: u8, host: &[u8], port: u16) -> Vec<u8> {
        [&[5, 1, 0, kind], host, &port.to_be_bytes()].concat()
    }

    #[test]
    fn reads_the_three_kinds_of_host() {
        let named = [&[11][..], b"example.com"].concat();
        let mut six = [0; 16];
        six[15] = 1;
        for (kind, host, text) in
            [(1, &[1, 2, 3, 4][..], "1.2.3.4"), (3, &named, "example.com"), (4, &six, "::1")]
        {
            let bytes = asks(kind, host, 443);
            let value = Request { command: Command::Connect, host: text.as_bytes().to_vec(), port: 443 };
            assert_eq!(request(&bytes), Reading::Whole { value, used: bytes.len() });
        }
    }

    #[test]
    fn refuses_what_is_not_socks5() {
        assert_eq!(greeting(&[4, 1]), Reading::Broken);
        assert_eq!(greeting(&[5, 1, 2]), Reading::Whole { value: Greeting::Guarded, used: 3 });
        assert_eq!(request(&[5, 1, 1, 1]), Reading::Broken);
        assert_eq!(request(&asks(2, &[1, 2, 3, 4], 1)), Reading::Broken);
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = (greeting(&bytes), request(&bytes), request(&[&[5, 1, 0], &bytes[..]].concat()));
        }

        #[test]
        fn any_host_reads_back(host in proptest::collection::vec(any::<u8>(), 0..=255), port: u16, cut: prop::sample::Index) {
            let bytes = asks(3, &[&[host.len() as u8], &host[..]].concat(), port);
            prop_assert_eq!(request(&bytes[..cut.index(bytes.len())]), Reading::Short);
            let value = Request { command: Command::Connect, host, port };
            prop_assert_eq!(request(&bytes), Reading::Whole { value, used: bytes.len() });
        }
    }
}
