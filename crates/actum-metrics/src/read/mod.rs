//! Points from what programs write, as it grows: bytes in, in pieces of any size, points out.
//!
//! | reader | what it reads |
//! |---|---|
//! | [`OutputReader`] | standard output or error, by the rules of the report |
//! | [`JsonLinesReader`] | `metrics.jsonl`: `{"step": 3, "loss": 0.5}`, `{"key": "loss", "value": 0.5, "step": 3}` |
//! | [`CsvReader`] | a header and rows, as Keras and Lightning write them |
//! | [`EventFileReader`] | TensorBoard's event files |
//!
//! Every reader gives the same points however its bytes are cut. A line or frame that is not whole yet waits; what waits is
//! bounded. [`FollowedFile`] reads a file on from where it stopped.

mod csv;
mod event_file;
mod follow;
mod json_lines;
mod lines;
mod named;
mod output;
#[cfg(test)]
mod tests;

pub use csv::CsvReader;
pub use event_file::EventFileReader;
pub use follow::{FollowedFile, Update};
pub use json_lines::JsonLinesReader;
pub use output::OutputReader;

use crate::point::{MetricPoint, PointSource};
use actum_model::Moment;

/// Any of the readers.
#[derive(Debug)]
pub enum MetricReader {
    Output(OutputReader),
    JsonLines(JsonLinesReader),
    Csv(CsvReader),
    EventFile(Box<EventFileReader>),
}

/// Why a reader reads no more of its file. What it gave before stays right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndReason {
    #[error("the frame at byte {at} has a wrong checksum")]
    Checksum { at: u64 },
    #[error("the row at line {line} is longer than {most} bytes")]
    LongRow { line: u64, most: usize },
    #[error("the first row names no columns")]
    NoHeader,
}

impl MetricReader {
    /// The reader for a file, chosen by its name. None for names that no metrics are written to.
    pub fn for_file(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let lower = name.to_ascii_lowercase();
        if name.starts_with("events.out.tfevents.") {
            return Some(Self::EventFile(Box::new(EventFileReader::new(path))));
        }
        let is_meant = |ending: &str| {
            lower.strip_suffix(ending).is_some_and(|stem| {
                ["metrics", "history", "training_log", "train_log", "progress", "results"].iter().any(
                    |word| {
                        stem == *word
                            || stem.ends_with(&format!(".{word}"))
                            || stem.ends_with(&format!("_{word}"))
                    },
                )
            })
        };
        match () {
            () if is_meant(".jsonl") => Some(Self::JsonLines(JsonLinesReader::new(path))),
            () if is_meant(".csv") => Some(Self::Csv(CsvReader::new(path))),
            () => None,
        }
    }

    /// An empty reader of the same kind for the same source.
    pub fn anew(&self) -> Self {
        match self {
            Self::Output(reader) => Self::Output(reader.anew()),
            Self::JsonLines(reader) => Self::JsonLines(reader.anew()),
            Self::Csv(reader) => Self::Csv(reader.anew()),
            Self::EventFile(reader) => Self::EventFile(Box::new(reader.anew())),
        }
    }

    /// Takes the next bytes. `now` is the time of points that name none; without it they have none.
    pub fn push(&mut self, bytes: &[u8], now: Option<Moment>, points: &mut Vec<MetricPoint>) {
        match self {
            Self::Output(reader) => reader.push(bytes, now, points),
            Self::JsonLines(reader) => reader.push(bytes, now, points),
            Self::Csv(reader) => reader.push(bytes, now, points),
            Self::EventFile(reader) => reader.push(bytes, points),
        }
    }

    /// Takes what waits for its end as whole: nothing more comes.
    pub fn finish(&mut self, now: Option<Moment>, points: &mut Vec<MetricPoint>) {
        match self {
            Self::Output(reader) => reader.finish(now, points),
            Self::JsonLines(reader) => reader.finish(now, points),
            Self::Csv(reader) => reader.finish(now, points),
            // A frame that is cut stays cut.
            Self::EventFile(_) => {}
        }
    }

    /// Why nothing more is read, where that is so.
    pub fn ended(&self) -> Option<&EndReason> {
        match self {
            Self::Output(_) | Self::JsonLines(_) => None,
            Self::Csv(reader) => reader.ended(),
            Self::EventFile(reader) => reader.ended(),
        }
    }

    /// Where its points come from.
    pub fn source(&self) -> &PointSource {
        match self {
            Self::Output(reader) => reader.source(),
            Self::JsonLines(reader) => reader.source(),
            Self::Csv(reader) => reader.source(),
            Self::EventFile(reader) => reader.source(),
        }
    }
}
