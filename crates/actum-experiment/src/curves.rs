//! The curves of a stored experiment, from the points that were attached to its record.

use crate::error::ExperimentError;
use crate::plot::Point;
use crate::report::MetricCurve;
use crate::stored::StoredExperiment;
use actum_evidence::Reading;
use actum_metrics::{Curves, MetricPoint, Sample};

/// All curves, or that of one metric. A value without a step has the place that it came in.
pub fn curves_of(
    reading: &Reading,
    of: &StoredExperiment,
    metric: Option<&str>,
) -> Result<Vec<MetricCurve>, ExperimentError> {
    let bytes = of.metrics(reading)?;
    let mut curves = Curves::default();
    for line in String::from_utf8_lossy(&bytes).lines() {
        // A line that is none is passed over: what is attached is what was collected, and is hashed.
        if let Ok(point) = MetricPoint::from_line(line) {
            curves.append(1, &point);
        }
    }
    let wanted = curves.keys().filter(|key| metric.is_none_or(|metric| metric == *key));
    let curve = |key: &str| {
        let samples = curves.get(key).map(|series| series.joined()).unwrap_or_default();
        MetricCurve { metric: key.to_owned(), points: points(&samples) }
    };
    Ok(wanted.map(curve).collect())
}

fn points(samples: &[Sample]) -> Vec<Point> {
    let has_steps = samples.iter().all(|sample| sample.step.is_some());
    let x = |(at, sample): (usize, &Sample)| match sample.step {
        Some(step) if has_steps => step as f64,
        Some(_) | None => at as f64,
    };
    samples.iter().enumerate().map(|one| Point { x: x(one), y: one.1.value }).collect()
}
