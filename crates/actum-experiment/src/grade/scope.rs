//! How far the machine of a reproduction is from the original's.

use crate::manifest::MachineFacts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a grade was reached on. `SameMachine` is said of machines that a manifest cannot tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    SameMachine,
    OtherMachine,
    OtherCpu,
    OtherGpu,
}

impl Scope {
    pub fn label(self) -> &'static str {
        match self {
            Self::SameMachine => "same machine, or one of the same kind",
            Self::OtherMachine => "other machine",
            Self::OtherCpu => "other CPU model",
            Self::OtherGpu => "other GPU",
        }
    }

    /// The widest that applies.
    pub(super) fn between(one: &MachineFacts, other: &MachineFacts) -> Self {
        let gpus = |facts: &MachineFacts| {
            let granted = facts.gpus.iter().filter(|gpu| gpu.granted);
            let mut names: Vec<String> = granted.map(|gpu| gpu.name.clone()).collect();
            names.sort();
            names
        };
        if gpus(one) != gpus(other) {
            return Self::OtherGpu;
        }
        if one.cpu != other.cpu || one.cpu_features != other.cpu_features {
            return Self::OtherCpu;
        }
        let same = (one.cpus, one.memory, &one.system) == (other.cpus, other.memory, &other.system);
        if same { Self::SameMachine } else { Self::OtherMachine }
    }
}
