//! What a sweep says so far: the best trial, mean and spread of each point, and their order.
//!
//! Only trials that count are in it, and sums are taken in the order of indices: the same text for any number of workers.

use super::SweepState;
use super::rung::{Settled, TrialRef};
use crate::halving::by_value;
use crate::{Parameters, Trial};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// The account of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Best>,
    /// The best point first. Points that got to a later rung come before others, and points all of whose trials have a value before
    /// those with one that failed.
    pub points: Vec<PointSummary>,
    /// Trials that ended and count.
    pub counted: u64,
    /// Of these the ones that failed, were lost, or have no value.
    pub without_value: u64,
    /// Trials that ended and do not count, because the sweep was decided before their turn.
    pub surplus: u64,
}

/// The trial with the best value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Best {
    pub trial: Trial,
    pub run: TrialRef,
    pub value: f64,
}

/// One point over its seeds and splits, in the last rung that it got to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PointSummary {
    /// Counted from 1.
    pub rank: u64,
    pub point: u64,
    pub parameters: Parameters,
    pub rung: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    pub all: Spread,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<SplitSummary>,
}

/// One split of a point over its seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SplitSummary {
    pub split: String,
    pub spread: Spread,
}

/// Values of some trials.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Trials with a value.
    pub count: u64,
    /// Trials that ended without one.
    pub without_value: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Of the sample (divided by one less than the count); of at least two values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// The trials of one point in one rung.
type Group<'s> = Vec<(Trial, TrialRef, &'s Settled)>;

impl SweepState {
    /// The account of all trials that count so far.
    pub fn summary(&self) -> Summary {
        let goal = self.rules().goal;
        let groups = self.groups();
        let all = || groups.iter().flat_map(|(_, group)| group);
        let last_rung =
            all().filter(|(_, _, settled)| settled.value.is_some()).map(|(_, run, _)| run.rung).max();
        let valued = all().filter(|(_, run, _)| Some(run.rung) == last_rung);
        let valued = valued.filter_map(|(trial, run, settled)| Some((trial, run, settled.value?)));
        let best = valued
            .min_by(|one, other| by_value(goal, one.2, other.2).then(one.1.cmp(other.1)))
            .map(|(trial, run, value)| Best { trial: trial.clone(), run: *run, value });
        let counted = self.counted();
        let has_value =
            |run: &&TrialRef| self.settled(run.index, run.rung).is_some_and(|end| end.value.is_some());
        Summary {
            best,
            counted: counted.len() as u64,
            without_value: (counted.len() - counted.iter().filter(has_value).count()) as u64,
            surplus: self.surplus().len() as u64,
            points: self.ranked(&groups),
        }
    }

    /// Per point, in its last rung.
    fn groups(&self) -> Vec<(u64, Group<'_>)> {
        let mut groups: BTreeMap<(std::cmp::Reverse<u32>, u64), Group<'_>> = BTreeMap::new();
        for run in self.counted() {
            let (Some(trial), Some(settled)) = (self.trial(run.index), self.settled(run.index, run.rung))
            else {
                continue;
            };
            groups.entry((std::cmp::Reverse(run.rung), trial.point)).or_default().push((trial, run, settled));
        }
        let mut seen = HashSet::new();
        groups
            .into_iter()
            .map(|((_, point), group)| (point, group))
            .filter(|(point, _)| seen.insert(*point))
            .collect()
    }

    fn ranked(&self, groups: &[(u64, Group<'_>)]) -> Vec<PointSummary> {
        let goal = self.rules().goal;
        let mut points: Vec<PointSummary> =
            groups.iter().filter_map(|(point, group)| self.point_summary(*point, group)).collect();
        points.sort_by(|one, other| {
            let key = |point: &PointSummary| (std::cmp::Reverse(point.rung), point.all.mean.is_none());
            let is_partial = |point: &PointSummary| point.all.without_value > 0;
            let worst = f64::INFINITY;
            let mean = |point: &PointSummary| point.all.mean.unwrap_or(worst);
            key(one)
                .cmp(&key(other))
                .then(is_partial(one).cmp(&is_partial(other)))
                .then(by_value(goal, mean(one), mean(other)))
                .then(one.point.cmp(&other.point))
        });
        for (point, rank) in points.iter_mut().zip(1..) {
            point.rank = rank;
        }
        points
    }

    fn point_summary(&self, point: u64, group: &Group<'_>) -> Option<PointSummary> {
        let (first, run, _) = group.first()?;
        let of_split = |split: &String| {
            let of_it = group.iter().filter(|(trial, _, _)| trial.split.as_ref() == Some(split));
            let spread = Spread::new(of_it.map(|(_, _, settled)| settled.value));
            SplitSummary { split: split.clone(), spread }
        };
        Some(PointSummary {
            rank: 0,
            point,
            parameters: first.parameters.clone(),
            rung: run.rung,
            budget: run.budget,
            all: Spread::new(group.iter().map(|(_, _, settled)| settled.value)),
            splits: self.trials().definition().splits.iter().map(of_split).collect(),
        })
    }
}

impl Spread {
    /// Of trials that have ended, in the order of their indices.
    pub fn new(values: impl Iterator<Item = Option<f64>>) -> Self {
        let values: Vec<Option<f64>> = values.collect();
        let numbers: Vec<f64> = values.iter().flatten().copied().collect();
        let count = numbers.len() as f64;
        // Divided before the sum: the mean of the largest numbers is one of them.
        let mean: f64 = numbers.iter().map(|number| number / count).sum();
        let squares: f64 = numbers.iter().map(|number| (number - mean) * (number - mean)).sum();
        let has_values = !numbers.is_empty();
        Self {
            count: numbers.len() as u64,
            without_value: (values.len() - numbers.len()) as u64,
            mean: has_values.then_some(mean),
            deviation: (numbers.len() > 1)
                .then(|| (squares / (count - 1.0)).sqrt())
                .filter(|deviation| deviation.is_finite()),
            min: numbers.iter().copied().reduce(f64::min),
            max: numbers.iter().copied().reduce(f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_are_those_of_the_table() {
        let spread = Spread::new([Some(2.0), None, Some(4.0), Some(9.0)].into_iter());
        assert_eq!((spread.count, spread.without_value), (3, 1));
        assert!((spread.mean.unwrap() - 5.0).abs() < 1e-12, "{spread:?}");
        assert!((spread.deviation.unwrap() - 13_f64.sqrt()).abs() < 1e-12, "{spread:?}");
        assert_eq!((spread.min, spread.max), (Some(2.0), Some(9.0)));
        assert_eq!(Spread::new([None].into_iter()), Spread { without_value: 1, ..Spread::default() });
        let huge = Spread::new([Some(f64::MAX), Some(f64::MAX)].into_iter());
        assert_eq!(huge.mean, Some(f64::MAX));
    }
}
