//! The report as YAML: block style, texts of several lines as literal blocks, as people write it by hand.
//!
//! An emitter of our own, because a text that a program printed must read back the same in every reader. What is plain
//! here is plain in YAML 1.2 and in 1.1: a text stands without quotes only when it begins with a letter and is no word
//! that some reader takes for a truth value or for nothing. Whatever a reader could misunderstand is in double quotes.

use super::untrusted::is_harmless;
use serde_json::{Map, Number, Value};
use std::fmt::Write as _;

/// Columns by which each level is set in.
const STEP: usize = 2;

/// One document.
pub fn yaml(value: &Value) -> String {
    let mut out = String::new();
    match Below::of(value) {
        Below::Fields(map) => fields(map, 0, &mut out),
        Below::Items(items) => list(items, 0, &mut out),
        // Not as a block: a document that is one text has no indent that a block could have.
        Below::Nothing => line(value, &mut out),
    }
    out
}

/// What a value sets in below itself.
enum Below<'a> {
    Fields(&'a Map<String, Value>),
    Items(&'a [Value]),
    Nothing,
}

impl<'a> Below<'a> {
    fn of(value: &'a Value) -> Self {
        match value {
            Value::Object(map) if !map.is_empty() => Self::Fields(map),
            Value::Array(items) if !items.is_empty() => Self::Items(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Self::Nothing,
            Value::Array(_) | Value::Object(_) => Self::Nothing,
        }
    }
}

fn line(value: &Value, out: &mut String) {
    out.push_str(&flow(value));
    out.push('\n');
}

fn fields(map: &Map<String, Value>, indent: usize, out: &mut String) {
    for (index, (key, value)) in map.iter().enumerate() {
        begin(index, indent, out);
        let _ = write!(out, "{}:", text(key));
        match Below::of(value) {
            Below::Fields(map) => {
                out.push('\n');
                fields(map, indent + STEP, out);
            }
            Below::Items(items) => {
                out.push('\n');
                list(items, indent + STEP, out);
            }
            Below::Nothing => {
                out.push(' ');
                scalar(value, indent, out);
            }
        }
    }
}

fn list(items: &[Value], indent: usize, out: &mut String) {
    for (index, item) in items.iter().enumerate() {
        begin(index, indent, out);
        out.push_str("- ");
        match Below::of(item) {
            Below::Fields(map) => fields(map, indent + STEP, out),
            Below::Items(items) => list(items, indent + STEP, out),
            Below::Nothing => scalar(item, indent, out),
        }
    }
}

/// The first line of something that stands in a list is the line of its dash, which has set it in already.
fn begin(index: usize, indent: usize, out: &mut String) {
    if index > 0 || !out.ends_with("- ") {
        pad(indent, out);
    }
}

fn scalar(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::String(text) if is_literal(text) => literal(text, indent + STEP, out),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => line(value, out),
    }
}

/// What fits on one line. Lists and maps come here only when they are empty.
fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(value) => number(value),
        Value::String(value) => text(value),
        Value::Array(_) => "[]".to_owned(),
        Value::Object(_) => "{}".to_owned(),
    }
}

/// Readers of 1.1 take `1e16` for a text: they want a point and the sign of the exponent.
fn number(number: &Number) -> String {
    let written = number.to_string();
    let Some((mantissa, exponent)) = written.split_once(['e', 'E']) else { return written };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) { "" } else { "+" };
    format!("{mantissa}{point}e{sign}{exponent}")
}

/// Several lines that a literal block gives back byte for byte, and that nobody has to look at twice.
fn is_literal(text: &str) -> bool {
    let is_quiet =
        |line: &str| !line.ends_with([' ', '\t']) && line.chars().all(|c| c == '\t' || is_harmless(c));
    text.contains('\n')
        && !text.trim_matches('\n').is_empty()
        && text.split('\n').all(is_quiet)
        && printable(text)
}

fn literal(text: &str, indent: usize, out: &mut String) {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let chomping = match (text.ends_with('\n'), body.ends_with('\n')) {
        (false, _) => "-",
        (true, false) => "",
        (true, true) => "+",
    };
    // A reader finds the indent at the first line, unless that line begins with a blank of its own.
    let first = body.trim_start_matches('\n');
    let indicator = if first.starts_with([' ', '\t']) { "2" } else { "" };
    let _ = writeln!(out, "|{indicator}{chomping}");
    for line in body.split('\n') {
        if !line.is_empty() {
            pad(indent, out);
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn text(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

fn is_plain(text: &str) -> bool {
    /// Read as truth values or as nothing by readers of 1.1, in any case of letters.
    const TAKEN: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let is_quiet = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ' ');
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(is_quiet)
        && !text.ends_with(' ')
        && !TAKEN.contains(&text.to_ascii_lowercase().as_str())
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            character if is_harmless(character) && is_printable(character) => out.push(character),
            character if (character as u32) < 0x100 => {
                let _ = write!(out, "\\x{:02x}", character as u32);
            }
            character if (character as u32) < 0x1_0000 => {
                let _ = write!(out, "\\u{:04x}", character as u32);
            }
            character => {
                let _ = write!(out, "\\U{:08x}", character as u32);
            }
        }
    }
    out.push('"');
    out
}

fn printable(text: &str) -> bool {
    text.chars().all(|character| matches!(character, '\n' | '\t') || is_printable(character))
}

/// What YAML lets stand unescaped. Above the first plane 1.1 and 1.2 agree, but some readers of 1.1 do not.
fn is_printable(character: char) -> bool {
    matches!(character, ' '..='~' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
        && character != '\u{feff}'
}

fn pad(columns: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', columns));
}

#[cfg(test)]
mod tests;
