//! How Actum knows of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How Actum knows about a run. Runs that were only observed were reported by an agent, which is weaker evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Witness {
    /// Actum started it, forwarded its output and saw it exit.
    #[default]
    Executed,
    /// A coding agent ran it without Actum and reported the result.
    Observed,
}

impl Witness {
    pub fn is_executed(&self) -> bool {
        *self == Self::Executed
    }
}
