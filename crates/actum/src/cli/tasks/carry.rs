//! Runs the code of a task's response: as an ordinary run, by the engine that the whole list shares.

use actum_engine::{
    Controls, Engine, EngineError, Request, RequestBuilder, RunResult, Sink, SourceChoice, describe,
};
use actum_model::{Happened, Label, Outcome, Report, Stream};
use actum_run::RunError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::cell::Cell;
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// Runs tasks one after the other.
pub(super) struct Runner<'a> {
    engine: &'a Engine,
    /// What every run is given: what it may touch and use.
    options: RequestBuilder,
    variables: &'a [String],
    cancel: Option<&'a OwnedFd>,
    /// Somebody wants us to stop.
    stopped: Cell<bool>,
}

/// What a run came to.
pub(super) enum Ran {
    Report(Box<Report>),
    /// The response holds nothing to run, with the reason.
    NoCode(String),
    /// Why no run was made of it.
    NoRun(String),
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        options: RequestBuilder,
        variables: &'a [String],
        cancel: Option<&'a OwnedFd>,
    ) -> Self {
        Self { engine, options, variables, cancel, stopped: Cell::new(false) }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.get() || self.cancel.is_some_and(|cancel| self.take_signal(cancel.as_fd()))
    }

    /// Runs the code of one response.
    pub(super) fn task(&self, id: &str, response: &Path) -> Ran {
        let request = match self.engine.request(self.asked(id, response)) {
            Ok(request) => request,
            Err(error) => return Ran::NoRun(describe(&error)),
        };
        let mut sink = TaskSink { cancel: self.cancel };
        match self.engine.run(&request, &mut sink) {
            Ok(RunResult { report, .. }) => {
                self.stopped.set(self.stopped.get() || report.outcome == Outcome::Cancelled);
                Ran::Report(report)
            }
            Err(error) => failed(&request, &error),
        }
    }

    fn asked(&self, id: &str, response: &Path) -> RequestBuilder {
        let mut asked = self.options.clone();
        asked.source = SourceChoice::File(response.to_path_buf());
        asked.keep_going = true;
        asked.task = Some(id.to_owned());
        let label: Option<Label> = format!("task {id}").parse().ok();
        asked.labels.extend(label);
        // What is handed in grants nothing. A database is the user's to name: here, in the user's configuration, or in a
        // project's file that the user trusts.
        let databases = self.variables.iter().filter(|variable| variable.starts_with("DATABASE_URL="));
        asked.variables.extend(databases.map(OsString::from));
        // What is said for these runs after what is configured, so that it counts.
        asked.together = Some([self.variables, asked.together.as_deref().unwrap_or_default()].concat());
        asked
    }

    /// Takes a signal that came while nothing ran.
    fn take_signal(&self, cancel: BorrowedFd<'_>) -> bool {
        let mut list = [PollFd::from_borrowed_fd(cancel, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let is_one = poll(&mut list, Some(&now)).is_ok_and(|ready| ready > 0);
        self.stopped.set(is_one);
        is_one
    }
}

fn failed(request: &Request, error: &EngineError) -> Ran {
    if let EngineError::Run(error) = error
        && let RunError::NoBlocks { why, .. } = &**error
    {
        return Ran::NoCode(why.clone());
    }
    Ran::Report(request.failure_report(error))
}

/// Drops output, which is in the record, and lets a signal cancel the run.
struct TaskSink<'a> {
    cancel: Option<&'a OwnedFd>,
}

impl Sink for TaskSink<'_> {
    fn output(&mut self, _: Stream, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn event(&mut self, _: Happened) {}

    fn begin(&mut self) -> Controls {
        Controls { cancel: self.cancel.and_then(|cancel| cancel.try_clone().ok()), resized: None }
    }
}
