//! `[hook]`: what is done for coding agents.

use super::{ConfigError, Whose};
use actum_model::Profile;
use serde::Deserialize;
use std::path::Path;

/// What is done for coding agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookRules {
    pub commands: Commands,
    /// What routed commands may touch; none where they run as the agent's own shell runs them.
    pub walls: Option<Profile>,
    pub block: Block,
}

/// What becomes of an agent's shell commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Commands {
    /// The agent runs them itself, and what it tells is recorded.
    Observe,
    /// Actum runs them.
    Route,
}

/// Which findings about the last message send the agent back to work. Each one blocks what those before it block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    Never,
    /// What the ledger says otherwise.
    Contradicted,
    /// What was true of other files, too, and what nothing in the ledger supports.
    Unsupported,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HookPart {
    commands: Option<Commands>,
    walls: Option<String>,
    block: Option<Block>,
}

impl Default for HookRules {
    fn default() -> Self {
        Self { commands: Commands::Observe, walls: None, block: Block::Never }
    }
}

impl HookRules {
    /// As it would be written down.
    pub fn shown(&self) -> String {
        let commands = match self.commands {
            Commands::Observe => "observe",
            Commands::Route => "route",
        };
        let block = match self.block {
            Block::Never => "never",
            Block::Contradicted => "contradicted",
            Block::Unsupported => "unsupported",
        };
        let walls = self.walls.map_or("none", Profile::name);
        format!("[hook]\ncommands = \"{commands}\"\nwalls = \"{walls}\"\nblock = \"{block}\"")
    }

    /// A project's own file can make this stricter, not laxer: an agent can write it.
    pub(super) fn lay_over(&mut self, part: HookPart, path: &Path, whose: Whose) -> Result<(), ConfigError> {
        let walls = part.walls.map(|text| match text.as_str() {
            "none" => Ok(None),
            name => name.parse::<Profile>().map(Some),
        });
        let walls =
            walls.transpose().map_err(|source| ConfigError::Policy { path: path.to_path_buf(), source })?;
        match whose {
            Whose::Users => {
                self.commands = part.commands.unwrap_or(self.commands);
                self.block = part.block.unwrap_or(self.block);
                self.walls = walls.unwrap_or(self.walls);
            }
            Whose::Projects => {
                self.commands = part.commands.unwrap_or(self.commands).max(self.commands);
                self.block = part.block.unwrap_or(self.block).max(self.block);
                if self.walls.is_none() {
                    self.walls = walls.flatten();
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(text: &str, whose: Whose) -> HookRules {
        let mut rules = HookRules { commands: Commands::Route, walls: None, block: Block::Contradicted };
        rules.lay_over(toml::from_str(text).unwrap(), Path::new("x"), whose).unwrap();
        rules
    }

    #[test]
    fn a_project_makes_it_stricter_and_not_laxer() {
        let lax = "commands = \"observe\"\nblock = \"never\"\nwalls = \"none\"";
        assert_eq!(laid(lax, Whose::Users), HookRules::default());
        assert_eq!(laid(lax, Whose::Projects), laid("", Whose::Projects));
        let strict = laid("block = \"unsupported\"\nwalls = \"default\"", Whose::Projects);
        assert_eq!((strict.block, strict.walls), (Block::Unsupported, Some(Profile::Default)));
    }

    #[test]
    fn what_is_shown_can_be_read_again() {
        let strict =
            HookRules { commands: Commands::Route, walls: Some(Profile::Default), block: Block::Unsupported };
        for rules in [HookRules::default(), strict] {
            let shown = rules.shown();
            assert_eq!(laid(shown.strip_prefix("[hook]\n").unwrap(), Whose::Users), rules);
        }
    }

    #[test]
    fn a_word_that_is_none_is_refused() {
        assert!(toml::from_str::<HookPart>("block = \"sometimes\"").is_err());
        let mut rules = HookRules::default();
        let part = toml::from_str("walls = \"lax\"").unwrap();
        assert!(rules.lay_over(part, Path::new("x"), Whose::Users).is_err());
    }
}
