//! One value of one metric at one step.

use crate::number;
use actum_model::Moment;
use actum_output::analyse::shown;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The most characters of a key: as many as MLflow takes.
pub const LONGEST_KEY: usize = 250;

/// The most characters of a source: a path below a workspace.
const LONGEST_SOURCE: usize = 300;

/// One value, as a program reported it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MetricPoint {
    /// Harmless and bounded where [`MetricPoint::new`] or a reader made it.
    pub key: String,
    /// NaN and infinities are values; in JSON they are text.
    #[serde(with = "number")]
    pub value: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    #[serde(default, rename = "t", skip_serializing_if = "Option::is_none")]
    pub time: Option<Moment>,
    pub source: PointSource,
}

/// Where a point was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PointSource {
    Stdout,
    Stderr,
    /// A file of JSON lines.
    JsonLines(String),
    Csv(String),
    /// An event file of TensorBoard.
    EventFile(String),
    /// A run of the tracking server, by its id.
    Tracking(String),
}

/// Why a line is no point.
#[derive(Debug, thiserror::Error)]
pub enum PointError {
    #[error("the line is not a metric point")]
    Form(#[source] serde_json::Error),
    #[error("the point has no key")]
    NoKey,
}

impl MetricPoint {
    /// A point whose key is made harmless and short. None where nothing is left of the key.
    pub fn new(key: &str, value: f64, step: Option<u64>, source: PointSource) -> Option<Self> {
        let key = shown(key, LONGEST_KEY);
        (!key.is_empty()).then_some(Self { key, value, step, time: None, source })
    }

    /// The same at a time.
    pub fn at(mut self, time: Option<Moment>) -> Self {
        self.time = time;
        self
    }

    /// One line of JSON, without its line feed.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("BUG: a metric point is text and numbers")
    }

    /// Reads what [`to_line`](Self::to_line) wrote.
    pub fn from_line(line: &str) -> Result<Self, PointError> {
        let point: Self = serde_json::from_str(line).map_err(PointError::Form)?;
        let key = shown(&point.key, LONGEST_KEY);
        if key.is_empty() {
            return Err(PointError::NoKey);
        }
        Ok(Self { key, ..point })
    }
}

/// Two points are equal when they say the same, NaN included.
impl PartialEq for MetricPoint {
    fn eq(&self, other: &Self) -> bool {
        let is_same_value = self.value == other.value || (self.value.is_nan() && other.value.is_nan());
        is_same_value
            && (&self.key, self.step, self.time, &self.source)
                == (&other.key, other.step, other.time, &other.source)
    }
}

impl PointSource {
    /// The word for its kind, and its name where it has one.
    fn parts(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Stdout => ("stdout", None),
            Self::Stderr => ("stderr", None),
            Self::JsonLines(path) => ("jsonl", Some(path)),
            Self::Csv(path) => ("csv", Some(path)),
            Self::EventFile(path) => ("tensorboard", Some(path)),
            Self::Tracking(run) => ("tracking", Some(run)),
        }
    }
}

/// `stdout`, `csv:logs/train.csv`.
impl fmt::Display for PointSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = self.parts();
        out.write_str(kind)?;
        match name {
            Some(name) => write!(out, ":{}", shown(name, LONGEST_SOURCE)),
            None => Ok(()),
        }
    }
}

impl FromStr for PointSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, name) = text.split_once(':').unwrap_or((text, ""));
        let name = shown(name, LONGEST_SOURCE);
        match kind {
            "stdout" => Ok(Self::Stdout),
            "stderr" => Ok(Self::Stderr),
            "jsonl" => Ok(Self::JsonLines(name)),
            "csv" => Ok(Self::Csv(name)),
            "tensorboard" => Ok(Self::EventFile(name)),
            "tracking" => Ok(Self::Tracking(name)),
            other => Err(format!("`{}` is no source of metrics", shown(other, 40))),
        }
    }
}

impl Serialize for PointSource {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PointSource {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_has_the_fields_that_others_read() {
        let point =
            MetricPoint::new("val/loss", 0.25, Some(3), PointSource::Csv("a/b.csv".to_owned())).unwrap();
        let expected = r#"{"key":"val/loss","value":0.25,"step":3,"source":"csv:a/b.csv"}"#;
        assert_eq!(point.to_line(), expected);
        let timed = point.at(Some(Moment(1_700_000_000_123_456)));
        assert!(timed.to_line().contains(r#""t":"2023-11-14T22:13:20.123456Z""#), "{}", timed.to_line());
    }

    #[test]
    fn what_is_no_point_says_why() {
        for (line, reason) in [
            ("{}", "the line is not a metric point"),
            ("[1]", "the line is not a metric point"),
            (r#"{"key":" ","value":1,"source":"stdout"}"#, "the point has no key"),
            (r#"{"key":"a","value":"b","source":"stdout"}"#, "the line is not a metric point"),
            (r#"{"key":"a","value":1,"source":"elsewhere"}"#, "the line is not a metric point"),
        ] {
            assert_eq!(MetricPoint::from_line(line).unwrap_err().to_string(), reason, "{line}");
        }
    }

    #[test]
    fn a_hostile_key_is_harmless_and_short() {
        let point = MetricPoint::new("a\u{1b}[31m\u{202e}\n", 1.0, None, PointSource::Stdout).unwrap();
        assert!(point.key.chars().all(|c| !c.is_control() && c != '\u{202e}'), "{}", point.key);
        let long = MetricPoint::new(&"k".repeat(10_000), 1.0, None, PointSource::Stdout).unwrap();
        assert!(long.key.chars().count() <= LONGEST_KEY + 1);
        assert_eq!(MetricPoint::new(" \n", 1.0, None, PointSource::Stdout), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            key in "[a-zA-Z][a-zA-Z0-9 _/.-]{0,20}[a-z]",
            value in proptest::num::f64::ANY,
            step in proptest::option::of(any::<u64>()),
            micros in proptest::option::of(0..253_402_300_799_000_000_u64),
        ) {
            let source = PointSource::Tracking("0".repeat(32));
            let point = MetricPoint::new(&key, value, step, source).unwrap().at(micros.map(Moment));
            prop_assert_eq!(MetricPoint::from_line(&point.to_line()).unwrap(), point);
        }
    }
}
