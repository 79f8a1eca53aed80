//! Why a script did not run to its end. Shown as `error: …`.

use std::io;

#[derive(Debug, thiserror::Error)]
pub(crate) enum SqlError {
    #[error("line {line}: {message}")]
    Statement { line: usize, message: String },
    #[error("{path} is not a SQLite database")]
    NotADatabase { path: String },
    #[error("cannot open the database {path}: {message}")]
    Open { path: String, message: String },
    #[error("line {line}: the script is not UTF-8")]
    NotUtf8 { line: usize },
    #[error("line {line}: the script contains a NUL byte")]
    Nul { line: usize },
    #[error("the names in the database are not UTF-8")]
    Names,
    #[error("cannot write the result: {0}")]
    Write(#[from] io::Error),
}

impl SqlError {
    /// The reader went away: nobody is left to tell.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Write(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// SQLite's own words, without the whole script that the library adds.
pub(crate) fn message(error: &rusqlite::Error) -> String {
    if let rusqlite::Error::SqlInputError { msg, .. } = error { msg.clone() } else { error.to_string() }
}
