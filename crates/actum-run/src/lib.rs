//! Take one request from its source to its report.
//!
//! The story: [`extract()`] reads the source and tells its programs apart; [`weigh`] looks at them before anybody is asked;
//! [`run`] stages each, compiles it where that is needed, attempts it in its sandbox with its output captured, settles
//! what it changed, and gives the account. Every other file is a footnote to one of these words.
//!
//! | word | files |
//! |---|---|
//! | extract | `source`, `answer` (what its blocks come to), `edit`, `together` (blocks in one interpreter), `recognise/`, `language/` (one file a language) |
//! | weigh | `risk`, `inspect/` |
//! | attend | `attend`: `read` what a program's text says, work out its `needs/`, `prepare/` that |
//! | stage, build | `stage`, `versions`, `build`, `compile/` |
//! | attempt | `course` (one program after the other), `attempt`, `egress`, `capture/` |
//! | recover | `diagnose/` why it failed, `recover/`: one thing around it is changed, and it is attempted again |
//! | validate | `validate/`: what was expected is held against what came out |
//! | settle | `workspace`, `settle/` |
//! | redact | `redact/`: secrets are taken out of all that is kept and told |
//! | account | `analyse/`, `metric_files`, `account`; `sealed` for the record, `beside` for what it says of `inputs` and `git/` |
//!
//! Beside the story stands [`session`]: an interpreter that stays from one call to the next.

mod account;
mod anchors;
mod answer;
mod attempt;
mod attend;
mod beside;
mod budget;
mod build;
mod capture;
mod clock;
mod course;
mod database;
pub mod edit;
mod error;
mod extract;
#[doc(hidden)]
pub mod foreign;
mod git;
mod gpu;
mod in_session;
mod inputs;
mod journal;
mod listen;
mod live;
mod origin;
mod python_command;
mod read;
mod recover;
pub mod redact;
mod request;
mod risk;
mod sealed;
pub mod session;
mod source;
mod stage;
mod together;
pub mod unconfined;
mod validate;
mod versions;
mod worker;
mod workspace;

pub use account::{NotRun, not_run};
pub use capture::{Entry, read_timeline, timeline_of};
pub use database::{Answer, ask_database};
pub use error::RunError;
pub use extract::{Extracted, extract};
pub use in_session::{InSession, run_in_session};
pub use journal::{Journal, JournalError, NoJournal};
pub use live::{Live, Passing, Watcher};
pub use read::{AnswerReader, Desk};
pub use recover::Bounds;
pub use request::{AfterFailure, House, Purpose, Request, SourceChanges, Tools};
pub use risk::weigh;
pub use sealed::{Account, Draft, Seal};
pub use source::{LARGEST_SOURCE, Source};
pub use together::{Namespace, Piece as BlockPiece, pieces as block_pieces};

use account::Known;
use actum_changes::Collected;
use actum_gate::own;
use actum_model::{
    BlockFacts, Case, Digest, Happened, Instant, Needs, Plan, Risk, SourceFacts, Span, WorkspaceMode,
};
use answer::Printed;
use beside::Beside;
use capture::{Capture, Captured};
use clock::Stopwatch;
use course::{Course, Went};
use recover::Providing;
use std::time::Duration;
use validate::Conclusion;
use workspace::{Fate, Settlement, Workspace};

/// The lock stays with the run, also when the environment is gone.
fn keep_lock(cares: &[recover::Care<'_>], folder: &std::path::Path) {
    let lock =
        cares.iter().find_map(|care| care.prepared.as_ref()).and_then(|prepared| prepared.lock_text().ok());
    if let Some(lock) = lock {
        // Without it the report still names every package with its version.
        let _ = own::write(&folder.join(LOCK), lock.as_bytes());
    }
}

/// The file in a run's folder that holds the lock of its environment.
pub const LOCK: &str = "lock.txt";

/// A digest as reports write it.
pub fn digest_of(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string()
}

/// What the programs of a request need, and what would be done for them. Their texts are read; nothing is installed, and none
/// of them runs.
pub fn plan(request: &Request, house: &House<'_>, extracted: Extracted<'_>) -> Plan {
    let providing = Providing::new(house, request, None);
    let cares = attend::look_at(extracted.parts, &extracted.installs, &providing);
    let needs = cares.into_iter().map(|care| {
        let bare =
            Needs { number: care.number, language: care.part.language().to_owned(), ..Needs::default() };
        let mut needs = care.needs.unwrap_or(bare);
        attend::declared(&mut needs, &providing);
        needs
    });
    Plan { v: Plan::VERSION, programs: needs.collect() }
}

/// Carries one request to its end.
pub fn run(
    request: &Request,
    house: &House<'_>,
    extracted: Extracted<'_>,
    risk: Risk,
    live: Live<'_>,
) -> Result<Account, RunError> {
    std::thread::scope(|scope| {
        let beside = Beside::begin(scope, request, house.sandboxes);
        carry(request, house, (extracted, risk), live, beside)
    })
}

fn carry(
    request: &Request,
    house: &House<'_>,
    (extracted, risk): (Extracted<'_>, Risk),
    live: Live<'_>,
    beside: Beside,
) -> Result<Account, RunError> {
    let workspace = Workspace::open(&request.attempt)?;
    let Extracted { parts, facts, installs, printed, blocks } = extracted;
    if !request.cases.is_empty() && parts.len() > 1 {
        return Err(RunError::SeveralWithCases { programs: parts.len() });
    }
    let providing = Providing::new(house, request, live.cancel);
    let watcher = live.watcher;
    let (cares, ready) = attend::attend(parts, &installs, &providing, watcher)?;
    // From here on the run's own time counts.
    let (started, begun) = (clock::instant(), Stopwatch::start());
    let layer = course::Layer::for_several(ready.len(), &request.attempt.layers)?;
    let elapsed = || begun.elapsed();
    let mut capture =
        Capture::new(house.folder, (&mut *live.output, live.passing), &request.redaction, &elapsed);
    let mut course = Course {
        request,
        house,
        workspace: &workspace,
        stdin: live.stdin,
        stdin_at: rustix::fs::tell(live.stdin).ok(),
        cancel: live.cancel,
        resized: live.resized,
        watcher,
        journal: live.journal,
        beside: Some(&beside),
        begun,
        layer: layer.path(),
        providing: &providing,
        attempts: 0,
        started: 0,
        excused: Duration::ZERO,
        spent: budget::Spent::default(),
        before: Vec::new(),
    };
    course.watcher.happened(Happened::RunStarted {
        command: request.shown(),
        language: ready.first().map(|first| first.program.language.clone()).unwrap_or_default(),
        steps: ready.len() as u32,
    });
    let mut went = course.go(cares, ready, &mut capture);
    let cases = validate::run_cases(&mut course, &went);
    // What was compiled is in the cache, or was for this once.
    let _ = actum_gate::own::remove_tree(&house.folder.join("build"));
    stage::redact(house.folder, &request.redaction);
    keep_lock(&went.cares, house.folder);
    let (times, captured) = ((started, clock::instant(), Span(begun.elapsed())), capture.finish());
    course.watcher.happened(Happened::Settling {});
    workspace.reopen(went.traces.as_ref());
    let listed = workspace.changes(went.traces.as_ref(), house.keeping);
    // Listed first, because what is put back is no longer seen; put back whatever else went wrong.
    let put_back = workspace.put_back(went.traces.as_ref(), &request.attempt.stores);
    // What could not be kept explains better than what came of it.
    let captured = captured?;
    if let Some(error) = went.failed.take() {
        return Err(error);
    }
    // The program ran. What went wrong with its changes is part of the account, and no reason to have none.
    let (changes, unlisted) = match listed {
        Ok(changes) => (changes, None),
        Err(error) => (Collected::default(), Some(error)),
    };
    let (unsettled, cases) = (put_back.err().or(unlisted), cases?);
    let source = (facts, blocks, printed);
    let (workspace, beside) = (&workspace, &beside);
    let account = conclude(Came {
        request,
        house,
        workspace,
        source,
        risk,
        times,
        captured,
        went,
        changes,
        unsettled,
        cases,
        beside,
    })?;
    let report = &account.report;
    course.watcher.happened(Happened::RunEnded {
        outcome: report.outcome,
        exit_code: report.exit_code,
        summary: report.analysis.summary.clone(),
    });
    Ok(account)
}

/// What came of the programs of a run, before anybody judged it.
struct Came<'a, 'e> {
    request: &'a Request,
    house: &'a House<'a>,
    workspace: &'a Workspace,
    source: (SourceFacts, Vec<BlockFacts>, Vec<Printed>),
    risk: Risk,
    /// When it began, when it ended, and how long that was.
    times: (Instant, Instant, Span),
    captured: [Captured; 2],
    went: Went<'a, 'e>,
    changes: Collected,
    /// Why the changes could not be listed or put back.
    unsettled: Option<RunError>,
    cases: Vec<Case>,
    beside: &'a Beside,
}

/// Holds what came out against what was expected, settles what was changed, and gives the account.
fn conclude(came: Came<'_, '_>) -> Result<Account, RunError> {
    let Came { request, house, workspace, source, risk, times, captured, went, changes, cases, .. } = came;
    let (unsettled, beside) = (came.unsettled, came.beside);
    let Went { done, earlier, left, cares, traces, failed: _ } = went;
    let ending = account::ending(&done)?;
    // Before they are settled: then they are still where they were listed.
    let metrics = actum_output::metric_files::read(workspace.written(traces.as_ref()), &changes.changes);
    let validation = validate::validate(validate::Matter {
        request,
        house,
        workspace,
        traces: traces.as_ref(),
        changes: &changes.changes,
        done: &done,
        stretch: account::stretch(&done, left.len(), &captured),
        metrics: &metrics,
        cares: &cares,
        cases,
        printed: &source.2,
    });
    let conclusion = Conclusion::of(request, ending, &validation);
    let mode =
        if request.cases.is_empty() { request.attempt.policy.workspace } else { WorkspaceMode::ReadOnly };
    let fate = Fate::of(mode, ending, conclusion, recover::most_disk(&cares));
    let read_back = workspace.read_back(traces.as_ref(), beside.survey(), &changes.changes);
    // Whatever goes wrong with its changes, its output, ending and network are in the record.
    let settled = match unsettled {
        Some(error) => Err(error),
        None => workspace.settle(traces.as_ref(), &changes, fate, house.keeping),
    };
    let settlement = settled.unwrap_or_else(|error| Settlement::failed(&error));
    let hosts = traces.and_then(|traces| traces.hosts);
    account::account(Known {
        run: house.run,
        request,
        folder: house.folder,
        source: source.0,
        blocks: source.1,
        risk,
        started: times.0,
        ended: times.1,
        wall: times.2,
        captured,
        done,
        earlier,
        left,
        cares,
        changes,
        settlement,
        hosts,
        metrics,
        validation,
        seen: beside.finish().and(read_back),
    })
}
