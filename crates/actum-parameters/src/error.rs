//! Why a way to start, a configuration or a parameter was not found.

use actum_gate::GateError;
use actum_model::Untrusted;

/// Names in messages come from files and command lines; longer ones are cut.
const LONGEST: usize = 200;

#[derive(Debug, thiserror::Error)]
pub enum ParameterError {
    #[error("the configuration {} does not exist{}", shown(file), hint(near))]
    ConfigMissing { file: String, near: Vec<String> },
    #[error("cannot read the configuration {}", shown(file))]
    ConfigUnread { file: String, source: GateError },
    #[error("the configuration {} is neither YAML, JSON nor TOML by its name", shown(file))]
    ConfigFormat { file: String },
    #[error("cannot parse {}: {}", shown(file), shown(why))]
    ConfigWrong { file: String, why: String },
    #[error("there is no parameter `{}`{}", shown(key), hint(near))]
    UnknownKey { key: String, near: Vec<String> },
    #[error("cannot set `{}`: {}", shown(key), shown(why))]
    CannotSet { key: String, why: String },
    #[error("`{}` is not of the form KEY=VALUE", shown(word))]
    NotAssignment { word: String },
    #[error("`{}` can mean {}", shown(flag), several(meanings))]
    Ambiguous { flag: String, meanings: Vec<String> },
}

fn shown(text: &str) -> String {
    Untrusted::new(text).shown(LONGEST)
}

fn several(names: &[String]) -> String {
    names.iter().map(|name| format!("`{}`", shown(name))).collect::<Vec<_>>().join(", ")
}

fn hint(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", several(near)) }
}
