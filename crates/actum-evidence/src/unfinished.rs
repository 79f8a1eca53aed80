//! A run that has no record: it goes on, or was lost.

use actum_model::{Bytes, Moment, Outcome, RunId, Untrusted};
use serde::Serialize;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunProgress {
    Running,
    Ended(Outcome),
}

impl RunProgress {
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ended(outcome) => outcome.word(),
        }
    }
}

/// What is known about a run without a record.
#[derive(Debug, Clone, Serialize)]
pub struct UnfinishedRun {
    pub run: RunId,
    /// `running` or `lost`.
    #[serde(rename = "outcome", serialize_with = "word")]
    pub state: RunProgress,
    pub started_at: Moment,
    pub command: Untrusted,
    pub language: Untrusted,
    pub folder: Untrusted,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// How many began.
    pub attempts: usize,
    /// What lies of its output so far.
    pub printed: Bytes,
    pub changes: UnfinishedChanges,
}

/// What is known of the changes of a run without a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnfinishedChanges {
    /// It goes on.
    UnknownYet,
    /// It was lost, and what it had written was saved.
    Saved,
    /// It was lost before anything was saved, or wrote directly.
    NotSaved,
}

fn word<S: serde::Serializer>(state: &RunProgress, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(state.word())
}
