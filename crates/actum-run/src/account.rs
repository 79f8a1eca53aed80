//! Puts the account of a run together.

use crate::anchors;
use crate::capture::{Captured, Part, Reached, View};
use crate::course::Done;
use crate::error::RunError;
use crate::origin;
use crate::outcome::{RunOutcome, Subject};
use crate::recover::Care;
use crate::request::Request;
use crate::sealed::{Account, Unreported};
use crate::source::Source;
use crate::stage::Ready;
use crate::validate::{self, Conclusion};
use crate::workspace::Settlement;
use actum_changes::Collected;
use actum_model::{
    Analysis, Applied, Asked, Bytes, ChangeKind, Changes, Compiled, Digest, Ending, Environment, Execution,
    ExitCode, Moment, Outcome, Printed, Recovery, RecoveryStep, RemedyKind, Report, Risk, RunId, Runtime,
    SourceFacts, Span, Step, StepResult, Stream, StreamFacts, Streams, Usage, Validation, Witness, path_text,
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

/// What is told about a run, and what is sealed about it.
pub(crate) fn account(outcome: RunOutcome<'_>) -> Result<Account, RunError> {
    let unreported = Unreported::of(&outcome);
    let redaction = outcome.subject.request.redaction.clone();
    let mut report = report(outcome)?;
    redaction.report(&mut report);
    Ok(Account { record: unreported.draft(&report)?, report })
}

fn report(outcome: RunOutcome<'_>) -> Result<Report, RunError> {
    let several = outcome.programs.done.len() + outcome.programs.left.len() > 1;
    let [from, to] = outcome.stretch;
    let stretch = Stretch { folder: outcome.subject.folder, from, to };
    let views = stretch.views(SHOWN)?;
    let (mut analysis, steps) = match several {
        false => (outcome.analyse(outcome.decisive(), &stretch)?, Vec::new()),
        true => {
            let steps = outcome.steps()?;
            (outcome.analyse_all(&steps, &stretch)?, steps)
        }
    };
    let printed_numbers =
        Metrics { listed: std::mem::take(&mut analysis.metrics), left_out: analysis.metrics_left_out };
    let numbers = outcome.metrics.clone().and(printed_numbers);
    (analysis.metrics, analysis.metrics_left_out) = (numbers.listed, numbers.left_out);
    if outcome.conclusion() == Conclusion::NotAsExpected {
        analysis.summary = validate::summary(outcome.validation());
    }
    if let Some(failure) = &outcome.settlement.failure {
        analysis.summary = format!("{}; {}", analysis.summary, failure.reason);
    }
    let mut validation = outcome.validation().clone();
    if validation.checks.is_empty() && validation.cases.is_empty() {
        validation.advice.extend(validate::of_warnings(&analysis));
    }
    let (word, exit_code) = conclude(&outcome);
    let Subject { run, request, .. } = outcome.subject;
    let decisive = outcome.decisive();
    let first = &outcome.programs.done[0].ready;
    let compiled = outcome.programs.done.iter().rev().find_map(|done| done.compiled.clone());
    Ok(Report {
        v: VERSION,
        run,
        outcome: word,
        exit_code,
        evidence_anchors: anchors::anchors(&outcome, &analysis),
        result: printed(outcome.ending(), outcome.times.wall, &views, Some(&outcome.captured)),
        execution: outcome.execution(&first.program.language),
        request: asked(request, outcome.subject.risk.clone()),
        environment: Environment {
            prepared: outcome.programs.cares.iter().find_map(Care::prepared_facts),
            ..environment(request, first, compiled)
        },
        recovery: outcome.recovery(),
        recommendations: recommend(&analysis, &outcome),
        analysis,
        validation,
        resources: outcome.usage(),
        confinement: Some(decisive.ended.confinement.clone()),
        changes: changes(outcome.changes, outcome.settlement),
        hosts: outcome.hosts,
        steps,
        evidence: None,
    })
}

/// In one word how it went, and the exit code.
fn conclude(outcome: &RunOutcome<'_>) -> (Outcome, ExitCode) {
    let refused = outcome.settlement.applied == Applied::Refused;
    let failure = outcome.settlement.failure.as_ref();
    let ending = outcome.ending();
    match outcome.conclusion() {
        // A program that failed by itself keeps its own ending.
        Conclusion::AsExpected | Conclusion::NotAsExpected if failure.is_some() => {
            (Outcome::Error, failure.map_or(ExitCode::OWN_ERROR, |failure| failure.exit_code))
        }
        _ if refused => (Outcome::Error, ExitCode::OWN_ERROR),
        // Of cases no one program's own code speaks for all.
        Conclusion::AsExpected if !outcome.subject.request.cases.is_empty() => {
            (Outcome::Success, ExitCode::SUCCESS)
        }
        Conclusion::AsExpected => (Outcome::Success, ending.exit_code()),
        Conclusion::NotAsExpected => (Outcome::Failure, ExitCode::CHECK_FAILED),
        Conclusion::Failed => (Outcome::of(ending), ending.exit_code()),
    }
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

impl RunOutcome<'_> {
    fn analyse(&self, done: &Done, stretch: &Stretch<'_>) -> Result<Analysis, RunError> {
        let [stdout, stderr] = stretch.texts()?;
        let own: Vec<String> =
            done.ready.own.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let workspace = self.subject.request.attempt.workspace.to_string_lossy();
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
        match &self.subject.request.source {
            Source::Command(_) | Source::Shell(_) => Origin::nobody(),
            Source::File(_) | Source::Inline(_) | Source::Stdin(_) => {
                let files = origin::files(self.subject.request);
                actum_commands::of_code(&done.ready.program.language, &done.ready.code, &files)
            }
        }
    }

    fn stretch_of<'s>(&'s self, done: &Done) -> Stretch<'s> {
        Stretch { folder: self.subject.folder, from: done.from, to: done.to }
    }

    /// Of several programs the one that decided how it ended speaks for all.
    fn analyse_all(&self, steps: &[Step], whole: &Stretch<'_>) -> Result<Analysis, RunError> {
        let (decisive, done) = (self.decisive_index(), self.decisive());
        let mut analysis = steps[decisive].analysis.clone().unwrap_or_default();
        // Numbers are everybody's: an earlier program's count like the last one's.
        let [stdout, stderr] = whole.texts()?;
        if self.programs.done.iter().all(|done| self.origin(done).is_of_a_program()) {
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
        let total = self.programs.done.len() + self.programs.left.len();
        analysis.summary = match done.ended.ending.is_success() {
            true => format!("{total} programs ran; the last one: {}", analysis.summary),
            false => format!("program {} of {total}: {}", decisive + 1, analysis.summary),
        };
        Ok(analysis)
    }

    fn steps(&self) -> Result<Vec<Step>, RunError> {
        let run = self.programs.done.iter().enumerate().map(|(at, done)| {
            let stretch = self.stretch_of(done);
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
        let left = self.programs.left.iter().enumerate().map(|(at, ready)| {
            Ok(Step {
                number: (self.programs.done.len() + at) as u32 + 1,
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

    fn execution(&self, language: &str) -> Execution {
        let Subject { request, source, blocks, .. } = &self.subject;
        Execution {
            command: self.command(),
            language: language.to_owned(),
            started_at: self.times.started.at,
            completed_at: self.times.ended.at,
            source: source.clone(),
            blocks: blocks.clone(),
            workspace: shown(&request.attempt.workspace),
            folder: shown(&request.attempt.folder),
            actum: env!("CARGO_PKG_VERSION").to_owned(),
            witness: Witness::Executed,
        }
    }

    /// How often it was tried, and what was changed in between.
    fn recovery(&self) -> Recovery {
        let steps: Vec<RecoveryStep> =
            self.programs.cares.iter().flat_map(|care| care.steps.iter().cloned()).collect();
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
            attempts: (self.programs.done.len() + self.programs.earlier.len()) as u32,
            remedies: remedies.map(|remedy| remedy.what.clone()).collect(),
            stopped: self.programs.cares.iter().rev().find_map(|care| care.stopped.clone()),
            permanent,
            proposals: self.programs.cares.iter().flat_map(|care| care.proposals.iter().cloned()).collect(),
            steps,
        }
    }

    fn command(&self) -> String {
        let all = self.programs.done.iter().map(|done| &done.ready).chain(&self.programs.left);
        let shown: Vec<&str> = all.map(|ready| ready.program.shown.as_str()).collect();
        match (shown.as_slice(), &self.subject.source.path) {
            ([one], _) => (*one).to_owned(),
            (several, Some(path)) => format!("{} programs of {path}", several.len()),
            (several, None) => format!("{} programs", several.len()),
        }
    }

    fn usage(&self) -> Usage {
        let mut all =
            self.programs.done.iter().chain(&self.programs.earlier).map(|done| done.ended.usage.clone());
        let first = all.next().unwrap_or_default();
        Usage { wall: self.times.wall, ..all.fold(first, Usage::and) }
    }
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
fn recommend(analysis: &Analysis, outcome: &RunOutcome<'_>) -> Vec<String> {
    let ending = outcome.ending();
    let mut next = Vec::new();
    match ending {
        Ending::TimedOut { max, .. } => {
            next.push(format!("set a --timeout longer than {max}, or reduce the work"))
        }
        Ending::OutOfMemory { max, .. } => {
            next.push(format!("set --limit memory=… above {max}, or process less data at once"));
        }
        Ending::OverLimit { limit, max, .. } => {
            next.push(format!("raise the limit {limit}={max} with --limit {limit}=…"))
        }
        Ending::Exited { .. } | Ending::Signalled { .. } | Ending::Cancelled | Ending::NotStarted { .. } => {}
    }
    if !ending.is_success() {
        let modules = analysis.failures.iter().filter(|failure| failure.kind == "ModuleNotFoundError");
        next.extend(modules.take(1).map(|failure| {
            format!("{}: install the package that provides it, or correct the name", failure.message)
        }));
    }
    if let Some(hosts) = outcome.hosts.as_ref().filter(|hosts| !hosts.decisions.is_empty()) {
        let refused =
            hosts.decisions.iter().find(|one| matches!(one.verdict, actum_model::Verdict::Refused(_)));
        next.extend(refused.map(|one| {
            let host = one.shown_host();
            format!("the program tried to reach {host}: allow it with --net {host}")
        }));
    }
    next.extend(outcome.recommendations.iter().cloned());
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
