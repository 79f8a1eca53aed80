//! Why a session could not do what was asked.

use super::differ::Difference;
use super::name::SessionName;
use actum_model::ExitCode;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("cannot use {} for sessions", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot start the holder of session {name}")]
    Spawn { name: SessionName, source: io::Error },
    #[error("cannot start session {name}: {message}")]
    Start { name: SessionName, message: String, hint: Option<String>, code: ExitCode },
    #[error("cannot talk to session {name}")]
    Talk { name: SessionName, source: io::Error },
    #[error("cannot hear from session {name}: its holder is gone, and what the session knew with it")]
    Lost { name: SessionName },
    #[error("cannot call session {name}: {}", told(differences))]
    Differs { name: SessionName, differences: Vec<Difference> },
    #[error("cannot find a session {name}")]
    NotThere { name: SessionName },
    #[error("cannot give code to Bash that holds a NUL byte")]
    Nul,
    #[error("cannot give {length} bytes of code to a session: {} are the most", super::wire::LARGEST)]
    TooLarge { length: usize },
    #[error("cannot start session {name}: cancelled")]
    Cancelled { name: SessionName },
    #[error("cannot tell the session what to be like")]
    Order { source: io::Error },
}

impl SessionError {
    /// The exit code that goes with it.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Start { code, .. } => *code,
            Self::Cancelled { .. } => ExitCode::CANCELLED,
            Self::Folder { .. }
            | Self::Spawn { .. }
            | Self::Talk { .. }
            | Self::Lost { .. }
            | Self::Differs { .. }
            | Self::NotThere { .. }
            | Self::Nul
            | Self::TooLarge { .. }
            | Self::Order { .. } => ExitCode::OWN_ERROR,
        }
    }

    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Start { hint, .. } => hint.clone(),
            Self::Folder { .. } => Some("name a folder of your own with ACTUM_STORE".to_owned()),
            Self::Differs { name, .. } => Some(format!(
                "ask for what the session has, use another name, or end it: actum session stop {name}"
            )),
            Self::Lost { .. } => Some("call again: a new session starts".to_owned()),
            Self::NotThere { .. } => Some("`actum session ls` shows those that there are".to_owned()),
            Self::Nul => {
                Some("a shell cannot hold one; write it as an escape, as in printf '\\0'".to_owned())
            }
            Self::TooLarge { .. } => Some("put the code into files of the workspace".to_owned()),
            Self::Spawn { .. } | Self::Talk { .. } | Self::Cancelled { .. } | Self::Order { .. } => None,
        }
    }
}

fn told(differences: &[Difference]) -> String {
    differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
