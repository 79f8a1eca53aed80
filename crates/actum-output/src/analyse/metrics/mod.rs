//! Numbers that a program told about its own work: `accuracy: 0.9312`, `{"step": 3, "loss": 0.5}`, `| f1 | 0.8 |`.
//!
//! Conservative: a port, a version, a date or a line number is none, and a name that nobody uses for such a number is one
//! only in company (`step=3 loss=0.5 foo=1.2`). Which names count is in `names`; the forms are one file each: `pairs`,
//! `table`, `json`, `coverage`; `live` reads line by line. Pure, and linear in what is read. Start reading at [`read`].

mod coverage;
mod json;
mod live;
mod names;
mod number;
mod pairs;
mod table;
#[cfg(test)]
mod tests;

use super::lines::Lines;
use super::shown::{NAME, shown};
use super::text::Text;
use actum_model::{Metric, MetricSource, Stream};
use live::LineRules;
use std::collections::VecDeque;

pub use live::{LineMetric, OutputLines, json_numbers, json_with_text_numbers};
pub use names::{is_step, words as name_words};

/// What was told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    pub listed: Vec<Metric>,
    pub left_out: u64,
}

/// 1,000 in all: of a long training the beginning and the end.
const FIRST: usize = 500;
const LAST: usize = 500;

/// One number with its name, before it is placed.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    name: String,
    literal: String,
    value: f64,
    step: Option<u64>,
}

/// Reads both streams.
pub fn metrics(stdout: &Text, stderr: &Text) -> Metrics {
    let mut kept = Kept::default();
    for (stream, text) in [(Stream::Stdout, stdout), (Stream::Stderr, stderr)] {
        kept.read(&Lines::read(stream, text));
    }
    kept.finish()
}

/// The same of lines that are at hand already.
pub(super) fn read(lines: [&Lines; 2]) -> Metrics {
    let mut kept = Kept::default();
    lines.into_iter().for_each(|lines| kept.read(lines));
    kept.finish()
}

/// The numbers of a file of metrics: one JSON value, or one on each line.
pub fn of_file(path: &str, text: &str) -> Metrics {
    let mut kept = Kept::default();
    let source = MetricSource::File { path: path.to_owned() };
    for (told, line) in json::of_file(text) {
        kept.push(told, &source, line);
    }
    kept.finish()
}

/// The first ones and the last ones.
#[derive(Default)]
struct Kept {
    first: Vec<Metric>,
    last: VecDeque<Metric>,
    left_out: u64,
}

impl Kept {
    fn read(&mut self, lines: &Lines) {
        let (from_json, from_text) = (MetricSource::Json(lines.stream), MetricSource::Text(lines.stream));
        let mut rules = LineRules::default();
        for (index, line) in lines.iter() {
            let number = lines.number(index);
            let read = rules.line(line);
            let source = if read.is_json { &from_json } else { &from_text };
            read.told.into_iter().for_each(|told| self.push(told, source, number));
        }
    }

    fn push(&mut self, told: Told, source: &MetricSource, line: u64) {
        let Told { name, literal, value, step } = told;
        let name = shown(&name, NAME);
        if name.is_empty() || !value.is_finite() {
            return;
        }
        let metric = Metric { name, value, literal, step, source: source.clone(), line };
        if self.first.len() < FIRST {
            return self.first.push(metric);
        }
        if self.last.len() == LAST {
            self.last.pop_front();
            self.left_out += 1;
        }
        self.last.push_back(metric);
    }

    fn finish(mut self) -> Metrics {
        self.first.extend(self.last);
        Metrics { listed: self.first, left_out: self.left_out }
    }
}

impl Metrics {
    /// These, and behind them those of a less reliable source.
    pub fn and(mut self, other: Metrics) -> Metrics {
        self.listed.extend(other.listed);
        let over = self.listed.len().saturating_sub(FIRST + LAST);
        // The first ones of the better source stay, and so do the last ones of all.
        self.listed.drain(FIRST.min(self.listed.len())..FIRST.min(self.listed.len()) + over);
        Metrics { listed: self.listed, left_out: self.left_out + other.left_out + over as u64 }
    }
}
