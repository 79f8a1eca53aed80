//! Grades metrics: equal as printed, within tolerance, or neither.

use super::{Grade, ResultDifference, ResultKind, Tolerances, Volatile};
use crate::compare::same_as_printed;
use crate::result::{ExperimentResult, MetricSummary};
use std::collections::{BTreeMap, BTreeSet};

/// What the metrics come to.
#[derive(Default)]
pub(super) struct MetricsGraded {
    pub compared: u64,
    pub worst: Option<Grade>,
    pub differences: Vec<ResultDifference>,
    pub excluded: Vec<String>,
    pub notes: Vec<String>,
}

pub(super) fn grade(
    original: &ExperimentResult,
    repeated: &ExperimentResult,
    tolerances: &Tolerances,
    volatile: &Volatile,
) -> MetricsGraded {
    let by_name = |result: &'_ ExperimentResult| -> BTreeMap<String, MetricSummary> {
        result.metrics.iter().map(|metric| (metric.name.clone(), metric.clone())).collect()
    };
    let (first, second) = (by_name(original), by_name(repeated));
    let names: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    let mut graded = MetricsGraded::default();
    for name in names {
        // A tolerance that somebody declared means that this metric counts.
        if volatile.metric(name) && !tolerances.declared.contains_key(name) {
            graded.excluded.push(format!("metric {name}: it measures time"));
            continue;
        }
        let (a, b) = (first.get(name), second.get(name));
        let grade = match (a, b) {
            (Some(a), Some(b)) => {
                graded.compared += 1;
                graded.pair(a, b, tolerances)
            }
            (_, _) => {
                graded.missing(name, a, b);
                Grade::R3
            }
        };
        graded.worst = graded.worst.max(Some(grade));
    }
    graded
}

impl MetricsGraded {
    fn missing(&mut self, name: &str, one: Option<&MetricSummary>, other: Option<&MetricSummary>) {
        let text = |metric: Option<&MetricSummary>| metric.map(|metric| metric.last_text.clone());
        self.differences.push(difference(name, text(one), text(other)));
    }

    fn pair(&mut self, one: &MetricSummary, other: &MetricSummary, tolerances: &Tolerances) -> Grade {
        if one.not_finite > 0 || one.last.is_none() {
            self.notes.push(format!(
                "metric {}: the original has values that are not finite; they count as equal where they are printed the same",
                one.name
            ));
        }
        if same_as_printed(one, other) {
            return Grade::R1;
        }
        let mut found = difference(&one.name, Some(one.last_text.clone()), Some(other.last_text.clone()));
        if let (Some(a), Some(b)) = (one.last, other.last) {
            found.relative = Some(((b - a) / a).abs()).filter(|relative| relative.is_finite());
        }
        if one.last_text == other.last_text {
            let way = |metric: &MetricSummary| {
                let number =
                    |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| value.to_string());
                let (min, max) = (number(metric.min), number(metric.max));
                format!("{} ({} values from {min} to {max})", metric.last_text, metric.count)
            };
            (found.original, found.repeated) = (Some(way(one)), Some(way(other)));
        }
        let (within, words) = within(one, other, tolerances);
        (found.within_tolerance, found.tolerance) = (within, words);
        self.differences.push(found);
        if within { Grade::R2 } else { Grade::R3 }
    }
}

/// Whether the last value and the extremes on the way there are within the tolerance. A curve of another length is not.
fn within(one: &MetricSummary, other: &MetricSummary, tolerances: &Tolerances) -> (bool, Option<String>) {
    if one.count != other.count || one.not_finite != other.not_finite {
        return (false, None);
    }
    let (Some(a), Some(b)) = (one.last, other.last) else {
        return (same_class(&one.last_text, &other.last_text), None);
    };
    let Some((mut within, words)) = tolerances.judge(&one.name, a, b) else { return (false, None) };
    // Repeats tell about the last value only.
    if !tolerances.estimated.contains_key(&one.name) || tolerances.declared.contains_key(&one.name) {
        for (a, b) in [(one.min, other.min), (one.max, other.max)] {
            within &= match (a, b) {
                (Some(a), Some(b)) => tolerances.judge(&one.name, a, b).is_some_and(|(within, _)| within),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
        }
    }
    (within, Some(words))
}

/// `nan` and `NaN` are one, `inf` and `-inf` are not.
fn same_class(one: &str, other: &str) -> bool {
    let class = |text: &str| text.parse::<f64>().ok().map(|value| (value.is_nan(), value == f64::INFINITY));
    class(one).is_some() && class(one) == class(other)
}

fn difference(name: &str, original: Option<String>, repeated: Option<String>) -> ResultDifference {
    ResultDifference {
        kind: ResultKind::Metric,
        what: name.to_owned(),
        original,
        repeated,
        relative: None,
        within_tolerance: false,
        tolerance: None,
    }
}
