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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<Bytes>,
    pub output: Bytes,
    /// From the decision to stop until the last process was gone; present when the run was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_within: Option<Span>,
}
