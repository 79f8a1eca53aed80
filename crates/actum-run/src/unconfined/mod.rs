//! Commands of a coding agent: run as the agent's own shell would run them, or only told about.
//!
//! A coding agent expects of its shell what a person does: its files, its variables, its network, its privileges, and every
//! byte as it was printed. So nothing confines these commands, and the account says that there were no walls. What is promised
//! is that the streams are passed on byte for byte, in their order, and kept before they are passed on.
//!
//! [`execute`] starts the agent's shell with one line and follows it (`follow`), through a `channel` of the same kind as the one
//! that it would have had. [`observe`] gives the account of a command that ran past us, from what the agent told.

mod account;
mod channel;
mod follow;
mod listing;
mod starter;
#[cfg(test)]
mod tests;
mod watch;

pub use account::{Told, observe};
pub use starter::Starter;

use crate::clock::{self, Stopwatch};
use crate::error::RunError;
use crate::journal::Journal;
use crate::request::Request;
use crate::sealed::Account;
use account::{Ran, executed};
use actum_model::{Ending, RunId, Span, Started, path_text};
use actum_output::Origin;
use channel::Channels;
use follow::Following;
use listing::Listing;
use rustix::fd::BorrowedFd;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use watch::Watch;

/// A command of an agent, and where it is kept.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    pub request: &'a Request,
    pub run: RunId,
    /// A folder on disk that is this run's own.
    pub folder: &'a Path,
}

/// The shell of an agent, with the words behind its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    /// As the agent called it: the shell names itself so when it complains.
    pub name: OsString,
    pub words: Vec<OsString>,
}

impl Shell {
    /// A shell that takes `line`, under the name by which the agent started its own. What is no shell is not started.
    pub fn of(name: &OsStr, line: &OsStr) -> Self {
        const KNOWN: [&str; 6] = ["bash", "sh", "zsh", "dash", "ash", "ksh"];
        // A file of that name elsewhere may be anybody's.
        const PLACES: [&str; 5] = ["", "/bin", "/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"];
        let (path, place) = (Path::new(name), Path::new(name).parent());
        let is_known = KNOWN.iter().any(|known| path.file_name().is_some_and(|last| last == *known))
            && PLACES.iter().any(|known| place.is_some_and(|place| place.as_os_str() == *known));
        let name = if is_known { name.to_owned() } else { OsString::from("bash") };
        Self { name, words: vec!["-c".into(), line.to_owned()] }
    }

    /// The command that starts it in a folder, with everything else as it is here.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.name);
        command.arg0(&self.name).args(&self.words).current_dir(folder);
        command
    }
}

/// What a command is connected to.
pub struct Surface<'a> {
    pub stdout: BorrowedFd<'a>,
    pub stderr: BorrowedFd<'a>,
    /// Readable when somebody wants it to stop.
    pub cancel: Option<BorrowedFd<'a>>,
    pub journal: &'a mut dyn Journal,
}

/// Why a command has no account.
#[derive(Debug)]
pub enum Without {
    /// It was not started: whoever wanted it may start it otherwise, by this.
    NotStarted { starter: Option<Starter>, why: Box<RunError> },
    /// It ran to its end, and what came of it could not be kept.
    NotKept { ending: Ending, why: Box<RunError> },
}

/// Runs one line of an agent, passes on what it prints, and gives the account.
pub fn execute(
    line: Line<'_>,
    shell: &Shell,
    starter: Starter,
    surface: Surface<'_>,
) -> Result<Account, Without> {
    let Surface { stdout, stderr, cancel, journal } = surface;
    let attempt = &line.request.attempt;
    journal.will_start(line.started());
    let origin = crate::origin::of_unconfined(line.request).unwrap_or_else(Origin::nobody);
    let listing = Listing::begin(&attempt.workspace, &attempt.hidden, &attempt.stores);
    let watch = Watch::begin(line.request);
    let channels = match Channels::open(stdout, stderr) {
        Ok(channels) => channels,
        Err(source) => return Err(not_started(Some(starter), RunError::Pipe { source })),
    };
    if let Err(source) = journal.wait() {
        return Err(not_started(Some(starter), RunError::Journal { source }));
    }
    let (started, begun) = (clock::instant(), Stopwatch::start());
    let mut command = shell.command(&attempt.folder);
    let (readers, [for_stdout, for_stderr]) = channels.parted();
    command.stdout(for_stdout).stderr(for_stderr);
    // The command goes with its ends of the channels: our copies would keep them open.
    let child = starter.spawn(command).map_err(|source| not_started(None, RunError::Pipe { source }))?;
    let following = Following { line, child, readers, out: [stdout, stderr], cancel, begun };
    let followed = following.follow();
    let ran = Ran {
        origin,
        started,
        ended: clock::instant(),
        wall: Span(begun.elapsed()),
        ending: followed.ending,
    };
    let ending = ran.ending.clone();
    let watched = watch.map(Watch::end);
    let changes = listing.end();
    let read_back = watched.map(|watched| watched.read_back(&changes.changes));
    let kept = followed.captured.and_then(|captured| executed(line, (ran, &captured), changes, read_back));
    kept.map_err(|why| Without::NotKept { ending, why: Box::new(why) })
}

impl Line<'_> {
    /// The fact that it is about to start.
    fn started(&self) -> Started {
        let request = self.request;
        Started {
            v: Started::VERSION,
            run: self.run,
            attempt: 1,
            at: clock::moment(),
            command: request.shown(),
            language: LANGUAGE.to_owned(),
            folder: request.redaction.text(&path_text(request.attempt.folder.as_os_str().as_bytes())),
            labels: request.labels(),
        }
    }
}

/// What agents write for their shell.
const LANGUAGE: &str = "bash";

fn not_started(starter: Option<Starter>, why: RunError) -> Without {
    Without::NotStarted { starter, why: Box::new(why) }
}
