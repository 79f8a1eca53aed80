//! Changes of values in the text of a configuration.
//!
//! The bytes of the value are replaced and all others stay: comments, order, quotes, anchors. Then the new text is read, and
//! must be the old configuration with exactly this value changed. Where no replacement passes that (a table that is an alias, a value
//! that others refer to), YAML and JSON are written anew from the value and a note says so.

use super::path::KeyPath;
use super::render;
use super::tree::{self, Layout, Node, Origin, Place};
use super::{Format, without_mark};
use crate::error::ParameterError;
use crate::near;
use serde_json::Value;
use std::ops::Range;
use std::rc::Rc;

/// A changed copy of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    pub text: String,
    /// What is unusual about it: sentences.
    pub notes: Vec<String>,
}

/// More keys than that are not compared with an unknown one.
const MOST_NAMES: usize = 5_000;

/// Sets values at dotted paths, one after the other.
pub fn set_values(text: &str, format: Format, values: &[(String, String)]) -> Result<Edited, ParameterError> {
    let mark = &text[..text.len() - without_mark(text).len()];
    let mut edited = Edited { text: without_mark(text).to_owned(), notes: Vec::new() };
    for (key, value) in values {
        set_value(&mut edited, format, key, value)?;
    }
    edited.text.insert_str(0, mark);
    Ok(edited)
}

fn set_value(edited: &mut Edited, format: Format, key: &str, typed: &str) -> Result<(), ParameterError> {
    let wrong = |why: String| ParameterError::ConfigWrong { file: "the configuration".to_owned(), why };
    let root = format.tree(&edited.text).map_err(wrong)?;
    let path = KeyPath::parse(key);
    let place = path.as_ref().and_then(|path| tree::find(&root, path));
    let (Some(path), Some(place)) = (path, place) else {
        let near = near::names(key, &tree::paths(&root, MOST_NAMES));
        return Err(ParameterError::UnknownKey { key: key.to_owned(), near });
    };
    let new = render::typed(typed);
    let old = place.edge.node.value();
    if old == new {
        return Ok(());
    }
    note_type(&path, &old, &new, &mut edited.notes);
    let mut expected = root.value();
    replace(&mut expected, &root, &path, &new);
    let found = candidates(&edited.text, format, &place, &new)
        .into_iter()
        .find(|candidate| format.tree(candidate).is_ok_and(|tree| tree.value() == expected));
    let anew = match format {
        Format::Yaml => Some(render::whole_yaml(&expected)),
        Format::Json => serde_json::to_string_pretty(&expected).ok(),
        Format::Toml => None,
    };
    if let Some(text) = found {
        edited.text = text;
        return Ok(());
    }
    let anew = anew.filter(|text| format.tree(text).is_ok_and(|tree| tree.value() == expected));
    let Some(text) = anew else {
        return Err(ParameterError::CannotSet { key: key.to_owned(), why: cannot(&new, format) });
    };
    edited.notes.push(format!(
        "`{path}` could not be changed in place: the configuration is written anew, without comments"
    ));
    edited.text = text;
    Ok(())
}

fn cannot(new: &Value, format: Format) -> String {
    match (format, new) {
        (Format::Toml, Value::Null) => "TOML has no null".to_owned(),
        (Format::Toml, _) => "it is a table of TOML; set its keys".to_owned(),
        (Format::Yaml | Format::Json, _) => "the result would not be read back as it is meant".to_owned(),
    }
}

fn note_type(path: &KeyPath, old: &Value, new: &Value, notes: &mut Vec<String>) {
    let (before, after) = (kind(old), kind(new));
    if before != after && !old.is_null() && !new.is_null() {
        notes.push(format!("`{path}` was {before} and is {after} now"));
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

/// Changes the value at a path that was found in the tree.
fn replace(value: &mut Value, root: &Rc<Node>, path: &KeyPath, new: &Value) {
    let Some(keys) = keys(root, path) else { return };
    let mut inner = value;
    for key in keys {
        let next = match (inner, key) {
            (Value::Object(table), Step::Key(key)) => table.get_mut(&key),
            (Value::Array(list), Step::Index(index)) => list.get_mut(index),
            (_, _) => None,
        };
        let Some(next) = next else { return };
        inner = next;
    }
    *inner = new.clone();
}

enum Step {
    Key(String),
    Index(usize),
}

/// The steps that lead to a path: keys may have dots of their own.
fn keys(root: &Rc<Node>, path: &KeyPath) -> Option<Vec<Step>> {
    let (mut holder, mut rest, mut steps) = (root, path.segments(), Vec::new());
    while !rest.is_empty() {
        let (edge, taken) = tree::step(holder, rest)?;
        steps.push(match &edge.key {
            Some(key) => Step::Key(key.text.clone()),
            None => Step::Index(rest.first()?.index()?),
        });
        rest = &rest[taken..];
        holder = &edge.node;
    }
    Some(steps)
}

/// Texts in which the value may be the new one, the best first.
fn candidates(text: &str, format: Format, place: &Place<'_>, new: &Value) -> Vec<String> {
    let node = &place.edge.node;
    let Some(value) = render::inline(new, format, node.layout) else { return Vec::new() };
    if !place.is_own || node.layout == Layout::Section {
        return Vec::new();
    }
    match &place.edge.origin {
        Origin::Alias(span) => vec![put(text, span, &value)],
        Origin::Merged => override_merged(text, place, &value).into_iter().collect(),
        Origin::Here => at_its_place(text, place, &value),
    }
}

fn at_its_place(text: &str, place: &Place<'_>, value: &str) -> Vec<String> {
    let node = &place.edge.node;
    let after_colon = place.edge.key.as_ref().and_then(|key| {
        let colon = text.get(key.span.end..)?.find(':')? + key.span.end + 1;
        Some(colon)
    });
    match node.layout {
        Layout::Plain | Layout::SingleQuoted | Layout::DoubleQuoted | Layout::Flow => {
            vec![put(text, &node.span, value)]
        }
        Layout::Empty => {
            let after_dash = text.get(..node.span.start).map(|before| before.trim_end().len());
            let places = [after_colon, Some(node.span.start), after_dash];
            places.into_iter().flatten().map(|at| put(text, &(at..at), &format!(" {value}"))).collect()
        }
        Layout::Block => {
            let end = end_of_block(text, &node.span);
            let mut found = Vec::new();
            if let Some(start) = after_colon {
                found.push(put(text, &(start..end), &format!(" {value}")));
            }
            found.push(put(text, &(node.span.start..end), value));
            found
        }
        Layout::Section => Vec::new(),
    }
}

/// Without the line end and the blanks that a block takes with it.
fn end_of_block(text: &str, span: &Range<usize>) -> usize {
    span.start + text.get(span.clone()).map_or(0, |block| block.trim_end().len())
}

/// An entry of its own for a key that came with `<<`.
fn override_merged(text: &str, place: &Place<'_>, value: &str) -> Option<String> {
    let key = place.edge.key.as_ref()?;
    let start = place.holder.span.start;
    match place.holder.layout {
        Layout::Flow => Some(put(text, &(start + 1..start + 1), &format!("{}: {value}, ", key.text))),
        Layout::Block => {
            // Before its first key, with the indentation that this has.
            let line = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
            let indentation: String =
                text[line..start].chars().map(|one| if one == '\t' { '\t' } else { ' ' }).collect();
            Some(put(text, &(start..start), &format!("{}: {value}\n{indentation}", key.text)))
        }
        Layout::Plain | Layout::SingleQuoted | Layout::DoubleQuoted | Layout::Empty | Layout::Section => None,
    }
}

fn put(text: &str, range: &Range<usize>, new: &str) -> String {
    let (start, end) = (range.start.min(text.len()), range.end.clamp(range.start, text.len()));
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    format!("{before}{new}{after}")
}
