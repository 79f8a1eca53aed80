//! The granted hosts, served beside the attempt.

use crate::{Caps, Egress, EgressError, Forward, Gates, Outside};
use actum_model::{HostRule, Hosts, Network, Policy};
use std::os::fd::OwnedFd;

/// A server that the user named, for clients that know nothing of proxies. It is found on the program's own loopback, on
/// the same port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub host: String,
    pub port: u16,
}

impl Server {
    /// The grant that leads there.
    pub fn rule(&self) -> Result<HostRule, EgressError> {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        format!("{host}:{}", self.port).parse().map_err(|source| EgressError::Rule { source })
    }
}

/// Serves on the gates that the sandbox handed out, if it did.
pub fn serve(
    policy: &Policy,
    gates: Vec<OwnedFd>,
    servers: &[Server],
) -> Result<Option<Egress>, EgressError> {
    let mut gates = gates.into_iter();
    let (Network::Hosts(rules), Some(proxy), Some(names), Some(names_by_stream)) =
        (&policy.network, gates.next(), gates.next(), gates.next())
    else {
        return Ok(None);
    };
    let forward = |(gate, server): (OwnedFd, &Server)| Forward {
        listener: gate.into(),
        host: server.host.clone(),
        port: server.port,
    };
    let gates = Gates {
        proxy: proxy.into(),
        dns_udp: Some(names.into()),
        dns_tcp: Some(names_by_stream.into()),
        forwards: gates.zip(servers).map(forward).collect(),
    };
    let egress = Egress::start(rules.clone(), gates, Outside::system(), Caps::default());
    egress.map(Some)
}

/// Stops serving; what was decided goes into the report.
pub fn stop(egress: Egress) -> Hosts {
    let decided = egress.stop();
    Hosts { decisions: decided.decisions, beyond: decided.beyond }
}
