//! How points are chosen from a space.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the points of a sweep are chosen, and how many.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Method {
    /// Each combination, the last parameter varying first.
    Grid,
    /// Drawn independently; without replacement where the space can be counted.
    Random { samples: u64 },
    /// Scrambled Sobol points.
    Sobol { samples: u64 },
    /// Successive halving of points that a sampler chose.
    Halving(Halving),
    /// None of its own: parameters come from outside.
    Outside,
}

/// Many points with a small budget, the best of them with a larger one, and so on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Halving {
    /// Who chooses the points of the first rung.
    #[serde(default)]
    pub sampler: Sampler,
    /// How many points the first rung has. A grid has its own number.
    #[serde(default)]
    pub samples: u64,
    /// Budget of the first rung, in whatever unit the program takes: epochs, steps, examples.
    pub min: u64,
    /// Budget of the last rung.
    pub max: u64,
    /// By how much the budget grows, and the number of points shrinks, from rung to rung.
    #[serde(default = "usual_eta")]
    pub eta: u64,
}

/// Who chooses points for successive halving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sampler {
    Grid,
    #[default]
    Random,
    Sobol,
}

/// Whether small or large values are good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    #[default]
    Minimise,
    Maximise,
}

impl Method {
    pub fn halving(&self) -> Option<&Halving> {
        match self {
            Method::Halving(halving) => Some(halving),
            Method::Grid | Method::Random { .. } | Method::Sobol { .. } | Method::Outside => None,
        }
    }
}

impl Goal {
    /// Whether the first value is better than the second.
    pub fn is_better(self, one: f64, other: f64) -> bool {
        match self {
            Goal::Minimise => one < other,
            Goal::Maximise => one > other,
        }
    }

    /// Whether a value is at least as good as a target.
    pub fn reaches(self, value: f64, target: f64) -> bool {
        match self {
            Goal::Minimise => value <= target,
            Goal::Maximise => value >= target,
        }
    }
}

/// 3 is the usual factor: close to the best in theory, and fewer rungs than with 2.
fn usual_eta() -> u64 {
    3
}
