//! How a run ended.

use crate::Ending;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a run ended, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The program succeeded.
    Success,
    /// The program failed: an error of its own, a limit that it reached, or a failed check.
    Failure,
    /// Actum or the machine failed: the program could not be started, or its changes could not be applied.
    Error,
    /// It was stopped at its timeout.
    Timeout,
    /// It was cancelled.
    Cancelled,
    /// It was not run: rejected, or waiting for approval.
    Skipped,
    /// It started, and its end was not recorded.
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
