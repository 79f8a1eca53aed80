//! The sealed account of a run: digests of everything, and nothing that a program printed.

use crate::Requested;
use crate::{
    Applied, Asked, Bytes, ChangeKind, Check, Confinement, Digest, Ending, ExitCode, Metric, Moment, Outcome,
    RunId, Runtime, SourceFacts, Span, Tests, Usage, Witness,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was asked, what was enforced, what happened. Kept as the exact bytes that were hashed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum record")]
pub struct Record {
    /// The version of this form.
    pub v: u32,
    pub run: RunId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// As a person would type it.
    pub command: String,
    /// Whether Actum ran it or only observed it. Absent if Actum ran it.
    #[serde(default, skip_serializing_if = "Witness::is_executed")]
    pub witness: Witness,
    pub language: String,
    pub source: SourceFacts,
    /// Arguments behind the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    pub workspace: String,
    /// Its working folder.
    pub folder: String,
    pub variables: Variables,
    /// What was asked for, limits among it.
    pub asked: Asked,
    /// What else it takes to start it again. Absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<Box<Requested>>,
    /// What was really enforced, limits among it. Absent when no process was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<Confinement>,
    /// Whether the confined program could have reached the key that signs.
    pub key: KeyReach,
    pub started: Instant,
    pub ended: Instant,
    pub outcome: Outcome,
    /// The exit code of `actum` itself.
    pub exit_code: ExitCode,
    pub ending: Ending,
    pub attempts: Vec<AttemptFacts>,
    pub usage: Usage,
    pub stdout: Held,
    pub stderr: Held,
    /// Which bytes came when.
    pub timeline: Held,
    /// The report that was told, without what only the ledger knows.
    pub report: Held,
    /// Files that it was given, files that it opened, and code that lay in the workspace when it began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<FileFacts>,
    /// Files that it created, modified or deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<FileFacts>,
    /// Outputs beyond those that are listed.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub outputs_left_out: u64,
    pub changes: Applied,
    /// Contents that a caller gave to be kept with it, such as the manifest of an experiment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentFacts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<Git>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<Runtime>,
    /// Of the lock that the environment was prepared from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<Digest>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<Metric>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tests>,
    /// What went wrong, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnoses: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    pub actum: Build,
    /// A digest of this machine's id: the same for all runs here, and telling nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Digest>,
}

impl Record {
    /// The form that is written now.
    pub const VERSION: u32 = 1;
}

/// Bytes that are kept beside the record, by their digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Held {
    pub sha256: Digest,
    pub bytes: Bytes,
    /// Secrets that were replaced before this was hashed.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub redactions: u64,
}

/// Contents that a caller gave to be kept with a run, by their name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttachmentFacts {
    pub name: String,
    pub sha256: Digest,
    pub bytes: Bytes,
}

/// The variables that came in from outside: names, and one digest of all values, by which somebody who has them can tell
/// that these were the ones. It is keyed by the run's own name, so that no table of digests tells short values, and so that
/// two runs with the same values show nothing of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Variables {
    pub names: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
}

/// A moment by both clocks: the time of day, which may jump, and one that only goes forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Instant {
    pub at: Moment,
    /// Since the machine started.
    pub monotonic: Span,
}

/// One attempt of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptFacts {
    /// Counted from 1.
    pub number: u32,
    pub command: String,
    pub language: String,
    pub ending: Ending,
    pub wall: Span,
}

/// One file, as a run found or left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileFacts {
    /// Inside the workspace, or absolute.
    pub path: String,
    /// Present for what the run changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ChangeKind>,
    /// Absent for what is gone, and for what is no regular file or too large to be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// Its bytes are kept beside the record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    /// Of an input: whether anything in the run opened it to read. Absent where nobody could see that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<bool>,
}

/// The state of the repository around the workspace when the run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Git {
    pub commit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Whether anything differed from the commit; absent when that could not be told in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
    /// Of the difference to the commit, as `git diff HEAD` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<Digest>,
}

/// Whether the confined program could have reached the key that signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeyReach {
    /// The walls hid it, and it is used by another process.
    OutOfReach,
    /// Nothing kept the program from it: the signature says less.
    WithinReach,
}

/// Which Actum it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Build {
    pub version: String,
    /// Of the binary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
}
