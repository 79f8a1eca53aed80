//! Everything that is needed to repeat a run: written before its program starts, completed when its environment is known, and attached
//! to its record.

use actum_model::{Bytes, Digest, LockedPackage, Moment, RunId, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The account of one experiment before it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum experiment manifest")]
pub struct Manifest {
    /// The version of this form. Fields are added without a new version; none is renamed or removed.
    pub v: u32,
    pub run: RunId,
    pub name: String,
    pub purpose: Purpose,
    pub created_at: Moment,
    /// The repository around the workspace. Absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitState>,
    pub workspace: String,
    /// The working folder of the program, relative to the workspace; `.` for the workspace itself.
    pub folder: String,
    pub command: Command,
    /// What it may reach and use, as it was asked for.
    #[serde(default)]
    pub request: RequestFacts,
    pub seed: SeedFacts,
    pub determinism: Determinism,
    /// All parameters, those with defaults as well.
    pub parameters: Vec<ParameterFacts>,
    /// Configuration files that the program reads. The copies lie in the output folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub configs: Vec<ConfigFacts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataFacts>,
    pub environment: EnvironmentFacts,
    pub machine: MachineFacts,
    /// Relative to the workspace.
    pub output: String,
    /// Earlier attempts that this run continues, the first one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<RunId>,
    /// How long it is expected to take, and what that is based on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// What limits how exactly this run can be repeated, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Manifest {
    /// The form that is written now.
    pub const VERSION: u32 = 1;
    /// The name of the attachment, and of the file in the output folder.
    pub const FILE: &str = "manifest.json";
    /// The name of the attachment that holds the lock of the environment, with hashes.
    pub const LOCK: &str = "lock.txt";
    /// The name of the attachment that holds the uncommitted changes.
    pub const PATCH: &str = "changes.patch";
}

/// What an experiment is run for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Purpose {
    #[default]
    Experiment,
    /// An abbreviated run that shows whether the real one would work.
    Smoke,
    /// Another attempt of an experiment that did not end.
    Resume { of: RunId, checkpoint: Option<String> },
    /// The same again, to compare.
    Reproduction { of: RunId },
    /// One trial of a sweep.
    Trial { sweep: String, index: u64 },
}

/// The state of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GitState {
    /// The folder that is checked out.
    pub top: String,
    pub commit: String,
    /// None where a commit is checked out by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    pub dirty: bool,
    /// `merge`, `rebase`, `cherry-pick`, `revert` or `bisect`, if the work tree is in the middle of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// `git diff --binary` of staged and unstaged changes, attached to the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<PatchFacts>,
    /// Files that git does not know and does not ignore, relative to `top`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untracked: Vec<String>,
    /// More untracked files than the list holds.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub untracked_left_out: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatchFacts {
    pub sha256: Digest,
    pub bytes: Bytes,
}

/// How the program is started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Command {
    pub words: Vec<String>,
    /// The first word is a file of code that is run by its language, not a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_file: bool,
    /// Why this command, where none was given: `scripts/train.py`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// How many words at the end are there only to continue from a checkpoint.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub added: u64,
}

/// What a run was granted and bounded by, in the words of its command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RequestFacts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_newer: Option<String>,
    /// Only packages that were downloaded before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// No packages are installed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_prepare: bool,
    /// Names of variables that were granted. Their values are not kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
}

/// The seed, which is always explicit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeedFacts {
    pub value: u64,
    pub origin: SeedOrigin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeedOrigin {
    /// Nobody chose one: 42.
    Default,
    Given,
    /// Drawn at random because that was asked for.
    Drawn,
    /// Derived from the seed of a sweep.
    Derived,
}

/// What was done so that the program gives the same result again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Determinism {
    /// `record`, `pinned` or `strict`.
    pub profile: String,
    /// Where the clock of programs starts that ask for a fixed one. A repetition begins at the same moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Moment>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knobs: Vec<KnobFacts>,
    /// What could not be pinned, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_covered: Vec<String>,
}

/// One thing that was pinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnobFacts {
    pub name: String,
    pub value: String,
    pub covers: String,
}

/// One parameter of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ParameterFacts {
    pub name: String,
    pub value: serde_json::Value,
    pub origin: ParameterOrigin,
}

/// Where the value of a parameter comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "from")]
pub enum ParameterOrigin {
    CommandLine,
    /// `--set`.
    Set,
    Config {
        file: String,
    },
    /// The program told a tracking server.
    Program,
    /// The program's own text.
    Default {
        file: String,
        line: u32,
    },
}

/// One configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigFacts {
    /// As the user has it, relative to the workspace.
    pub path: String,
    pub sha256: Digest,
    /// The copy that the program reads, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
    /// What `--set` changed in the copy: `key=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
}

/// The data set, as far as names tell it. What was really read is in the record's inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataFacts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// Files and folders, relative to the workspace or absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// What made them, in sentences with file and line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preprocessing: Vec<String>,
}

/// What the program runs with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvironmentFacts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<InterpreterFacts>,
    /// Of the lock file with hashes, which is attached to the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<Digest>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<LockedPackage>,
    /// A virtual or conda environment that was active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<String>,
    /// Variables that matter, by value. They hold no secrets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// Names of the others that the program gets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_variables: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InterpreterFacts {
    pub name: String,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
}

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineFacts {
    /// `linux x86_64`
    pub system: String,
    pub kernel: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c_library: Option<String>,
    pub cpu: String,
    /// Instruction sets by which libraries choose their code: `avx2`, `avx512f`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_features: Vec<String>,
    pub cpus: u32,
    /// Threads that numeric libraries are allowed.
    pub threads: u32,
    pub memory: Bytes,
    pub disk_free: Bytes,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<GpuFacts>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GpuFacts {
    pub index: u32,
    pub name: String,
    pub driver: String,
    pub memory: Bytes,
    pub memory_free: Bytes,
    /// Whether the program may use it.
    pub granted: bool,
}

/// How long a run is expected to take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    pub duration: Span,
    /// `3 earlier runs`, `the smoke run`.
    pub basis: String,
}
