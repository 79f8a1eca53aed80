//! How Actum knows of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How Actum knows of a run. What it executed it saw itself; what it only observed somebody else told it, which is weaker
/// evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Witness {
    /// Actum started it, passed its output on and saw it end.
    #[default]
    Executed,
    /// A coding agent ran it past Actum, and told what came out.
    Observed,
}

impl Witness {
    pub fn is_executed(&self) -> bool {
        *self == Self::Executed
    }
}
