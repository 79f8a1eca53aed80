//! Why a session could not do what was asked.

use super::differ::Difference;
use super::name::SessionName;
use actum_model::ExitCode;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("cannot use the sessions folder {}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot start the process of session {name}")]
    Spawn { name: SessionName, source: io::Error },
    #[error("cannot start session {name}: {message}")]
    Start { name: SessionName, message: String, hint: Option<String>, code: ExitCode },
    #[error("cannot communicate with session {name}")]
    Talk { name: SessionName, source: io::Error },
    #[error("session {name} has ended; its process exited and its variables are lost")]
    Lost { name: SessionName },
    #[error("this call does not match session {name}: {}", told(differences))]
    Differs { name: SessionName, differences: Vec<Difference> },
    #[error("no session named {name}")]
    NotThere { name: SessionName },
    #[error("cannot run the code in Bash: it contains a NUL byte")]
    Nul,
    #[error("cannot run {length} bytes of code in a session: the maximum is {}", super::wire::LARGEST)]
    TooLarge { length: usize },
    #[error("cannot start session {name}: cancelled")]
    Cancelled { name: SessionName },
    #[error("cannot send the session its settings")]
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
            Self::Folder { .. } => Some("set ACTUM_STORE to a folder that you own".to_owned()),
            Self::Differs { name, .. } => Some(format!(
                "use the session's settings, choose another name, or stop it: actum session stop {name}"
            )),
            Self::Lost { .. } => Some("run the command again to start a new session".to_owned()),
            Self::NotThere { .. } => Some("`actum session ls` lists sessions".to_owned()),
            Self::Nul => Some("write it as an escape sequence, as in printf '\\0'".to_owned()),
            Self::TooLarge { .. } => Some("put the code in files in the workspace".to_owned()),
            Self::Spawn { .. } | Self::Talk { .. } | Self::Cancelled { .. } | Self::Order { .. } => None,
        }
    }
}

fn told(differences: &[Difference]) -> String {
    differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
