//! All parameters of a run: given, configured, and by default; and what `--set` changes.
//!
//! Input: what the program declares, the values of its configuration, the words of its command line and of `--set`. Output: every
//! parameter with its value and where that is from, the changes for the configuration, and the words to add to the command. Pure.

mod command_line;
mod set;
#[cfg(test)]
mod tests;

use crate::declared::{Leaf, of_command};
use crate::error::ParameterError;
use actum_model::{DeclaredParameter, DefaultValue, Framework, ParameterKind};
use std::collections::HashMap;

/// What is known before a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inputs<'i> {
    pub declared: &'i [DeclaredParameter],
    /// The program's own file, for the places of defaults.
    pub program: &'i str,
    /// Values of the configuration, as [`crate::declared::leaves`] and [`crate::declared::compose`] give them.
    pub config: &'i [Leaf],
    /// The words behind the program.
    pub words: &'i [String],
    /// `KEY=VALUE` of each `--set`.
    pub set: &'i [String],
}

/// One parameter of a run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Parameter {
    pub name: String,
    pub value: DefaultValue,
    pub origin: Origin,
    /// By what it is declared, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<Framework>,
}

/// Where the value of a parameter is from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "from")]
pub enum Origin {
    CommandLine,
    Set,
    Config { file: String },
    Default { file: String, line: u32 },
}

/// What was found out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resolved {
    pub parameters: Vec<Parameter>,
    /// Words of the command line that no declaration explains, as they were given.
    pub unknown: Vec<String>,
    /// Parameters that the program asks for and nobody gave.
    pub missing: Vec<String>,
    /// For [`crate::config_file::set_values`], on a copy.
    pub config_changes: Vec<(String, String)>,
    /// To be added to the command.
    pub more_words: Vec<String>,
}

/// Puts everything together. Errors: a key of `--set` that nothing knows, an abbreviation with two meanings.
pub fn resolve(inputs: &Inputs<'_>) -> Result<Resolved, ParameterError> {
    let declared = of_command(inputs.declared, inputs.words);
    let set = set::of(inputs, &declared)?;
    let given = command_line::read(inputs, &declared)?;
    let mut resolved = Resolved {
        unknown: given.unknown,
        config_changes: set.config_changes,
        more_words: set.more_words,
        ..Resolved::default()
    };
    let mut configured: HashMap<&str, &Leaf> =
        inputs.config.iter().map(|leaf| (leaf.path.as_str(), leaf)).collect();
    for (at, parameter) in declared.iter().enumerate() {
        let leaf = configured.remove(parameter.name.as_str());
        let by_set = set.values.get(parameter.name.as_str());
        let by_word = given.values.get(&at);
        let (value, origin) = match (by_set, by_word, leaf) {
            (Some(value), _, _) => (DefaultValue::Literal(value.clone()), Origin::Set),
            (None, Some(value), _) => (DefaultValue::Literal(value.clone()), Origin::CommandLine),
            (None, None, Some(leaf)) => {
                (DefaultValue::Literal(leaf.value.clone()), Origin::Config { file: leaf.file.clone() })
            }
            (None, None, None) => {
                let Some(default) = &parameter.default else {
                    if parameter.required {
                        resolved.missing.push(shown_name(parameter));
                    }
                    continue;
                };
                let origin = Origin::Default { file: inputs.program.to_owned(), line: parameter.line };
                (default.clone(), origin)
            }
        };
        let framework = Some(parameter.framework);
        resolved.parameters.push(Parameter { name: parameter.name.clone(), value, origin, framework });
    }
    for leaf in inputs.config.iter().filter(|leaf| configured.contains_key(leaf.path.as_str())) {
        let (value, origin) = match (set.values.get(&leaf.path), given.pairs.get(&leaf.path)) {
            (Some(value), _) => (value.clone(), Origin::Set),
            (None, Some(value)) => (value.clone(), Origin::CommandLine),
            (None, None) => (leaf.value.clone(), Origin::Config { file: leaf.file.clone() }),
        };
        let value = DefaultValue::Literal(value);
        resolved.parameters.push(Parameter { name: leaf.path.clone(), value, origin, framework: None });
    }
    Ok(resolved)
}

/// The words by which a command gives a parameter this value.
pub fn words_for(parameter: &DeclaredParameter, value: &str) -> Result<Vec<String>, ParameterError> {
    set::words(parameter, value)
}

/// A parameter as its user types it.
fn shown_name(parameter: &DeclaredParameter) -> String {
    let long = parameter.flags.iter().find(|flag| flag.starts_with("--")).or_else(|| parameter.flags.first());
    long.unwrap_or(&parameter.name).clone()
}

/// Whether a program reads `key=value` words by itself.
fn takes_pairs(declared: &[&DeclaredParameter]) -> bool {
    declared.iter().any(|one| {
        one.framework == Framework::Hydra
            || one.kind == ParameterKind::Pair && one.framework != Framework::Yacs
    })
}
