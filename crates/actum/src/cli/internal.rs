//! What this binary does when it is started by itself, inside a sandbox. Heard before anything else: it needs no warden.

use super::run::Problem;
use std::ffi::OsString;
use std::process::ExitCode;

/// The word that calls SQLite; a database and the script follow.
const SQL: &str = "__sql";

/// The command by which SQL is run inside.
pub(super) fn sqlite() -> Result<Vec<OsString>, Problem> {
    let itself = std::fs::read_link("/proc/self/exe").map_err(|source| Problem::Itself { source })?;
    Ok(vec![itself.into(), SQL.into()])
}

/// Does what it was called for, if it was.
pub fn if_called(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    arguments.by_ref().nth(1).filter(|word| word == SQL)?;
    None
}
