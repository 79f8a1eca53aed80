//! What happened in a sweep: the lines of its journal, one JSON object each.

use crate::{Parameters, TrialId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something that happened. [`SweepState`](crate::SweepState) is what all of them in order amount to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "fact", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fact {
    /// Parameters came from outside, and are a trial with this index from now on.
    Proposed {
        index: u64,
        /// Who proposed them, such as `optuna`.
        by: String,
        parameters: Parameters,
        seed: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        split: Option<String>,
    },
    /// A worker runs a trial.
    Started {
        index: u64,
        #[serde(default, skip_serializing_if = "is_first")]
        rung: u32,
        /// Of the trial that was meant: facts of another sweep are refused by it.
        id: TrialId,
        worker: String,
    },
    /// A trial ended.
    Finished {
        index: u64,
        #[serde(default, skip_serializing_if = "is_first")]
        rung: u32,
        outcome: Outcome,
        /// What the sweep compares. Absent, null, NaN and infinite are the same: no value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<f64>,
        /// Whatever else was measured.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        values: BTreeMap<String, Option<f64>>,
    },
    /// A trial ended without anybody seeing how.
    Lost {
        index: u64,
        #[serde(default, skip_serializing_if = "is_first")]
        rung: u32,
        #[serde(default)]
        cause: LossCause,
    },
    /// Somebody stopped the sweep.
    Stopped { reason: String },
    /// Somebody went on with it.
    Resumed,
}

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Succeeded,
    /// The program failed. It would again: it is not started a second time.
    Failed,
    /// Something ended it from outside. It is started again.
    Killed,
}

/// What was lost with a trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossCause {
    /// This trial or its worker. It counts against the retries.
    #[default]
    Trial,
    /// The whole sweep was killed. That is no trial's fault and does not count.
    Sweep,
}

fn is_first(rung: &u32) -> bool {
    *rung == 0
}
