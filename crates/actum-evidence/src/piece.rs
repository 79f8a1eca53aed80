//! Finds what an anchor names: in the record, among what was printed, or among files that are still what was recorded.

use super::error::EvidenceError;
use super::reading::Reading;
use actum_gate::{Bound, Root};
use actum_model::{
    Anchor, AttemptFacts, AttemptPiece, Bytes, ChangeKind, Digest, FileFacts, Metric, Node, Piece, Record,
    RunId, Stream, path_text, read_path_text,
};
use actum_store::{Kept, Sealed};
use serde::Serialize;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// What an anchor names.
pub enum Found {
    /// Bytes of a file, or of the record.
    Bytes(Vec<u8>),
    /// Bytes that are kept in the ledger.
    Blob(Digest),
    /// A stream, or lines of it.
    Output(Stream, Option<[u64; 2]>),
    /// A fact of the record: how people read it, and how programs do.
    Fact { text: String, value: Value },
}

/// A file of the workspace is held in memory while its digest is taken. Larger ones are told by their digest alone.
const LARGEST: Bytes = Bytes::mib(256);

/// Looks for one piece of a run that has a record.
pub fn find(reading: &Reading, kept: &Kept, sealed: &Sealed, piece: &Piece) -> Result<Found, EvidenceError> {
    let (record, run) = (&sealed.record, kept.id);
    match piece {
        Piece::Whole => Ok(Found::Bytes(sealed.bytes.clone())),
        Piece::Exit => Ok(exit(record)),
        Piece::Command => Ok(command(record)),
        Piece::Output(stream, lines) => Ok(Found::Output(*stream, *lines)),
        Piece::Metric { name, step } => {
            metric(record, name, *step).ok_or_else(|| missing(run, piece, "no such metric was recorded"))
        }
        Piece::File(path) => file(reading, kept, sealed, path),
        Piece::Test(name) => {
            test(record, name).ok_or_else(|| missing(run, piece, "no test of that name failed"))
        }
        Piece::Git => match &record.git {
            Some(git) => structure(git),
            None => Err(missing(run, piece, "it ran outside a repository")),
        },
        Piece::Environment => environment(record),
        Piece::Attempt(number, part) => match record.attempts.iter().find(|one| one.number == *number) {
            Some(attempt) => of_attempt(attempt, *part),
            None => Err(missing(run, piece, "there is no such attempt")),
        },
    }
}

/// Looks for one piece of a run that goes on, or was lost.
pub fn find_unfinished(reading: &Reading, kept: &Kept, piece: &Piece) -> Result<Found, EvidenceError> {
    match piece {
        Piece::Output(stream, lines) => Ok(Found::Output(*stream, *lines)),
        Piece::Whole => structure(&reading.unfinished(kept)?),
        Piece::Command => {
            let text = reading.unfinished(kept)?.command.into_string();
            Ok(Found::Fact { value: json!(text), text })
        }
        Piece::Exit
        | Piece::Metric { .. }
        | Piece::File(_)
        | Piece::Test(_)
        | Piece::Git
        | Piece::Environment
        | Piece::Attempt(_, _) => Err(missing(kept.id, piece, "the run is still running, or was lost")),
    }
}

/// Every piece that a record has, but for single lines.
pub fn all(record: &Record) -> Vec<Piece> {
    let mut pieces = vec![Piece::Whole, Piece::Command, Piece::Exit];
    for stream in Stream::ALL {
        if super::printed::held(record, stream).bytes.0 > 0 {
            pieces.push(Piece::Output(stream, None));
        }
    }
    pieces.extend(record.git.iter().map(|_| Piece::Git));
    pieces.push(Piece::Environment);
    let metrics = record.metrics.iter();
    pieces.extend(metrics.map(|metric| Piece::Metric { name: metric.name.clone(), step: metric.step }));
    let failed = record.tests.iter().flat_map(|tests| &tests.failed_names);
    pieces.extend(failed.map(|name| Piece::Test(name.clone())));
    let files = record.outputs.iter().chain(&record.inputs).filter(|file| file.sha256.is_some());
    pieces.extend(files.map(|file| Piece::File(file.path.clone())));
    pieces.extend(record.attempts.iter().map(|attempt| Piece::Attempt(attempt.number, AttemptPiece::Whole)));
    let mut once: Vec<Piece> = Vec::with_capacity(pieces.len());
    pieces.into_iter().for_each(|piece| {
        if !once.contains(&piece) {
            once.push(piece);
        }
    });
    once
}

pub fn missing(run: RunId, piece: &Piece, why: &str) -> EvidenceError {
    EvidenceError::NoPiece { anchor: Box::new(Anchor::of(run, piece.clone())), why: why.to_owned() }
}

fn exit(record: &Record) -> Found {
    let value = json!({ "exit_code": record.exit_code, "outcome": record.outcome, "ending": record.ending });
    Found::Fact { text: record.exit_code.to_string(), value }
}

fn command(record: &Record) -> Found {
    let value = json!({
        "command": record.command,
        "arguments": record.arguments,
        "language": record.language,
        "source": record.source,
        "folder": record.folder,
    });
    Found::Fact { text: record.command.clone(), value }
}

/// Of several with one name the last: how it ended.
fn metric(record: &Record, name: &str, step: Option<u64>) -> Option<Found> {
    let is_it = |metric: &&Metric| metric.name == name && (step.is_none() || metric.step == step);
    let metric = record.metrics.iter().rev().find(is_it)?;
    Some(Found::Fact { text: metric.literal.clone(), value: json!(metric) })
}

fn test(record: &Record, name: &str) -> Option<Found> {
    let tests = record.tests.as_ref()?;
    tests.failed_names.iter().find(|failed| *failed == name)?;
    let value = json!({ "name": name, "outcome": "failed", "runner": tests.runner, "stream": tests.stream, "lines": tests.lines });
    Some(Found::Fact { text: "failed".to_owned(), value })
}

fn environment(record: &Record) -> Result<Found, EvidenceError> {
    #[derive(Serialize)]
    struct Environment<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        runtime: &'a Option<actum_model::Runtime>,
        #[serde(skip_serializing_if = "Option::is_none")]
        lock: Option<Digest>,
        variables: &'a actum_model::Variables,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        seeds: &'a [String],
        actum: &'a actum_model::Build,
        #[serde(skip_serializing_if = "Option::is_none")]
        host: Option<Digest>,
    }
    let Record { runtime, lock, variables, seeds, actum, host, .. } = record;
    structure(&Environment { runtime, lock: *lock, variables, seeds, actum, host: *host })
}

fn of_attempt(attempt: &AttemptFacts, part: AttemptPiece) -> Result<Found, EvidenceError> {
    match part {
        AttemptPiece::Whole => structure(attempt),
        AttemptPiece::Exit => {
            Ok(Found::Fact { text: attempt.ending.exit_code().to_string(), value: json!(attempt.ending) })
        }
        AttemptPiece::Command => {
            Ok(Found::Fact { text: attempt.command.clone(), value: json!(attempt.command) })
        }
    }
}

fn structure(value: &impl Serialize) -> Result<Found, EvidenceError> {
    Ok(Found::Fact { text: actum_engine::report_json(value)?, value: serde_json::to_value(value)? })
}

/// A file's bytes from where they still are: in the ledger, with the run's kept changes, in the workspace. Only bytes
/// with the recorded digest are given.
fn file(reading: &Reading, kept: &Kept, sealed: &Sealed, path: &str) -> Result<Found, EvidenceError> {
    let missing = |why: &str| missing(kept.id, &Piece::File(path.to_owned()), why);
    let record = &sealed.record;
    let facts = record.outputs.iter().chain(&record.inputs).find(|file| file.path == path);
    let facts = facts.ok_or_else(|| missing("no read or change of this file was recorded"))?;
    let sha256 = match (facts.sha256, facts.kind) {
        (Some(sha256), _) => sha256,
        (None, Some(ChangeKind::Deleted)) => return Err(missing("the run deleted it")),
        (None, _) => return without_digest(reading, sealed, facts),
    };
    if facts.size == Some(Bytes(0)) {
        return Ok(Found::Bytes(Vec::new()));
    }
    // What was kept may have been removed by `actum gc` since.
    if facts.kept && reading.reader.blob(&sha256).is_ok() {
        return Ok(Found::Blob(sha256));
    }
    let is_it = |bytes: &Vec<u8>| Digest::of(bytes) == sha256;
    let changed = from_changes(reading, kept, facts).filter(is_it);
    match changed.or_else(|| from_workspace(record, facts).filter(is_it)) {
        Some(bytes) => Ok(Found::Bytes(bytes)),
        None => Err(EvidenceError::OnlyDigest { path: path.to_owned(), sha256 }),
    }
}

/// A link is where it leads, as the report tells it. Other files without a digest were too large to be read.
fn without_digest(reading: &Reading, sealed: &Sealed, facts: &FileFacts) -> Result<Found, EvidenceError> {
    let report = reading.report(sealed)?;
    let change = report.changes.files.iter().find(|change| path_text(&change.path) == facts.path);
    match change.map(|change| &change.after.node) {
        Some(Node::Link { target }) => {
            let text = path_text(target);
            Ok(Found::Fact { value: json!({ "target": text }), text })
        }
        Some(Node::File | Node::Folder | Node::Fifo | Node::Socket | Node::Device | Node::Nothing) | None => {
            Err(EvidenceError::Unread { path: facts.path.clone() })
        }
    }
}

fn from_changes(reading: &Reading, kept: &Kept, facts: &FileFacts) -> Option<Vec<u8>> {
    let keeping = actum_engine::reading(reading.store.root(), kept.folder.clone());
    let list = keeping.read().ok()?;
    let path = read_path_text(&facts.path)?;
    let change = list.changes.iter().find(|kept| kept.change.path == path)?;
    keeping.sides(&list, change, LARGEST).new
}

fn from_workspace(record: &Record, facts: &FileFacts) -> Option<Vec<u8>> {
    let inside = PathBuf::from(OsString::from_vec(read_path_text(&facts.path)?));
    let workspace = Root::open(Path::new(&record.workspace)).ok()?;
    let bytes = workspace.read(&inside, Bound(LARGEST.0)).ok()?;
    Some(bytes).filter(|bytes| facts.size.is_none_or(|size| size.0 == bytes.len() as u64))
}
