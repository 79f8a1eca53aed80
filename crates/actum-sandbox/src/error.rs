//! What can go wrong with a sandbox that is not the program's own doing.

use actum_model::{ExitCode, Layer, LimitsError, PolicyError};
use std::io;
use std::path::PathBuf;

/// Why a sandbox could not be started or carried to its end.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("cannot start the sandbox supervisor (warden)")]
    Warden { source: io::Error },
    #[error("lost the connection to the sandbox supervisor (warden)")]
    Talk { source: io::Error },
    #[error("cannot show the workspace at another path: this machine has no mount namespaces")]
    Moved,
    #[error("cannot set up the sandbox: {because}")]
    Refused { layer: Layer, because: String, remedy: String },
    #[error("cannot {doing}{}", about(.detail))]
    Step { doing: &'static str, detail: String, hint: String, source: io::Error },
    #[error("cannot use the workspace {}", path.display())]
    Workspace { path: PathBuf, hint: &'static str, source: io::Error },
    #[error("cannot grant access to {}", path.display())]
    Grant { path: PathBuf, source: io::Error },
    #[error("the policy cannot be applied")]
    Policy(#[from] PolicyError),
    #[error("the limits cannot be applied")]
    Limits(#[from] LimitsError),
    #[error("cannot start the command: {0}")]
    Command(String),
    #[error("command not found: {name}")]
    NotFound { name: String },
    #[error("cannot forward the program's output")]
    Output { source: io::Error },
    #[error("cannot start the network proxy for the granted hosts: {0}")]
    Egress(String),
    #[error("the sandbox's init process exited unexpectedly")]
    Lost,
}

fn about(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(" ({detail})") }
}

impl SandboxError {
    /// The exit code that goes with it: as in shells for a command that is not there, else Actum's own.
    pub fn exit_code(&self) -> ExitCode {
        if matches!(self, Self::NotFound { .. }) { ExitCode::NOT_FOUND } else { ExitCode::OWN_ERROR }
    }

    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Refused { remedy, .. } => Some(remedy.clone()),
            Self::Step { hint, .. } if !hint.is_empty() => Some(hint.clone()),
            Self::Workspace { hint, .. } => Some((*hint).to_owned()),
            Self::Policy(error) => Some(error.hint().to_owned()),
            Self::Grant { .. } => Some("grant a path that exists and that you can read yourself".to_owned()),
            Self::Limits(_) => {
                Some("write --limit NAME=VALUE, as in --limit memory=512MiB or --limit wall=30s".to_owned())
            }
            Self::NotFound { name } if name.contains('/') => {
                Some("check the path: no such file exists".to_owned())
            }
            Self::NotFound { .. } => Some("it is not on PATH; install it, or give its path".to_owned()),
            Self::Moved => Some("`actum doctor` shows how to enable user namespaces".to_owned()),
            Self::Lost => Some("the machine may be out of memory; see the kernel's log".to_owned()),
            Self::Warden { .. } | Self::Talk { .. } | Self::Step { .. } | Self::Command(_) => None,
            Self::Output { .. } | Self::Egress(_) => None,
        }
    }
}
