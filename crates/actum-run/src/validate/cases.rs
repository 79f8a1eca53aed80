//! Runs the program of a run on further cases: the same program in the same environment, each in a sandbox of its own and with
//! a layer of its own that is dropped behind it, as many at a time as there are cores.
//!
//! The first case is the run itself. What it needed to be mended holds for the others; none of these is mended again.

use super::contents::stretch;
use super::judging::{Judging, check};
use crate::capture::Capture;
use crate::clock::Stopwatch;
use crate::course::{Course, Done};
use crate::error::RunError;
use crate::journal::NoJournal;
use crate::live::{Passing, Watcher};
use crate::outcome::ProgramResults;
use crate::recover::{Care, Providing};
use crate::request::{House, Request};
use crate::stage::Ready;
use crate::worker;
use crate::workspace::Workspace;
use actum_gate::own;
use actum_judge::{At, Finding, Given};
use actum_model::{Case, Check, Ending, Expectation, Expected, Happened, Origin, Outcome, Piece, Stream};
use actum_sandbox::Output;
use rustix::fd::{AsFd, BorrowedFd};
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What every case is carried out with.
struct Ground<'a> {
    request: &'a Request,
    house: &'a House<'a>,
    workspace: &'a Workspace,
    cancel: Option<BorrowedFd<'a>>,
    care: &'a Care<'a>,
}

/// Runs every case but the first, which has run; tells what came of each.
pub(crate) fn run_cases(
    course: &mut Course<'_, '_>,
    results: &ProgramResults<'_>,
) -> Result<Vec<Case>, RunError> {
    let request = course.request;
    let ([care], [first], None) = (results.cares.as_slice(), results.done.as_slice(), &results.failed) else {
        return Ok(Vec::new());
    };
    let Some((given, rest)) = request.cases.split_first() else { return Ok(Vec::new()) };
    let ground =
        Ground { request, house: course.house, workspace: course.workspace, cancel: course.cancel, care };
    let mut cases = vec![ground.judged(given, first, course.house.folder)];
    if matches!(first.ended.ending, Ending::Cancelled | Ending::NotStarted { .. }) {
        return Ok(cases);
    }
    let staged = ground.stage(rest)?;
    // Every start is written down before the first of them.
    for (number, (_, ready)) in (2..).zip(&staged) {
        course.journal.will_start(request.started(course.house.run, number, &ready.program));
    }
    course.journal.wait().map_err(|source| RunError::Journal { source })?;
    cases.extend(ground.run_all(rest, staged)?);
    Ok(cases)
}

impl<'a> Ground<'a> {
    /// Each case's own request and program.
    fn stage(&self, rest: &[Given]) -> Result<Vec<(Request, Ready)>, RunError> {
        let first = self.request.cases.first().map_or(0, |case| case.arguments.len());
        let shared = &self.request.arguments[..self.request.arguments.len() - first];
        let one = |given: &Given| {
            let own = given.arguments.iter().map(Into::into);
            let request =
                Request { arguments: shared.iter().cloned().chain(own).collect(), ..self.request.clone() };
            let ready = self.care.ready(&self.care.dressed(&request), self.house)?;
            Ok((request, ready))
        };
        rest.iter().map(one).collect()
    }

    /// In their order, whatever the order in which they end.
    fn run_all(&self, rest: &[Given], staged: Vec<(Request, Ready)>) -> Result<Vec<Case>, RunError> {
        let at_once = std::thread::available_parallelism().map_or(1, usize::from).min(rest.len());
        let next = AtomicUsize::new(0);
        let waiting: Vec<Mutex<Option<(Request, Ready)>>> =
            staged.into_iter().map(|one| Mutex::new(Some(one))).collect();
        let done: Vec<Mutex<Option<Result<Case, RunError>>>> =
            rest.iter().map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            let work = || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((given, place)) = rest.get(at).zip(waiting.get(at)) else { break };
                    let taken = place.lock().ok().and_then(|mut place| place.take());
                    let Some((request, ready)) = taken else { break };
                    let case = self.run(given, at + 2, &request, ready);
                    let is_cancelled = case.as_ref().is_ok_and(|case| case.outcome == Outcome::Cancelled);
                    if let Ok(mut place) = done[at].lock() {
                        *place = Some(case);
                    }
                    if is_cancelled {
                        next.store(rest.len(), Ordering::Relaxed);
                    }
                }
            };
            for _ in 0..at_once {
                scope.spawn(work);
            }
        });
        let told = |place: Mutex<Option<Result<Case, RunError>>>| place.into_inner().ok().flatten();
        done.into_iter().filter_map(told).collect()
    }

    fn run(&self, given: &Given, number: usize, request: &Request, ready: Ready) -> Result<Case, RunError> {
        let folder = self.house.folder.join("cases").join(number.to_string());
        let keep = |source| RunError::Keep { path: folder.clone(), source };
        own::make_folders(&folder).map_err(keep)?;
        let stdin = worker::in_memory(&[&given.stdin]).map_err(keep)?;
        let providing = Providing::new(self.house, request, self.cancel);
        let begun = Stopwatch::start();
        let elapsed = || begun.elapsed();
        let (mut nobody, mut silent, mut journal) = (Nobody, Silent, NoJournal);
        let mut capture = Capture::new(&folder, (&mut nobody, Passing::AsKept), &request.redaction, &elapsed);
        let mut course = Course {
            request,
            house: self.house,
            workspace: self.workspace,
            stdin: stdin.as_fd(),
            stdin_at: Some(0),
            cancel: self.cancel,
            resized: None,
            watcher: &mut silent,
            journal: &mut journal,
            beside: None,
            lasting: None,
            begun,
            layer: None,
            providing: &providing,
            attempts: 0,
            started: 0,
            excused: std::time::Duration::ZERO,
            // Each case is a run of its own kind: it has the limits to itself.
            spent: crate::budget::Spent::default(),
            before: Vec::new(),
        };
        let (done, traces) = course.once(self.care, ready, &mut capture, None)?;
        // With everything that it changed.
        drop(traces);
        let done = done?;
        capture.finish()?;
        Ok(self.judged(given, &done, &folder))
    }

    /// Holds what came out of a case against what is expected of it.
    fn judged(&self, given: &Given, done: &Done, folder: &Path) -> Case {
        let whole = |what: &Expectation| Expected { what: what.clone(), origin: Origin::CommandLine };
        let expected: Vec<Expected> = given.expectations.iter().map(whole).collect();
        let streams = Stream::ALL.map(|stream| {
            let at = stream.index();
            stretch(&folder.join(stream.name()), done.from[at], done.to[at])
        });
        let judging = Judging {
            house: self.house,
            request: self.request,
            ending: &done.ended.ending,
            wall: done.ended.usage.wall,
            memory: done.ended.usage.memory_peak,
            metrics: &[],
            stream: &|stream: Stream| streams[stream.index()].as_deref().map_err(Clone::clone),
            file: &|_| At::default(),
            contents: &|_, _| Err("files written by cases are discarded".to_owned()),
        };
        let findings = judging.judge(&expected);
        // Its output is no part of the run's own streams, and the table is named on the command line: the name says which it is.
        let told = |(expected, finding): (&Expected, Finding)| Check {
            origin: None,
            anchor: None,
            ..check(self.house.run, expected, finding, Piece::Whole)
        };
        let checks: Vec<Check> = expected.iter().zip(findings).map(told).collect();
        Case {
            name: given.name.clone(),
            held: checks.iter().all(|check| check.held),
            outcome: Outcome::of(&done.ended.ending),
            duration: done.ended.usage.wall,
            checks,
        }
    }
}

/// What a case prints goes nowhere but where it is kept.
struct Nobody;

impl Output for Nobody {
    fn stdout(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn stderr(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

struct Silent;

impl Watcher for Silent {
    fn happened(&mut self, _: Happened) {}
}
