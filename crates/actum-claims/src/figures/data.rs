//! Figures of data: JSON, as a file or on a line, and tables in files.

use super::{Figure, ToldAs, is_index, told_as, words};
use actum_model::{Quantity, Unit};
use serde_json::Value;
use std::cell::OnceCell;

/// Deeper is no result of anybody's.
const DEEPEST: usize = 12;

/// A file that a run wrote.
pub(super) fn file(path: &str, text: &str, figures: &mut Vec<Figure>) {
    let piece = format!("file/{path}");
    let ending = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    match ending.as_str() {
        "json" => {
            if let Ok(value) = serde_json::from_str(text) {
                leaves(&value, &piece, path, figures);
            }
        }
        "jsonl" | "ndjson" => {
            for line in text.lines() {
                if let Ok(value) = serde_json::from_str(line) {
                    leaves(&value, &piece, path, figures);
                }
            }
        }
        "csv" => table(text, ',', &piece, figures),
        "tsv" => table(text, '\t', &piece, figures),
        _ => {}
    }
}

/// A line that is an object, of JSON or as Python shows one.
pub(super) fn line(text: &str) -> Option<Value> {
    let text = text.trim();
    if !(text.starts_with('{') && text.ends_with('}')) {
        return None;
    }
    let parsed = serde_json::from_str(text).or_else(|_| serde_json::from_str(&text.replace('\'', "\"")));
    parsed.ok().filter(Value::is_object)
}

/// Every number of a value.
pub(super) fn leaves(value: &Value, piece: &str, text: &str, figures: &mut Vec<Figure>) {
    let mut path: Vec<String> = Vec::new();
    walk(value, (None, false), &mut path, &mut |path, step, number| {
        let Some(value) = Quantity::read(&number) else { return };
        let Some((key, outer)) = path.split_last() else { return };
        let name = words::keys(key);
        if name.is_empty() {
            return;
        }
        let row = outer.join(" ");
        let told_as = told_as(crate::names::words(key).iter().map(String::as_str));
        let value = with_unit(value, key);
        let around = words::keys(&row);
        let joint = if path.iter().any(|part| part.contains(' ')) { ", " } else { "." };
        let text = format!("{}: {number} in {text}", path.join(joint));
        figures.push(Figure {
            piece: piece.to_owned(),
            value,
            name,
            around,
            row,
            step,
            told_as,
            text,
            beside: OnceCell::new(),
        });
    });
}

fn walk(
    value: &Value,
    (step, is_item): (Option<u64>, bool),
    path: &mut Vec<String>,
    each: &mut impl FnMut(&[String], Option<u64>, String),
) {
    if path.len() > DEEPEST {
        return;
    }
    match value {
        Value::Object(fields) => {
            let own = fields.iter().find(|(name, _)| is_index(name)).and_then(|(_, value)| value.as_f64());
            let step =
                own.filter(|step| *step >= 0.0 && step.fract() == 0.0).map(|step| step as u64).or(step);
            // What an object says in words tells its numbers from those of its neighbours.
            let called = fields.values().filter_map(Value::as_str).filter(|text| is_name(text));
            let mut called: Vec<String> = called.take(3).map(str::to_owned).collect();
            // As in a table, the first number names the row where no word does: `nx 10`.
            if is_item && called.is_empty() && own.is_none() {
                let first =
                    fields.iter().find(|(name, value)| value.is_u64() && !crate::names::is_head(None, name));
                called.extend(first.map(|(name, value)| format!("{name} {value}")));
            }
            let depth = path.len();
            path.extend(called);
            for (name, value) in fields.iter().filter(|(name, _)| !is_index(name)) {
                path.push(name.clone());
                walk(value, (step, false), path, each);
                path.pop();
            }
            path.truncate(depth);
        }
        Value::Array(items) => {
            for item in items.iter().filter(|item| item.is_object() || item.is_array()).take(2000) {
                walk(item, (step, true), path, each);
            }
        }
        Value::Number(number) => each(path, step, number.to_string()),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// A few words; a number between quotes is no name.
fn is_name(text: &str) -> bool {
    text.len() <= 40 && text.contains(char::is_alphabetic)
}

fn table(text: &str, comma: char, piece: &str, figures: &mut Vec<Figure>) {
    let mut rows = text.lines();
    let Some(header) = rows.next().map(|row| row.split(comma).map(str::trim).collect::<Vec<_>>()) else {
        return;
    };
    let is_header = header.len() > 1 && header.iter().all(|cell| Quantity::read(cell).is_none());
    // A table of data is no table of results.
    if !is_header || text.lines().count() > 200 {
        return;
    }
    for row in rows {
        let cells: Vec<&str> = row.split(comma).map(str::trim).collect();
        if cells.len() == header.len() {
            self::row(&Row { header: &header, cells: &cells, piece, text: row, above: &[] }, figures);
        }
    }
}

/// One row under its header.
pub(super) struct Row<'t> {
    pub(super) header: &'t [&'t str],
    pub(super) cells: &'t [&'t str],
    pub(super) piece: &'t str,
    pub(super) text: &'t str,
    pub(super) above: &'t [String],
}

/// A column is a name, and what is no number in the row says which row it is.
pub(super) fn row(row: &Row<'_>, figures: &mut Vec<Figure>) {
    let Row { header, cells, piece, text, above } = *row;
    let step = header.iter().zip(cells).find(|(name, _)| is_index(&name.to_lowercase()));
    let step = step.and_then(|(_, cell)| cell.parse().ok());
    let labels: Vec<&str> = cells.iter().copied().filter(|cell| number(cell).is_none()).collect();
    let label = labels.join(" ");
    // A first column of numbers names the rows too: `lr 0.1`.
    let first = cells.first().filter(|_| labels.is_empty() && step.is_none()).copied().unwrap_or_default();
    for (at, (name, cell)) in header.iter().zip(cells).enumerate() {
        let Some(value) = number(cell).map(|value| with_unit(value, name)) else { continue };
        let keys = words::keys(name);
        if keys.is_empty() || is_index(&name.to_lowercase()) {
            continue;
        }
        let row = if at > 0 { format!("{label} {first}") } else { label.clone() };
        let mut around = words::keys(&row);
        around.extend(above.iter().cloned());
        figures.push(Figure {
            piece: piece.to_owned(),
            value,
            name: keys,
            around,
            row: row.trim().to_owned(),
            step,
            beside: OnceCell::new(),
            told_as: if at == 0 && !first.is_empty() && cells.len() > 2 {
                ToldAs::Key
            } else {
                ToldAs::Value
            },
            text: text.trim().to_owned(),
        });
    }
}

/// The unit that a name ends with: `fit_s`, `size (MB)`.
pub(super) fn with_unit(value: Quantity, name: &str) -> Quantity {
    let last = crate::names::words(name).pop().unwrap_or_default();
    let is_unit = name.len() > last.len() && last != "m" && last != "min" && last != "b" && last != "h";
    match Unit::named(&last).filter(|_| is_unit && value.unit == Unit::Plain) {
        Some(unit @ (Unit::Time(_) | Unit::Size(_))) => Quantity { unit, ..value },
        Some(Unit::Plain | Unit::Percent | Unit::Points | Unit::Times) | None => value,
    }
}

/// A cell that is a number, perhaps with a unit.
pub(super) fn number(cell: &str) -> Option<Quantity> {
    let cell = cell.trim_matches(|c: char| c.is_whitespace() || "*$€£".contains(c));
    cell.parse().ok().or_else(|| Quantity::read(cell))
}
