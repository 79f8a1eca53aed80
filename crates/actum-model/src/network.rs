//! What a run may reach, and what was decided about each thing that it tried to reach.

use crate::Untrusted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, net::IpAddr, str::FromStr};

/// What a run may reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Default, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// No network at all, not even a loopback of its own.
    None,
    /// A loopback of its own and nothing else.
    #[default]
    Loopback,
    /// These hosts through our proxy; an empty list is nothing.
    Hosts(Vec<HostRule>),
    /// The machine's own network, unconfined. Only by explicit grant.
    Host,
}

/// One granted host: an exact name, `*.name` for any depth of labels below it, or an address literal, with a port or
/// the web's two (80 and 443).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct HostRule {
    pub(crate) host: RuleHost,
    pub(crate) port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RuleHost {
    Exact(String),
    Below(String),
    Address(IpAddr),
}

/// Why a text is not a host to grant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostRuleError {
    #[error("`{0}` is not a host name: labels of letters, digits and hyphens, joined by dots")]
    Name(String),
    #[error("`{0}` is not a port from 1 to 65535")]
    Port(String),
    #[error("`*` can only replace whole leading labels, as in *.example.org")]
    Star,
}

/// One host that a run tried to reach, and the decision. Stored in the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub via: Via,
    /// As the program requested it, escaped.
    pub host: Untrusted,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    pub verdict: Verdict,
    /// The address that was connected to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialled: Option<IpAddr>,
    /// How often the same decision was made.
    pub times: u64,
}

impl Decision {
    /// The host as one harmless line, for people.
    pub fn shown_host(&self) -> String {
        /// As long as a name can be.
        const LONGEST: usize = 253;
        self.host.shown(LONGEST)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    Connect,
    Http,
    Socks,
    Dns,
    /// A server that the user named, such as a database.
    Forward,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Allowed,
    Refused(Refusal),
    /// Allowed, but connecting failed.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// Not a host name by the strict grammar.
    Grammar,
    /// An IP address that is not granted.
    Literal,
    /// Not on the list.
    Unlisted,
    /// The host is on the list, this port is not.
    Port,
    /// The name resolved to loopback, private, link-local or metadata space.
    PrivateAddress,
    /// The TLS server name differs from the requested host.
    ServerName,
    /// Not a valid proxy request.
    Malformed,
    /// Too many connections at once.
    TooMany,
}

impl Refusal {
    /// The word for it, the same in the report and in what a refused program is told.
    pub fn word(self) -> &'static str {
        match self {
            Self::Grammar => "grammar",
            Self::Literal => "literal",
            Self::Unlisted => "unlisted",
            Self::Port => "port",
            Self::PrivateAddress => "private-address",
            Self::ServerName => "server-name",
            Self::Malformed => "malformed",
            Self::TooMany => "too-many",
        }
    }
}

impl HostRule {
    /// Whether a *normalised* name (see [`normal_name`]) is this rule's host.
    pub fn names(&self, name: &str) -> bool {
        match &self.host {
            RuleHost::Exact(exact) => name == exact,
            RuleHost::Below(base) => {
                name.strip_suffix(base.as_str()).is_some_and(|head| head.ends_with('.') && head.len() > 1)
            }
            RuleHost::Address(_) => false,
        }
    }

    pub fn is_address(&self, address: IpAddr) -> bool {
        matches!(&self.host, RuleHost::Address(own) if *own == address)
    }

    pub fn allows_port(&self, port: u16) -> bool {
        self.port.map_or(port == 80 || port == 443, |own| own == port)
    }

    /// The rule's address, when it grants a literal.
    pub fn address(&self) -> Option<IpAddr> {
        match &self.host {
            RuleHost::Address(address) => Some(*address),
            RuleHost::Exact(_) | RuleHost::Below(_) => None,
        }
    }

    /// The strict grammar, applied before anything is compared: ASCII letters, digits, hyphens and dots; labels of 1 to
    /// 63; 253 in all; the last label not all digits (so `2130706433` and `127.1` are never names); one trailing dot is
    /// taken off; letters become lower case. NUL, user info, percent signs and the rest have no way through.
    pub fn normal_name(text: &str) -> Option<String> {
        let text = text.strip_suffix('.').unwrap_or(text);
        if text.is_empty() || text.len() > 253 {
            return None;
        }
        let label_ok = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let last = text.rsplit('.').next()?;
        let numeric = last.bytes().all(|b| b.is_ascii_digit()) || last.to_ascii_lowercase().starts_with("0x");
        (text.split('.').all(label_ok) && !numeric).then(|| text.to_ascii_lowercase())
    }
}

impl FromStr for HostRule {
    type Err = HostRuleError;

    fn from_str(text: &str) -> Result<Self, HostRuleError> {
        let text = text.trim();
        let (host, port) = split_port(text)?;
        let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
        let host = if let Ok(address) = bare.parse::<IpAddr>() {
            RuleHost::Address(address)
        } else if let Some(base) = host.strip_prefix("*.") {
            RuleHost::Below(Self::normal_name(base).ok_or_else(|| HostRuleError::Name(base.to_owned()))?)
        } else if host.contains('*') {
            return Err(HostRuleError::Star);
        } else {
            RuleHost::Exact(Self::normal_name(host).ok_or_else(|| HostRuleError::Name(host.to_owned()))?)
        };
        Ok(Self { host, port })
    }
}

fn split_port(text: &str) -> Result<(&str, Option<u16>), HostRuleError> {
    let inside_brackets = text.starts_with('[') && text.ends_with(']');
    let many_colons = text.matches(':').count() > 1 && !text.starts_with('[');
    match text.rsplit_once(':') {
        Some((host, port)) if !inside_brackets && !many_colons => {
            let number = port.parse::<u16>().ok().filter(|n| *n > 0);
            number.map(|n| (host, Some(n))).ok_or_else(|| HostRuleError::Port(port.to_owned()))
        }
        _ => Ok((text, None)),
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.host, self.port) {
            (RuleHost::Exact(name), None) => write!(f, "{name}"),
            (RuleHost::Exact(name), Some(port)) => write!(f, "{name}:{port}"),
            (RuleHost::Below(name), None) => write!(f, "*.{name}"),
            (RuleHost::Below(name), Some(port)) => write!(f, "*.{name}:{port}"),
            (RuleHost::Address(IpAddr::V6(address)), Some(port)) => write!(f, "[{address}]:{port}"),
            (RuleHost::Address(address), Some(port)) => write!(f, "{address}:{port}"),
            (RuleHost::Address(address), None) => write!(f, "{address}"),
        }
    }
}

impl TryFrom<String> for HostRule {
    type Error = HostRuleError;
    fn try_from(text: String) -> Result<Self, HostRuleError> {
        text.parse()
    }
}

impl From<HostRule> for String {
    fn from(rule: HostRule) -> Self {
        rule.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(text: &str) -> HostRule {
        text.parse().unwrap()
    }

    #[test]
    fn matches_whole_labels() {
        let exact = rule("Example.org");
        assert!(
            exact.names("example.org") && !exact.names("evil-example.org") && !exact.names("a.example.org")
        );
        let below = rule("*.example.org");
        assert!(
            below.names("a.b.example.org") && !below.names("example.org") && !below.names("evilexample.org")
        );
        assert!(exact.allows_port(443) && !exact.allows_port(22) && rule("a.b:22").allows_port(22));
    }

    #[test]
    fn refuses_what_is_not_a_name() {
        for text in [
            "",
            "a..b",
            "-a.b",
            "a b",
            "user@a.b",
            "a\0.b",
            "a.b:0",
            "a.b:99999",
            "a.*.b",
            "127.1",
            "2130706433",
            "0x7f.0x1",
        ] {
            assert!(text.parse::<HostRule>().is_err(), "{text:?} should not read");
        }
        assert!(rule("[::1]:80").is_address("::1".parse().unwrap()));
        assert!(rule("10.0.0.1").is_address("10.0.0.1".parse().unwrap()));
    }

    #[test]
    fn a_refusal_has_one_word() {
        for refusal in [
            Refusal::Grammar,
            Refusal::Literal,
            Refusal::Unlisted,
            Refusal::Port,
            Refusal::PrivateAddress,
            Refusal::ServerName,
            Refusal::Malformed,
            Refusal::TooMany,
        ] {
            assert_eq!(serde_json::to_value(refusal).unwrap(), refusal.word());
        }
    }

    proptest! {
        #[test]
        fn display_reads_back(text in "(\\*\\.)?[a-z][a-z0-9]{0,8}(\\.[a-z][a-z0-9-]{0,5}[a-z])*(:[1-9][0-9]{0,3})?") {
            let once = rule(&text);
            prop_assert_eq!(rule(&once.to_string()), once);
        }
        #[test]
        fn a_name_is_never_an_address(text in "\\PC{0,40}") {
            if let Some(name) = HostRule::normal_name(&text) {
                prop_assert!(name.parse::<IpAddr>().is_err());
            }
        }
    }
}
