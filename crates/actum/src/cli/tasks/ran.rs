//! From a run and what it printed to what is written back about a task.

use crate::cli::reading;
use actum_evidence::{Asker, Reading, Told, credit};
use actum_model::{
    Anchor, BlockExecution, Digest, ExecutionDigests, ExternalId, Outcome, Piece, Report, Step, Stream,
    TaskExecution, TrackingFile, is_mlflow_id, told_mlflow_ids, tracking_files,
};
use actum_run::BlockPiece;
use std::io::Read;

/// A task that was run, and everything that it printed.
pub(super) struct Executed {
    pub(super) execution: TaskExecution,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// What is known about a task before its run is looked at.
pub(super) struct About<'a> {
    pub(super) agent: &'a str,
    pub(super) source: Digest,
}

/// As much of a stream as is looked at; the limit on output is lower.
const LONGEST: u64 = 256 << 20;

/// What is written back about a run, or about why there was none.
pub(super) fn executed(ran: Result<Box<Report>, String>, about: &About<'_>, asker: &Asker<'_>) -> Executed {
    match ran {
        Ok(report) => from_report(&report, about, asker),
        Err(why) => {
            let execution = TaskExecution { error: Some(why), ..bare(about, Outcome::Error) };
            Executed { execution, stdout: String::new(), stderr: String::new() }
        }
    }
}

/// Whether what is written about a task is what its report tells: how it ended, what ran, what it printed, and which ids it
/// told.
pub(super) fn is_told_so(
    execution: &TaskExecution,
    report: &Report,
    about: &About<'_>,
    asker: &Asker<'_>,
) -> bool {
    let told = from_report(report, about, asker).execution;
    let digests = |one: &TaskExecution| {
        one.digests.as_ref().map(|digests| (digests.stdout.clone(), digests.stderr.clone(), digests.record))
    };
    (execution.outcome, execution.code_executed) == (told.outcome, told.code_executed)
        && execution.blocks == told.blocks
        && digests(execution) == digests(&told)
        && are_told_so(execution, &told.external_ids, report)
}

/// Whether ids in outside systems are those that the run told. A later task may have written the same tracking store, and
/// then what it held after this run can no longer be read: a credit counts where the run is recorded to have written a store
/// that can hold the id.
fn are_told_so(execution: &TaskExecution, told: &[ExternalId], report: &Report) -> bool {
    let files = tracking_files(&report.changes.files);
    let may_hold = |id: &str| {
        files.iter().any(|file| match file {
            TrackingFile::Meta { id: of, .. } => of == id,
            TrackingFile::Database { .. } => true,
        })
    };
    let is_told = |(one, told): (&ExternalId, &ExternalId)| {
        (&one.id, &one.told) == (&told.id, &told.told)
            && (!one.credited || told.credited || may_hold(&one.id))
    };
    let is_credited = |id: &String| execution.external_ids.iter().any(|one| one.credited && one.id == *id);
    execution.external_ids.len() == told.len()
        && execution.external_ids.iter().zip(told).all(is_told)
        && execution.run_id.iter().all(is_credited)
}

/// What is true of a task of which nothing else is known.
fn bare(about: &About<'_>, outcome: Outcome) -> TaskExecution {
    TaskExecution {
        code_executed: false,
        run_id: None,
        outcome,
        runs: Vec::new(),
        agent: about.agent.to_owned(),
        source_sha256: about.source,
        blocks: Vec::new(),
        external_ids: Vec::new(),
        digests: None,
        anchors: Vec::new(),
        error: None,
        notes: Vec::new(),
    }
}

fn from_report(report: &Report, about: &About<'_>, asker: &Asker<'_>) -> Executed {
    let reading = reading::open().ok();
    let [stdout, stderr] = printed(report, reading.as_ref());
    let pieces = actum_run::block_pieces(&stdout, &stderr);
    let blocks = blocks(report, &pieces, &stderr);
    let told = told(report, &stdout, &pieces);
    let external_ids = match &reading {
        Some(reading) => credit(told, report, &reading.store, asker),
        None => Vec::new(),
    };
    let succeeded = |line: u64| match pieces.is_empty() {
        true => report.outcome == Outcome::Success,
        false => pieces.iter().any(|piece| piece.status == Some(0) && holds(piece, line)),
    };
    // The last one that a block told which ended well, as the first users have it.
    let credited =
        external_ids.iter().rev().find(|one| one.credited && line_of(&one.told).is_none_or(&succeeded));
    let run_id = credited.map(|one| one.id.clone());
    let streams = &report.result.streams;
    let digests = ExecutionDigests {
        stdout: streams.stdout.sha256.clone(),
        stderr: streams.stderr.sha256.clone(),
        record: report.evidence.as_ref().map(|evidence| evidence.record),
    };
    let execution = TaskExecution {
        code_executed: blocks.iter().any(|block| block.outcome == Outcome::Success),
        run_id,
        runs: vec![report.run],
        digests: Some(digests),
        anchors: report.evidence_anchors.clone(),
        error: (report.outcome != Outcome::Success).then(|| error(report, &blocks)),
        notes: left_out(report).chain(report.recommendations.iter().cloned()).collect(),
        blocks,
        external_ids,
        ..bare(about, report.outcome)
    };
    Executed { execution, stdout, stderr }
}

/// What of the response was not run, and why.
fn left_out(report: &Report) -> impl Iterator<Item = String> {
    report.execution.blocks.iter().filter(|block| block.is_left_out()).map(|block| {
        let ([first, last], why) = block.missing();
        format!("skipped in block {} (lines {first} to {last}): {why}", block.index)
    })
}

/// Why it did not end well: the first block that failed tells best.
fn error(report: &Report, blocks: &[BlockExecution]) -> String {
    let failed = blocks.iter().find(|block| block.outcome != Outcome::Success);
    let told = failed.and_then(|block| Some(format!("block {}: {}", block.block, block.error.as_deref()?)));
    told.unwrap_or_else(|| report.analysis.summary.clone())
}

/// Both streams whole, from the ledger; else what the report has of them.
fn printed(report: &Report, reading: Option<&Reading>) -> [String; 2] {
    let whole = || {
        let reading = reading?;
        let record = reading.sealed(report.run).ok()?.record;
        let read = |sha256: &Digest| {
            let mut bytes = Vec::new();
            reading.reader.blob(sha256).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let of = |held: &actum_model::Held| match held.bytes.0 {
            0 => Some(String::new()),
            1.. => read(&held.sha256),
        };
        Some([of(&record.stdout)?, of(&record.stderr)?])
    };
    whole().unwrap_or_else(|| [report.result.stdout.clone(), report.result.stderr.clone()])
}

fn output_anchor(report: &Report, stream: Stream, lines: [u64; 2]) -> String {
    Anchor { run: report.run.to_string(), piece: Piece::Output(stream, Some(lines)) }.to_string()
}

fn holds(piece: &BlockPiece, line: u64) -> bool {
    piece.lines[Stream::Stdout.index()].is_some_and(|[first, last]| (first..=last).contains(&line))
}

/// The line that an anchor of output names.
fn line_of(anchor: &str) -> Option<u64> {
    match anchor.parse::<Anchor>().ok()?.piece {
        Piece::Output(_, Some([first, _])) => Some(first),
        Piece::Output(_, None)
        | Piece::Whole
        | Piece::Exit
        | Piece::Command
        | Piece::Metric { .. }
        | Piece::File(_)
        | Piece::Test(_)
        | Piece::Git
        | Piece::Environment
        | Piece::Attempt(..) => None,
    }
}

/// Ids that were printed, then those that only a variable holds.
fn told(report: &Report, stdout: &str, pieces: &[BlockPiece]) -> Vec<Told> {
    let has_store = !tracking_files(&report.changes.files).is_empty();
    let meant = told_mlflow_ids(stdout).into_iter().filter(|told| told.names_mlflow || has_store);
    let printed = meant.map(|told| Told {
        place: output_anchor(report, Stream::Stdout, [told.line, told.line]),
        id: told.id,
    });
    let mut all: Vec<Told> = printed.collect();
    for piece in pieces.iter().filter(|piece| piece.status == Some(0)) {
        for (name, value) in &piece.variables {
            // `run_id` is a common name: what has not the form of an id is something else.
            let is_meant = is_mlflow_id(value) || name.starts_with("mlflow");
            if is_meant && all.iter().all(|told| told.id != *value) {
                all.push(Told { id: value.clone(), place: format!("variable {name}") });
            }
        }
    }
    all
}

/// Each block, as the driver told it; programs that were not run together are blocks of their own.
fn blocks(report: &Report, pieces: &[BlockPiece], stderr: &str) -> Vec<BlockExecution> {
    let together: Vec<BlockExecution> = pieces.iter().map(|piece| of_piece(report, piece, stderr)).collect();
    let mut blocks = match (report.steps.as_slice(), together.is_empty()) {
        ([], false) => together,
        ([], true) => of_whole(report).into_iter().collect(),
        (steps, true) => steps.iter().map(of_step).collect(),
        (steps, false) => {
            let at = steps.iter().position(|step| step.language == "python").unwrap_or_default();
            let mut blocks: Vec<BlockExecution> = steps.iter().map(of_step).collect();
            blocks.splice(at..=at, together);
            blocks
        }
    };
    for (block, number) in blocks.iter_mut().zip(1..) {
        block.block = number;
    }
    blocks
}

fn of_piece(report: &Report, piece: &BlockPiece, stderr: &str) -> BlockExecution {
    let outcome = match (piece.status, piece.begun) {
        (Some(0), _) => Outcome::Success,
        (Some(_), _) => Outcome::Failure,
        // It was in it when everything ended; or it never was its turn.
        (None, true) => report.outcome,
        (None, false) => Outcome::Skipped,
    };
    let streams = Stream::ALL.into_iter().zip(piece.lines);
    let anchors = streams.filter_map(|(stream, lines)| Some(output_anchor(report, stream, lines?)));
    let failed = matches!(outcome, Outcome::Failure | Outcome::Error);
    let last = piece.lines[Stream::Stderr.index()].filter(|_| failed).and_then(|[first, last]| {
        let lines: Vec<&str> =
            stderr.lines().skip(first as usize - 1).take((last - first + 1) as usize).collect();
        lines.into_iter().rfind(|line| !line.trim().is_empty()).map(str::to_owned)
    });
    BlockExecution {
        block: piece.block,
        language: piece.language.clone(),
        lines: piece.source,
        outcome,
        anchors: anchors.collect(),
        error: last,
    }
}

fn of_step(step: &Step) -> BlockExecution {
    BlockExecution {
        block: step.number,
        language: step.language.clone(),
        lines: step.lines,
        outcome: step.outcome,
        anchors: Vec::new(),
        error: step.analysis.as_ref().and_then(|analysis| analysis.errors.first().cloned()),
    }
}

/// One program that was run by itself; none where nothing was started.
fn of_whole(report: &Report) -> Option<BlockExecution> {
    report.confinement.as_ref()?;
    Some(BlockExecution {
        block: 1,
        language: report.execution.language.clone(),
        lines: None,
        outcome: report.outcome,
        anchors: report.evidence_anchors.clone(),
        error: report.analysis.errors.first().cloned(),
    })
}
