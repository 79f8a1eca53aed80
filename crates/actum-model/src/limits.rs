//! What a run may use, and how each of it is really enforced.

use crate::{Bytes, BytesError, Span, SpanError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// What a run may use. `default.toml` has the default values, with their reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Wall-clock time from start to end.
    pub wall: Span,
    /// CPU time of the process tree.
    pub cpu: Span,
    /// Memory of the process tree.
    pub memory: Bytes,
    /// Processes and threads at one time.
    pub processes: u64,
    /// Open descriptors of one process.
    pub descriptors: u64,
    /// Length of one file.
    pub file_size: Bytes,
    /// Everything written: workspace changes and temporary files.
    pub disk: Bytes,
    /// Bytes on stdout and stderr together.
    pub output: Bytes,
}

/// The name of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    Wall,
    Cpu,
    Memory,
    Processes,
    Descriptors,
    FileSize,
    Disk,
    Output,
}

/// A value of a limit, or what was used of it, in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Amount {
    Seconds(Span),
    Bytes(Bytes),
    Count(u64),
}

/// How a limit is enforced on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    CgroupV2,
    CgroupV1,
    /// The kernel refuses per process; the program sees the error.
    Rlimit,
    /// The kernel refuses per user namespace, so for the whole run.
    RlimitNamespace,
    /// The writable layer has this size.
    SizedLayer,
    /// Polled every few milliseconds; can be exceeded for one interval.
    Polled,
    /// Counted by Actum while forwarding the bytes.
    Counted,
    Timer,
}

/// One limit with its value and how it is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Enforced {
    pub limit: Limit,
    pub max: Amount,
    pub how: How,
}

/// Why a limit cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitsError {
    #[error(
        "`{0}` is not a limit; the limits are wall, cpu, memory, processes, descriptors, file-size, disk and output"
    )]
    Unknown(String),
    #[error("the limit `{limit}` must be greater than zero")]
    Zero { limit: Limit },
    #[error("the limit `{limit}` is {value}, but a program needs at least {least} to start")]
    TooSmall { limit: Limit, value: Amount, least: Amount },
    #[error("the limit `{limit}` is not valid")]
    Bytes { limit: Limit, source: BytesError },
    #[error("the limit `{limit}` is not valid")]
    Span { limit: Limit, source: SpanError },
    #[error("the limit `{limit}`: `{value}` is not a whole number")]
    Count { limit: Limit, value: String },
    #[error("`{0}` is not LIMIT=VALUE, as in memory=512MiB")]
    Shape(String),
}

impl Limit {
    pub const ALL: [Limit; 8] = [
        Limit::Wall,
        Limit::Cpu,
        Limit::Memory,
        Limit::Processes,
        Limit::Descriptors,
        Limit::FileSize,
        Limit::Disk,
        Limit::Output,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Limit::Wall => "wall",
            Limit::Cpu => "cpu",
            Limit::Memory => "memory",
            Limit::Processes => "processes",
            Limit::Descriptors => "descriptors",
            Limit::FileSize => "file-size",
            Limit::Disk => "disk",
            Limit::Output => "output",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Seconds(span) => span.fmt(f),
            Amount::Bytes(bytes) => bytes.fmt(f),
            Amount::Count(count) => count.fmt(f),
        }
    }
}

impl How {
    pub fn phrase(self) -> &'static str {
        match self {
            How::CgroupV2 => "cgroup v2",
            How::CgroupV1 => "cgroup v1",
            How::Rlimit => "rlimit per process",
            How::RlimitNamespace => "rlimit of the user namespace",
            How::SizedLayer => "sized layer",
            How::Polled => "polled",
            How::Counted => "counted",
            How::Timer => "timer",
        }
    }
}

impl Limits {
    /// Of each the smaller.
    #[must_use]
    pub fn least(self, other: Limits) -> Limits {
        Limits {
            wall: self.wall.min(other.wall),
            cpu: self.cpu.min(other.cpu),
            memory: self.memory.min(other.memory),
            processes: self.processes.min(other.processes),
            descriptors: self.descriptors.min(other.descriptors),
            file_size: self.file_size.min(other.file_size),
            disk: self.disk.min(other.disk),
            output: self.output.min(other.output),
        }
    }

    /// Sets one limit from the words of a user: `memory=512MiB`.
    pub fn set(&mut self, assignment: &str) -> Result<(), LimitsError> {
        let (name, value) =
            assignment.split_once('=').ok_or_else(|| LimitsError::Shape(assignment.to_owned()))?;
        let limit = Limit::ALL
            .into_iter()
            .find(|limit| limit.name() == name.trim())
            .ok_or_else(|| LimitsError::Unknown(name.to_owned()))?;
        let span = || value.parse::<Span>().map_err(|source| LimitsError::Span { limit, source });
        let bytes = || value.parse::<Bytes>().map_err(|source| LimitsError::Bytes { limit, source });
        let count =
            || value.trim().parse::<u64>().map_err(|_| LimitsError::Count { limit, value: value.to_owned() });
        match limit {
            Limit::Wall => self.wall = span()?,
            Limit::Cpu => self.cpu = span()?,
            Limit::Memory => self.memory = bytes()?,
            Limit::Processes => self.processes = count()?,
            Limit::Descriptors => self.descriptors = count()?,
            Limit::FileSize => self.file_size = bytes()?,
            Limit::Disk => self.disk = bytes()?,
            Limit::Output => self.output = bytes()?,
        }
        self.check_one(limit)
    }

    pub fn get(&self, limit: Limit) -> Amount {
        match limit {
            Limit::Wall => Amount::Seconds(self.wall),
            Limit::Cpu => Amount::Seconds(self.cpu),
            Limit::Memory => Amount::Bytes(self.memory),
            Limit::Processes => Amount::Count(self.processes),
            Limit::Descriptors => Amount::Count(self.descriptors),
            Limit::FileSize => Amount::Bytes(self.file_size),
            Limit::Disk => Amount::Bytes(self.disk),
            Limit::Output => Amount::Bytes(self.output),
        }
    }

    /// Refuses limits under which nothing could run.
    pub fn check(&self) -> Result<(), LimitsError> {
        Limit::ALL.into_iter().try_for_each(|limit| self.check_one(limit))
    }

    fn check_one(&self, limit: Limit) -> Result<(), LimitsError> {
        let value = self.get(limit);
        if matches!(value, Amount::Seconds(Span(Duration::ZERO)) | Amount::Bytes(Bytes(0)) | Amount::Count(0))
        {
            return Err(LimitsError::Zero { limit });
        }
        match least(limit) {
            Some(least) if less(value, least) => Err(LimitsError::TooSmall { limit, value, least }),
            Some(_) | None => Ok(()),
        }
    }
}

/// Below these not even `true` gets as far as `main`: the loader needs some memory and a few descriptors, and our own
/// init counts as one process.
fn least(limit: Limit) -> Option<Amount> {
    match limit {
        Limit::Memory => Some(Amount::Bytes(Bytes::mib(4))),
        Limit::Processes => Some(Amount::Count(2)),
        Limit::Descriptors => Some(Amount::Count(8)),
        Limit::Disk => Some(Amount::Bytes(Bytes::kib(64))),
        Limit::Wall | Limit::Cpu | Limit::FileSize | Limit::Output => None,
    }
}

fn less(a: Amount, b: Amount) -> bool {
    match (a, b) {
        (Amount::Bytes(a), Amount::Bytes(b)) => a < b,
        (Amount::Count(a), Amount::Count(b)) => a < b,
        (Amount::Seconds(a), Amount::Seconds(b)) => a < b,
        (Amount::Bytes(_) | Amount::Count(_) | Amount::Seconds(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everyday() -> Limits {
        Limits {
            wall: Span::seconds(60),
            cpu: Span::seconds(60),
            memory: Bytes::gib(1),
            processes: 64,
            descriptors: 256,
            file_size: Bytes::gib(1),
            disk: Bytes::gib(1),
            output: Bytes::mib(1),
        }
    }

    #[test]
    fn sets_what_is_named() {
        let mut limits = everyday();
        limits.set("memory=512MiB").unwrap();
        limits.set("wall=1m").unwrap();
        limits.set("processes=12").unwrap();
        assert_eq!((limits.memory, limits.wall, limits.processes), (Bytes::mib(512), Span::seconds(60), 12));
    }

    #[test]
    fn refuses_nonsense_by_name() {
        for text in [
            "memory",
            "memory=0",
            "memory=5parsecs",
            "memory=1KiB",
            "wall=0s",
            "processes=1",
            "processes=2.5",
            "bananas=3",
            "cpu=-1s",
        ] {
            let error = everyday().set(text).unwrap_err();
            assert!(!error.to_string().is_empty(), "{text}");
        }
    }
}
