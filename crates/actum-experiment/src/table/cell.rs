//! One value of a table.

use crate::grade::mean_and_deviation;
use crate::plot::number;
use actum_model::Untrusted;
use schemars::JsonSchema;
use serde::Serialize;

/// One value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Cell {
    /// As somebody wrote it: neutralised where it is shown.
    Text(String),
    Number {
        /// Absent where it is not finite.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<f64>,
        /// As it was printed.
        text: String,
    },
    /// Over several seeds.
    Spread {
        mean: f64,
        /// The standard deviation of a sample. Absent for one value.
        #[serde(skip_serializing_if = "Option::is_none")]
        deviation: Option<f64>,
        k: u32,
    },
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn count(count: u64) -> Self {
        Self::Number { value: Some(count as f64), text: count.to_string() }
    }

    /// Of the finite values. None for no values at all; the printed text where none is finite.
    pub(super) fn spread(cells: &[&Cell]) -> Option<Self> {
        if let [only] = cells {
            return Some((*only).clone());
        }
        let values: Vec<f64> = cells.iter().filter_map(|cell| cell.value()).collect();
        match mean_and_deviation(&values) {
            Some((mean, deviation)) if mean.is_finite() => {
                let deviation = deviation.filter(|deviation| deviation.is_finite());
                Some(Self::Spread { mean, deviation, k: u32::try_from(values.len()).unwrap_or(u32::MAX) })
            }
            Some(_) | None => cells.first().map(|cell| (*cell).clone()),
        }
    }

    /// The number to sort by.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Text(_) => None,
            Self::Number { value, .. } => value.filter(|value| value.is_finite()),
            Self::Spread { mean, .. } => Some(*mean),
        }
    }

    /// In one harmless line of at most so many characters.
    pub fn shown(&self, most: usize) -> String {
        match self {
            Self::Text(text) | Self::Number { text, .. } => Untrusted::new(text.as_str()).shown(most),
            Self::Spread { mean, deviation: None, k } => format!("{} (k={k})", number(*mean)),
            Self::Spread { mean, deviation: Some(deviation), k } => {
                format!("{} ± {} (k={k})", rounded(*mean, *deviation), two_digits(*deviation))
            }
        }
    }

    pub(super) fn is_number(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::Number { .. } | Self::Spread { .. } => true,
        }
    }
}

/// A mean with as many digits as its spread leaves a meaning, and one more.
fn rounded(mean: f64, deviation: f64) -> String {
    match decimals(deviation) {
        Some(digits) if (1e-4..1e6).contains(&mean.abs()) => format!("{mean:.digits$}"),
        Some(_) | None => number(mean),
    }
}

fn two_digits(deviation: f64) -> String {
    match decimals(deviation) {
        Some(digits) if deviation < 1e6 => format!("{deviation:.digits$}"),
        Some(_) | None => number(deviation),
    }
}

fn decimals(deviation: f64) -> Option<usize> {
    (1e-7..f64::MAX).contains(&deviation).then(|| (1.0 - deviation.log10().floor()).clamp(0.0, 9.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_as_many_digits_as_it_knows() {
        let spread = |mean, deviation| Cell::Spread { mean, deviation, k: 5 }.shown(80);
        assert_eq!(spread(0.931_234, Some(0.002_14)), "0.9312 ± 0.0021 (k=5)");
        assert_eq!(spread(120.0, Some(13.4)), "120 ± 13 (k=5)");
        assert_eq!(spread(0.5, Some(0.0)), "0.5 ± 0 (k=5)");
        assert_eq!(spread(0.5, None), "0.5 (k=5)");
        assert_eq!(spread(3e8, Some(2e7)), "3e8 ± 2e7 (k=5)");
    }
}
