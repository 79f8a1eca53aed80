//! The account of a command that ran without walls, or past us.

use super::{LANGUAGE, Line};
use crate::account::{NotRun, SHOWN, Stretch, not_run_report, printed};
use crate::anchors::{self, Left};
use crate::beside::Seen;
use crate::capture::{Capture, Captured, Reached};
use crate::clock::{self, Stopwatch};
use crate::error::RunError;
use crate::inputs::{self, ReadBack, Survey};
use crate::live::Passing;
use crate::sealed::{Account, Passed, Unreported};
use actum_changes::Collected;
use actum_git::{Head, Repository};
use actum_model::{
    Applied, AttemptFacts, Bytes, ChangeKind, Changes, Confinement, Ending, ExitCode, Git, Instant, Moment,
    Outcome, Profile, Report, Risk, Span, StartMode, Tier, Usage, Witness, WorkspaceHow, path_text,
};
use actum_output::Origin;
use actum_output::analyse::{self, Asked};
use actum_sandbox::{Nowhere, Output};
use std::collections::HashSet;

/// What an agent told about a command that it ran itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Told<'a> {
    /// Absent where the agent does not tell.
    pub code: Option<i32>,
    pub stdout: &'a [u8],
    pub stderr: &'a [u8],
    pub took: Option<Span>,
}

/// When a command ran, and how it ended.
pub(super) struct Ran {
    /// Who prints what it prints.
    pub(super) origin: Origin,
    pub(super) started: Instant,
    pub(super) ended: Instant,
    pub(super) wall: Span,
    pub(super) ending: Ending,
}

/// The account of a command that we ran.
pub(super) fn executed(
    line: Line<'_>,
    ran: (Ran, &[Captured; 2]),
    changes: Collected,
    read_back: Option<ReadBack>,
) -> Result<Account, RunError> {
    account(line, Witness::Executed, ran, (changes, read_back))
}

/// The account of a command that ran past us, from what the agent told about it.
pub fn observe(line: Line<'_>, told: Told<'_>) -> Result<Account, RunError> {
    let ended = clock::instant();
    let wall = told.took.unwrap_or_default();
    let before = u64::try_from(wall.0.as_micros()).unwrap_or(u64::MAX);
    let started = Instant { at: Moment(ended.at.0.saturating_sub(before)), ..ended };
    let ending = match told.code {
        Some(code) => Ending::Exited { code },
        None => unknown("it did not run through Actum, and the agent does not report how it ended"),
    };
    let begun = Stopwatch::start();
    let (elapsed, mut nowhere) = (move || begun.elapsed(), Nowhere);
    let passing = (&mut nowhere as &mut dyn Output, Passing::AsPrinted);
    let mut capture = Capture::new(line.folder, passing, &line.request.redaction, &elapsed);
    let keep = |source| RunError::Keep { path: line.folder.to_path_buf(), source };
    capture.stdout(told.stdout).and_then(|()| capture.stderr(told.stderr)).map_err(keep)?;
    let captured = capture.finish()?;
    // Nobody but the agent saw it run.
    let origin = crate::origin::of_unconfined(line.request).unwrap_or_else(Origin::nobody).told();
    let ran = Ran { origin, started, ended, wall, ending };
    account(line, Witness::Observed, (ran, &captured), (Collected::default(), None))
}

/// An ending that nobody can tell: it is not success.
pub(super) fn unknown(reason: &str) -> Ending {
    Ending::NotStarted { code: ExitCode::OWN_ERROR.into(), reason: reason.to_owned() }
}

fn account(
    line: Line<'_>,
    witness: Witness,
    (ran, captured): (Ran, &[Captured; 2]),
    (changes, read_back): (Collected, Option<ReadBack>),
) -> Result<Account, RunError> {
    let request = line.request;
    let origin = ran.origin.clone();
    let mut inputs = inputs::read(request, &Survey::of(request));
    // They are read when it is over, and what it created was not there.
    let created = changes.changes.iter().filter(|change| change.kind == ChangeKind::Created);
    let created: HashSet<String> = created.map(|change| path_text(&change.path)).collect();
    inputs.retain(|input| !created.contains(&input.path));
    let seen = Seen { inputs, git: repository(line), origin: Some(origin) }.and(read_back);
    let mut report = report(line, witness, (&ran, captured), &changes, &seen)?;
    request.redaction.report(&mut report);
    let attempts = vec![AttemptFacts {
        number: 1,
        command: report.execution.command.clone(),
        language: LANGUAGE.to_owned(),
        ending: report.result.ending.clone(),
        wall: ran.wall,
    }];
    let passed = Passed { started: ran.started, ended: ran.ended, captured, attempts, seen };
    let unreported = Unreported::unconfined(request, line.folder.to_path_buf(), passed);
    Ok(Account { record: unreported.draft(&report)?, report })
}

fn report(
    line: Line<'_>,
    witness: Witness,
    (ran, captured): (&Ran, &[Captured; 2]),
    changes: &Collected,
    seen: &Seen,
) -> Result<Report, RunError> {
    let request = line.request;
    let to = [captured[0].end, captured[1].end];
    let stretch = Stretch { folder: line.folder, from: [Reached::default(); 2], to };
    let [stdout, stderr] = stretch.texts()?;
    let workspace = request.attempt.workspace.to_string_lossy();
    let asked = Asked {
        language: LANGUAGE,
        command: &request.shown(),
        workspace: &workspace,
        own: &[],
        origin: seen.origin.clone().unwrap_or_else(Origin::nobody),
    };
    let mut analysis = analyse::analyse(&asked, &ran.ending, ran.wall, &stdout, &stderr);
    if let [Captured { printed: Some(stdout), .. }, Captured { printed: Some(stderr), .. }] = captured {
        analyse::recount(&mut analysis, &asked, stdout, stderr);
    }
    let left = Left { captured, changes: &changes.changes, git: seen.git.as_ref() };
    let nothing = NotRun { reason: "", hint: None, exit_code: ran.ending.exit_code() };
    let bare = not_run_report((line.run, ran.started.at), request, Risk::default(), nothing);
    let outcome = match &ran.ending {
        Ending::NotStarted { .. } => Outcome::Lost,
        Ending::Exited { .. }
        | Ending::Signalled { .. }
        | Ending::TimedOut { .. }
        | Ending::OutOfMemory { .. }
        | Ending::OverLimit { .. }
        | Ending::Cancelled => Outcome::of(&ran.ending),
    };
    let mut execution = bare.execution;
    execution.language = LANGUAGE.to_owned();
    execution.completed_at = ran.ended.at;
    execution.witness = witness;
    let mut environment = bare.environment;
    environment.ready = true;
    Ok(Report {
        outcome,
        result: printed(&ran.ending, ran.wall, &stretch.views(SHOWN)?, Some(captured)),
        evidence_anchors: anchors::of(line.run, &left, &analysis),
        execution,
        environment,
        analysis,
        changes: listed(changes),
        resources: Usage {
            wall: ran.wall,
            output: Bytes(captured.iter().map(|one| one.end.bytes).sum()),
            ..Usage::default()
        },
        confinement: witness.is_executed().then(no_walls),
        ..bare
    })
}

fn listed(changes: &Collected) -> Changes {
    let count = |kind: ChangeKind| changes.changes.iter().filter(|change| change.kind == kind).count() as u64;
    Changes {
        state: if changes.changes.is_empty() { Applied::Nothing } else { Applied::Direct },
        created: count(ChangeKind::Created),
        modified: count(ChangeKind::Modified),
        deleted: count(ChangeKind::Deleted),
        files: changes.changes.clone(),
        conflicts: Vec::new(),
        cut: changes.truncated,
    }
}

/// What confined it: nothing.
fn no_walls() -> Confinement {
    Confinement {
        tier: Tier::None,
        profile: Profile::Open,
        start: StartMode::Cold,
        layers: Vec::new(),
        workspace: WorkspaceHow::Direct,
        limits: Vec::new(),
        missing: Vec::new(),
        not_covered: vec!["everything: it ran in the agent's own shell, without a sandbox".to_owned()],
    }
}

/// The commit that is checked out, read from the repository's own files.
fn repository(line: Line<'_>) -> Option<Git> {
    let Head { commit, branch } = Repository::around(&line.request.attempt.workspace)?.head()?;
    Some(Git { commit, branch, dirty: None, diff: None })
}
