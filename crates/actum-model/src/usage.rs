//! What an attempt used.

use crate::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an attempt used. Absent means that this machine could not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    pub wall: Span,
    /// Processor time of the whole tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_user: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_system: Option<Span>,
    /// The highest memory of the whole tree that was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_peak: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes_peak: Option<u64>,
    /// Processes that were started, the program itself among them. As with the limit of that name, threads count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes_started: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<Bytes>,
    /// What the tree read and wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    pub output: Bytes,
    /// From the moment when everything was to be gone until the last process was; present when the run was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_within: Option<Span>,
    /// How the program answered a signal to stop; present when it was sent one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// How the run used memory, processor and processes over time; empty for runs of less than a second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<Sample>,
    /// The granted graphics cards while the run went on; empty where there are none or nobody counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpu: Vec<CardUsage>,
}

/// Bytes that a tree read and wrote, as the kernel counts them. A process that nobody waited for is not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// Asked for with system calls: from files, pipes and terminals, from memory or not.
    pub read: Bytes,
    pub written: Bytes,
    /// What of it had to come from a disk, and what was to go to one.
    pub read_from_disk: Bytes,
    pub written_to_disk: Bytes,
}

/// A program that was to stop got a signal first, and time to answer it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stopped {
    /// What its group was sent: 15 when its time was over, 2 when the run was cancelled.
    pub signal: i32,
    /// It ended, by its own doing or by that signal's. Otherwise everything was killed.
    pub by_itself: bool,
    /// From the signal until it ended or was killed.
    pub within: Span,
}

/// One point of a run's curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Since the start.
    pub at: Span,
    /// Of the whole tree, at that moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
    /// Processor time so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Span>,
    /// Processes and threads, at that moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
}

/// What was seen of one card. Cards are shared: what others did on it meanwhile is in these numbers too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CardUsage {
    pub index: u32,
    pub name: String,
    pub memory_total: Bytes,
    pub memory_peak: Bytes,
    pub memory_mean: Bytes,
    /// Percent of the time in which the card did something.
    pub busy_peak: u32,
    pub busy_mean: u32,
    /// How many looks these numbers come from.
    pub looks: u32,
}
