//! Where statements begin and which line that is.
//!
//! SQLite says where a statement ends. What it skips without telling (blanks, comments, lone semicolons) is skipped here
//! in the same way, so that an error can name the line of the statement and not the line of the comment before it.

use crate::error::SqlError;

/// A script that can be handed to SQLite: UTF-8, without NUL but for one at its end. With that one SQLite reads it in
/// place; without, it would copy the whole rest for each statement.
#[derive(Debug)]
pub(crate) struct Script {
    text: String,
    /// The first byte that has not been carried out.
    at: usize,
    /// The byte and the line up to which lines were counted.
    counted: (usize, usize),
}

impl Script {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, SqlError> {
        let line = |at: usize| 1 + breaks(&bytes[..at]);
        let text = std::str::from_utf8(bytes)
            .map_err(|error| SqlError::NotUtf8 { line: line(error.valid_up_to()) })?;
        if let Some(at) = text.find('\0') {
            return Err(SqlError::Nul { line: line(at) });
        }
        Ok(Self { text: format!("{text}\0"), at: 0, counted: (0, 1) })
    }

    pub(crate) fn text(&self) -> String {
        self.text.clone()
    }

    /// The line of the next statement.
    pub(crate) fn next_line(&mut self) -> usize {
        let first = self.at + skipped(&self.text[self.at..]);
        self.line_of(first)
    }

    /// Goes past a statement, given as SQLite took it.
    pub(crate) fn advance(&mut self, taken: &str) {
        let first = self.at + skipped(&self.text[self.at..]);
        let own = taken.len() - skipped(taken);
        self.at = self.text.floor_char_boundary(first + own);
    }

    /// The line of a byte that is not before the last one asked for; otherwise counted from the beginning.
    pub(crate) fn line_of(&mut self, at: usize) -> usize {
        let at = at.min(self.text.len());
        let (from, line) = if at >= self.counted.0 { self.counted } else { (0, 1) };
        self.counted = (at, line + breaks(&self.text.as_bytes()[from..at]));
        self.counted.1
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }
}

/// The length of blanks, comments and lone semicolons in front.
fn skipped(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        at += match rest.as_bytes() {
            [b' ' | b'\t' | b'\n' | b'\r' | 0x0c, ..] => 1,
            [b';', ..] => 1,
            [b'-', b'-', ..] => rest.find('\n').unwrap_or(rest.trim_end_matches('\0').len()),
            [b'/', b'*', ..] => rest[2..].find("*/").map_or(rest.trim_end_matches('\0').len(), |end| end + 4),
            [0xef, 0xbb, 0xbf, ..] => 3,
            _ => return at,
        };
    }
}

fn breaks(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}
