//! Successive halving in synchronous rungs.
//!
//! A rung is decided when all of it is settled, from its results alone. So which points go on does not depend on how many workers there
//! are, nor on who finished first. That is the price against asynchronous halving: workers may wait for the last trial of a rung.

use crate::{Goal, Halving};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// One rung: so many points, each with this budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rung {
    pub budget: u64,
    /// At most: points without a value do not go on.
    pub points: u64,
}

/// Why there are no rungs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HalvingError {
    #[error("the budget of the first rung must be above 0")]
    NoBudget,
    #[error("the budget of the first rung, {min}, is above that of the last, {max}")]
    Reversed { min: u64, max: u64 },
    #[error("eta must be at least 2")]
    Eta,
}

/// The rungs for so many points. The last one has the budget `max` also where that is no power of eta times `min`.
pub fn plan(halving: &Halving, points: u64) -> Result<Vec<Rung>, HalvingError> {
    let Halving { min, max, eta, .. } = *halving;
    if min == 0 {
        return Err(HalvingError::NoBudget);
    }
    if min > max {
        return Err(HalvingError::Reversed { min, max });
    }
    if eta < 2 {
        return Err(HalvingError::Eta);
    }
    let mut rungs = vec![Rung { budget: min, points }];
    while let Some(Rung { budget, points }) = rungs.last().copied()
        && budget < max
    {
        rungs.push(Rung { budget: budget.saturating_mul(eta).min(max), points: (points / eta).max(1) });
    }
    Ok(rungs)
}

/// What a rung says about one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RungResult {
    pub point: u64,
    /// The mean of its trials. None where one of them failed, was lost or has no finite value.
    pub value: Option<f64>,
}

/// The points that go on, in the order of their numbers. Points with equal values are taken by their numbers, points without a value
/// not at all.
pub fn promote(results: &[RungResult], goal: Goal, keep: u64) -> Vec<u64> {
    let mut ranked: Vec<(f64, u64)> = results
        .iter()
        .filter_map(|result| Some((result.value.filter(|value| value.is_finite())?, result.point)))
        .collect();
    ranked.sort_by(|one, other| by_value(goal, one.0, other.0).then(one.1.cmp(&other.1)));
    let mut points: Vec<u64> = ranked
        .into_iter()
        .map(|(_, point)| point)
        .take(usize::try_from(keep).unwrap_or(usize::MAX))
        .collect();
    points.sort_unstable();
    points
}

/// The better value first.
pub(crate) fn by_value(goal: Goal, one: f64, other: f64) -> Ordering {
    match goal {
        Goal::Minimise => one.total_cmp(&other),
        Goal::Maximise => other.total_cmp(&one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sampler;
    use proptest::prelude::*;

    fn halving(min: u64, max: u64, eta: u64) -> Halving {
        Halving { sampler: Sampler::Random, samples: 0, min, max, eta }
    }

    #[test]
    fn rungs_are_those_of_the_table() {
        for (halving, points, expected) in [
            (halving(1, 27, 3), 27, &[(1, 27), (3, 9), (9, 3), (27, 1)][..]),
            (halving(1, 27, 3), 30, &[(1, 30), (3, 10), (9, 3), (27, 1)]),
            (halving(2, 10, 2), 8, &[(2, 8), (4, 4), (8, 2), (10, 1)]),
            (halving(5, 5, 2), 4, &[(5, 4)]),
            (halving(1, 8, 2), 2, &[(1, 2), (2, 1), (4, 1), (8, 1)]),
            (halving(u64::MAX / 2, u64::MAX, 3), 4, &[(u64::MAX / 2, 4), (u64::MAX, 1)]),
        ] {
            let rungs: Vec<(u64, u64)> =
                plan(&halving, points).unwrap().iter().map(|rung| (rung.budget, rung.points)).collect();
            assert_eq!(rungs, expected, "{halving:?}");
        }
        for wrong in [halving(0, 1, 2), halving(2, 1, 2), halving(1, 2, 1)] {
            assert!(plan(&wrong, 4).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_best_go_on() {
        let results: Vec<RungResult> = [Some(0.5), None, Some(0.1), Some(f64::NAN), Some(0.5), Some(0.9)]
            .into_iter()
            .zip(0..)
            .map(|(value, point)| RungResult { point, value })
            .collect();
        for (goal, keep, expected) in [
            (Goal::Minimise, 1, &[2][..]),
            (Goal::Minimise, 2, &[0, 2]),
            (Goal::Maximise, 2, &[0, 5]),
            (Goal::Maximise, 9, &[0, 2, 4, 5]),
        ] {
            assert_eq!(promote(&results, goal, keep), expected, "{goal:?} {keep}");
        }
    }

    proptest! {
        #[test]
        fn the_order_of_results_does_not_count(
            values in proptest::collection::vec(proptest::option::of(-3_i8..3), 1..20),
            keep in 0_u64..20,
            turn: prop::sample::Index,
        ) {
            let mut results: Vec<RungResult> = values
                .into_iter()
                .zip(0..)
                .map(|(value, point)| RungResult { point, value: value.map(f64::from) })
                .collect();
            let before = promote(&results, Goal::Minimise, keep);
            let by = turn.index(results.len());
            results.rotate_left(by);
            results.reverse();
            prop_assert_eq!(promote(&results, Goal::Minimise, keep), before);
        }
    }
}
