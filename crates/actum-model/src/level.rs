//! How much a record proves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How much a record proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Level {
    /// Captured: it was recorded.
    E0,
    /// Hash-linked: it is in the log, and changing it changes the log's root hash.
    E1,
    /// Signed by another process with a key that the sandboxed program could not access.
    E2,
    /// A checkpoint that covers it is kept outside the store.
    E3,
    /// Run again by another party with equal outputs.
    E4,
}

impl Level {
    pub fn words(self) -> &'static str {
        match self {
            Level::E0 => "captured",
            Level::E1 => "hash-linked",
            Level::E2 => "signed by a key that the program could not reach",
            Level::E3 => "covered by a checkpoint held outside",
            Level::E4 => "run again by another party with equal outputs",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
