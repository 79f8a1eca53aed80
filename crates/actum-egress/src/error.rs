//! What can go wrong before the way out is open. Afterwards nothing is an error: it is a decision.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    #[error("cannot prepare the {gate} gate")]
    Gate { gate: &'static str, source: io::Error },
    #[error("cannot reach `{host}`: it is not a host name")]
    Server { host: String },
    #[error("cannot lead the program to its server")]
    Rule { source: actum_model::HostRuleError },
    #[error("cannot start the thread of the {gate} gate")]
    Thread { gate: &'static str, source: io::Error },
}
