//! `--set KEY=VALUE`: into the configuration where the key is there, else to a flag of the program.

use super::command_line::typed;
use super::{Inputs, shown_name, takes_pairs};
use crate::config_file::typed_value;
use crate::declared::can_be_given;
use crate::error::ParameterError;
use crate::near;
use actum_model::{DeclaredParameter, Framework, ParameterKind};
use serde_json::Value;
use std::collections::HashMap;

/// What the words of `--set` change.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) values: HashMap<String, Value>,
    pub(super) config_changes: Vec<(String, String)>,
    pub(super) more_words: Vec<String>,
}

pub(super) fn of(inputs: &Inputs<'_>, declared: &[&DeclaredParameter]) -> Result<Changes, ParameterError> {
    let mut changes = Changes::default();
    for word in inputs.set {
        let pair = word.split_once('=').filter(|(key, _)| !key.trim().is_empty());
        let Some((key, value)) = pair else {
            return Err(ParameterError::NotAssignment { word: word.clone() });
        };
        set(inputs, declared, (key.trim(), value), &mut changes)?;
    }
    Ok(changes)
}

fn set(
    inputs: &Inputs<'_>,
    declared: &[&DeclaredParameter],
    (key, value): (&str, &str),
    changes: &mut Changes,
) -> Result<(), ParameterError> {
    if let Some(path) = in_config(inputs, key) {
        changes.values.insert(path.clone(), typed_value(value));
        // Hydra composes many files; it takes changes on its command line.
        if takes_pairs(declared) {
            changes.more_words.push(format!("{path}={value}"));
        } else {
            changes.config_changes.push((path, value.to_owned()));
        }
        return Ok(());
    }
    let plain = |name: &str| name.trim_start_matches('-').replace('-', "_");
    let wanted = plain(key);
    let is_meant = |one: &&&DeclaredParameter| {
        plain(&one.name) == wanted || one.flags.iter().any(|flag| plain(flag) == wanted)
    };
    let Some(parameter) = declared.iter().find(is_meant) else {
        let names = inputs.config.iter().map(|leaf| leaf.path.clone());
        let names: Vec<String> = names.chain(declared.iter().map(|one| one.name.clone())).collect();
        return Err(ParameterError::UnknownKey { key: key.to_owned(), near: near::names(key, &names) });
    };
    changes.more_words.extend(words(parameter, value)?);
    changes.values.insert(parameter.name.clone(), given(parameter, value));
    Ok(())
}

/// The path of a key in the configuration: the same, or a list's element, or a table above values.
fn in_config(inputs: &Inputs<'_>, key: &str) -> Option<String> {
    let plain = key.replace('[', ".").replace(']', "");
    let is_below = |path: &str| {
        path.strip_prefix(plain.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let is_element = |path: &str, value: &Value| {
        let rest = plain.strip_prefix(path).and_then(|rest| rest.strip_prefix('.'));
        value.is_array() && rest.is_some_and(|rest| element(value, rest))
    };
    let mut leaves = inputs.config.iter();
    leaves.any(|leaf| is_below(&leaf.path) || is_element(&leaf.path, &leaf.value)).then_some(plain.clone())
}

/// Whether a list has something at a path of indexes and keys.
fn element(value: &Value, path: &str) -> bool {
    let mut inner = value;
    for part in path.split('.') {
        let next = match inner {
            Value::Array(list) => part.parse::<usize>().ok().and_then(|index| list.get(index)),
            Value::Object(table) => table.get(part),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        let Some(next) = next else { return false };
        inner = next;
    }
    true
}

fn given(parameter: &DeclaredParameter, value: &str) -> Value {
    match parameter.kind {
        ParameterKind::Switch => typed_value(value),
        ParameterKind::Option
        | ParameterKind::Count
        | ParameterKind::Repeated
        | ParameterKind::Position
        | ParameterKind::Pair
        | ParameterKind::Constant => typed(parameter, value),
    }
}

/// The words by which a command gives a parameter.
pub(super) fn words(parameter: &DeclaredParameter, value: &str) -> Result<Vec<String>, ParameterError> {
    let cannot = |why: &str| ParameterError::CannotSet { key: parameter.name.clone(), why: why.to_owned() };
    if !can_be_given(parameter) {
        return Err(cannot(&format!(
            "it is a constant in line {} of the program, which is not edited",
            parameter.line
        )));
    }
    let flag = shown_name(parameter);
    Ok(match parameter.kind {
        ParameterKind::Pair if parameter.framework == Framework::Yacs => {
            vec![parameter.name.clone(), value.to_owned()]
        }
        ParameterKind::Pair => vec![format!("{}={value}", parameter.name)],
        ParameterKind::Position | ParameterKind::Constant => {
            return Err(cannot("it is given by its place on the command line"));
        }
        ParameterKind::Count => {
            let count = value.parse::<usize>().ok().filter(|count| *count <= 20);
            let count = count.ok_or_else(|| cannot("its flag is counted, so its value is a small number"))?;
            vec![flag; count]
        }
        ParameterKind::Switch => switch(parameter, &flag, value)
            .ok_or_else(|| cannot("it is a switch without a flag for that value"))?,
        ParameterKind::Option | ParameterKind::Repeated => option(parameter, &flag, value),
    })
}

fn switch(parameter: &DeclaredParameter, flag: &str, value: &str) -> Option<Vec<String>> {
    let Value::Bool(wanted) = typed_value(value) else { return None };
    let default = parameter.default.as_ref().and_then(|default| default.literal());
    let is_on = default == Some(&Value::Bool(true));
    if let Some(negative) = parameter.negative_flags.first() {
        return Some(vec![if wanted { flag } else { negative }.to_owned()]);
    }
    match wanted == is_on {
        // It is that already.
        true => Some(Vec::new()),
        false => Some(vec![flag.to_owned()]),
    }
}

fn option(parameter: &DeclaredParameter, flag: &str, value: &str) -> Vec<String> {
    let takes_many = matches!(parameter.count.as_deref(), Some(count) if count != "?");
    if takes_many {
        let list = match typed_value(value) {
            Value::Array(list) => {
                list.iter().map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned)).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                vec![value.to_owned()]
            }
        };
        return std::iter::once(flag.to_owned()).chain(list).collect();
    }
    let is_joined =
        matches!(parameter.framework, Framework::Absl | Framework::Configurator) || value.starts_with('-');
    match is_joined && flag.starts_with("--") {
        true => vec![format!("{flag}={value}")],
        false => vec![flag.to_owned(), value.to_owned()],
    }
}
