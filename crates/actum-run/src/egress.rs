//! The granted hosts, served beside the attempt.

use crate::error::RunError;
use crate::report::Hosts;
use actum_egress::{Caps, Egress, Gates, Outside};
use actum_model::{Network, Policy};
use rustix::fd::OwnedFd;
use std::ffi::OsString;

/// What leads a program to the gates: the variables that HTTP and SOCKS clients read.
pub fn gate_variables() -> Vec<(OsString, OsString)> {
    let variables = actum_egress::proxy_variables(actum_sandbox::PROXY_PORT);
    variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// Serves on the gates that the sandbox handed out, if it did.
pub(crate) fn serve(policy: &Policy, gates: Vec<OwnedFd>) -> Result<Option<Egress>, RunError> {
    let (Network::Hosts(rules), Ok([proxy, names, names_by_stream])) =
        (&policy.network, <[OwnedFd; 3]>::try_from(gates))
    else {
        return Ok(None);
    };
    let gates =
        Gates { proxy: proxy.into(), dns_udp: Some(names.into()), dns_tcp: Some(names_by_stream.into()) };
    let egress = Egress::start(rules.clone(), gates, Outside::system(), Caps::default());
    egress.map(Some).map_err(|source| RunError::Hosts { source })
}

/// Stops serving; what was decided goes into the report.
pub(crate) fn stop(egress: Egress) -> Hosts {
    let decided = egress.stop();
    Hosts { decisions: decided.decisions, beyond: decided.beyond }
}
