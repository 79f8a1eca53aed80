//! Puts the account of a run together.

use crate::anchors;
use crate::beside::Seen;
use crate::capture::{Captured, Part, Reached, View};
use crate::course::Done;
use crate::error::RunError;
use crate::origin;
use crate::recover::Care;
use crate::request::Request;
use crate::sealed::{Account, Unreported};
use crate::source::Source;
use crate::stage::Ready;
use crate::validate::{self, Conclusion};
use crate::workspace::Settlement;
use actum_changes::Collected;
use actum_model::{
    Analysis, Applied, Asked, BlockFacts, Bytes, ChangeKind, Changes, Compiled, Digest, Ending, Environment,
    Execution, ExitCode, Hosts, Instant, Moment, Outcome, Printed, Recovery, RecoveryStep, RemedyKind,
    Report, Risk, RunId, Runtime, SourceFacts, Span, Step, StepResult, Stream, StreamFacts, Streams, Usage,
    Validation, Witness, path_text,
};
use actum_output::Origin;
use actum_output::analyse::{self, Asked as AnalyseAsked, Metrics, Text};
use actum_sandbox::Variable;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A report holds this much of each stream as text. More than anybody reads, and less than a program chokes on.
pub(crate) const SHOWN: Part = Part { head: 512 << 10, tail: 512 << 10 };
/// A step of several shows less: the whole is in the report already.
const SHOWN_OF_STEP: Part = Part { head: 16 << 10, tail: 48 << 10 };
/// The analysis reads more of the end: that is where interpreters and test runners say what matters.
const READ: Part = Part { head: 256 << 10, tail: 1 << 20 };
const VERSION: u32 = 1;

/// Everything that is known about a run when it is over.
pub(crate) struct Known<'a> {
    pub(crate) run: RunId,
    pub(crate) request: &'a Request,
    pub(crate) folder: &'a Path,
    pub(crate) source: SourceFacts,
    pub(crate) blocks: Vec<BlockFacts>,
    pub(crate) risk: Risk,
    pub(crate) started: Instant,
    pub(crate) ended: Instant,
    pub(crate) wall: Span,
    pub(crate) captured: [Captured; 2],
    pub(crate) done: Vec<Done>,
    /// Attempts that failed and were followed by another.
    pub(crate) earlier: Vec<Done>,
    /// What was done for each program.
    pub(crate) cares: Vec<Care<'a>>,
    /// What was not run because something before it failed.
    pub(crate) left: Vec<Ready>,
    pub(crate) changes: Collected,
    pub(crate) settlement: Settlement,
    pub(crate) hosts: Option<Hosts>,
    /// Those of files that it wrote.
    pub(crate) metrics: Metrics,
    /// What came of what was expected.
    pub(crate) validation: Validation,
    /// What was looked at beside it.
    pub(crate) seen: Seen,
}

/// What is told about a run, and what is sealed about it.
pub(crate) fn account(known: Known<'_>) -> Result<Account, RunError> {
    let unreported = Unreported::of(&known);
    let redaction = known.request.redaction.clone();
    let mut report = report(known)?;
    redaction.report(&mut report);
    Ok(Account { record: unreported.draft(&report)?, report })
}

fn report(known: Known<'_>) -> Result<Report, RunError> {
    let several = known.done.len() + known.left.len() > 1;
    let Some(decisive) = decisive(&known.done) else { return Err(RunError::Nothing) };
    let [from, to] = stretch(&known.done, known.left.len(), &known.captured);
    let stretch = Stretch { folder: known.folder, from, to };
    let views = stretch.views(SHOWN)?;
    let ending = known.done[decisive].ended.ending.clone();
    let mut analysis = match several {
        false => known.analyse(&known.done[decisive], &stretch)?,
        true => known.analyse_all(decisive, &stretch)?,
    };
    let printed_numbers =
        Metrics { listed: std::mem::take(&mut analysis.metrics), left_out: analysis.metrics_left_out };
    let numbers = known.metrics.clone().and(printed_numbers);
    (analysis.metrics, analysis.metrics_left_out) = (numbers.listed, numbers.left_out);
    let conclusion = Conclusion::of(known.request, &ending, &known.validation);
    let refused = known.settlement.applied == Applied::Refused;
    let failure = known.settlement.failure.as_ref();
    let (outcome, exit_code) = match conclusion {
        // A program that failed by itself keeps its own ending.
        Conclusion::AsExpected | Conclusion::NotAsExpected if failure.is_some() => {
            (Outcome::Error, failure.map_or(ExitCode::OWN_ERROR, |failure| failure.exit_code))
        }
        _ if refused => (Outcome::Error, ExitCode::OWN_ERROR),
        // Of cases no one program's own code speaks for all.
        Conclusion::AsExpected if !known.request.cases.is_empty() => (Outcome::Success, ExitCode::SUCCESS),
        Conclusion::AsExpected => (Outcome::Success, ending.exit_code()),
        Conclusion::NotAsExpected => (Outcome::Failure, ExitCode::CHECK_FAILED),
        Conclusion::Failed => (Outcome::of(&ending), ending.exit_code()),
    };
    if conclusion == Conclusion::NotAsExpected {
        analysis.summary = validate::summary(&known.validation);
    }
    if let Some(failure) = failure {
        analysis.summary = format!("{}; {}", analysis.summary, failure.reason);
    }
    let steps = if several { known.steps()? } else { Vec::new() };
    let mut validation = known.validation.clone();
    if validation.checks.is_empty() && validation.cases.is_empty() {
        validation.advice.extend(validate::of_warnings(&analysis));
    }
    let confinement = known.done[decisive].ended.confinement.clone();
    let first = &known.done[0].ready;
    let compiled = known.done.iter().rev().find_map(|done| done.compiled.clone());
    Ok(Report {
        v: VERSION,
        run: known.run,
        outcome,
        exit_code,
        evidence_anchors: anchors::anchors(&known, &analysis),
        result: printed(&ending, known.wall, &views, Some(&known.captured)),
        execution: Execution {
            command: known.command(),
            language: first.program.language.clone(),
            started_at: known.started.at,
            completed_at: known.ended.at,
            source: known.source.clone(),
            blocks: known.blocks.clone(),
            workspace: shown(&known.request.attempt.workspace),
            folder: shown(&known.request.attempt.folder),
            actum: env!("CARGO_PKG_VERSION").to_owned(),
            witness: Witness::Executed,
        },
        request: asked(known.request, known.risk.clone()),
        environment: Environment {
            prepared: known.cares.iter().find_map(Care::prepared_facts),
            ..environment(known.request, first, compiled)
        },
        recovery: known.recovery(),
        recommendations: recommend(&ending, &analysis, &known),
        analysis,
        validation,
        resources: known.usage(),
        confinement: Some(confinement),
        changes: changes(known.changes, known.settlement),
        hosts: known.hosts,
        steps,
        evidence: None,
    })
}

/// Why a request was not carried out.
#[derive(Debug, Clone, Copy)]
pub struct NotRun<'a> {
    pub reason: &'a str,
    /// What to do next, where somebody knows it.
    pub hint: Option<&'a str>,
    pub exit_code: ExitCode,
}

/// The account of a request that was not carried out.
pub fn not_run(run: RunId, request: &Request, risk: Risk, why: NotRun<'_>) -> Account {
    let now = crate::clock::instant();
    let mut report = not_run_report((run, now.at), request, risk, why);
    request.redaction.report(&mut report);
    let nothing = actum_model::Held { sha256: Digest::of([]), bytes: Bytes(0), redactions: 0 };
    Account { record: Unreported::nothing(request, now).draft_with(&report, nothing), report }
}

pub(crate) fn not_run_report(
    (run, now): (RunId, Moment),
    request: &Request,
    risk: Risk,
    NotRun { reason, hint, exit_code }: NotRun<'_>,
) -> Report {
    let ending = Ending::NotStarted { code: i32::from(exit_code), reason: reason.to_owned() };
    let nothing = Captured { end: Reached::default(), sha256: Digest::of([]), printed: None };
    let captured = [nothing.clone(), nothing];
    let views = [View::default(), View::default()];
    Report {
        v: VERSION,
        run,
        outcome: if exit_code == ExitCode::REFUSED { Outcome::Skipped } else { Outcome::Error },
        exit_code,
        result: printed(&ending, Span::default(), &views, Some(&captured)),
        execution: Execution {
            command: request.shown(),
            language: request.language.clone().unwrap_or_else(|| "unknown".to_owned()),
            started_at: now,
            completed_at: now,
            source: SourceFacts { kind: request.source.kind(), path: None, bytes: None, sha256: None },
            blocks: Vec::new(),
            workspace: shown(&request.attempt.workspace),
            folder: shown(&request.attempt.folder),
            actum: env!("CARGO_PKG_VERSION").to_owned(),
            witness: Witness::Executed,
        },
        analysis: Analysis {
            summary: reason.to_owned(),
            errors: vec![reason.to_owned()],
            ..Analysis::default()
        },
        evidence_anchors: Vec::new(),
        request: asked(request, risk),
        environment: Environment {
            ready: false,
            system: system(),
            runtime: None,
            compiled: None,
            variables: variables(request),
            prepared: None,
        },
        recovery: Recovery::default(),
        validation: Validation::default(),
        changes: Changes {
            state: Applied::Nothing,
            created: 0,
            modified: 0,
            deleted: 0,
            files: Vec::new(),
            conflicts: Vec::new(),
            cut: false,
        },
        resources: Usage::default(),
        confinement: None,
        hosts: None,
        recommendations: hint.map(str::to_owned).into_iter().collect(),
        steps: Vec::new(),
        evidence: None,
    }
}

/// A stretch of both streams.
pub(crate) struct Stretch<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) from: [Reached; 2],
    pub(crate) to: [Reached; 2],
}

impl Stretch<'_> {
    pub(crate) fn views(&self, part: Part) -> Result<[View; 2], RunError> {
        let read = |stream: Stream| {
            let (path, at) = (self.folder.join(stream.name()), stream.index());
            View::read(&path, self.from[at], self.to[at], part)
                .map_err(|source| RunError::Keep { path, source })
        };
        Ok([read(Stream::Stdout)?, read(Stream::Stderr)?])
    }
}

impl Stretch<'_> {
    /// As much of it as is analysed.
    pub(crate) fn texts(&self) -> Result<[Text; 2], RunError> {
        let text = |view: View| Text::of_ends(&view.head, view.left_out, view.left_out_line_ends, &view.tail);
        Ok(self.views(READ)?.map(text))
    }
}

impl Known<'_> {
    fn analyse(&self, done: &Done, stretch: &Stretch<'_>) -> Result<Analysis, RunError> {
        let [stdout, stderr] = stretch.texts()?;
        let own: Vec<String> =
            done.ready.own.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let workspace = self.request.attempt.workspace.to_string_lossy();
        let asked = AnalyseAsked {
            language: &done.ready.program.language,
            command: &done.ready.program.shown,
            workspace: &workspace,
            own: &own,
            origin: self.origin(done),
        };
        let mut analysis =
            analyse::analyse(&asked, &done.ended.ending, done.ended.usage.wall, &stdout, &stderr);
        if let Some([stdout, stderr]) = &done.printed {
            analyse::recount(&mut analysis, &asked, stdout, stderr);
        }
        Ok(analysis)
    }

    /// Who printed a program's output. A command's was decided before it started; code is what it was then.
    fn origin(&self, done: &Done) -> Origin {
        if let Some(origin) = &self.seen.origin {
            return origin.clone();
        }
        match &self.request.source {
            Source::Command(_) | Source::Shell(_) => Origin::nobody(),
            Source::File(_) | Source::Inline(_) | Source::Stdin(_) => {
                let files = origin::files(self.request);
                actum_commands::of_code(&done.ready.program.language, &done.ready.code, &files)
            }
        }
    }

    fn stretch<'s>(&'s self, done: &Done) -> Stretch<'s> {
        Stretch { folder: self.folder, from: done.from, to: done.to }
    }

    /// Of several programs the one that decided how it ended speaks for all.
    fn analyse_all(&self, decisive: usize, whole: &Stretch<'_>) -> Result<Analysis, RunError> {
        let done = &self.done[decisive];
        let mut analysis = self.analyse(done, &self.stretch(done))?;
        // Numbers are everybody's: an earlier program's count like the last one's.
        let [stdout, stderr] = whole.texts()?;
        if self.done.iter().all(|done| self.origin(done).is_of_a_program()) {
            let numbers = analyse::metrics(&stdout, &stderr);
            (analysis.metrics, analysis.metrics_left_out) = (numbers.listed, numbers.left_out);
        }
        // Line numbers are those of the whole stream.
        for failure in &mut analysis.failures {
            let before = done.from[failure.stream.index()].line_ends;
            failure.lines = failure.lines.map(|line| line + before);
        }
        if let Some(tests) = &mut analysis.tests {
            let before = done.from[tests.stream.index()].line_ends;
            tests.lines = tests.lines.map(|line| line + before);
        }
        let total = self.done.len() + self.left.len();
        analysis.summary = match done.ended.ending.is_success() {
            true => format!("{total} programs ran; the last: {}", analysis.summary),
            false => format!("program {} of {total}: {}", decisive + 1, analysis.summary),
        };
        Ok(analysis)
    }

    fn steps(&self) -> Result<Vec<Step>, RunError> {
        let run = self.done.iter().enumerate().map(|(at, done)| {
            let stretch = self.stretch(done);
            let ending = &done.ended.ending;
            Ok(Step {
                number: at as u32 + 1,
                outcome: Outcome::of(ending),
                language: done.ready.program.language.clone(),
                command: done.ready.program.shown.clone(),
                lines: done.ready.lines,
                result: Some(printed(ending, done.ended.usage.wall, &stretch.views(SHOWN_OF_STEP)?, None)),
                analysis: Some(self.analyse(done, &stretch)?),
                resources: Some(done.ended.usage.clone()),
            })
        });
        let left = self.left.iter().enumerate().map(|(at, ready)| {
            Ok(Step {
                number: (self.done.len() + at) as u32 + 1,
                outcome: Outcome::Skipped,
                language: ready.program.language.clone(),
                command: ready.program.shown.clone(),
                lines: ready.lines,
                result: None,
                analysis: None,
                resources: None,
            })
        });
        run.chain(left).collect()
    }

    /// How often it was tried, and what was changed in between.
    fn recovery(&self) -> Recovery {
        let steps: Vec<RecoveryStep> =
            self.cares.iter().flat_map(|care| care.steps.iter().cloned()).collect();
        let carried_out = steps.iter().filter(|step| step.result != StepResult::NotPossible);
        let remedies = carried_out.filter_map(|step| step.remedy.as_ref());
        // Of releases that were tried one after the other, the last ones are those that count.
        let is_overtaken = |at: usize, kind: RemedyKind| {
            let mut later = remedies.clone().skip(at + 1);
            kind == RemedyKind::Versions && later.any(|remedy| remedy.kind == kind)
        };
        let mut permanent: Vec<String> = Vec::new();
        for (at, remedy) in remedies.clone().enumerate() {
            let how = remedy.permanent.clone().filter(|how| !permanent.contains(how));
            permanent.extend(how.filter(|_| !is_overtaken(at, remedy.kind)));
        }
        Recovery {
            attempts: (self.done.len() + self.earlier.len()) as u32,
            remedies: remedies.map(|remedy| remedy.what.clone()).collect(),
            stopped: self.cares.iter().rev().find_map(|care| care.stopped.clone()),
            permanent,
            proposals: self.cares.iter().flat_map(|care| care.proposals.iter().cloned()).collect(),
            steps,
        }
    }

    fn command(&self) -> String {
        let all = self.done.iter().map(|done| &done.ready).chain(&self.left);
        let shown: Vec<&str> = all.map(|ready| ready.program.shown.as_str()).collect();
        match (shown.as_slice(), &self.source.path) {
            ([one], _) => (*one).to_owned(),
            (several, Some(path)) => format!("{} programs of {path}", several.len()),
            (several, None) => format!("{} programs", several.len()),
        }
    }

    fn usage(&self) -> Usage {
        let mut all = self.done.iter().chain(&self.earlier).map(|done| done.ended.usage.clone());
        let first = all.next().unwrap_or_default();
        Usage { wall: self.wall, ..all.fold(first, Usage::and) }
    }
}

/// The part of both streams that is what came out: what earlier attempts of the only program printed is kept, and is not.
pub(crate) fn stretch(done: &[Done], left: usize, captured: &[Captured; 2]) -> [[Reached; 2]; 2] {
    match decisive(done).filter(|_| done.len() + left == 1) {
        Some(only) => [done[only].from, done[only].to],
        None => [[Reached::default(); 2], [captured[0].end, captured[1].end]],
    }
}

/// How the run ended: as the program that decides did.
pub(crate) fn ending(done: &[Done]) -> Result<&Ending, RunError> {
    decisive(done).map(|at| &done[at].ended.ending).ok_or(RunError::Nothing)
}

/// Which of the programs decides how the run ended: the first that failed, else the last.
fn decisive(done: &[Done]) -> Option<usize> {
    let failed = done.iter().position(|done| !done.ended.ending.is_success());
    failed.or_else(|| done.len().checked_sub(1))
}

pub(crate) fn printed(
    ending: &Ending,
    wall: Span,
    views: &[View; 2],
    captured: Option<&[Captured; 2]>,
) -> Printed {
    let facts = |stream: Stream| {
        let view = &views[stream.index()];
        StreamFacts {
            bytes: Bytes(view.bytes),
            lines: view.lines,
            sha256: captured.map(|captured| captured[stream.index()].sha256.to_string()),
            redactions: view.redactions,
            redactions_cut: view.redactions_cut,
            left_out: Bytes(view.left_out),
            lossy: !view.is_utf8(),
        }
    };
    Printed {
        success: ending.is_success(),
        exit_code: if let Ending::Exited { code } = ending { *code } else { i32::from(ending.exit_code()) },
        stdout: views[0].text(),
        stderr: views[1].text(),
        duration: duration(wall),
        ending: ending.clone(),
        streams: Streams { stdout: facts(Stream::Stdout), stderr: facts(Stream::Stderr) },
    }
}

/// As people say it: two digits that count.
fn duration(span: Span) -> String {
    let seconds = span.0.as_secs_f64();
    match seconds {
        s if s < 0.1 => format!("{s:.3}s"),
        s if s < 1.0 => format!("{s:.2}s"),
        s if s < 60.0 => format!("{s:.1}s"),
        s => format!("{}m{:02}s", s as u64 / 60, s as u64 % 60),
    }
}

fn asked(request: &Request, risk: Risk) -> Asked {
    Asked {
        policy: request.attempt.policy.profile.name().to_owned(),
        workspace_mode: request.attempt.policy.workspace,
        limits: request.attempt.limits,
        approval: request.approval,
        risk,
    }
}

fn environment(request: &Request, first: &Ready, compiled: Option<Compiled>) -> Environment {
    let runtime = first.program.runtime.as_ref().map(|path| Runtime {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        path: shown(path),
        version: None,
    });
    Environment {
        ready: true,
        system: system(),
        runtime,
        compiled,
        variables: variables(request),
        prepared: None,
    }
}

fn system() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

fn variables(request: &Request) -> Vec<String> {
    let name = |variable: &Variable| match variable {
        Variable::Inherited(name) | Variable::Set(name, _) => path_text(name.as_bytes()),
    };
    request.attempt.granted_variables.iter().map(name).collect()
}

fn changes(listed: Collected, settlement: Settlement) -> Changes {
    let count = |kind: ChangeKind| listed.changes.iter().filter(|change| change.kind == kind).count() as u64;
    Changes {
        state: settlement.applied,
        created: count(ChangeKind::Created),
        modified: count(ChangeKind::Modified),
        deleted: count(ChangeKind::Deleted),
        cut: listed.truncated,
        conflicts: settlement.conflicts,
        files: listed.changes,
    }
}

/// What would help next time.
fn recommend(ending: &Ending, analysis: &Analysis, known: &Known<'_>) -> Vec<String> {
    let mut next = Vec::new();
    match ending {
        Ending::TimedOut { max, .. } => {
            next.push(format!("give it more time than {max} with --timeout, or less to do"))
        }
        Ending::OutOfMemory { max, .. } => {
            next.push(format!("give it more memory than {max} with --limit memory=…, or less data at once"));
        }
        Ending::OverLimit { limit, max, .. } => {
            next.push(format!("raise the limit {limit}={max} with --limit {limit}=…"))
        }
        Ending::Exited { .. } | Ending::Signalled { .. } | Ending::Cancelled | Ending::NotStarted { .. } => {}
    }
    if !ending.is_success() {
        let modules = analysis.failures.iter().filter(|failure| failure.kind == "ModuleNotFoundError");
        next.extend(modules.take(1).map(|failure| {
            format!("{}: install the package that brings it, or name the right one", failure.message)
        }));
    }
    if let Some(hosts) = known.hosts.as_ref().filter(|hosts| !hosts.decisions.is_empty()) {
        let refused =
            hosts.decisions.iter().find(|one| matches!(one.verdict, actum_model::Verdict::Refused(_)));
        next.extend(
            refused.map(|one| format!("it asked for {}: grant it with --net {}", one.host, one.host)),
        );
    }
    next
}

fn shown(path: &Path) -> String {
    path_text(path.as_os_str().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn durations_as_people_say_them() {
        for (millis, text) in
            [(5, "0.005s"), (150, "0.15s"), (2300, "2.3s"), (59_900, "59.9s"), (61_000, "1m01s")]
        {
            assert_eq!(duration(Span(Duration::from_millis(millis))), text);
        }
    }
}
