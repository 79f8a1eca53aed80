//! What can go wrong in xtask itself. What is wrong with the tree is a [`crate::finding::Finding`], never an error.

use std::fmt;
use std::io;

/// Why a task of xtask could not be carried out.
#[derive(Debug)]
pub enum Error {
    Arguments { given: String },
    Start { command: String, source: io::Error },
    Ended { command: String, said: String },
    Read { path: String, source: io::Error },
    Write { path: String, source: io::Error },
    Malformed { what: String, reason: String },
}

impl Error {
    /// What the reader can do next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Error::Arguments { .. } => Some("`cargo xtask help` lists what there is"),
            Error::Start { .. } => Some("is the program installed and on PATH?"),
            Error::Ended { .. } | Error::Read { .. } | Error::Write { .. } | Error::Malformed { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Arguments { given } => write!(out, "unknown task or arguments: `cargo xtask {given}`"),
            Error::Start { command, .. } => write!(out, "cannot start `{command}`"),
            Error::Ended { command, said } => write!(out, "`{command}` failed: {said}"),
            Error::Read { path, .. } => write!(out, "cannot read {path}"),
            Error::Write { path, .. } => write!(out, "cannot write {path}"),
            Error::Malformed { what, reason } => write!(out, "cannot parse {what}: {reason}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Start { source, .. } | Error::Read { source, .. } | Error::Write { source, .. } => {
                Some(source)
            }
            Error::Arguments { .. } | Error::Ended { .. } | Error::Malformed { .. } => None,
        }
    }
}
