//! A table of separated values: names in the first row, numbers in the others, as Keras' `CSVLogger` and Lightning write them.
//!
//! Cells without a number are passed over: Lightning leaves those empty that a row has no value for.

use super::EndReason;
use super::named::{self, Named};
use crate::number;
use crate::point::{MetricPoint, PointSource};
use actum_model::Moment;

/// 256 KiB: a row of ten thousand columns.
const LONGEST_ROW: usize = 256 * 1024;
/// Columns after these are not read.
const MOST_COLUMNS: usize = 10_000;

/// Reads one file.
#[derive(Debug)]
pub struct CsvReader {
    source: PointSource,
    /// The row that is not whole yet, and whether its end is inside quotes.
    row: Vec<u8>,
    is_quoted: bool,
    line: u64,
    header: Option<Header>,
    ended: Option<EndReason>,
}

#[derive(Debug)]
struct Header {
    names: Vec<String>,
    separator: u8,
}

impl CsvReader {
    pub fn new(path: &str) -> Self {
        Self::of_source(PointSource::Csv(path.to_owned()))
    }

    fn of_source(source: PointSource) -> Self {
        Self { source, row: Vec::new(), is_quoted: false, line: 1, header: None, ended: None }
    }

    pub(super) fn anew(&self) -> Self {
        Self::of_source(self.source.clone())
    }

    pub(super) fn source(&self) -> &PointSource {
        &self.source
    }

    pub(super) fn ended(&self) -> Option<&EndReason> {
        self.ended.as_ref()
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8], now: Option<Moment>, points: &mut Vec<MetricPoint>) {
        for byte in bytes {
            if self.ended.is_some() {
                return;
            }
            match byte {
                // A doubled quote inside quotes closes and opens them again.
                b'"' => self.is_quoted = !self.is_quoted,
                b'\n' => self.line += 1,
                _ => {}
            }
            if *byte == b'\n' && !self.is_quoted {
                self.end_row(now, points);
            } else if self.row.len() == LONGEST_ROW {
                self.ended = Some(EndReason::LongRow { line: self.line, most: LONGEST_ROW });
                self.row = Vec::new();
            } else {
                self.row.push(*byte);
            }
        }
    }

    /// Takes a last row that nothing ended.
    pub fn finish(&mut self, now: Option<Moment>, points: &mut Vec<MetricPoint>) {
        if self.ended.is_none() {
            self.end_row(now, points);
        }
    }

    fn end_row(&mut self, now: Option<Moment>, points: &mut Vec<MetricPoint>) {
        let row = std::mem::take(&mut self.row);
        self.is_quoted = false;
        let text = String::from_utf8_lossy(row.strip_suffix(b"\r").unwrap_or(&row));
        match &self.header {
            _ if text.trim().is_empty() => {}
            Some(header) => header.read(&text, &self.source, now, points),
            None => match Header::of(&text) {
                Some(header) => self.header = Some(header),
                None => self.ended = Some(EndReason::NoHeader),
            },
        }
        self.row = row;
        self.row.clear();
    }
}

impl Header {
    /// The names of the columns; none where the row has no name.
    fn of(row: &str) -> Option<Self> {
        let row = row.strip_prefix('\u{feff}').unwrap_or(row);
        // The separator that occurs most. Where none does there is one column.
        let count = |separator: &u8| row.bytes().filter(|byte| byte == separator).count();
        let separator = [b',', b';', b'\t'].into_iter().rev().max_by_key(count)?;
        let names: Vec<String> = cells(row, separator).into_iter().take(MOST_COLUMNS).collect();
        let has_name = names.iter().any(|name| !name.is_empty() && number::from_text(name).is_none());
        has_name.then_some(Self { names, separator })
    }

    fn read(&self, row: &str, source: &PointSource, now: Option<Moment>, points: &mut Vec<MetricPoint>) {
        let cells = cells(row, self.separator);
        let numbers = self.names.iter().zip(&cells).filter_map(|(name, cell)| {
            let value = number::from_text(cell)?;
            (!name.is_empty()).then_some(Named { name, value })
        });
        named::points(&numbers.collect::<Vec<_>>(), source, now, points);
    }
}

/// The cells of a row: quotes around them are gone, doubled quotes inside are single.
fn cells(row: &str, separator: u8) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = row.chars().peekable();
    while let Some(character) = characters.next() {
        let is_escaped = is_quoted && character == '"' && characters.peek() == Some(&'"');
        if is_escaped {
            characters.next();
        }
        match character {
            '"' if !is_escaped => is_quoted = !is_quoted,
            one if one == char::from(separator) && !is_quoted => cells.push(String::new()),
            one => cells.last_mut().expect("BUG: there is a first cell").push(one),
        }
    }
    cells.iter_mut().for_each(|cell| *cell = cell.trim().to_owned());
    cells
}
