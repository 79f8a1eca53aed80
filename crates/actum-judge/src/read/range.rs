//! Ranges: `10..20`, `10..`, `..20`, `10`, `10±0.5`, `>=10`, `<=20`, each with units where they have some.

use actum_model::{Bytes, Interval, Span};

/// What the numbers of a range are numbers of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Number,
    Bytes,
    Time,
}

/// Reads a range. A bare number is itself, as near as the tolerance says.
pub(super) fn read(text: &str, unit: Unit, tolerance: f64) -> Result<Interval, String> {
    let text = text.trim();
    let one = |text: &str| number(text.trim(), unit);
    let end = |text: &str| if text.trim().is_empty() { Ok(None) } else { one(text).map(Some) };
    let interval = if let Some((least, most)) = text.split_once("..") {
        Interval { least: end(least)?, most: end(most.strip_prefix('=').unwrap_or(most))? }
    } else if let Some(least) = text.strip_prefix(">=") {
        Interval { least: Some(one(least)?), most: None }
    } else if let Some(most) = text.strip_prefix("<=") {
        Interval { least: None, most: Some(one(most)?) }
    } else if let Some((middle, around)) = text.split_once('±').or_else(|| text.split_once("+-")) {
        let (middle, around) = (one(middle)?, one(around)?.abs());
        Interval { least: Some(middle - around), most: Some(middle + around) }
    } else {
        let (middle, around) = (one(text)?, tolerance);
        let around = around * middle.abs().max(1.0);
        Interval { least: Some(middle - around), most: Some(middle + around) }
    };
    match (interval.least, interval.most) {
        (Some(least), Some(most)) if least > most => Err("the range ends before it begins".to_owned()),
        (None, None) => Err("the range needs a number on at least one side".to_owned()),
        _ => Ok(interval),
    }
}

/// A range that is one number, a little wider: adding up rounds.
pub(super) fn about(interval: Interval) -> Interval {
    const ROUNDING: f64 = 1e-9;
    match (interval.least, interval.most) {
        (Some(least), Some(most)) if least == most => {
            let around = ROUNDING * least.abs().max(1.0);
            Interval { least: Some(least - around), most: Some(most + around) }
        }
        _ => interval,
    }
}

fn number(text: &str, unit: Unit) -> Result<f64, String> {
    match unit {
        Unit::Number => text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| {
            format!("`{text}` is not a number; write a range as 0.5..2, 0.5.. or ..2 (inclusive)")
        }),
        Unit::Bytes => text.parse::<Bytes>().map(|bytes| bytes.0 as f64).map_err(|error| error.to_string()),
        Unit::Time => {
            text.parse::<Span>().map(|span| span.0.as_secs_f64()).map_err(|error| error.to_string())
        }
    }
}
