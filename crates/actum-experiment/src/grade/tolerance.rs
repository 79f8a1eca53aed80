//! How far a metric may be from the original's: declared, or estimated from repeats.

use crate::result::ExperimentResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far one metric may be off. A value is within the larger of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tolerance {
    #[serde(default)]
    pub absolute: f64,
    /// A share of the original's value.
    #[serde(default)]
    pub relative: f64,
}

/// What `k` repeats of the original say about one metric.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimated {
    pub k: u32,
    pub mean: f64,
    /// The standard deviation of a sample.
    pub deviation: f64,
}

/// The tolerances of all metrics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tolerances {
    /// By the name of a metric.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub declared: BTreeMap<String, Tolerance>,
    /// For metrics that are not named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<Tolerance>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub estimated: BTreeMap<String, Estimated>,
}

/// Quantiles of Student's t for 97.5 %, by degrees of freedom from 1. Beyond the table the last is a little too wide.
const T: [f64; 12] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179];

impl Tolerances {
    /// Learns from repeats of the same experiment, the original among them. Metrics with fewer than two finite values are left out.
    pub fn learn(&mut self, repeats: &[&ExperimentResult]) {
        let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for metric in repeats.iter().flat_map(|result| &result.metrics) {
            values.entry(&metric.name).or_default().extend(metric.last.filter(|value| value.is_finite()));
        }
        for (name, values) in values {
            if let Some(estimated) = Estimated::of(&values) {
                self.estimated.insert(name.to_owned(), estimated);
            }
        }
    }

    /// Whether a value is within the tolerance of a metric, and the tolerance in words. None where there is none: declared
    /// ones count before estimated ones.
    pub(super) fn judge(&self, name: &str, original: f64, repeated: f64) -> Option<(bool, String)> {
        if let Some(tolerance) = self.declared.get(name) {
            return Some(tolerance.judge(original, repeated));
        }
        if let Some(estimated) = self.estimated.get(name) {
            return Some(estimated.judge(repeated));
        }
        self.otherwise.map(|tolerance| tolerance.judge(original, repeated))
    }
}

impl Tolerance {
    fn judge(self, original: f64, repeated: f64) -> (bool, String) {
        let most = self.absolute.max(self.relative * original.abs());
        let words = match (self.absolute > 0.0, self.relative > 0.0) {
            (true, true) => format!("±{} or ±{} %", self.absolute, self.relative * 100.0),
            (false, true) => format!("±{} %", self.relative * 100.0),
            (true, false) | (false, false) => format!("±{}", self.absolute),
        };
        ((repeated - original).abs() <= most, words)
    }
}

impl Estimated {
    fn of(values: &[f64]) -> Option<Self> {
        let (mean, deviation) = mean_and_deviation(values)?;
        let k = u32::try_from(values.len()).ok().filter(|k| *k >= 2)?;
        Some(Self { k, mean, deviation: deviation? })
    }

    /// One more run falls into this interval 95 times of 100, if runs scatter as a normal distribution does.
    fn judge(self, repeated: f64) -> (bool, String) {
        let degrees = (self.k.saturating_sub(2) as usize).min(T.len() - 1);
        let most = T[degrees] * self.deviation * (1.0 + 1.0 / f64::from(self.k.max(1))).sqrt();
        let words = format!(
            "±{most:.3e} around {:.6}, from {} repeats with spread {:.3e}",
            self.mean, self.k, self.deviation
        );
        ((repeated - self.mean).abs() <= most, words)
    }
}

/// The mean, and from two values on the standard deviation of a sample. None for no values.
pub(crate) fn mean_and_deviation(values: &[f64]) -> Option<(f64, Option<f64>)> {
    if values.is_empty() {
        return None;
    }
    let count = values.len() as f64;
    // By parts, so that large values do not overflow in their sum.
    let mean: f64 = values.iter().map(|value| value / count).sum();
    if values.len() < 2 || values.iter().all(|value| *value == values[0]) {
        // Exactly: a mean by parts may be off by a bit.
        return Some((values[0], (values.len() > 1).then_some(0.0)));
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, Some((squares / (count - 1.0)).sqrt())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_give_a_mean_and_an_interval() {
        let estimated = Estimated::of(&[1.0, 2.0, 3.0]).expect("three values");
        assert_eq!((estimated.k, estimated.mean, estimated.deviation), (3, 2.0, 1.0));
        // 4.303 * sqrt(4/3) = 4.969
        assert!(estimated.judge(6.9).0 && !estimated.judge(7.0).0);
        assert!(Estimated::of(&[1.0]).is_none());
        let same = Estimated::of(&[0.1, 0.1, 0.1]).expect("three values");
        assert_eq!((same.mean, same.deviation), (0.1, 0.0));
        assert!(same.judge(0.1).0 && !same.judge(0.100_000_1).0);
    }

    #[test]
    fn the_larger_of_both_tolerances_counts() {
        let tolerance = Tolerance { absolute: 0.5, relative: 0.1 };
        assert!(tolerance.judge(1.0, 1.5).0 && tolerance.judge(-10.0, -11.0).0);
        assert!(!tolerance.judge(1.0, 1.51).0 && !tolerance.judge(1.0, f64::NAN).0);
    }
}
