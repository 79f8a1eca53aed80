//! The granted hosts, served beside the attempt.

use crate::error::RunError;
use actum_egress::{Caps, Egress, Forward, Gates, Outside};
use actum_model::{HostRule, Hosts, Network, Policy};
use rustix::fd::OwnedFd;
use std::ffi::OsString;

/// What leads a program to the gates: the variables that HTTP and SOCKS clients read.
pub fn gate_variables() -> Vec<(OsString, OsString)> {
    let variables = actum_egress::proxy_variables(actum_sandbox::PROXY_PORT);
    variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// A server that the user named, for clients that know nothing of proxies. It is found on the program's own loopback, on
/// the same port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub host: String,
    pub port: u16,
}

impl Server {
    /// The grant that leads there.
    pub(crate) fn rule(&self) -> Result<HostRule, RunError> {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        format!("{host}:{}", self.port).parse().map_err(|source| RunError::Server { source })
    }
}

/// Serves on the gates that the sandbox handed out, if it did.
pub(crate) fn serve(
    policy: &Policy,
    gates: Vec<OwnedFd>,
    servers: &[Server],
) -> Result<Option<Egress>, RunError> {
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
    egress.map(Some).map_err(|source| RunError::Hosts { source })
}

/// Stops serving; what was decided goes into the report.
pub(crate) fn stop(egress: Egress) -> Hosts {
    let decided = egress.stop();
    Hosts { decisions: decided.decisions, beyond: decided.beyond }
}
