//! The configuration of a run: found, read, and changed in a copy.
//!
//! [`find`] says which file an entry uses and why, [`Config::read`] reads YAML, JSON or TOML into one ordered value, and
//! [`set_values`] changes values in a text and leaves every other byte as it was. No file is written here.

mod edit;
mod find;
mod json;
mod path;
mod render;
#[cfg(test)]
mod tests;
mod toml_tree;
mod tree;
mod yaml;

pub use edit::{Edited, set_values};
pub use find::{ConfigChoice, ConfigSearch, config_flags, find};
pub use path::KeyPath;

use crate::error::ParameterError;
use actum_gate::{Bound, Root};
use serde_json::Value;
use std::path::Path;
use std::rc::Rc;
use tree::Node;

/// How a configuration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    Yaml,
    Json,
    Toml,
}

impl Format {
    /// By the ending of a name.
    pub fn of(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Some(Format::Yaml),
            "json" => Some(Format::Json),
            "toml" => Some(Format::Toml),
            _ => None,
        }
    }

    fn tree(self, text: &str) -> Result<Rc<Node>, String> {
        match self {
            Format::Yaml => yaml::read(text),
            Format::Json => json::read(text),
            Format::Toml => toml_tree::read(text),
        }
    }
}

/// A configuration that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Below the root.
    pub file: String,
    pub format: Format,
    /// As it stands in the file.
    pub text: String,
    /// With its keys in the order of the file.
    pub value: Value,
}

impl Config {
    /// Reads a file below the root.
    pub fn read(root: &Root, file: &str) -> Result<Self, ParameterError> {
        let format =
            Format::of(file).ok_or_else(|| ParameterError::ConfigFormat { file: file.to_owned() })?;
        let read = root.read_text(Path::new(file), Bound::SMALL);
        let text = read.map_err(|source| ParameterError::ConfigUnread { file: file.to_owned(), source })?;
        Self::of_text(file, format, text.as_str())
    }

    /// The same of a text.
    pub fn of_text(file: &str, format: Format, text: &str) -> Result<Self, ParameterError> {
        let value =
            parse(text, format).map_err(|why| ParameterError::ConfigWrong { file: file.to_owned(), why })?;
        Ok(Self { file: file.to_owned(), format, text: text.to_owned(), value })
    }

    /// Paths of its values, at most `most`.
    pub fn paths(&self, most: usize) -> Vec<String> {
        self.format.tree(&self.text).map(|tree| tree::paths(&tree, most)).unwrap_or_default()
    }

    /// The value at a path.
    pub fn get(&self, path: &KeyPath) -> Option<Value> {
        let tree = self.format.tree(&self.text).ok()?;
        tree::find(&tree, path).map(|place| place.edge.node.value())
    }
}

/// Reads a configuration into one value; the error says why not.
pub fn parse(text: &str, format: Format) -> Result<Value, String> {
    Ok(format.tree(without_mark(text))?.value())
}

/// A value as it is typed on a command line: a scalar of YAML, a list or table between brackets, and text otherwise.
pub fn typed_value(text: &str) -> Value {
    render::typed(text)
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
