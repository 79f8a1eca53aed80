//! What a program asked for, read by the strict grammar before anything is compared with it.
//!
//! An address and a name are told apart here, once, so that no later step has to guess. Forms that some resolvers
//! take for an address (`2130706433`, `0x7f.1`, `0177.0.0.1`, `127.1`) are neither, and have no way through.
//! Pure. Start reading at [`Asked::from_host`].

use actum_model::{HostRule, Refusal};
use std::{fmt, net::IpAddr};

/// A host in its normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Name(String),
    Address(IpAddr),
}

/// A host and a port that somebody wants to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) host: Host,
    pub(crate) port: u16,
}

impl Asked {
    /// Reads a host that stands alone, as SOCKS5 sends it: an IPv6 address has no brackets here.
    pub(crate) fn from_host(host: &[u8], port: u16) -> Result<Self, Refusal> {
        let text = std::str::from_utf8(host).map_err(|_| Refusal::Grammar)?;
        let host = match text.parse::<IpAddr>() {
            Ok(address) => Host::Address(address),
            Err(_) => Host::Name(HostRule::normal_name(text).ok_or(Refusal::Grammar)?),
        };
        if port == 0 {
            return Err(Refusal::Grammar);
        }
        Ok(Self { host, port })
    }

    /// Reads `name:port`, `1.2.3.4:port` or `[v6]:port`; without a port it takes the usual one, where there is one.
    pub(crate) fn from_authority(text: &str, usual_port: Option<u16>) -> Result<Self, Refusal> {
        let (host, port) = split_authority(text).ok_or(Refusal::Grammar)?;
        let port = match port {
            Some(digits) => read_port(digits).ok_or(Refusal::Grammar)?,
            None => usual_port.ok_or(Refusal::Grammar)?,
        };
        let asked = Self::from_host(host.as_bytes(), port)?;
        let bracketed = text.starts_with('[');
        let needs_brackets = matches!(asked.host, Host::Address(IpAddr::V6(_)));
        if bracketed == needs_brackets { Ok(asked) } else { Err(Refusal::Grammar) }
    }

    /// The host as a rule would spell it.
    pub(crate) fn host_text(&self) -> String {
        match &self.host {
            Host::Name(name) => name.clone(),
            Host::Address(address) => address.to_string(),
        }
    }

    /// What to write after `--net` to be granted this.
    pub(crate) fn grant_text(&self) -> String {
        if matches!(self.port, 80 | 443) { self.host_text() } else { self.to_string() }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Name(name) => write!(f, "{name}:{}", self.port),
            Host::Address(IpAddr::V4(address)) => write!(f, "{address}:{}", self.port),
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
        }
    }
}

/// A host as it goes into the record: whatever was sent, made harmless and short.
pub(crate) fn shown(host: &[u8]) -> String {
    // 253 is the longest name; a longer thing is refused anyway, and must not fill the record.
    let short = host.get(..253).unwrap_or(host);
    short.escape_ascii().to_string()
}

fn split_authority(text: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = text.strip_prefix('[') {
        let (host, after) = rest.split_once(']')?;
        return if after.is_empty() {
            Some((host, None))
        } else {
            Some((host, Some(after.strip_prefix(':')?)))
        };
    }
    Some(text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))))
}

/// Digits only: the standard parser would also take `+443`.
fn read_port(digits: &str) -> Option<u16> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_names_and_addresses() {
        for (text, back) in [
            ("example.com:443", "example.com:443"),
            ("EXAMPLE.com.:443", "example.com:443"),
            ("example.com", "example.com:80"),
            ("10.0.0.1:8080", "10.0.0.1:8080"),
            ("[::1]:22", "[::1]:22"),
            ("[::FFFF:1.2.3.4]", "[::ffff:1.2.3.4]:80"),
        ] {
            assert_eq!(Asked::from_authority(text, Some(80)).unwrap().to_string(), back, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_neither() {
        for text in [
            "",
            ":80",
            "example.com:",
            "example.com:0",
            "example.com:+80",
            "example.com:65536",
            "a:80:80",
            "user@example.com:80",
            "evil.com\0.example.com:80",
            "evil.com%00.example.com:80",
            "a b:80",
            "2130706433:80",
            "0x7f000001:80",
            "0x7f.0.0.1:80",
            "0177.0.0.1:80",
            "127.1:80",
            "127.0.0.1.:80",
            "::1:80",
            "[::1",
            "[::1]80",
            "[fe80::1%eth0]:80",
            "[10.0.0.1]:80",
            "[example.com]:80",
            "ex\u{430}mple.com:80",
            "example.com\\@evil.com:80",
            "example.com#:80",
        ] {
            assert_eq!(Asked::from_authority(text, Some(80)), Err(Refusal::Grammar), "{text:?}");
        }
        assert_eq!(Asked::from_authority("example.com", None), Err(Refusal::Grammar));
        assert_eq!(Asked::from_host(b"evil.com\0.example.com", 443), Err(Refusal::Grammar));
        assert_eq!(Asked::from_host(b"\xff\xfe", 443), Err(Refusal::Grammar));
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,60}", bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Asked::from_authority(&text, Some(80));
            let _ = Asked::from_host(&bytes, 443);
            prop_assert!(shown(&bytes).is_ascii());
        }

        #[test]
        fn what_reads_is_written_and_reads_back(
            text in "([a-zA-Z][a-z0-9]{0,8}\\.){1,3}[a-z]{2,5}|([0-9]{1,3}\\.){3}[0-9]{1,3}|\\[[0-9a-f:]{2,20}\\]",
            port in 1u16..,
        ) {
            if let Ok(asked) = Asked::from_authority(&format!("{text}:{port}"), None) {
                prop_assert_eq!(Asked::from_authority(&asked.to_string(), None), Ok(asked));
            }
        }
    }
}
