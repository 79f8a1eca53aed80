//! The account of one run, as programs read it.
//!
//! `result`, `execution`, `analysis` and `evidence_anchors` are the contract of the first users: every field of it has its
//! name and its type here, and further fields stand beside them. What does not apply is absent; there are no nulls.

use crate::{
    Analysis, Approval, BlockFacts, Bytes, Change, Confinement, Conflict, Decision, Digest, Ending,
    EnvironmentPlan, ExitCode, Level, Limits, Moment, Outcome, Recovery, Risk, RunId, SourceKind, Span,
    Usage, Validation, Witness, WorkspaceMode,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The account of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum report")]
pub struct Report {
    /// The version of this form. Fields are added without a new version; none is renamed or removed.
    pub v: u32,
    pub run: RunId,
    pub outcome: Outcome,
    /// The exit code of `actum` itself.
    pub exit_code: ExitCode,
    pub result: Printed,
    pub execution: Execution,
    pub analysis: Analysis,
    /// Names of pieces of evidence, such as `actum:<run>#stderr:L1-L3`.
    pub evidence_anchors: Vec<String>,
    pub request: Asked,
    pub environment: Environment,
    pub recovery: Recovery,
    pub validation: Validation,
    pub changes: Changes,
    pub resources: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<Confinement>,
    /// What the run tried to reach, if hosts were granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Hosts>,
    /// What to do next, in sentences.
    pub recommendations: Vec<String>,
    /// Each program of a source that holds several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// What the ledger contains about this run. Absent in the stored report, which is written earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// What the ledger contains about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// How much it proves.
    pub level: Level,
    /// The same in words.
    pub meaning: String,
    /// The index of its record in the log.
    pub index: u64,
    /// Of the record's bytes.
    pub record: Digest,
    /// The fingerprint of the key that signed the log with this record in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// Why it was not signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsigned: Option<String>,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Printed {
    /// Whether the program exited with 0.
    pub success: bool,
    /// The program's exit code; 128 and the signal's number, or Actum's own codes, where it has none.
    pub exit_code: i32,
    /// What it printed, as text. A long stream has its middle left out, and says so; the bytes are kept.
    pub stdout: String,
    pub stderr: String,
    /// How long it took, for people: `2.3s`.
    pub duration: String,
    pub ending: Ending,
    pub streams: Streams,
}

/// Both streams as they were captured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Streams {
    pub stdout: StreamFacts,
    pub stderr: StreamFacts,
}

/// One stream as it was captured, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamFacts {
    pub bytes: Bytes,
    pub lines: u64,
    /// Of the whole stream; a step has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Secrets replaced by `[redacted:24]` (with their length in bytes) before the stream was stored and hashed.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub redactions: u64,
    /// How many of these were longer than the redaction buffer: only their beginning was replaced.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub redactions_cut: u64,
    /// How many bytes the text in this report leaves out.
    #[serde(default, skip_serializing_if = "crate::absent::no_bytes")]
    pub left_out: Bytes,
    /// The bytes are not UTF-8, and the text in this report has replacement characters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
}

/// What was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Execution {
    /// As a person would type it.
    pub command: String,
    /// The language of the program; `command` where a command was given.
    pub language: String,
    pub started_at: Moment,
    pub completed_at: Moment,
    pub source: SourceFacts,
    /// Of an answer: its blocks and what happened to each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockFacts>,
    /// The folder that the program could write to.
    pub workspace: String,
    /// Its working folder.
    pub folder: String,
    /// The version of Actum that ran it.
    pub actum: String,
    /// Whether Actum ran it or only observed it. Absent if Actum ran it.
    #[serde(default, skip_serializing_if = "Witness::is_executed")]
    pub witness: Witness,
}

/// Where the code came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceFacts {
    pub kind: SourceKind,
    /// The file's path, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// What was requested, and how its risk was assessed before the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    pub policy: String,
    pub workspace_mode: WorkspaceMode,
    pub limits: Limits,
    pub approval: Approval,
    pub risk: Risk,
}

/// The environment of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// Whether everything that it needs was available.
    pub ready: bool,
    /// `linux x86_64`
    pub system: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<Runtime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiled: Option<Compiled>,
    /// Names of the environment variables that were granted. Values are not recorded.
    pub variables: Vec<String>,
    /// The prepared environment: packages in the versions of a lock file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepared: Option<PreparedFacts>,
}

/// An environment that was prepared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PreparedFacts {
    /// Where its packages were declared.
    pub plan: EnvironmentPlan,
    /// What resolved and installed it: `uv 0.13.7`.
    pub tool: String,
    /// Digest of the lock file: every package with its version and hashes.
    pub lock: Digest,
    /// It existed already.
    pub cached: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<Span>,
    /// Releases published later were ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// The requested packages; the others are dependencies.
    pub requirements: Vec<String>,
    pub packages: Vec<LockedPackage>,
    /// Notes on what was skipped or changed, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Data that packages would have downloaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<String>,
}

/// One package of a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LockedPackage {
    pub name: String,
    pub version: String,
}

/// The interpreter or compiler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Runtime {
    pub name: String,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// How a program was compiled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compiled {
    pub command: String,
    /// It was compiled before, from the same source with the same compiler.
    pub cached: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<Span>,
}

/// What the run changed in its workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    pub state: Applied,
    pub created: u64,
    pub modified: u64,
    pub deleted: u64,
    pub files: Vec<Change>,
    /// What prevented them from being applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// There are more changes than the list contains.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// What became of the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Applied {
    /// There were none.
    Nothing,
    /// They are in the workspace, except those withheld.
    Applied,
    /// The run failed: the workspace is unchanged, and the changes are stored (`actum changes`, `actum apply`).
    Kept,
    /// The workspace changed meanwhile: nothing was applied, and the changes are stored.
    Refused,
    /// The run was read-only: the workspace is unchanged.
    Discarded,
    /// The program wrote directly; protected paths were restored.
    Direct,
}

impl Applied {
    /// Behind a number of changes: `3 changes applied`.
    pub fn word(self) -> &'static str {
        match self {
            Applied::Nothing => "made",
            Applied::Applied => "applied",
            Applied::Kept => "kept apart",
            Applied::Refused => "kept apart because of conflicts",
            Applied::Discarded => "discarded",
            Applied::Direct => "written directly",
        }
    }
}

/// What the run tried to reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hosts {
    pub decisions: Vec<Decision>,
    /// The number of decisions that are not listed.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub beyond: u64,
}

/// One program of a source that holds several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Counted from 1.
    pub number: u32,
    pub outcome: Outcome,
    pub language: String,
    pub command: String,
    /// First and last line of the program in its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u64; 2]>,
    /// Absent when an earlier step failed and this one was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Printed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Analysis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Usage>,
}
