//! A value as text: what is shown of it, harmless on a terminal, and how wide that is.

use rusqlite::types::ValueRef;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthChar;

/// What is shown in one place of a table: one or more lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) lines: Vec<Line>,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Nothing,
    Number,
    Text,
}

impl Cell {
    pub(crate) fn of(value: ValueRef<'_>) -> Self {
        let kind = match value {
            ValueRef::Null => Kind::Nothing,
            ValueRef::Integer(_) | ValueRef::Real(_) => Kind::Number,
            ValueRef::Text(_) | ValueRef::Blob(_) => Kind::Text,
        };
        Self { lines: lines(&bytes(value)), kind }
    }

    pub(crate) fn of_text(text: &str) -> Self {
        Self { lines: lines(text.as_bytes()), kind: Kind::Text }
    }

    pub(crate) fn width(&self) -> usize {
        self.lines.iter().map(|line| line.width).max().unwrap_or(0)
    }

    pub(crate) fn length(&self) -> usize {
        self.lines.iter().map(|line| line.text.len()).sum()
    }
}

/// A value as bytes: nothing for NULL, `\x…` for a blob, as `psql` has it.
pub(crate) fn bytes(value: ValueRef<'_>) -> Vec<u8> {
    match value {
        ValueRef::Null => Vec::new(),
        ValueRef::Integer(number) => number.to_string().into_bytes(),
        ValueRef::Real(number) => real(number).into_bytes(),
        ValueRef::Text(text) => text.to_vec(),
        ValueRef::Blob(blob) => {
            let mut text = String::with_capacity(2 + 2 * blob.len());
            text.push_str("\\x");
            blob.iter().for_each(|byte| {
                let _ = write!(text, "{byte:02x}");
            });
            text.into_bytes()
        }
    }
}

/// A real number keeps its point, so that it is told apart from a whole one.
fn real(number: f64) -> String {
    match number {
        _ if number == f64::INFINITY => "Infinity".to_owned(),
        _ if number == f64::NEG_INFINITY => "-Infinity".to_owned(),
        _ => format!("{number:?}"),
    }
}

/// Splits at line breaks. Tabs become spaces, every other control character and whatever reorders or hides text is
/// written out.
fn lines(bytes: &[u8]) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\n' {
                lines.push(Line::default());
            } else if let Some(line) = lines.last_mut() {
                line.push(c);
            }
        }
        for byte in chunk.invalid() {
            if let Some(line) = lines.last_mut() {
                line.push_written(&format!("\\x{byte:02X}"));
            }
        }
    }
    lines
}

impl Line {
    fn push(&mut self, c: char) {
        match c {
            '\t' => {
                let spaces = 8 - self.width % 8;
                self.push_written(&" ".repeat(spaces));
            }
            '\r' => self.push_written("\\r"),
            c if c.is_ascii_control() => self.push_written(&format!("\\x{:02X}", u32::from(c))),
            c if c.is_control() || is_deceptive(c) => self.push_written(&format!("\\u{:04X}", u32::from(c))),
            c => {
                self.text.push(c);
                self.width += c.width().unwrap_or(0);
            }
        }
    }

    fn push_written(&mut self, text: &str) {
        self.text.push_str(text);
        self.width += text.len();
    }
}

/// Text on one line, harmless: for a name in a message.
pub(crate) fn plain(text: &[u8]) -> String {
    lines(text).into_iter().map(|line| line.text).collect::<Vec<_>>().join("\\n")
}

/// Characters that reorder or hide what stands around them. The joiner of emoji is left: it does neither.
fn is_deceptive(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
