//! What stands in the log of the ledger: one entry after the other, each kept as the exact bytes that were hashed.

use crate::{Bytes, Digest, Moment, Record, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One entry of the log, as JSON on one line. Unknown fields are ignored by readers; the bytes are what counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
#[schemars(title = "Actum entry")]
pub enum Entry {
    /// The first of every log: which store this is.
    #[serde(rename = "store.made")]
    Made(Made),
    /// Written, and durable, before the process exists.
    #[serde(rename = "attempt.started")]
    Started(Started),
    /// The sealed account of a run.
    #[serde(rename = "run.ended")]
    Ended(Box<Record>),
    /// A start without an end, found when the store was opened again.
    #[serde(rename = "run.lost")]
    Lost(Lost),
    /// Bodies that were removed. Their leaves stay.
    #[serde(rename = "store.pruned")]
    Pruned(Pruned),
    /// Checkpoints are signed by another key from here on.
    #[serde(rename = "key.changed")]
    KeyChanged(KeyChanged),
    /// Something that another part of the house keeps in order: a task of a flow, a command that was only observed.
    #[serde(rename = "fact")]
    Fact(Fact),
}

/// Which store a log belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Made {
    pub v: u32,
    /// The store's own name, which its checkpoints carry: no other store has it.
    pub origin: String,
    pub at: Moment,
}

/// A process is about to exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    pub v: u32,
    pub run: RunId,
    /// Counted from 1 within the run.
    pub attempt: u32,
    pub at: Moment,
    /// As a person would type it.
    pub command: String,
    pub language: String,
    /// Where it starts.
    pub folder: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

impl Started {
    /// The form that is written now.
    pub const VERSION: u32 = 1;
}

/// A run that began, and nobody knows how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lost {
    pub v: u32,
    pub run: RunId,
    pub found_at: Moment,
}

/// Bodies that were removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pruned {
    pub v: u32,
    pub at: Moment,
    /// Why, in words: `older than 90d`.
    pub because: String,
    pub runs: Vec<RunId>,
    /// Which entries have no body any more: first and last of each stretch, counted from 0.
    pub entries: Vec<[u64; 2]>,
    /// How many blobs, and how much they took.
    pub blobs: u64,
    pub freed: Bytes,
}

/// Another key signs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeyChanged {
    pub v: u32,
    pub at: Moment,
    /// SHA-256 of the raw public key.
    pub key: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Digest>,
}

/// A fact of another part of the house.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    pub v: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub at: Moment,
    /// What it is: `task.started`, `command.observed`.
    pub name: String,
    pub data: serde_json::Value,
}
