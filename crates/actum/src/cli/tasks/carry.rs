//! Carries a task's response out: as an ordinary run, started as a program like anybody would.
//!
//! A process for each task: whatever its code does to the run that watches it, the list goes on, nothing of it stays in
//! memory, and the record is the same as of any run. The run has a process group of its own, so that a key typed at the
//! terminal reaches us alone, and is passed on once.

use super::super::run::Problem as RunProblem;
use actum_model::{Label, Report};
use actum_run::RunError;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::cell::Cell;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// How runs are started.
pub(super) struct Runner<'a> {
    program: PathBuf,
    /// What every run is given: what may be touched and used.
    options: Vec<OsString>,
    variables: &'a [String],
    cancel: Option<BorrowedFd<'a>>,
    /// Somebody wants us to stop.
    stopped: Cell<bool>,
}

/// What a run came to.
pub(super) struct Ran {
    /// Absent where it could not tell.
    pub(super) report: Option<Box<Report>>,
    /// What it said when it could not.
    pub(super) said: String,
}

impl Ran {
    /// Why nothing was run, where the response holds nothing to run.
    pub(super) fn found_no_code(&self, response: &Path) -> Option<String> {
        let nothing = RunError::NoBlocks { path: response.to_path_buf(), why: String::new() }.to_string();
        let (_, why) = self.report.as_ref()?.analysis.summary.split_once(&nothing)?;
        Some(why.to_owned())
    }
}

/// A report holds at most some megabytes of each stream.
const LONGEST_REPORT: u64 = 256 << 20;
const LONGEST_TALK: u64 = 64 << 10;

impl<'a> Runner<'a> {
    pub(super) fn new(
        options: Vec<OsString>,
        variables: &'a [String],
        cancel: Option<BorrowedFd<'a>>,
    ) -> Result<Self, RunProblem> {
        let program = crate::cli::internal::own_program().map_err(|source| RunProblem::Itself { source })?;
        Ok(Self { program, options, variables, cancel, stopped: Cell::new(false) })
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.get() || self.cancel.is_some_and(|cancel| self.take_wish(cancel))
    }

    /// Runs the code of one response.
    pub(super) fn task(&self, id: &str, response: &Path) -> io::Result<Ran> {
        let mut words: Vec<OsString> =
            ["run", "--json", "--together", "--keep-going"].map(OsString::from).into();
        // No argument has a NUL in it.
        let id = &id.replace('\0', "\u{fffd}");
        words.extend(["--task".into(), id.into()]);
        if let Ok(label) = format!("task {id}").parse::<Label>() {
            words.extend(["--label".into(), label.as_str().into()]);
        }
        for variable in self.variables {
            let variable = &variable.replace('\0', "\u{fffd}");
            words.extend(["--global".into(), variable.into()]);
            // What is handed in grants nothing. A database is the user's to name: here, in the user's configuration, or in a
            // project's file that the user trusts.
            if variable.starts_with("DATABASE_URL=") {
                words.extend(["--env".into(), variable.into()]);
            }
        }
        words.extend(self.options.iter().cloned());
        words.push(response.as_os_str().to_owned());
        self.start(&words)
    }

    fn start(&self, words: &[OsString]) -> io::Result<Ran> {
        let mut child = Command::new(&self.program)
            .arg0("actum")
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let report = collect(child.stdout.take(), LONGEST_REPORT);
        let talk = collect(child.stderr.take(), LONGEST_TALK);
        self.wait(&mut child)?;
        let (report, talk) = (report.join().unwrap_or_default(), talk.join().unwrap_or_default());
        let report = serde_json::from_slice(&report).ok().map(Box::new);
        Ok(Ran { report, said: String::from_utf8_lossy(&talk).into_owned() })
    }

    /// Until it ended. A wish to stop is passed on; a run that is stopped seals what it has.
    fn wait(&self, child: &mut Child) -> io::Result<()> {
        let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
            return child.wait().map(drop);
        };
        let ended = pidfd_open(pid, PidfdFlags::empty())?;
        loop {
            let mut list = vec![PollFd::from_borrowed_fd(ended.as_fd(), PollFlags::IN)];
            list.extend(self.cancel.map(|cancel| PollFd::from_borrowed_fd(cancel, PollFlags::IN)));
            let _ = poll(&mut list, None);
            if !list[0].revents().is_empty() {
                return child.wait().map(drop);
            }
            if self.cancel.is_some_and(|cancel| self.take_wish(cancel)) {
                // Gone meanwhile: then it need not be told.
                let _ = pidfd_send_signal(&ended, Signal::INT);
            }
        }
    }

    /// Takes one wish to stop, if there is one.
    fn take_wish(&self, cancel: BorrowedFd<'_>) -> bool {
        let mut wish = [0_u8; 128];
        let is_one = rustix::io::read(cancel, &mut wish).is_ok();
        self.stopped.set(self.stopped.get() || is_one);
        is_one
    }
}

/// Reads a stream to its end, and keeps as much of it as is looked at.
fn collect(stream: Option<impl Read + Send + 'static>, most: u64) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            // What cannot be read is not there; the report then says nothing, and that is told.
            let _ = stream.by_ref().take(most).read_to_end(&mut kept);
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        kept
    })
}
