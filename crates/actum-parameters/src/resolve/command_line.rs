//! The words of a command line, as the program's own library reads them.

use super::{Inputs, takes_pairs};
use crate::config_file::typed_value;
use crate::declared::subcommand;
use crate::error::ParameterError;
use actum_model::{DeclaredParameter, Framework, ParameterKind};
use serde_json::Value;
use std::collections::HashMap;

/// What the words give.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// By the place of the parameter among those declared.
    pub(super) values: HashMap<usize, Value>,
    /// `key=value` for keys of the configuration.
    pub(super) pairs: HashMap<String, Value>,
    pub(super) unknown: Vec<String>,
}

/// More meanings of an abbreviation are not named.
const MOST_MEANINGS: usize = 5;

pub(super) fn read(inputs: &Inputs<'_>, declared: &[&DeclaredParameter]) -> Result<Given, ParameterError> {
    let command = subcommand(inputs.declared, inputs.words);
    let command = command.map(|command| command.split(' ').map(str::to_owned).collect()).unwrap_or_default();
    let mut flags: HashMap<&str, usize> = HashMap::new();
    for (at, parameter) in declared.iter().enumerate() {
        for flag in parameter.flags.iter().chain(&parameter.negative_flags) {
            flags.entry(flag).or_insert(at);
        }
    }
    let config = inputs.config.iter().map(|leaf| (leaf.path.as_str(), ())).collect();
    let mut reader = Reader {
        declared,
        flags,
        config,
        words: inputs.words,
        at: 0,
        command,
        places: Vec::new(),
        given: Given::default(),
    };
    reader.read()?;
    reader.place();
    Ok(reader.given)
}

struct Reader<'i> {
    declared: &'i [&'i DeclaredParameter],
    flags: HashMap<&'i str, usize>,
    config: HashMap<&'i str, ()>,
    words: &'i [String],
    at: usize,
    /// Words of the subcommand that are still to come.
    command: Vec<String>,
    /// Words without a flag.
    places: Vec<String>,
    given: Given,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), ParameterError> {
        let has_pairs = takes_pairs(self.declared);
        while let Some(word) = self.words.get(self.at) {
            self.at += 1;
            if word == "--" {
                self.places.extend(self.words[self.at..].iter().cloned());
                self.at = self.words.len();
            } else if is_flag(word) {
                self.flag(word)?;
            } else if self.command.first() == Some(word) {
                self.command.remove(0);
            } else if !self.pair(word, has_pairs) {
                self.places.push(word.clone());
            }
        }
        Ok(())
    }

    fn flag(&mut self, word: &str) -> Result<(), ParameterError> {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word, None),
        };
        if let Some(at) = self.known(flag)? {
            self.take(at, flag, value);
            return Ok(());
        }
        // `-b32`, `-vvv`
        if let Some(short) = word.get(..2).filter(|short| !short.starts_with("--"))
            && let Some(at) = self.flags.get(short).copied()
        {
            let rest = word[2..].to_owned();
            match self.declared[at].kind {
                ParameterKind::Count => self.count(at, rest.len() + 1),
                ParameterKind::Switch => {
                    self.take(at, short, None);
                    return self.flag(&format!("-{rest}"));
                }
                ParameterKind::Option
                | ParameterKind::Repeated
                | ParameterKind::Position
                | ParameterKind::Pair
                | ParameterKind::Constant => {
                    self.take(at, short, Some(rest));
                }
            }
            return Ok(());
        }
        self.given.unknown.push(word.to_owned());
        // What follows an unknown flag is likely its value.
        if value.is_none() && self.words.get(self.at).is_some_and(|next| !is_flag(next)) && !self.has_places()
        {
            self.given.unknown.push(self.words[self.at].clone());
            self.at += 1;
        }
        Ok(())
    }

    fn has_places(&self) -> bool {
        self.declared.iter().any(|one| one.kind == ParameterKind::Position) || !self.command.is_empty()
    }

    /// The parameter of a flag, of its abbreviation where the library takes those, or with one dash for two.
    fn known(&self, flag: &str) -> Result<Option<usize>, ParameterError> {
        if let Some(at) = self.flags.get(flag) {
            return Ok(Some(*at));
        }
        let is =
            |frameworks: &[Framework]| self.declared.iter().any(|one| frameworks.contains(&one.framework));
        if is(&[Framework::Absl, Framework::Fire])
            && let Some(name) = flag.strip_prefix('-')
            && let Some(at) = self.flags.get(format!("--{}", name.trim_start_matches('-')).as_str())
        {
            return Ok(Some(*at));
        }
        let abbreviates = is(&[Framework::Argparse, Framework::HfArgumentParser, Framework::SimpleParsing]);
        if !abbreviates || !flag.starts_with("--") || flag.len() < 3 {
            return Ok(None);
        }
        let mut meant: Vec<(&str, usize)> = self
            .flags
            .iter()
            .filter(|(long, _)| long.starts_with(flag))
            .map(|(long, at)| (*long, *at))
            .collect();
        meant.sort_unstable();
        let first = meant.first().map(|(_, at)| *at);
        if meant.iter().all(|(_, at)| Some(*at) == first) {
            return Ok(first);
        }
        let meanings = meant.iter().take(MOST_MEANINGS).map(|(long, _)| (*long).to_owned()).collect();
        Err(ParameterError::Ambiguous { flag: flag.to_owned(), meanings })
    }

    /// The value of a flag: behind `=`, or in the words that follow.
    fn take(&mut self, at: usize, flag: &str, value: Option<String>) {
        let parameter = self.declared[at];
        let is_negative = parameter.negative_flags.iter().any(|negative| negative == flag)
            || flag.starts_with("--no")
                && !parameter.flags.iter().any(|one| one == flag || one.starts_with(flag))
                && parameter.negative_flags.iter().any(|negative| negative.starts_with(flag));
        match parameter.kind {
            ParameterKind::Switch => {
                let value = match (is_negative, value) {
                    (true, _) => Value::Bool(false),
                    (false, Some(text)) => typed_value(&text),
                    (false, None) => Value::Bool(switched(parameter)),
                };
                self.given.values.insert(at, value);
            }
            ParameterKind::Count => self.count(at, 1),
            _ if is_negative => {
                self.given.values.insert(at, Value::Bool(false));
            }
            ParameterKind::Repeated => {
                let value = value.or_else(|| self.next_value()).map(|text| typed(parameter, &text));
                let list = self.given.values.entry(at).or_insert_with(|| Value::Array(Vec::new()));
                if let (Value::Array(list), Some(value)) = (list, value) {
                    list.push(value);
                }
            }
            ParameterKind::Option
            | ParameterKind::Position
            | ParameterKind::Pair
            | ParameterKind::Constant => {
                let value = match value {
                    Some(text) => typed(parameter, &text),
                    None => self.following(parameter),
                };
                self.given.values.insert(at, value);
            }
        }
    }

    /// As many words as its `nargs` says.
    fn following(&mut self, parameter: &DeclaredParameter) -> Value {
        let most = match parameter.count.as_deref() {
            None => return self.next_value().map_or(Value::Null, |text| typed(parameter, &text)),
            Some("?") => {
                let next = self.words.get(self.at).filter(|next| !is_flag(next)).cloned();
                let Some(text) = next else { return Value::Bool(true) };
                self.at += 1;
                return typed(parameter, &text);
            }
            Some("...") => usize::MAX,
            Some(count) => count.parse().unwrap_or(usize::MAX),
        };
        let takes_all = parameter.count.as_deref() == Some("...");
        let mut list = Vec::new();
        while list.len() < most {
            let Some(next) = self.words.get(self.at).filter(|next| takes_all || !is_flag(next)) else {
                break;
            };
            self.at += 1;
            list.push(typed(parameter, next));
        }
        Value::Array(list)
    }

    fn next_value(&mut self) -> Option<String> {
        let next = self.words.get(self.at).filter(|next| !is_flag(next))?;
        self.at += 1;
        Some(next.clone())
    }

    fn count(&mut self, at: usize, more: usize) {
        let before = self.given.values.get(&at).and_then(Value::as_u64).unwrap_or(0);
        self.given.values.insert(at, Value::from(before + more as u64));
    }

    /// `model.lr=0.1`, and `MODEL.LR 0.1` of yacs.
    fn pair(&mut self, word: &str, has_pairs: bool) -> bool {
        if let Some((key, value)) = word.split_once('=').filter(|_| has_pairs) {
            let key = key.trim_start_matches(['+', '~']);
            let declared =
                self.declared.iter().position(|one| one.kind == ParameterKind::Pair && one.name == key);
            if let Some(at) = declared {
                self.given.values.insert(at, typed_value(value));
            } else if self.config.contains_key(key) {
                self.given.pairs.insert(key.to_owned(), typed_value(value));
            } else {
                self.given.unknown.push(word.to_owned());
            }
            return true;
        }
        let of_yacs =
            self.declared.iter().position(|one| one.framework == Framework::Yacs && one.name == word);
        let (Some(at), Some(value)) = (of_yacs, self.words.get(self.at)) else { return false };
        self.at += 1;
        self.given.values.insert(at, typed_value(value));
        true
    }

    /// Words without a flag to the positions, in order; one that takes many leaves enough for those behind it.
    fn place(&mut self) {
        let words = std::mem::take(&mut self.places);
        let positions: Vec<usize> = (0..self.declared.len())
            .filter(|at| self.declared[*at].kind == ParameterKind::Position)
            .collect();
        let mut at = 0;
        for (index, position) in positions.iter().enumerate() {
            let parameter = self.declared[*position];
            let behind: usize = positions[index + 1..].iter().map(|other| least(self.declared[*other])).sum();
            let left = words.len().saturating_sub(at);
            let free = left.saturating_sub(behind);
            let take = match parameter.count.as_deref() {
                None if parameter.required => left.min(1),
                None | Some("?") => free.min(1),
                Some("*" | "+" | "...") => free,
                Some(count) => count.parse().unwrap_or(0).min(left),
            };
            if take == 0 {
                continue;
            }
            let texts = &words[at..at + take];
            at += take;
            let value = match (parameter.count.as_deref(), texts) {
                (None | Some("?"), [text]) => typed(parameter, text),
                (_, texts) => texts.iter().map(|text| typed(parameter, text)).collect(),
            };
            self.given.values.insert(*position, value);
        }
        self.given.unknown.extend(words.into_iter().skip(at));
    }
}

/// The fewest words that a position takes.
fn least(parameter: &DeclaredParameter) -> usize {
    match parameter.count.as_deref() {
        None => usize::from(parameter.required),
        Some("?" | "*" | "...") => 0,
        Some("+") => 1,
        Some(count) => count.parse().unwrap_or(0),
    }
}

/// What a switch makes of its parameter.
fn switched(parameter: &DeclaredParameter) -> bool {
    let default = parameter.default.as_ref().and_then(|default| default.literal());
    // With a flag of its own for false, its flag is for true.
    !parameter.negative_flags.is_empty() || default != Some(&Value::Bool(true))
}

/// A word as the type of the parameter has it.
pub(super) fn typed(parameter: &DeclaredParameter, text: &str) -> Value {
    let default = parameter.default.as_ref().and_then(|default| default.literal());
    let by_type = parameter.value_type.as_deref().unwrap_or_default();
    let is = |words: &[&str]| words.iter().any(|word| by_type.to_lowercase().contains(word));
    let is_number = is(&["int", "float", "number"])
        || by_type.is_empty()
            && default.is_some_and(Value::is_number)
            && parameter.framework != Framework::Argparse;
    let is_boolean = is(&["bool"])
        || by_type.is_empty()
            && default.is_some_and(Value::is_boolean)
            && parameter.framework != Framework::Argparse;
    // Fire and Hydra read words as literals.
    let is_literal = matches!(
        parameter.framework,
        Framework::Fire | Framework::Hydra | Framework::Yacs | Framework::Configurator
    );
    match typed_value(text) {
        value @ Value::Number(_) if is_number || is_literal => value,
        value @ Value::Bool(_) if is_boolean || is_literal => value,
        value @ (Value::Array(_) | Value::Object(_) | Value::Null) if is_literal => value,
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => Value::String(text.to_owned()),
    }
}

/// A negative number is no flag.
pub(super) fn is_flag(word: &str) -> bool {
    let is_number = word.strip_prefix('-').is_some_and(|rest| rest.parse::<f64>().is_ok());
    word.len() > 1 && word.starts_with('-') && !is_number
}
