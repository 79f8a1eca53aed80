//! What an attempt used.

use crate::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

impl Usage {
    /// What this attempt and a later one used together.
    pub fn and(self, later: Usage) -> Usage {
        let sum = |one: Option<Span>, other: Option<Span>| match (one, other) {
            (Some(one), Some(other)) => Some(Span(one.0 + other.0)),
            (one, other) => one.or(other),
        };
        Usage {
            wall: Span(self.wall.0 + later.wall.0),
            cpu: sum(self.cpu, later.cpu),
            cpu_user: sum(self.cpu_user, later.cpu_user),
            cpu_system: sum(self.cpu_system, later.cpu_system),
            memory_peak: self.memory_peak.max(later.memory_peak),
            processes_peak: self.processes_peak.max(later.processes_peak),
            disk: later.disk.or(self.disk),
            output: Bytes(self.output.0 + later.output.0),
            stopped_within: later.stopped_within.or(self.stopped_within),
        }
    }
}

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<Bytes>,
    pub output: Bytes,
    /// From the decision to stop until the last process was gone; present when the run was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_within: Option<Span>,
}
