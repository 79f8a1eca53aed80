//! How expectations are written: one form, in two spellings.
//!
//! On a command line an expectation is `KIND=VALUE` or `KIND:SUBJECT=VALUE`. In a file (TOML, YAML, JSON) the same words are
//! keys: `kind = value`, or `kind.subject = value`, where a list of values is several expectations.
//!
//! | kind | what it takes |
//! |---|---|
//! | `exit` | a number |
//! | `stdout`, `stderr` | the whole text; `-contains`, `-matches` and `-json` behind it take a part, a pattern, a value |
//! | `file`, `absent`, `readable` | a path |
//! | `size:FILE`, `rows:FILE` | a range |
//! | `sha256:FILE`, `json:FILE`, `schema:FILE`, `columns:FILE`, `image:FILE`, `parquet:FILE` | as they say |
//! | `metric:NAME`, `last:SERIES`, `number:SERIES`, `sum:SERIES` | a range |
//! | `finite:SERIES`, `monotone:SERIES` | nothing; a direction |
//! | `duration`, `memory` | a range of times, of bytes |
//! | `tolerance` | how far numbers may be from what is expected |
//!
//! A range is `A..B`, `A..`, `..B`, `A` or `A±B`. A series is a place (`stdout`, `stderr`, `metric`, a file) and behind `#`
//! a column, a name or a JSON pointer.

mod kinds;
mod range;

use crate::error::JudgeError;
use actum_model::Expectation;
use serde_json::{Map, Value};
use std::cell::Cell;
use std::collections::HashMap;
use std::io;

/// The forms, for people who wrote another.
const FORMS: &str = "exit, stdout, stderr, stdout-contains, stdout-matches, stdout-json, file, absent, readable, size, rows, sha256, \
                         json, schema, columns, image, parquet, metric, last, number, sum, finite, monotone, duration, memory \
                         or tolerance";

/// A pattern takes up to a millisecond to be read, and a text as long to be looked for in a mebibyte of output.
const MOST_OF_A_KIND: usize = 300;
/// A mebibyte of schema takes a fifth of a second to be read, each time that it is named.
const LARGEST_SCHEMAS: usize = 1 << 20;

/// What holds for several expectations.
pub struct Settings<'a> {
    /// How far numbers may be from what is expected: of the number itself where it is larger than one.
    pub tolerance: f64,
    /// Reads the file of a schema.
    pub load: &'a dyn Fn(&str) -> io::Result<String>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self { tolerance: 0.0, load: &|_| Err(io::ErrorKind::Unsupported.into()) }
    }
}

/// One expectation as it is typed; none where it is a setting.
pub fn line(text: &str, settings: &Settings<'_>) -> Result<Option<Expectation>, JudgeError> {
    let wrong = |why: String| JudgeError::NotUnderstood { text: text.to_owned(), why };
    let end = text.find([':', '=']).unwrap_or(text.len());
    let (kind, rest) = text.split_at(end);
    let (subject, value) = match rest.strip_prefix(':') {
        Some(rest) => {
            let (subject, value) =
                rest.split_once('=').map_or((rest, None), |(one, other)| (one, Some(other)));
            (Some(subject), value)
        }
        None => (None, rest.strip_prefix('=')),
    };
    let value = value.map(|value| Value::String(value.to_owned())).unwrap_or(Value::Null);
    kinds::read(kind.trim(), subject, &value, settings).map_err(|fault| fault.placed(wrong))
}

/// The tolerance that lines name, the last of them.
pub fn tolerance_of<'t>(lines: impl Iterator<Item = &'t str>) -> Option<f64> {
    lines
        .filter_map(|line| line.strip_prefix("tolerance="))
        .filter_map(|text| text.trim().parse().ok())
        .last()
}

/// The expectations of a table.
pub fn table(table: &Map<String, Value>, settings: &Settings<'_>) -> Result<Vec<Expectation>, JudgeError> {
    let named = table.get("tolerance").and_then(Value::as_f64);
    let left = Cell::new(LARGEST_SCHEMAS);
    let load = |name: &str| {
        let text = (settings.load)(name)?;
        let rest = left.get().checked_sub(text.len());
        left.set(rest.ok_or_else(|| io::Error::other("the schemas of one table are larger than 1 MiB"))?);
        Ok(text)
    };
    let settings = Settings { tolerance: named.unwrap_or(settings.tolerance), load: &load };
    let mut all = Vec::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (kind, value) in table {
        // What takes a file takes it as a key, whatever its value is.
        let subjects = value.as_object().filter(|_| kind == "json" || !kinds::takes_json(kind));
        let entries: Vec<(Option<&str>, &Value)> = match subjects {
            Some(subjects) => {
                subjects.iter().map(|(subject, value)| (Some(subject.as_str()), value)).collect()
            }
            None => vec![(None, value)],
        };
        for (subject, value) in entries {
            for value in several(kind, value) {
                let wrong =
                    |why: String| JudgeError::NotUnderstood { text: shown(kind, subject, value), why };
                let (of, words) = family(kind);
                let count = counts.entry(of).or_default();
                *count += 1;
                if *count > MOST_OF_A_KIND {
                    return Err(wrong(format!("a table can have at most {MOST_OF_A_KIND} {words}")));
                }
                all.extend(
                    kinds::read(kind, subject, value, &settings).map_err(|fault| fault.placed(wrong))?,
                );
            }
        }
    }
    Ok(all)
}

/// What is counted together, with a word for several of it: of a kind that both streams have, both.
fn family(kind: &str) -> (&str, String) {
    let bare = kind.strip_prefix("stdout-").or_else(|| kind.strip_prefix("stderr-"));
    match bare {
        Some("matches") => ("-matches", "patterns".to_owned()),
        Some("contains") => ("-contains", "texts to find".to_owned()),
        Some(_) | None => (kind, format!("expectations of `{kind}`")),
    }
}

/// A list is several, but where it is one value.
fn several<'v>(kind: &str, value: &'v Value) -> Vec<&'v Value> {
    match value.as_array().filter(|_| !kinds::takes_list(kind) && !kinds::takes_json(kind)) {
        Some(values) => values.iter().collect(),
        None => vec![value],
    }
}

fn shown(kind: &str, subject: Option<&str>, value: &Value) -> String {
    let subject = subject.map_or_else(String::new, |subject| format!(".{subject}"));
    format!("{kind}{subject} = {value}")
}

/// Why one entry is not understood.
enum Fault {
    Wrong(String),
    Whole(JudgeError),
}

impl Fault {
    fn placed(self, wrong: impl Fn(String) -> JudgeError) -> JudgeError {
        match self {
            Self::Wrong(why) => wrong(why),
            Self::Whole(error) => error,
        }
    }
}

impl From<String> for Fault {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}

#[cfg(test)]
mod tests;
