//! What is handed to a confined worker, and what comes back: an order in one line of JSON, the contents behind it, and a
//! finding a line in answer. A worker that does not come to an end has answered what it answered: who asked knows which
//! question it was that ended it.

use crate::finding::Finding;
use crate::format::{self, Format};
use crate::{image, json, numbers, parquet, schema, table, text};
use actum_model::{Expectation, FileTest, Place, Stream, TextTest};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// Which contents an expectation is about, and how much of them it takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Contents {
    Stream(Stream),
    File(String, Slice),
}

/// How much of a file is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Slice {
    Whole,
    Head,
    Tail,
}

/// What has to be parsed for an expectation; none where facts are enough.
pub fn needs(expectation: &Expectation) -> Option<Contents> {
    let file = |path: &str, slice: Slice| Some(Contents::File(path.to_owned(), slice));
    match expectation {
        Expectation::Stream { stream, test: TextTest::Json { .. } | TextTest::Matches { .. } } => {
            Some(Contents::Stream(*stream))
        }
        Expectation::Numbers { series, .. } => match &series.place {
            Place::Metric => None,
            Place::Stream(stream) => Some(Contents::Stream(*stream)),
            Place::File(path) => file(path, Slice::Whole),
        },
        Expectation::File { path, test } => match test {
            FileTest::Exists | FileTest::Absent | FileTest::Size { .. } | FileTest::Sha256 { .. } => None,
            FileTest::Readable => file(path, Format::of(path).map_or(Slice::Head, Format::slice)),
            FileTest::Json { .. } | FileTest::Schema { .. } | FileTest::Columns { .. } => {
                file(path, Slice::Whole)
            }
            FileTest::Rows { .. } if is_parquet(path) => file(path, Slice::Tail),
            FileTest::Rows { .. } => file(path, Slice::Whole),
            FileTest::Image { .. } => file(path, Slice::Head),
            FileTest::Parquet { .. } => file(path, Slice::Tail),
        },
        Expectation::Exit { .. }
        | Expectation::Stream { .. }
        | Expectation::Duration { .. }
        | Expectation::Memory { .. } => None,
    }
}

fn is_parquet(path: &str) -> bool {
    Format::of(path) == Some(Format::Parquet)
}

/// Everything that a worker is asked.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Order {
    pub asks: Vec<Ask>,
    /// How long the contents are that follow, one behind the other.
    pub lengths: Vec<u64>,
}

/// One question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ask {
    pub expectation: Expectation,
    /// Which of the contents it is about.
    pub contents: usize,
}

/// Answers an order, one line for each question, each written when it is known.
pub fn answer(input: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let broken = || io::Error::from(io::ErrorKind::InvalidData);
    let end = input.iter().position(|byte| *byte == b'\n').ok_or_else(broken)?;
    let order: Order = serde_json::from_slice(&input[..end])?;
    let (mut rest, mut contents) = (&input[end + 1..], Vec::new());
    for length in &order.lengths {
        let length = usize::try_from(*length).map_err(|_| broken())?;
        let (taken, behind) = rest.split_at_checked(length).ok_or_else(broken)?;
        contents.push(taken);
        rest = behind;
    }
    for ask in &order.asks {
        let bytes = contents.get(ask.contents).ok_or_else(broken)?;
        serde_json::to_writer(&mut *out, &judge(&ask.expectation, bytes))?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

/// Judges an expectation by contents.
fn judge(expectation: &Expectation, bytes: &[u8]) -> Finding {
    match expectation {
        Expectation::Stream { test: TextTest::Json { value, tolerance }, .. } => {
            json::judge(value, *tolerance, bytes)
        }
        Expectation::Stream { test: TextTest::Matches { pattern }, .. } => text::matches(pattern, bytes),
        Expectation::Numbers { series, test } => match numbers::of_contents(series, bytes) {
            Ok(numbers) => numbers::judge(test, &numbers),
            Err(why) => Finding::broken(why),
        },
        Expectation::File { path, test } => file(path, test, bytes),
        Expectation::Stream { .. }
        | Expectation::Exit { .. }
        | Expectation::Duration { .. }
        | Expectation::Memory { .. } => Finding::undecided("it is empty"),
    }
}

fn file(path: &str, test: &FileTest, bytes: &[u8]) -> Finding {
    match test {
        FileTest::Readable => format::judge(path, bytes),
        FileTest::Json { value, tolerance } => json::judge(value, *tolerance, bytes),
        FileTest::Schema { schema, .. } => schema::judge(schema, bytes),
        FileTest::Columns { names } => table::columns(names, path, bytes),
        FileTest::Rows { within } if is_parquet(path) => parquet::rows(within, bytes),
        FileTest::Rows { within } => table::rows(within, path, bytes),
        FileTest::Image { width, height } => image::judge((*width, *height), bytes),
        FileTest::Parquet { columns } => parquet::columns(columns, bytes),
        FileTest::Exists | FileTest::Absent | FileTest::Size { .. } | FileTest::Sha256 { .. } => {
            Finding::undecided("it is empty")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Settings, line};

    #[test]
    fn every_question_is_answered_in_order() {
        let asks = [("stdout-json={\"a\": 1}", 0), ("rows:t.csv=2", 1), ("number:t.csv#a=0..1", 1)].map(
            |(text, contents)| Ask {
                expectation: line(text, &Settings::default()).unwrap().unwrap(),
                contents,
            },
        );
        let contents = [b"{\"a\": 1}".as_slice(), b"a\n1\n2\n"];
        let order =
            Order { asks: asks.to_vec(), lengths: contents.iter().map(|one| one.len() as u64).collect() };
        let input = [serde_json::to_vec(&order).unwrap(), b"\n".to_vec(), contents.concat()].concat();
        let mut out = Vec::new();
        answer(&input, &mut out).unwrap();
        let findings: Vec<Finding> =
            out.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        let held: Vec<bool> = findings.iter().map(|finding| finding.held).collect();
        assert_eq!(held, [true, true, false]);
        for broken in ["", "{}", "{\"asks\":[],\"lengths\":[5]}\nabc"] {
            assert!(answer(broken.as_bytes(), &mut Vec::new()).is_err(), "{broken}");
        }
    }
}
