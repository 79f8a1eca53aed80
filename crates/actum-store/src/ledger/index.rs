//! What the tables beside the log hold about one entry: derived from its bytes, by the writer and by whoever verifies.

use crate::error::StoreError;
use actum_model::{AttachmentFacts, Entry, FileFacts, Held, Instant, Moment, Outcome, RunId, Started};
use serde::Deserialize;
use std::borrow::Cow;

/// What an entry's bytes say about the tables.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Indexed {
    pub(crate) kind: String,
    pub(crate) run: Option<RunId>,
    pub(crate) change: Change,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    None,
    /// The first attempt of a run.
    Began(Began),
    Ended(Box<Ended>),
    Lost {
        at: Moment,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Began {
    pub(crate) at: Moment,
    pub(crate) command: String,
    pub(crate) language: String,
    pub(crate) folder: String,
    pub(crate) labels: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ended {
    pub(crate) began: Began,
    pub(crate) at: Moment,
    pub(crate) outcome: Outcome,
    pub(crate) exit_code: u8,
    /// Which contents it names, by which name.
    pub(crate) held: Vec<(String, Held)>,
}

/// How a run ended, as its row tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) at: Moment,
    pub(crate) outcome: Outcome,
    pub(crate) exit_code: Option<u8>,
    /// The entry that says so.
    pub(crate) seq: u64,
}

impl End {
    pub(crate) fn of(ended: &Ended, seq: u64) -> Self {
        Self { at: ended.at, outcome: ended.outcome, exit_code: Some(ended.exit_code), seq }
    }

    pub(crate) fn lost(at: Moment, seq: u64) -> Self {
        Self { at, outcome: Outcome::Lost, exit_code: None, seq }
    }
}

/// What every entry has.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    run: Option<Cow<'a, str>>,
}

/// Of a record only what the tables hold: the rest is long.
#[derive(Deserialize)]
struct EndedPart {
    #[serde(default)]
    labels: Vec<String>,
    command: String,
    language: String,
    folder: String,
    started: Instant,
    ended: Instant,
    outcome: Outcome,
    exit_code: u8,
    stdout: Held,
    stderr: Held,
    timeline: Held,
    report: Held,
    #[serde(default)]
    outputs: Vec<FileFacts>,
    #[serde(default)]
    inputs: Vec<FileFacts>,
    #[serde(default)]
    attachments: Vec<AttachmentFacts>,
}

#[derive(Deserialize)]
struct LostPart {
    found_at: Moment,
}

/// Reads what the tables hold out of an entry's bytes.
pub(crate) fn derive(bytes: &[u8]) -> Result<Indexed, StoreError> {
    let head: Head<'_> = read(bytes)?;
    let run = head.run.as_ref().map(|run| run.parse::<RunId>());
    let run = run.transpose().map_err(|error| StoreError::NotAnEntry { why: error.to_string() })?;
    let change = match (head.kind.as_ref(), run) {
        ("attempt.started", Some(_)) => began(read(bytes)?),
        ("run.ended", Some(_)) => Change::Ended(Box::new(ended(read(bytes)?))),
        ("run.lost", Some(_)) => Change::Lost { at: read::<LostPart>(bytes)?.found_at },
        ("attempt.started" | "run.ended" | "run.lost", None) => {
            return Err(StoreError::NotAnEntry { why: "it names no run".to_owned() });
        }
        (_, _) => Change::None,
    };
    Ok(Indexed { kind: head.kind.into_owned(), run, change })
}

/// The bytes of an entry, as they are hashed and kept.
pub(crate) fn bytes_of(entry: &Entry) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(entry).map_err(|error| StoreError::NotAnEntry { why: error.to_string() })
}

fn began(started: Started) -> Change {
    if started.attempt > 1 {
        return Change::None;
    }
    let Started { at, command, language, folder, labels, .. } = started;
    Change::Began(Began { at, command, language, folder, labels: sorted(labels) })
}

fn ended(part: EndedPart) -> Ended {
    let held = |sha256, bytes| Held { sha256, bytes, redactions: 0 };
    let file = |kind: &'static str| {
        move |file: FileFacts| {
            let name = format!("{kind}/{}", file.path);
            Some((name, held(file.sha256.filter(|_| file.kept)?, file.size?)))
        }
    };
    let files = part.outputs.into_iter().filter_map(file("file"));
    let files = files.chain(part.inputs.into_iter().filter_map(file("input")));
    let attached = part.attachments.into_iter();
    let attached = attached.map(|one| (format!("attachment/{}", one.name), held(one.sha256, one.bytes)));
    let own = [
        ("stdout", part.stdout),
        ("stderr", part.stderr),
        ("timeline", part.timeline),
        ("report", part.report),
    ];
    let own = own.into_iter().map(|(name, held)| (name.to_owned(), held));
    Ended {
        began: Began {
            at: part.started.at,
            command: part.command,
            language: part.language,
            folder: part.folder,
            labels: sorted(part.labels),
        },
        at: part.ended.at,
        outcome: part.outcome,
        exit_code: part.exit_code,
        held: own.chain(files).chain(attached).filter(|(_, held)| held.bytes.0 > 0).collect(),
    }
}

/// Once each, in order: as a table has them.
fn sorted(mut labels: Vec<String>) -> Vec<String> {
    labels.sort();
    labels.dedup();
    labels
}

fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|error| StoreError::NotAnEntry { why: error.to_string() })
}
