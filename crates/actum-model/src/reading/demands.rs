//! What a program demands of the world around it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One place in a program that shows something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sign {
    /// What stands there, in short: `input()`, `torch.manual_seed`.
    pub what: String,
    pub line: u32,
}

/// A file or folder that is named literally.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileUse {
    pub path: String,
    pub mode: FileMode,
    /// By what: `open`, `pandas.read_csv`, `argument --data`, `>`.
    pub by: String,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileMode {
    Read,
    /// Made anew.
    Write,
    /// Added to; made where it is not there.
    Append,
    /// Read and written, and made where it is not there: a database.
    Update,
    /// A folder that is made.
    Folder,
    /// It looks like a path, and what becomes of it is not known.
    Unknown,
}

/// One thing that a program takes from its command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Argument {
    /// `--batch-size`, `input` (a position with a name) or `1` (a position without).
    pub name: String,
    /// The program stops where it is not given.
    pub required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Less of it needs less memory or time: `--batch-size`, `--workers`, `--epochs`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scales: bool,
    pub line: u32,
}

/// One variable of the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Variable {
    pub name: String,
    /// The program stops where it is not set.
    pub needed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    pub line: u32,
}

/// Work that is meant for a graphics card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gpu {
    pub need: GpuNeed,
    pub signs: Vec<Sign>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GpuNeed {
    /// It fails without one.
    Required,
    /// It asks whether there is one, and has another way.
    Guarded,
}

/// Where a program speaks to other machines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkUse {
    /// Hosts that are named literally, with the port where one stands there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    pub signs: Vec<Sign>,
}

/// A program that serves until it is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Service {
    pub what: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    pub line: u32,
}

/// A hint that something takes long or needs much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Effort {
    pub kind: EffortKind,
    /// Of a loop the rounds, all its loops multiplied; of memory the elements; of training the epochs; of a pause the
    /// seconds.
    pub amount: u64,
    pub what: String,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffortKind {
    Loop,
    Memory,
    Training,
    Pause,
    /// A loop without an end in sight.
    Endless,
}

/// A program that is started by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandUse {
    pub name: String,
    /// It asks for more rights: behind `sudo` or `doas`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub privileged: bool,
    pub line: u32,
}
