//! What is told about a run when it is over.

use actum_model::{Change, Confinement, Conflict, Decision, Ending, Usage};
use serde::Serialize;

/// The account of one run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub exit_code: u8,
    pub ending: Ending,
    pub usage: Usage,
    pub confinement: Confinement,
    pub changes: Vec<Change>,
    /// More changes than the list holds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changes_cut: bool,
    pub applied: Applied,
    /// What kept the changes from being applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Hosts>,
}

/// What became of the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Applied {
    /// There were none.
    Nothing,
    /// They are in the workspace, but for those withheld.
    Applied,
    /// The run did not end well: the workspace is as it was, and they are kept with the run.
    Kept,
    /// The run was to change nothing, or they were more than may be kept: the workspace is as it was.
    Discarded,
    /// The program wrote directly; protected paths were put back.
    Direct,
    /// Somebody else changed the same paths meanwhile: the workspace is as it was, and they are kept with the run.
    Refused,
}

impl Applied {
    pub fn word(self) -> &'static str {
        match self {
            Applied::Nothing => "made",
            Applied::Applied => "applied",
            Applied::Kept => "kept apart",
            Applied::Refused => "kept apart because of conflicts",
            Applied::Discarded => "discarded",
            Applied::Direct => "made directly",
        }
    }
}

/// What the run tried to reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hosts {
    pub decisions: Vec<Decision>,
    /// Decisions beyond those that are kept.
    #[serde(skip_serializing_if = "is_zero")]
    pub beyond: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
