//! What can go wrong before the way out is open. Afterwards nothing is an error: it is a decision.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    #[error("cannot prepare the {gate} proxy")]
    Gate { gate: &'static str, source: io::Error },
    #[error("`{host}` is not a host name")]
    Server { host: String },
    #[error("cannot allow the database server as a host")]
    Rule { source: actum_model::HostRuleError },
    #[error("cannot start the thread of the {gate} proxy")]
    Thread { gate: &'static str, source: io::Error },
}
