//! One thing that was set, and what it is good for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Knob {
    /// Of the variable or the file.
    pub name: String,
    /// Of the variable; of a file what it was made with.
    pub value: String,
    pub kind: KnobKind,
    /// What it pins, in a few words.
    pub covers: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KnobKind {
    Variable,
    /// A file that an interpreter reads before the program.
    StartupFile,
    /// A library that is loaded before the program's own.
    PreloadedLibrary,
}
