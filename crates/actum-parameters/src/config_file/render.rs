//! Values as text: within a file of each format, and a whole configuration anew where nothing else is left.

use super::Format;
use super::tree::{Content, Layout};
use super::yaml;
use serde_json::Value;
use std::fmt::Write as _;

/// What was typed for a value.
pub(super) fn typed(text: &str) -> Value {
    if text.trim().is_empty() || text.contains('\n') {
        return Value::String(text.to_owned());
    }
    match yaml::read(text) {
        Ok(node) => match (&node.content, node.layout) {
            // `a: b` and `- a` are not meant as a table and a list.
            (Content::List(_) | Content::Table(_), Layout::Block) => Value::String(text.to_owned()),
            (Content::Scalar(Value::String(_)), Layout::Plain | Layout::Block) => {
                Value::String(text.to_owned())
            }
            // `#1` is a comment to YAML alone.
            (_, Layout::Empty) => Value::String(text.to_owned()),
            (_, _) => node.value(),
        },
        Err(_) => Value::String(text.to_owned()),
    }
}

/// A value on one line, in the quotes that were there before where it is text.
pub(super) fn inline(value: &Value, format: Format, before: Layout) -> Option<String> {
    match format {
        Format::Json => Some(value.to_string()),
        Format::Toml => toml(value),
        Format::Yaml => Some(match (value, before) {
            (Value::String(text), Layout::DoubleQuoted) => quoted(text),
            (Value::String(text), Layout::SingleQuoted)
                if !text.contains(['\'', '\n']) && is_printable(text) =>
            {
                format!("'{text}'")
            }
            (_, _) => flow(value),
        }),
    }
}

fn is_printable(text: &str) -> bool {
    !text
        .chars()
        .any(|one| one.is_control() || matches!(one, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{85}'))
}

/// YAML between brackets, which is right at every place.
fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(one) => one.to_string(),
        Value::Number(number) => yaml_number(number),
        Value::String(text) if is_plain(text) => text.clone(),
        Value::String(text) => quoted(text),
        Value::Array(list) => format!("[{}]", list.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(table) => {
            let entries = table.iter().map(|(key, value)| format!("{}: {}", yaml_key(key), flow(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A float has a point: readers of YAML 1.1 take `1e-4` for text.
fn yaml_number(number: &serde_json::Number) -> String {
    let text = number.to_string();
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{}", signed(exponent)),
        Some((digits, exponent)) => format!("{digits}e{}", signed(exponent)),
        None => text,
    }
}

/// And its exponent a sign.
fn signed(exponent: &str) -> String {
    if exponent.starts_with(['-', '+']) { exponent.to_owned() } else { format!("+{exponent}") }
}

fn yaml_key(key: &str) -> String {
    if is_plain(key) { key.to_owned() } else { quoted(key) }
}

/// Whether a text means itself without quotes, also between brackets.
fn is_plain(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./ ".contains(&byte);
    text.len() <= 1_000
        && text.starts_with(|first: char| first.is_ascii_alphabetic() || "_/.".contains(first))
        && !text.ends_with(' ')
        && text.bytes().all(is_letter)
        && !matches!(text, "y" | "Y" | "n" | "N" | "..." | "---")
        && yaml::plain(text) == Value::String(text.to_owned())
        // `.inf` and `.nan` are numbers.
        && !matches!(text.to_ascii_lowercase().as_str(), ".inf" | ".nan")
}

fn quoted(text: &str) -> String {
    let mut out = Value::String(text.to_owned()).to_string();
    // What JSON lets stand and YAML does not print.
    for (one, escape) in [
        ("\u{7f}", "\\x7f"),
        ("\u{85}", "\\N"),
        ("\u{2028}", "\\L"),
        ("\u{2029}", "\\P"),
        ("\u{feff}", "\\uFEFF"),
    ] {
        out = out.replace(one, escape);
    }
    out
}

/// Nothing for what TOML cannot hold.
fn toml(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(one) => one.to_string(),
        Value::Number(number) => {
            let text = number.to_string();
            text.parse::<i64>().is_ok().then(|| text.clone()).or_else(|| number.as_f64().map(toml_float))?
        }
        Value::String(text) => Value::String(text.clone()).to_string().replace('\u{7f}', "\\u007F"),
        Value::Array(list) => format!("[{}]", list.iter().map(toml).collect::<Option<Vec<_>>>()?.join(", ")),
        Value::Object(table) => {
            let entry = |(key, value): (&String, &Value)| {
                Some(format!(
                    "{} = {}",
                    Value::String(key.clone()).to_string().replace('\u{7f}', "\\u007F"),
                    toml(value)?
                ))
            };
            format!("{{ {} }}", table.iter().map(entry).collect::<Option<Vec<_>>>()?.join(", "))
        }
    })
}

fn toml_float(number: f64) -> String {
    format!("{number:?}")
}

/// A whole configuration in YAML, by indentation.
pub(super) fn whole_yaml(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

fn block(value: &Value, depth: usize, out: &mut String) {
    let indentation = "  ".repeat(depth);
    match value {
        Value::Object(table) if !table.is_empty() => {
            for (key, value) in table {
                let _ = write!(out, "{indentation}{}:", yaml_key(key));
                below(value, depth, out);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for value in list {
                let _ = write!(out, "{indentation}-");
                below(value, depth, out);
            }
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {
            let _ = writeln!(out, "{}", flow(value));
        }
    }
}

fn below(value: &Value, depth: usize, out: &mut String) {
    let is_empty = match value {
        Value::Object(table) => table.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    };
    if is_empty {
        let _ = writeln!(out, " {}", flow(value));
    } else {
        out.push('\n');
        block(value, depth + 1, out);
    }
}
