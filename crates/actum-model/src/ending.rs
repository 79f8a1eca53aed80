//! How an attempt ended.

use crate::{Amount, ExitCode, Limit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How one sandboxed process ended. A failing program is an ending, not an error of Actum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum Ending {
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    /// The wall-clock timeout was reached.
    TimedOut {
        max: Amount,
        used: Amount,
    },
    /// The process tree exceeded its memory limit.
    OutOfMemory {
        max: Amount,
        used: Amount,
    },
    /// Another limit was exceeded.
    OverLimit {
        limit: Limit,
        max: Amount,
        used: Amount,
    },
    Cancelled,
    /// The command could not be started: not found (127) or not executable (126).
    NotStarted {
        code: i32,
        reason: String,
    },
}

impl Ending {
    pub fn is_success(&self) -> bool {
        matches!(self, Ending::Exited { code: 0 })
    }

    /// The exit code that `actum` itself ends with.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Ending::Exited { code } => ExitCode(*code as u8),
            Ending::Signalled { signal } => ExitCode::of_signal(*signal),
            Ending::TimedOut { .. } => ExitCode::TIMED_OUT,
            Ending::OutOfMemory { .. } | Ending::OverLimit { .. } => ExitCode::OVER_LIMIT,
            Ending::Cancelled => ExitCode::CANCELLED,
            Ending::NotStarted { code, .. } => ExitCode(*code as u8),
        }
    }

    /// The limit that was met, if one was.
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Ending::TimedOut { .. } => Some(Limit::Wall),
            Ending::OutOfMemory { .. } => Some(Limit::Memory),
            Ending::OverLimit { limit, .. } => Some(*limit),
            Ending::Exited { .. }
            | Ending::Signalled { .. }
            | Ending::Cancelled
            | Ending::NotStarted { .. } => None,
        }
    }
}
