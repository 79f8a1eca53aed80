//! What a run was asked to run and granted, beyond what its report says: enough to start it again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What it takes to ask for a run once more. Secrets are not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Requested {
    /// The words of a command, or the line for a shell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The language, where it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// As `--net` takes it: hosts, `none`, `loopback` or `full`.
    pub network: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cards: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_newer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// Programs of an answer went on after a failure.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_going: bool,
    /// Something of it held a secret, or was no text, and is not here as it was.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_lossy: bool,
}
