//! A file of JSON lines: one object a line, with names and numbers, or one point a line as [`MetricPoint`] and others write
//! it. A line that is neither is passed over.

use super::lines::{LineBuffer, Returns};
use super::named::{self, Named};
use crate::number;
use crate::point::{MetricPoint, PointSource};
use actum_model::Moment;
use actum_output::analyse::{json_numbers, json_with_text_numbers};
use serde_json::{Map, Value};

/// Reads one file.
#[derive(Debug)]
pub struct JsonLinesReader {
    source: PointSource,
    buffer: LineBuffer,
}

impl JsonLinesReader {
    pub fn new(path: &str) -> Self {
        Self::of_source(PointSource::JsonLines(path.to_owned()))
    }

    fn of_source(source: PointSource) -> Self {
        Self { source, buffer: LineBuffer::new(Returns::Ordinary) }
    }

    pub(super) fn anew(&self) -> Self {
        Self::of_source(self.source.clone())
    }

    pub(super) fn source(&self) -> &PointSource {
        &self.source
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8], now: Option<Moment>, points: &mut Vec<MetricPoint>) {
        let Self { source, buffer } = self;
        buffer.push(bytes, |line| read(source, line, now, points));
    }

    /// Takes a last line that nothing ended.
    pub fn finish(&mut self, now: Option<Moment>, points: &mut Vec<MetricPoint>) {
        let Self { source, buffer } = self;
        buffer.finish(|line| read(source, line, now, points));
    }
}

fn read(source: &PointSource, line: &[u8], now: Option<Moment>, points: &mut Vec<MetricPoint>) {
    let Ok(line) = std::str::from_utf8(line) else { return };
    let quoted = json_with_text_numbers(line);
    if let Some(point) = single(source, quoted.as_deref().unwrap_or(line), now) {
        return points.push(point);
    }
    let Some(numbers) = json_numbers(line) else { return };
    let mut named: Vec<Named<'_>> =
        numbers.iter().map(|one| Named { name: &one.name, value: one.value }).collect();
    let texts = texts_of_numbers(line);
    named.extend(texts.iter().map(|(name, value)| Named { name, value: *value }));
    named::points(&named, source, now, points);
}

/// `{"key": "loss", "value": 0.5, "step": 3}`, with `name` for `key` and any form of time.
fn single(source: &PointSource, line: &str, now: Option<Moment>) -> Option<MetricPoint> {
    let object: Map<String, Value> = serde_json::from_str(line).ok()?;
    let key = ["key", "name", "metric"].iter().find_map(|name| object.get(*name)?.as_str())?;
    let value = number::from_json(object.get("value")?)?;
    let step = object.get("step").and_then(|step| step.as_u64().or_else(|| named::step_of(step.as_f64()?)));
    let time = ["t", "time", "timestamp"].iter().find_map(|name| moment(object.get(*name)?));
    Some(MetricPoint::new(key, value, step, source.clone())?.at(time.or(now)))
}

fn moment(value: &Value) -> Option<Moment> {
    match value.as_str() {
        Some(text) => text.parse().ok(),
        None => named::moment_of(value.as_f64()?),
    }
}

/// Numbers that are no JSON, written as text: `{"loss": "NaN"}`. At the top only.
fn texts_of_numbers(line: &str) -> Vec<(String, f64)> {
    let lower = line.to_ascii_lowercase();
    if !["\"nan\"", "inf"].iter().any(|word| lower.contains(word)) {
        return Vec::new();
    }
    let object: Map<String, Value> = serde_json::from_str(line).unwrap_or_default();
    let not_finite = |(name, value): (String, Value)| {
        let value = number::from_text(value.as_str()?).filter(|value| !value.is_finite())?;
        Some((name, value))
    };
    object.into_iter().filter_map(not_finite).collect()
}
