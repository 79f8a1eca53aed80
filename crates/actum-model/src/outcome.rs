//! How a run ended.

use crate::Ending;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a run ended, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The program ended well.
    Success,
    /// The program did not end well: its own failure, a limit that it met, or a check that did not hold.
    Failure,
    /// We or the world failed: it could not be started, or what it changed could not be applied.
    Error,
    /// It was stopped when its time was over.
    Timeout,
    /// Somebody stopped it.
    Cancelled,
    /// It was not run: refused, or waiting for an approval.
    Skipped,
    /// It began, and nobody knows how it ended.
    Lost,
}

impl Outcome {
    pub const ALL: [Outcome; 7] = [
        Outcome::Success,
        Outcome::Failure,
        Outcome::Error,
        Outcome::Timeout,
        Outcome::Cancelled,
        Outcome::Skipped,
        Outcome::Lost,
    ];

    pub fn of(ending: &Ending) -> Self {
        match ending {
            Ending::Exited { code: 0 } => Outcome::Success,
            Ending::Exited { .. }
            | Ending::Signalled { .. }
            | Ending::OutOfMemory { .. }
            | Ending::OverLimit { .. } => Outcome::Failure,
            Ending::TimedOut { .. } => Outcome::Timeout,
            Ending::Cancelled => Outcome::Cancelled,
            Ending::NotStarted { .. } => Outcome::Error,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Outcome::Success => "success",
            Outcome::Failure => "failure",
            Outcome::Error => "error",
            Outcome::Timeout => "timeout",
            Outcome::Cancelled => "cancelled",
            Outcome::Skipped => "skipped",
            Outcome::Lost => "lost",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
