//! What can go wrong around an attempt. An attempt that achieves its aim is a verdict, never an error.

use crate::HeaderError;
use std::{io, path::PathBuf};

/// The world or the suite failed.
#[derive(Debug, thiserror::Error)]
pub enum AttackError {
    #[error("cannot read the header of the attempt {file}")]
    Header { file: String, source: HeaderError },
    #[error("cannot generate random tokens")]
    Random { source: io::Error },
    #[error("cannot find the user `{name}` in /etc/passwd")]
    UnknownUser { name: String },
    #[error("cannot prepare {path}")]
    Prepare { path: PathBuf, source: io::Error },
    #[error("cannot listen on the canary service {name}")]
    Listen { name: &'static str, source: io::Error },
    #[error("cannot start the canary process {name}")]
    StartCanary { name: &'static str, source: io::Error },
    #[error("unexpected answer from the canary process {name}: {heard}")]
    CanarySilent { name: &'static str, heard: String },
    #[error("cannot start the attempt {id}")]
    StartAttempt { id: String, source: io::Error },
    #[error("cannot write the parameters as JSON")]
    Parameters { source: serde_json::Error },
}

impl AttackError {
    pub(crate) fn prepare(path: &std::path::Path) -> impl FnOnce(io::Error) -> AttackError {
        let path = path.to_owned();
        move |source| AttackError::Prepare { path, source }
    }
}
