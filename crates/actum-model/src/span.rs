//! A length of time that is written with its unit.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::{fmt, str::FromStr, time::Duration};

/// A length of time. Reads `250ms`, `30s`, `1.5m`, `2h`, `1h30m`; a bare number is seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(pub Duration);

/// Why a text is not a length of time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpanError {
    #[error("`{0}` has no number; write for example 30s")]
    NoNumber(String),
    #[error("`{unit}` is not a unit of time; use ms, s, m, h or d")]
    Unit { unit: String },
    #[error("`{0}` is longer than this system can count")]
    TooLong(String),
}

impl Span {
    pub const fn seconds(n: u64) -> Self {
        Self(Duration::from_secs(n))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        if millis == 0 || !millis.is_multiple_of(1000) {
            return if millis < 1000 {
                write!(f, "{millis}ms")
            } else {
                write!(f, "{}.{:03}s", millis / 1000, millis % 1000)
            };
        }
        let seconds = self.0.as_secs();
        match seconds {
            s if s.is_multiple_of(3600) => write!(f, "{}h", s / 3600),
            s if s.is_multiple_of(60) => write!(f, "{}m", s / 60),
            s => write!(f, "{s}s"),
        }
    }
}

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Self, SpanError> {
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(SpanError::NoNumber(text.to_owned()));
        }
        let mut total = 0.0_f64;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let number: f64 = rest[..digits].parse().map_err(|_| SpanError::NoNumber(text.to_owned()))?;
            rest = rest[digits..].trim_start();
            let letters = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
            let unit = rest[..letters].trim();
            rest = &rest[letters..];
            total += number * seconds_in(unit).ok_or_else(|| SpanError::Unit { unit: unit.to_owned() })?;
        }
        // Whole milliseconds: finer would not survive being shown, and nothing here can keep it.
        let millis = (total * 1000.0).round();
        if millis > 1e15 {
            return Err(SpanError::TooLong(text.to_owned()));
        }
        Ok(Span(Duration::from_millis(millis as u64)))
    }
}

fn seconds_in(unit: &str) -> Option<f64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return None,
    })
}

/// In JSON a span is a number of seconds: programs compute with it, people read [`fmt::Display`].
impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.as_micros() as f64 / 1e6)
    }
}

impl JsonSchema for Span {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Span".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "description": "seconds" })
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(seconds).map(Span).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_units() {
        for (text, millis) in [
            ("250ms", 250),
            ("30", 30_000),
            ("30s", 30_000),
            ("1.5m", 90_000),
            ("1h30m", 5_400_000),
            ("2 h", 7_200_000),
        ] {
            assert_eq!(text.parse::<Span>(), Ok(Span(Duration::from_millis(millis))), "{text}");
        }
        for text in ["", "s", "5x", "1..2s", "-3s", "99999999999d"] {
            assert!(text.parse::<Span>().is_err(), "{text} should not read");
        }
    }

    proptest! {
        #[test]
        fn display_reads_back(millis in 0_u64..1_000_000_000) {
            let span = Span(Duration::from_millis(millis));
            prop_assert_eq!(span.to_string().parse::<Span>(), Ok(span));
        }
    }
}
