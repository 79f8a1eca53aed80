//! Metrics in what a program prints: `epoch 3 loss: 0.5`, JSON lines, tables. The rules are those of the report.

use super::lines::{LineBuffer, Returns};
use crate::point::{MetricPoint, PointSource};
use actum_model::{Moment, Stream};
use actum_output::analyse::OutputLines;

/// Reads one stream.
#[derive(Debug)]
pub struct OutputReader {
    source: PointSource,
    buffer: LineBuffer,
    rules: OutputLines,
}

impl OutputReader {
    pub fn new(stream: Stream) -> Self {
        Self::of_source(match stream {
            Stream::Stdout => PointSource::Stdout,
            Stream::Stderr => PointSource::Stderr,
        })
    }

    fn of_source(source: PointSource) -> Self {
        Self { source, buffer: LineBuffer::new(Returns::Overwrite), rules: OutputLines::default() }
    }

    pub(super) fn anew(&self) -> Self {
        Self::of_source(self.source.clone())
    }

    pub(super) fn source(&self) -> &PointSource {
        &self.source
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8], now: Option<Moment>, points: &mut Vec<MetricPoint>) {
        let Self { source, buffer, rules } = self;
        buffer.push(bytes, |line| read(rules, source, line, now, points));
    }

    /// Takes a last line that nothing ended.
    pub fn finish(&mut self, now: Option<Moment>, points: &mut Vec<MetricPoint>) {
        let Self { source, buffer, rules } = self;
        buffer.finish(|line| read(rules, source, line, now, points));
    }
}

fn read(
    rules: &mut OutputLines,
    source: &PointSource,
    line: &[u8],
    now: Option<Moment>,
    points: &mut Vec<MetricPoint>,
) {
    let read = rules.line(line).into_iter();
    points.extend(
        read.filter_map(|one| {
            Some(MetricPoint::new(&one.name, one.value, one.step, source.clone())?.at(now))
        }),
    );
}
