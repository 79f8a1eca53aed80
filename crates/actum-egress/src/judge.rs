//! Decides what may be reached. Every question has to be answered with yes; one no is final, whatever came before.
//!
//! In the order in which a connection meets them: [`target`] (is this host and port granted), [`addresses`] (does the
//! name lead out into the world), [`opening`] (does the stream talk to the host that was asked for). [`lookup`] is
//! [`target`] for the DNS answerer, where nobody has named a port. An empty list grants nothing.
//! Pure: no clock, no sockets. The words are in docs/design/egress.md.

use crate::{
    address::is_public,
    asked::{Asked, Host},
};
use actum_model::{HostRule, Refusal};
use std::net::IpAddr;

/// What the first bytes of a tunnel turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// A TLS ClientHello, with the server name in it.
    Tls(Option<String>),
    /// Anything that does not begin as TLS does.
    Plain,
}

/// The port on which nothing but TLS is let through.
pub(crate) const TLS_PORT: u16 = 443;

/// At most this many addresses of a name are used: what fits into a DNS answer of 512 bytes with the longest name.
pub(crate) const ADDRESSES: usize = 8;

/// Whether a host and port are granted together.
pub(crate) fn target(rules: &[HostRule], asked: &Asked) -> Result<(), Refusal> {
    let unlisted = match asked.host {
        Host::Name(_) => Refusal::Unlisted,
        Host::Address(_) => Refusal::Literal,
    };
    let mut of_host = rules.iter().filter(|rule| is_host(rule, &asked.host)).peekable();
    of_host.peek().ok_or(unlisted)?;
    if of_host.any(|rule| rule.allows_port(asked.port)) { Ok(()) } else { Err(Refusal::Port) }
}

/// Whether a name, already in its normal form, is granted on any port.
pub(crate) fn lookup(rules: &[HostRule], name: &str) -> Result<(), Refusal> {
    if rules.iter().any(|rule| rule.names(name)) { Ok(()) } else { Err(Refusal::Unlisted) }
}

/// Which of a granted name's addresses may be dialled: all of them or none. One address near home among good ones is
/// how rebinding works, so it spoils the whole name, unless that very address is granted as well.
pub(crate) fn addresses(
    rules: &[HostRule],
    port: Option<u16>,
    resolved: &[IpAddr],
) -> Result<Vec<IpAddr>, Refusal> {
    let granted = |address: IpAddr| {
        rules.iter().any(|rule| rule.is_address(address) && port.is_none_or(|port| rule.allows_port(port)))
    };
    let all_good = resolved.iter().all(|address| is_public(*address) || granted(*address));
    if !all_good {
        return Err(Refusal::PrivateAddress);
    }
    let mut usable = Vec::new();
    for address in resolved {
        if usable.len() < ADDRESSES && !usable.contains(address) {
            usable.push(*address);
        }
    }
    Ok(usable)
}

/// Whether a tunnel's first bytes talk to the host that the tunnel was asked for.
pub(crate) fn opening(asked: &Asked, opening: &Opening) -> Result<(), Refusal> {
    match opening {
        Opening::Tls(server_name) => same_server(&asked.host, server_name.as_deref()),
        Opening::Plain if asked.port == TLS_PORT => Err(Refusal::Malformed),
        Opening::Plain => Ok(()),
    }
}

/// A name must be repeated in the hello. An address has no name to repeat; some clients send the address itself.
fn same_server(host: &Host, server_name: Option<&str>) -> Result<(), Refusal> {
    let same = match (host, server_name) {
        (Host::Name(own), Some(name)) => HostRule::normal_name(name).is_some_and(|name| name == *own),
        (Host::Name(_), None) => false,
        (Host::Address(own), Some(name)) => name.parse::<IpAddr>().is_ok_and(|address| address == *own),
        (Host::Address(_), None) => true,
    };
    if same { Ok(()) } else { Err(Refusal::ServerName) }
}

fn is_host(rule: &HostRule, host: &Host) -> bool {
    match host {
        Host::Name(name) => rule.names(name),
        Host::Address(address) => rule.is_address(*address),
    }
}

#[cfg(test)]
mod tests;
