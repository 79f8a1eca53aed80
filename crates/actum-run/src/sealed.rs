//! The record of a run, as far as this room knows it. What the ledger's side knows is put in where it is sealed.

use crate::beside::Seen;
use crate::capture::Captured;
use crate::course::Done;
use crate::error::RunError;
use crate::outcome::RunOutcome;
use crate::redact::Redaction;
use crate::request::Request;
use crate::requested;
use actum_model::{
    AttachmentFacts, AttemptFacts, Build, Bytes, Case, Change, Check, Digest, Ending, FileFacts, Held,
    Instant, KeyReach, Node, Record, Report, RunId, SourceKind, Variables, path_text,
};
use sha2::{Digest as _, Sha256};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What is told about a run, and what is sealed about it.
#[derive(Debug)]
pub struct Account {
    pub report: Report,
    pub record: Draft,
}

/// A record that lacks what only its keeper knows.
#[derive(Debug, Clone)]
pub struct Draft(Box<Record>);

/// What the keeper of a record knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// The bytes of the report, as they are kept.
    pub report: Held,
    pub key: KeyReach,
    pub actum: Build,
    /// A digest of this machine's id.
    pub host: Option<Digest>,
}

/// Bytes that are kept, by their digest.
fn held(bytes: &[u8]) -> Held {
    Held { sha256: Digest::of(bytes), bytes: Bytes(bytes.len() as u64), redactions: 0 }
}

impl Draft {
    /// What it left, for its keeper to say whose bytes are kept.
    pub fn outputs(&mut self) -> &mut [FileFacts] {
        &mut self.0.outputs
    }

    /// What it read, for its keeper to say whose bytes are kept.
    pub fn inputs(&mut self) -> &mut [FileFacts] {
        &mut self.0.inputs
    }

    /// Names contents that are kept with it.
    pub fn attach(&mut self, attachments: Vec<AttachmentFacts>) {
        self.0.attachments = attachments;
    }

    /// The whole record.
    pub fn seal(self, seal: Seal) -> Record {
        let Seal { report, key, actum, host } = seal;
        Record { report, key, actum, host, ..*self.0 }
    }
}

/// What a record says and a report does not.
pub(crate) struct Unreported<'a> {
    request: &'a Request,
    folder: PathBuf,
    started: Instant,
    ended: Instant,
    attempts: Vec<AttemptFacts>,
    streams: [Held; 2],
    seen: Seen,
    /// Where programs fix their random numbers.
    seeds: Vec<String>,
}

/// What is known of a command that ran without walls, or past us.
pub(crate) struct Passed<'a> {
    pub(crate) started: Instant,
    pub(crate) ended: Instant,
    pub(crate) captured: &'a [Captured; 2],
    pub(crate) attempts: Vec<AttemptFacts>,
    pub(crate) seen: Seen,
}

/// Outputs beyond these are counted: a record is read whole.
const MOST_OUTPUTS: usize = 2000;

impl<'a> Unreported<'a> {
    /// What is left of a run when its report has taken the rest.
    pub(crate) fn of(outcome: &RunOutcome<'a>) -> Self {
        let hold = |captured: &Captured| Held {
            sha256: captured.sha256,
            bytes: Bytes(captured.end.bytes),
            redactions: captured.end.redactions,
        };
        Self {
            request: outcome.subject.request,
            folder: outcome.subject.folder.to_path_buf(),
            started: outcome.times.started,
            ended: outcome.times.ended,
            attempts: attempts(outcome),
            streams: [hold(&outcome.captured[0]), hold(&outcome.captured[1])],
            seen: outcome.seen.clone(),
            seeds: seeds(outcome),
        }
    }

    /// Of a command that ran without walls, or past us.
    pub(crate) fn unconfined(request: &'a Request, folder: PathBuf, passed: Passed<'_>) -> Self {
        let Passed { started, ended, captured, attempts, seen } = passed;
        let hold = |captured: &Captured| Held {
            sha256: captured.sha256,
            bytes: Bytes(captured.end.bytes),
            redactions: captured.end.redactions,
        };
        let streams = [hold(&captured[0]), hold(&captured[1])];
        Self { request, folder, started, ended, attempts, streams, seen, seeds: Vec::new() }
    }

    /// Of a run that never began.
    pub(crate) fn nothing(request: &'a Request, now: Instant) -> Self {
        let (attempts, streams, seen) = (Vec::new(), [held(&[]), held(&[])], Seen::default());
        let (folder, seeds) = (PathBuf::new(), Vec::new());
        Self { request, folder, started: now, ended: now, attempts, streams, seen, seeds }
    }

    /// The record, beside its report.
    pub(crate) fn draft(self, report: &Report) -> Result<Draft, RunError> {
        let path = self.folder.join("timeline");
        let timeline = timeline(&path).map_err(|source| RunError::Keep { path, source })?;
        Ok(self.draft_with(report, timeline))
    }

    /// The same, where it is known which bytes came when.
    pub(crate) fn draft_with(self, report: &Report, timeline: Held) -> Draft {
        let Self { request, folder: _, started, ended, attempts, streams: [stdout, stderr], seen, seeds } =
            self;
        let (outputs, outputs_left_out) = outputs(&report.changes.files);
        let text = |word: &std::ffi::OsString| request.redaction.text(&path_text(word.as_bytes()));
        let input = |facts: FileFacts| FileFacts { path: request.redaction.text(&facts.path), ..facts };
        let diagnoses = diagnoses(report);
        let source = source(report);
        let is_other = |facts: &FileFacts| source.as_ref().is_none_or(|source| source.path != facts.path);
        let beside: Vec<FileFacts> = seen.inputs.into_iter().filter(is_other).collect();
        let mut usage = report.resources.clone();
        usage.curve.clear();
        Draft(Box::new(Record {
            v: Record::VERSION,
            run: report.run,
            parent: None,
            flow: None,
            task: request.task.as_deref().map(|task| request.redaction.text(task)),
            labels: request.labels(),
            command: report.execution.command.clone(),
            witness: report.execution.witness,
            language: report.execution.language.clone(),
            source: report.execution.source.clone(),
            arguments: request.arguments.iter().map(text).collect(),
            workspace: report.execution.workspace.clone(),
            folder: report.execution.folder.clone(),
            variables: variables(report.run, request),
            asked: report.request.clone(),
            requested: Some(Box::new(requested::of(request))),
            confinement: report.confinement.clone(),
            key: KeyReach::WithinReach,
            started,
            ended,
            outcome: report.outcome,
            exit_code: report.exit_code,
            ending: report.result.ending.clone(),
            attempts,
            usage,
            stdout,
            stderr,
            timeline,
            report: held(&[]),
            inputs: source.into_iter().chain(beside).map(input).collect(),
            outputs,
            outputs_left_out,
            changes: report.changes.state,
            attachments: Vec::new(),
            git: seen.git,
            runtime: report.environment.runtime.clone(),
            lock: report.environment.prepared.as_ref().map(|prepared| prepared.lock),
            seeds,
            metrics: report.analysis.metrics.clone(),
            tests: report.analysis.tests.clone(),
            diagnoses,
            remedies: report.recovery.remedies.clone(),
            checks: checks(report),
            actum: Build { version: report.execution.actum.clone(), sha256: None },
            host: None,
        }))
    }
}

/// As the text says: `torch.manual_seed, line 3`.
fn seeds(outcome: &RunOutcome<'_>) -> Vec<String> {
    let readings = outcome.programs.cares.iter().filter_map(|care| care.reading.as_ref());
    readings
        .flat_map(|reading| &reading.seeds)
        .map(|sign| format!("{}, line {}", sign.what, sign.line))
        .collect()
}

/// Those of cases among them, by the names of these.
fn checks(report: &Report) -> Vec<Check> {
    let of_case = |case: &Case| {
        let named =
            |check: &Check| Check { name: format!("case {}: {}", case.name, check.name), ..check.sealed() };
        case.checks.iter().map(named).collect::<Vec<_>>()
    };
    let own = report.validation.checks.iter().map(Check::sealed);
    own.chain(report.validation.cases.iter().flat_map(of_case)).collect()
}

/// What went wrong, one line each.
fn diagnoses(report: &Report) -> Vec<String> {
    let known = report.recovery.steps.iter().filter_map(|step| step.diagnosis.as_ref());
    let lines = known.map(|one| format!("{}: {}", one.row, one.cause));
    match &report.result.ending {
        Ending::NotStarted { reason, .. } => lines.chain([reason.clone()]).collect(),
        Ending::Exited { .. }
        | Ending::Signalled { .. }
        | Ending::TimedOut { .. }
        | Ending::OutOfMemory { .. }
        | Ending::OverLimit { .. }
        | Ending::Cancelled => lines.collect(),
    }
}

/// In the order in which they were started.
fn attempts(outcome: &RunOutcome<'_>) -> Vec<AttemptFacts> {
    let all = outcome.programs.done.iter().chain(&outcome.programs.earlier);
    let mut facts: Vec<AttemptFacts> =
        all.map(|done| attempt(done, &outcome.subject.request.redaction)).collect();
    facts.sort_by_key(|one| one.number);
    facts
}

fn attempt(done: &Done, redaction: &Redaction) -> AttemptFacts {
    AttemptFacts {
        number: done.attempt,
        command: done.ready.program.shown.clone(),
        language: done.ready.program.language.clone(),
        ending: redaction.ending(&done.ended.ending),
        wall: done.ended.usage.wall,
    }
}

/// The file that the code came from, by the bytes that were really run.
fn source(report: &Report) -> Option<FileFacts> {
    let source = &report.execution.source;
    match source.kind {
        SourceKind::File | SourceKind::Answer => {}
        SourceKind::Command | SourceKind::Shell | SourceKind::Inline | SourceKind::Stdin => return None,
    }
    let path = source.path.as_deref()?;
    let inside = Path::new(path).strip_prefix(&report.execution.workspace).unwrap_or(Path::new(path));
    let sha256 = source.sha256.as_deref().and_then(|text| text.parse().ok());
    Some(FileFacts {
        path: inside.to_str()?.to_owned(),
        kind: None,
        sha256,
        size: source.bytes,
        kept: false,
        opened: None,
    })
}

/// Names, and one digest of all values, keyed by the run. Each part is led by its length: no value can pass for two.
fn variables(run: RunId, request: &Request) -> Variables {
    let handed = actum_sandbox::handed_over(&request.attempt);
    if handed.is_empty() {
        return Variables::default();
    }
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(run.to_string().as_bytes());
    for (name, value) in &handed {
        part(name.as_bytes());
        part(value.as_bytes());
    }
    let names = handed.iter().map(|(name, _)| path_text(name.as_bytes())).collect();
    Variables { names, sha256: Some(Digest::finish(hash)) }
}

/// What is left of the changes when folders are left out: these hold nothing of their own.
fn outputs(changes: &[Change]) -> (Vec<FileFacts>, u64) {
    let is_file = |change: &&Change| {
        let mut sides = [&change.before.node, &change.after.node].into_iter();
        sides.any(|node| !matches!(node, Node::Folder | Node::Nothing))
    };
    let facts = |change: &Change| FileFacts {
        path: path_text(&change.path),
        kind: Some(change.kind),
        sha256: change.after.sha256,
        size: change.after.size,
        kept: false,
        opened: None,
    };
    let all = changes.iter().filter(is_file);
    let left_out = all.clone().count().saturating_sub(MOST_OUTPUTS) as u64;
    (all.take(MOST_OUTPUTS).map(facts).collect(), left_out)
}

/// Which bytes came when: nothing for a run that printed nothing, and then there is no such file.
fn timeline(path: &Path) -> io::Result<Held> {
    match hashed(path) {
        Ok((sha256, bytes)) => Ok(Held { sha256, bytes: Bytes(bytes), redactions: 0 }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(held(&[])),
        Err(error) => Err(error),
    }
}

fn hashed(path: &Path) -> io::Result<(Digest, u64)> {
    let mut file = actum_gate::own::open(path)?;
    let (mut hash, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; 64 << 10]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok((Digest::finish(hash), bytes)),
            count => {
                hash.update(&piece[..count]);
                bytes += count as u64;
            }
        }
    }
}
