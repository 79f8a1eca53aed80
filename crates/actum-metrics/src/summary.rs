//! One metric in a few numbers: what a leaderboard and a report show of a curve.

use crate::direction::Direction;
use crate::number;
use crate::series::Sample;
use serde::{Deserialize, Serialize};

/// One metric of an experiment, over all attempts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    pub key: String,
    /// Values of the joined curve, those that were left out included.
    pub count: u64,
    #[serde(with = "number")]
    pub first: f64,
    #[serde(with = "number")]
    pub last: f64,
    /// Smallest and largest of the finite values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Extreme>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Extreme>,
    /// The smallest or the largest, where it is known which is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Extreme>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_step: Option<u64>,
    /// How many were NaN or infinite.
    pub not_finite: u64,
    /// Values that were dropped to stay within bounds. They count in `count`, `min`, `max`, `best` and `not_finite`.
    pub left_out: u64,
}

/// A value with the step that had it first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extreme {
    pub value: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
}

/// Smallest and largest value of what was looked at, one value after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extremes {
    pub(crate) count: u64,
    not_finite: u64,
    min: Option<Extreme>,
    max: Option<Extreme>,
}

impl Summary {
    pub(crate) fn of(key: &str, curve: &[Sample], left_out: &Extremes, direction: Option<Direction>) -> Self {
        let mut extremes = *left_out;
        curve.iter().for_each(|sample| extremes.add(sample));
        let last = curve.last();
        Self {
            key: key.to_owned(),
            count: extremes.count,
            first: curve.first().map_or(f64::NAN, |sample| sample.value),
            last: last.map_or(f64::NAN, |sample| sample.value),
            min: extremes.min,
            max: extremes.max,
            best: direction.and_then(|direction| match direction {
                Direction::Lower => extremes.min,
                Direction::Higher => extremes.max,
            }),
            direction,
            last_step: curve.iter().filter_map(|sample| sample.step).max(),
            not_finite: extremes.not_finite,
            left_out: left_out.count,
        }
    }
}

impl Extremes {
    pub(crate) fn add(&mut self, sample: &Sample) {
        self.count += 1;
        if !sample.value.is_finite() {
            self.not_finite += 1;
            return;
        }
        let one = Extreme { value: sample.value, step: sample.step };
        if self.min.is_none_or(|min| Direction::Lower.is_better(one.value, min.value)) {
            self.min = Some(one);
        }
        if self.max.is_none_or(|max| Direction::Higher.is_better(one.value, max.value)) {
            self.max = Some(one);
        }
    }
}
