//! Why a run could not be carried to its end. Read after "failed to".

use actum_sandbox::SandboxError;
use actum_sandbox::changes::ChangesError;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("open the workspace {}", path.display())]
    Workspace { path: PathBuf, source: io::Error },
    #[error("list what the run changed")]
    List { source: ChangesError },
    #[error("put protected paths back in {}", workspace.display())]
    PutBack { workspace: PathBuf, source: ChangesError },
    #[error(transparent)]
    Settle(#[from] crate::settle::SettleError),
    #[error("serve the granted hosts")]
    Hosts { source: actum_egress::EgressError },
    #[error("make a pipe for the program's output")]
    Pipe { source: io::Error },
    #[error("apply what the run changed: there is too much of it to list")]
    TooMuch,
}

impl RunError {
    /// The exit code that goes with it.
    pub fn exit_code(&self) -> u8 {
        const OWN: u8 = 125;
        if let Self::Sandbox(error) = self { error.exit_code() } else { OWN }
    }

    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Sandbox(error) => error.hint(),
            Self::Workspace { .. } => Some("name an existing folder with --workspace".to_owned()),
            Self::TooMuch => Some("pass --in-place for programs that write this many files".to_owned()),
            Self::Settle(error) => error.hint().map(str::to_owned),
            Self::PutBack { .. } => {
                Some("look at them by hand; the report, if there is one, lists them".to_owned())
            }
            Self::List { .. } | Self::Hosts { .. } | Self::Pipe { .. } => None,
        }
    }
}
