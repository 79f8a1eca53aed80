//! A number that a program reported about its own work.

use crate::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number with a name: `accuracy: 0.9312`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metric {
    pub name: String,
    pub value: f64,
    /// The number of digits that were printed.
    pub literal: String,
    /// Step or epoch, where one was named with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    pub source: MetricSource,
    /// Its line in the stream or file, counted from 1.
    pub line: u64,
}

/// Where a metric was read, the most reliable first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MetricSource {
    /// A file of metrics that the program wrote.
    File { path: String },
    /// A line of JSON in its output.
    Json(Stream),
    /// A pattern in its output.
    Text(Stream),
}
