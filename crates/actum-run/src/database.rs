//! Asks a database that a stranger wrote: inside the walls, for our own process opens none.

use crate::listen::listen;
use crate::worker::{self, Leave};
use actum_model::{Bytes, Ending, Span};
use actum_sandbox::{Request, Sandboxes};
use rustix::fd::AsFd;
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// A question by a key is answered at once; a file that takes longer was made to.
const LEAVE: Leave = Leave { patience: Span::seconds(10), memory: Bytes::gib(1) };
/// What is asked for is a list of names.
const MOST: usize = 1 << 20;

/// What a database answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The rows, as comma-separated text.
    Rows(String),
    /// It is no database, or has nothing of what was asked for.
    Nothing,
    /// Whoever asked did not come to an end.
    Unknown,
}

/// Asks a file, by the command that runs SQL inside a sandbox. Its folder is shown with it, and nothing that happens there stays.
pub fn ask_database(
    sandboxes: &Sandboxes,
    attempt: &Request,
    sqlite: &[OsString],
    database: &Path,
    question: &str,
) -> io::Result<Answer> {
    let folder = database.parent().unwrap_or(database);
    let mut command = sqlite.to_vec();
    command.extend(["--csv".into(), "--database".into(), database.into(), "-".into()]);
    let request = worker::request(folder, attempt, command, LEAVE);
    let stdin = worker::in_memory(&[question.as_bytes()])?;
    let heard = listen(sandboxes, &request, stdin.as_fd(), MOST)?;
    Ok(match heard.ending {
        Ending::Exited { code: 0 } => Answer::Rows(String::from_utf8_lossy(&heard.stdout).into_owned()),
        Ending::Exited { code: 1 } => Answer::Nothing,
        Ending::Exited { .. }
        | Ending::Signalled { .. }
        | Ending::TimedOut { .. }
        | Ending::OutOfMemory { .. }
        | Ending::OverLimit { .. }
        | Ending::Cancelled
        | Ending::NotStarted { .. } => Answer::Unknown,
    })
}
