//! When a sweep ends before its last trial.
//!
//! The rules look at trials in the order of their indices: a trial counts only when all before it have ended. So the trial at which a
//! sweep stops is the same for one worker and for sixteen; what more workers ran beyond it is surplus and does not count.

use super::rung::Settled;
use crate::{Definition, Goal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a sweep is driven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    pub goal: Goal,
    /// How often a trial that was lost or killed is started again.
    pub retries: u32,
    pub stop: StopRules,
}

/// When to stop early. Without any of them each trial is run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StopRules {
    /// A value that is good enough: the first trial that reaches it is the last that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// Stop after so many trials in a row without a better value than the best before. Not for successive halving.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
    /// Stop where the first so many trials all fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<u64>,
}

/// Why nothing more is started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "done", rename_all = "kebab-case")]
pub enum DoneReason {
    /// Each trial has ended.
    Complete,
    Target {
        index: u64,
        value: f64,
    },
    NoImprovement {
        trials: u64,
    },
    AllFailed {
        trials: u64,
    },
    /// No point of this rung has a value.
    NothingToPromote {
        rung: u32,
    },
    Stopped {
        reason: String,
    },
}

/// Why rules do not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    #[error("`{0}` must be at least 1")]
    Zero(&'static str),
    #[error("the target must be a finite number")]
    Target,
    #[error("patience does not fit successive halving, which ends by itself")]
    PatienceOfHalving,
}

/// What the trials that count say about an end.
#[derive(Clone, Debug, Default)]
pub(super) struct Early {
    trials: u64,
    has_success: bool,
    best: Option<f64>,
    since_best: u64,
    /// The last trial that counts (rung and place in it), and why.
    end: Option<((u32, usize), DoneReason)>,
}

impl Default for Rules {
    fn default() -> Self {
        Self { goal: Goal::default(), retries: 2, stop: StopRules::default() }
    }
}

impl Rules {
    pub(super) fn check(&self, definition: &Definition) -> Result<(), RulesError> {
        let StopRules { target, patience, failures } = &self.stop;
        for (name, number) in [("patience", patience), ("failures", failures)] {
            if *number == Some(0) {
                return Err(RulesError::Zero(name));
            }
        }
        if target.is_some_and(|target| !target.is_finite()) {
            return Err(RulesError::Target);
        }
        if patience.is_some() && definition.method.halving().is_some() {
            return Err(RulesError::PatienceOfHalving);
        }
        Ok(())
    }
}

impl Early {
    pub(super) fn reason(&self) -> Option<&DoneReason> {
        self.end.as_ref().map(|(_, reason)| reason)
    }

    /// Whether the trial at this place of a rung counts.
    pub(super) fn counts(&self, rung: u32, at: usize) -> bool {
        self.end.as_ref().is_none_or(|(last, _)| (rung, at) <= *last)
    }

    /// Takes the next trial in order.
    pub(super) fn settle(&mut self, rules: &Rules, place: (u32, usize), index: u64, settled: &Settled) {
        self.trials += 1;
        self.has_success |= settled.is_success();
        self.since_best += 1;
        if let Some(value) = settled.value
            && self.best.is_none_or(|best| rules.goal.is_better(value, best))
        {
            self.best = Some(value);
            self.since_best = 0;
        }
        self.end = self.decide(rules, index, settled.value).map(|reason| (place, reason));
    }

    fn decide(&self, rules: &Rules, index: u64, value: Option<f64>) -> Option<DoneReason> {
        let StopRules { target, patience, failures } = rules.stop;
        if let (Some(target), Some(value)) = (target, value)
            && rules.goal.reaches(value, target)
        {
            return Some(DoneReason::Target { index, value });
        }
        if failures == Some(self.trials) && !self.has_success {
            return Some(DoneReason::AllFailed { trials: self.trials });
        }
        let is_stale = patience.is_some_and(|patience| self.since_best >= patience);
        is_stale.then_some(DoneReason::NoImprovement { trials: self.since_best })
    }
}
