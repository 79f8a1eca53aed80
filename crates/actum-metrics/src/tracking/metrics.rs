//! The values of one metric of a run, as a client logged them.

use super::TrackingServer;
use super::answer::{Answer, Failure};
use super::arguments::Arguments;
use super::search::page;
use crate::number;
use crate::point::{MetricPoint, PointSource};
use actum_model::Moment;
use serde_json::{Value, json};

/// One value with what the client said about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Logged {
    pub(super) value: f64,
    /// Milliseconds since 1970.
    pub(super) timestamp: i64,
    /// May be negative, as with MLflow.
    pub(super) step: i64,
}

/// All values, and which of them is the latest.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) values: Vec<Logged>,
    latest: Option<Logged>,
}

impl Logged {
    pub(super) fn read(metric: &Arguments) -> Result<Self, Failure> {
        Ok(Self {
            value: metric.number("value")?,
            timestamp: metric.whole("timestamp").unwrap_or_default(),
            step: metric.whole("step").unwrap_or_default(),
        })
    }

    pub(super) fn json(&self, key: &str) -> Value {
        json!({ "key": key, "value": number::to_json(self.value), "timestamp": self.timestamp, "step": self.step })
    }

    /// The same as a point of a curve.
    pub(super) fn point(&self, run: &str, key: &str) -> Option<MetricPoint> {
        let step = u64::try_from(self.step).ok();
        let point = MetricPoint::new(key, self.value, step, PointSource::Tracking(run.to_owned()))?;
        Some(point.at(moment(self.timestamp)))
    }
}

impl History {
    pub(super) fn latest(&self) -> Option<&Logged> {
        self.latest.as_ref()
    }

    /// The value with the highest step counts, of those the newest.
    pub(super) fn note_latest(&mut self, logged: Logged) {
        let rank = |one: &Logged| (one.step, one.timestamp);
        if self.latest.as_ref().is_none_or(|latest| rank(&logged) >= rank(latest)) {
            self.latest = Some(logged);
        }
    }
}

impl TrackingServer {
    pub(super) fn metric_history(&self, arguments: &Arguments) -> Answer {
        let run = self.run(arguments)?;
        let key = arguments.text("metric_key")?;
        let history = run.metrics.get(key).map(|history| history.values.as_slice()).unwrap_or_default();
        page(arguments, "metrics", history, |logged| logged.json(key))
    }
}

/// Milliseconds since 1970 that are in the range of times.
pub(super) fn moment(milliseconds: i64) -> Option<Moment> {
    let milliseconds = u64::try_from(milliseconds).ok()?;
    (milliseconds < 253_402_300_800_000).then(|| Moment(milliseconds * 1000))
}
