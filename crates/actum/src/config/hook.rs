//! `[hook]`: what is done for coding agents.

use super::files::project_files_above;
use super::{ConfigError, Whose, caller_anywhere};
use actum_gate::Bound;
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

/// Whether `[hook] walls` asks for a sandbox around an agent's commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxRequest {
    No,
    Yes(Profile),
    /// A file that may ask for one cannot be read; with the reason.
    Unknown(String),
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
                if let Some(asked) = walls.flatten() {
                    self.walls = Some(self.walls.map_or(asked, |walls| stricter(walls, asked)));
                }
            }
        }
        Ok(())
    }
}

impl SandboxRequest {
    /// Reads nothing but `walls`, so that no other mistake in a file, and no problem with a store, can hide that it was set.
    pub fn read(folder: Option<&Path>) -> Self {
        let caller = caller_anywhere();
        let user = caller.below_home("XDG_CONFIG_HOME", ".config").map(|base| base.join("actum/config.toml"));
        let folder =
            folder.map_or_else(|| caller.folder().to_path_buf(), |folder| caller.folder().join(folder));
        // A project's file can ask for a sandbox, and not for none; an inner one cannot take back what an outer one asks for.
        let files = user.into_iter().chain(project_files_above(&folder));
        files.map(|path| Self::of_file(&path)).fold(Self::No, Self::stricter)
    }

    /// What satisfies both.
    pub fn stricter(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown(why), _) | (_, Self::Unknown(why)) => Self::Unknown(why),
            (Self::No, other) | (other, Self::No) => other,
            (Self::Yes(one), Self::Yes(other)) => Self::Yes(stricter(one, other)),
        }
    }

    fn of_file(path: &Path) -> Self {
        match read_setting_file(path) {
            Ok(Some(text)) => Self::of_text(&text).unwrap_or_else(|| {
                Self::Unknown(format!("`walls` in {} has an unknown value", path.display()))
            }),
            Ok(None) => Self::No,
            Err(error) => Self::Unknown(format!("cannot read {}: {error}", path.display())),
        }
    }

    /// Nothing where a sandbox may be asked for, and it is not clear which.
    fn of_text(text: &str) -> Option<Self> {
        let Ok(whole) = text.parse::<toml::Table>() else {
            let names_it = |line: &str| line.split('#').next().is_some_and(|line| line.contains("walls"));
            return (!text.lines().any(names_it)).then_some(Self::No);
        };
        let hook = match whole.get("hook") {
            None => return Some(Self::No),
            Some(hook) => hook.as_table()?,
        };
        match hook.get("walls").map(toml::Value::as_str) {
            None | Some(Some("none")) => Some(Self::No),
            Some(name) => name?.parse().ok().map(Self::Yes),
        }
    }
}

/// The policy that allows what both allow.
fn stricter(one: Profile, other: Profile) -> Profile {
    match (one, other) {
        (one, other) if one == other => one,
        (Profile::Locked, _) | (_, Profile::Locked) => Profile::Locked,
        (Profile::Open, other) | (other, Profile::Open) => other,
        // Each of the others adds something of its own to the default.
        (_, _) => Profile::Default,
    }
}

/// More is no configuration.
const LONGEST_FILE: Bound = Bound::SMALL;

/// The text of a file; nothing where there is none. A link that leads nowhere, or a file where a folder should be, is an
/// error: something is there that cannot be read. Does not wait for a FIFO.
pub(crate) fn read_setting_file(path: &Path) -> std::io::Result<Option<String>> {
    match actum_gate::read_named_text(path, LONGEST_FILE) {
        Ok(text) => Ok(Some(text.into_string())),
        Err(error) if error.is_missing() && is_absent(path) => Ok(None),
        Err(error) => Err(error.into_io()),
    }
}

/// Whether the nearest thing on a path that is there is a folder.
fn is_absent(path: &Path) -> bool {
    let nearest = path.ancestors().find(|above| match above.symlink_metadata() {
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        Ok(_) => true,
    });
    nearest.is_none_or(|nearest| nearest != path && nearest.is_dir())
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

    #[test]
    fn a_sandbox_is_asked_for_also_by_a_broken_file() {
        use SandboxRequest::{No, Yes};
        for (text, expected) in [
            ("", Some(No)),
            ("[hook]\nwalls = \"none\"", Some(No)),
            ("[hook]\nwalls = \"default\"", Some(Yes(Profile::Default))),
            ("hook.walls = \"locked\"\n[nonsense]\nx = 1", Some(Yes(Profile::Locked))),
            ("[hook]\nwalls = \"defualt\"", None),
            ("[hook]\nwalls = 3", None),
            ("hook = 3", None),
            ("[hook]\nwalls = \"default\"\n[broken", None),
            ("[broken", Some(No)),
            ("[broken\n# walls", Some(No)),
        ] {
            assert_eq!(SandboxRequest::of_text(text), expected, "{text}");
        }
    }
}
