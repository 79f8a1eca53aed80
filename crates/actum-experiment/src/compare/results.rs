//! What came out of two runs, side by side: metrics and files.

use super::{ExperimentFacts, Places};
use crate::result::{ExperimentResult, MetricSummary};
use actum_model::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One metric that is not the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricDifference {
    pub name: String,
    /// The last value as it was printed. Absent where the run has no such metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The other value less the first one. Absent where one of them is not finite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
    /// The same, divided by the first value. Absent where that is zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative: Option<f64>,
    /// The last values are the same as printed, but the values before them are not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_on_the_way: bool,
}

/// One file that is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutputDifference {
    /// `{output}/model.pt` for a file in the output folder.
    pub path: String,
    pub change: OutputChange,
}

/// What became of a file in the other run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutputChange {
    Content,
    OnlyInFirst,
    OnlyInSecond,
}

impl OutputChange {
    pub fn label(self) -> &'static str {
        match self {
            Self::Content => "other content",
            Self::OnlyInFirst => "only in the first run",
            Self::OnlyInSecond => "only in the second run",
        }
    }
}

pub(crate) struct MetricsCompared {
    pub differences: Vec<MetricDifference>,
    pub compared: u64,
}

pub(crate) struct OutputsCompared {
    pub differences: Vec<OutputDifference>,
    pub compared: u64,
    pub not_compared: Vec<String>,
}

/// The metrics that differ, in the order of their names.
pub(crate) fn metric_differences(
    one: Option<&ExperimentResult>,
    other: Option<&ExperimentResult>,
) -> MetricsCompared {
    let by_name = |result: Option<&ExperimentResult>| -> BTreeMap<String, MetricSummary> {
        result
            .iter()
            .flat_map(|result| &result.metrics)
            .map(|metric| (metric.name.clone(), metric.clone()))
            .collect()
    };
    let (first, second) = (by_name(one), by_name(other));
    let names: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    let pairs = names.iter().filter_map(|name| metric_difference(name, first.get(*name), second.get(*name)));
    MetricsCompared {
        differences: pairs.collect(),
        compared: names
            .iter()
            .filter(|name| first.contains_key(**name) && second.contains_key(**name))
            .count() as u64,
    }
}

fn metric_difference(
    name: &str,
    one: Option<&MetricSummary>,
    other: Option<&MetricSummary>,
) -> Option<MetricDifference> {
    let text = |metric: Option<&MetricSummary>| metric.map(|metric| metric.last_text.clone());
    let mut found = MetricDifference {
        name: name.to_owned(),
        one: text(one),
        other: text(other),
        difference: None,
        relative: None,
        only_on_the_way: false,
    };
    if let (Some(a), Some(b)) = (one, other) {
        if same_as_printed(a, b) {
            return None;
        }
        found.only_on_the_way = a.last_text == b.last_text;
        if let (Some(a), Some(b)) = (a.last, b.last) {
            found.difference = Some(b - a).filter(|difference| difference.is_finite());
            found.relative = Some((b - a) / a.abs()).filter(|relative| relative.is_finite());
        }
    }
    Some(found)
}

/// Whether everything that was printed of a metric is the same, as far as its summary tells.
pub(crate) fn same_as_printed(one: &MetricSummary, other: &MetricSummary) -> bool {
    one.last_text == other.last_text
        && one.count == other.count
        && one.not_finite == other.not_finite
        && one.last_step == other.last_step
        && [one.min, one.max, one.best] == [other.min, other.max, other.best]
}

/// All files that a run left, by name.
pub(crate) fn merge_outputs(facts: &ExperimentFacts) -> BTreeMap<String, Option<Digest>> {
    let places = Places::new(&facts.manifest);
    let elsewhere = facts.outputs.iter().map(|file| (places.path(&file.path), file.sha256));
    let artifacts = facts.result.iter().flat_map(|result| &result.artifacts);
    let artifacts = artifacts.map(|artifact| (Places::artifact(&artifact.path), artifact.sha256));
    let mut all: BTreeMap<String, Option<Digest>> = BTreeMap::new();
    for (path, digest) in elsewhere.chain(artifacts) {
        let known = all.entry(path).or_insert(digest);
        *known = known.or(digest);
    }
    all
}

/// The files that differ, in the order of their names.
pub(crate) fn output_differences(
    one: &BTreeMap<String, Option<Digest>>,
    other: &BTreeMap<String, Option<Digest>>,
) -> OutputsCompared {
    let mut found = OutputsCompared { differences: Vec::new(), compared: 0, not_compared: Vec::new() };
    let paths: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    for path in paths {
        let change = match (one.get(path), other.get(path)) {
            (Some(Some(a)), Some(Some(b))) => {
                found.compared += 1;
                (a != b).then_some(OutputChange::Content)
            }
            (Some(_), Some(_)) => {
                found.not_compared.push(format!("{path}: without a digest"));
                None
            }
            (Some(_), None) => Some(OutputChange::OnlyInFirst),
            (None, Some(_)) => Some(OutputChange::OnlyInSecond),
            (None, None) => None,
        };
        found.differences.extend(change.map(|change| OutputDifference { path: path.clone(), change }));
    }
    found
}
