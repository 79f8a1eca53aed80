//! The story of one run, from its programs to its account. Start at [`run`].

use crate::LOCK;
use crate::account;
use crate::answer::Printed;
use crate::attempt::Traces;
use crate::attend;
use crate::beside::Beside;
use crate::budget;
use crate::capture::Capture;
use crate::clock::{self, Stopwatch};
use crate::course::{Course, Layer};
use crate::error::RunError;
use crate::extract::Extracted;
use crate::foresee;
use crate::in_session::{self, InSession};
use crate::lasting::Lasting;
use crate::live::Live;
use crate::outcome::{RunOutcome, RunTimes, Subject};
use crate::recover::{self, Providing};
use crate::request::{House, Request};
use crate::sealed::Account;
use crate::stage;
use crate::validate;
use crate::workspace::{Fate, Settlement, Workspace};
use actum_changes::Collected;
use actum_gate::own;
use actum_model::{Case, Happened, Risk, Span, WorkspaceMode};
use actum_sandbox::Sandboxes;
use std::time::Duration;

/// Where the programs of a request run.
#[derive(Debug, Clone, Copy)]
pub enum RunPlace<'a> {
    /// Each in a sandbox of its own.
    Sandboxes(&'a House<'a>),
    /// As calls of a session, whose interpreter and sandbox were there before and stay after them.
    Session(&'a InSession<'a>),
}

impl<'a> RunPlace<'a> {
    fn sandboxes(self) -> &'a Sandboxes {
        match self {
            Self::Sandboxes(house) => house.sandboxes,
            Self::Session(session) => session.sandboxes,
        }
    }
}

/// Carries one request to its end.
pub fn run(
    request: &Request,
    place: RunPlace<'_>,
    extracted: Extracted<'_>,
    risk: Risk,
    mut live: Live<'_>,
) -> Result<Account, RunError> {
    std::thread::scope(|scope| {
        let beside = Beside::begin(scope, request, place.sandboxes());
        let account = account::account(match place {
            RunPlace::Sandboxes(house) => carry(request, house, (extracted, risk), &mut live, &beside)?,
            RunPlace::Session(session) => {
                in_session::carry_calls(request, session, (extracted, risk), &mut live, &beside)?
            }
        })?;
        let report = &account.report;
        live.watcher.happened(Happened::RunEnded {
            outcome: report.outcome,
            exit_code: report.exit_code,
            summary: report.analysis.summary.clone(),
        });
        Ok(account)
    })
}

/// Carries the programs out in sandboxes, validates what came out and settles what was changed.
fn carry<'a>(
    request: &'a Request,
    house: &'a House<'a>,
    (extracted, risk): (Extracted<'a>, Risk),
    live: &mut Live<'_>,
    beside: &Beside,
) -> Result<RunOutcome<'a>, RunError> {
    let workspace = Workspace::open(&request.attempt)?;
    let Extracted { parts, facts, installs, printed, blocks } = extracted;
    if !request.cases.is_empty() && parts.len() > 1 {
        return Err(RunError::SeveralWithCases { programs: parts.len() });
    }
    let providing = Providing::new(house, request, live.cancel);
    let (cares, ready) = attend::attend(parts, &installs, &providing, live.watcher)?;
    // From here on the run's own time counts.
    let (started, begun) = (clock::instant(), Stopwatch::start());
    let layer = Layer::for_several(ready.len(), &request.attempt.layers)?;
    let elapsed = || begun.elapsed();
    let mut capture =
        Capture::new(house.folder, (&mut *live.output, live.passing), &request.redaction, &elapsed);
    let lasting = Lasting::of(request, &workspace, house.keeping);
    let mut course = Course {
        request,
        house,
        workspace: &workspace,
        stdin: live.stdin,
        stdin_at: rustix::fs::tell(live.stdin).ok(),
        cancel: live.cancel,
        resized: live.resized,
        watcher: &mut *live.watcher,
        journal: &mut *live.journal,
        beside: Some(beside),
        lasting: lasting.as_ref(),
        begun,
        layer: layer.path(),
        providing: &providing,
        attempts: 0,
        started: 0,
        excused: Duration::ZERO,
        spent: budget::Spent::default(),
        before: Vec::new(),
    };
    course.watcher.happened(started_with(request, &ready));
    let (results, traces) = course.go(cares, ready, &mut capture);
    let cases = validate::run_cases(&mut course, &results);
    // What was compiled is in the cache, or was for this once.
    let _ = own::remove_tree(&house.folder.join("build"));
    stage::redact(house.folder, &request.redaction);
    keep_lock(&results.cares, house.folder);
    let times = RunTimes { started, ended: clock::instant(), wall: Span(begun.elapsed()) };
    let captured = capture.finish();
    course.watcher.happened(Happened::Settling {});
    workspace.reopen(traces.as_ref());
    let listed = workspace.changes(traces.as_ref(), house.keeping);
    // Listed first, because what is put back is no longer seen; put back whatever else went wrong.
    let put_back = workspace.put_back(traces.as_ref(), &request.attempt.stores);
    let (run, folder) = (house.run, house.folder);
    let subject = Subject { run, request, folder, source: facts, blocks, risk };
    // What could not be kept explains better than what came of it.
    let mut outcome = RunOutcome::new(subject, times, captured?, results)?;
    // The program ran. What went wrong with its changes is part of the account, and no reason to have none.
    let (changes, unlisted) = match listed {
        Ok(changes) => (changes, None),
        Err(error) => (Collected::default(), Some(error)),
    };
    outcome.changes = changes;
    foresee::drop_unused(&mut outcome.changes.changes, &outcome.programs.cares, &request.attempt.workspace);
    let ground = Ground { house, workspace: &workspace, beside };
    ground.validate(&mut outcome, traces.as_ref(), cases?, &printed);
    ground.settle(&mut outcome, traces, put_back.err().or(unlisted));
    // Where its changes could not be settled, what was saved is all there is.
    let is_settled = || outcome.settlement.failure.is_none() || house.keeping.read().is_ok();
    if let Some(lasting) = lasting.as_ref().filter(|_| is_settled()) {
        lasting.forget();
    }
    Ok(outcome)
}

/// The event that tells of a run's programs.
fn started_with(request: &Request, ready: &[stage::Ready]) -> Happened {
    Happened::RunStarted {
        command: request.shown(),
        language: ready.first().map(|first| first.program.language.clone()).unwrap_or_default(),
        steps: ready.len() as u32,
    }
}

/// What an outcome is validated and settled with.
struct Ground<'g> {
    house: &'g House<'g>,
    workspace: &'g Workspace,
    beside: &'g Beside,
}

impl Ground<'_> {
    /// Compares what came out with what was expected.
    fn validate(
        &self,
        outcome: &mut RunOutcome<'_>,
        traces: Option<&Traces<'_>>,
        cases: Vec<Case>,
        printed: &[Printed],
    ) {
        let Self { house, workspace, .. } = *self;
        // Before they are settled: then they are still where they were listed.
        let written = workspace.written(traces);
        outcome.metrics = actum_output::metric_files::read(written, &outcome.changes.changes);
        let matter = validate::Matter { outcome, house, workspace, traces, cases, printed };
        let validation = validate::validate(matter);
        outcome.validated(validation);
    }

    /// Applies, keeps or drops what was changed. `failed`: why the changes could not be listed or put back.
    fn settle(&self, outcome: &mut RunOutcome<'_>, traces: Option<Traces<'_>>, failed: Option<RunError>) {
        let Self { house, workspace, beside } = *self;
        let request = outcome.subject.request;
        let mode =
            if request.cases.is_empty() { request.attempt.policy.workspace } else { WorkspaceMode::ReadOnly };
        let disk = recover::most_disk(&outcome.programs.cares);
        let fate = Fate::of((mode, request.keep), outcome.ending(), outcome.conclusion(), disk);
        let read_back = workspace.read_back(traces.as_ref(), beside.survey(), &outcome.changes.changes);
        // Whatever goes wrong with its changes, its output, ending and network are in the record.
        let settled = match failed {
            Some(error) => Err(error),
            None => workspace.settle(traces.as_ref(), &outcome.changes, fate, house.keeping),
        };
        outcome.settlement = settled.unwrap_or_else(|error| Settlement::failed(&error));
        outcome.hosts = traces.and_then(|traces| traces.hosts);
        outcome.seen = beside.finish().and(read_back);
    }
}

/// The lock stays with the run, also when the environment is gone.
fn keep_lock(cares: &[recover::Care<'_>], folder: &std::path::Path) {
    let lock =
        cares.iter().find_map(|care| care.prepared.as_ref()).and_then(|prepared| prepared.lock_text().ok());
    if let Some(lock) = lock {
        // Without it the report still names every package with its version.
        let _ = own::write(&folder.join(LOCK), lock.as_bytes());
    }
}
