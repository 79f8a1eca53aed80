//! What an experiment came to: attached to its record beside the manifest.

use actum_model::{Bytes, Digest, ExitCode, Moment, Outcome, RunId, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The account of one experiment after it ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum experiment result")]
pub struct ExperimentResult {
    pub v: u32,
    pub run: RunId,
    pub name: String,
    pub outcome: Outcome,
    pub exit_code: ExitCode,
    pub started_at: Moment,
    pub duration: Span,
    /// Relative to the workspace.
    pub output: String,
    /// Each metric once, with the spread of its values. The curves are in `curves.jsonl`.
    pub metrics: Vec<MetricSummary>,
    /// What it left in its output folder.
    pub artifacts: Vec<Artifact>,
    /// More artifacts than the list holds.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub artifacts_left_out: u64,
    /// What attracted attention while it ran, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<String>,
    pub checklist: Vec<ChecklistRow>,
    pub next_steps: Vec<String>,
}

impl ExperimentResult {
    pub const VERSION: u32 = 1;
    /// The name of the attachment, and of the file in the output folder.
    pub const FILE: &str = "results.json";
    /// The name of the attachment that holds the curves, and of the file in the output folder.
    pub const METRICS: &str = "curves.jsonl";
}

/// One metric over the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricSummary {
    pub name: String,
    pub count: u64,
    /// Absent where the value is not finite; `last_text` has it as it was printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<f64>,
    pub last_text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_step: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_step: Option<u64>,
    /// Values that were NaN or infinite.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub not_finite: u64,
}

/// One file that an experiment left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    /// Relative to the output folder.
    pub path: String,
    pub bytes: Bytes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
    pub kind: ArtifactKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArtifactKind {
    Checkpoint,
    Metrics,
    Log,
    Config,
    Image,
    Other,
}

/// One row of the reproducibility checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChecklistRow {
    pub what: String,
    pub holds: bool,
    /// What shows it, or what is missing.
    pub evidence: String,
}
