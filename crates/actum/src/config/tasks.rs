//! `[tasks]`: which tasks of a list are run, whose code counts, and what it is handed.

use super::ConfigError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What `actum tasks` goes by before flags.
#[derive(Debug, Clone, Default)]
pub struct TaskRules {
    pub agent: String,
    pub require: Vec<String>,
    pub words: Vec<String>,
    pub whole_words: bool,
    pub variables: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TasksPart {
    agent: Option<String>,
    require: Option<Vec<String>>,
    words: Option<Vec<String>>,
    #[serde(rename = "match")]
    matching: Option<String>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
}

impl TaskRules {
    /// A project says what its tasks are called; what their code may touch is not said here.
    pub(super) fn lay_over(&mut self, part: TasksPart, path: &Path) -> Result<(), ConfigError> {
        self.whole_words = match part.matching.as_deref() {
            None => self.whole_words,
            Some("part") => false,
            Some("word") => true,
            Some(_) => {
                return Err(ConfigError::Tasks {
                    path: path.to_path_buf(),
                    what: "`match` must be part or word",
                });
            }
        };
        self.agent = part.agent.unwrap_or(std::mem::take(&mut self.agent));
        self.require = part.require.unwrap_or(std::mem::take(&mut self.require));
        self.words = part.words.unwrap_or(std::mem::take(&mut self.words));
        self.variables.extend(part.variables);
        Ok(())
    }
}
