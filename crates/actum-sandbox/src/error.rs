//! What can go wrong with a sandbox that is not the program's own doing.

use actum_model::{Layer, LimitsError, PolicyError};
use std::io;
use std::path::PathBuf;

/// Why a sandbox could not be started or carried to its end.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("cannot fork the warden")]
    Warden { source: io::Error },
    #[error("cannot talk to the warden")]
    Talk { source: io::Error },
    #[error("cannot confine the program: {because}")]
    Refused { layer: Layer, because: String, remedy: String },
    #[error("cannot {doing}{}", about(.detail))]
    Step { doing: &'static str, detail: String, hint: String, source: io::Error },
    #[error("cannot use the workspace {}", path.display())]
    Workspace { path: PathBuf, hint: &'static str, source: io::Error },
    #[error("cannot grant {}", path.display())]
    Grant { path: PathBuf, source: io::Error },
    #[error("cannot follow the policy")]
    Policy(#[from] PolicyError),
    #[error("cannot set the limits")]
    Limits(#[from] LimitsError),
    #[error("cannot start the command: {0}")]
    Command(String),
    #[error("cannot find the command {name}")]
    NotFound { name: String },
    #[error("cannot pass the program's output on")]
    Output { source: io::Error },
    #[error("cannot serve the granted hosts: {0}")]
    Egress(String),
    #[error("the sandbox's init process exited unexpectedly")]
    Lost,
}

fn about(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(" ({detail})") }
}

impl SandboxError {
    /// The exit code that goes with it: as in shells for a command that is not there, else Actum's own.
    pub fn exit_code(&self) -> u8 {
        const NOT_FOUND: u8 = 127;
        const OWN: u8 = 125;
        if matches!(self, Self::NotFound { .. }) { NOT_FOUND } else { OWN }
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
            Self::NotFound { name } if name.contains('/') => Some("there is no such file".to_owned()),
            Self::NotFound { .. } => {
                Some("it is in none of the folders of PATH; install it, or write its path".to_owned())
            }
            Self::Lost => Some("the machine may be out of memory; see the kernel's log".to_owned()),
            Self::Warden { .. } | Self::Talk { .. } | Self::Step { .. } | Self::Command(_) => None,
            Self::Output { .. } | Self::Egress(_) => None,
        }
    }
}
