//! `actum init`

mod hooks;
mod json_text;
mod settings;

use super::agent::Agent;
use super::trouble::{Trouble, ended};
use crate::config;
use crate::screen;
use actum_store::{Keyring, Store};
use std::path::PathBuf;
use std::process::ExitCode;

/// Keep the runs of a project in the project, or stand beside a coding agent
///
/// Without --agent: runs are kept in a folder `.actum`. It is found from every folder below, like `.git`, and is never
/// committed. Without one, runs are kept in your data folder. A `.actum` that came with a project is not used until you take it
/// over with this command.
///
/// With --agent: the agent's settings are told to call Actum before and after each shell command and when the agent stops, so
/// that its commands leave records and what it says at the end is held against them. Everything else in the settings stays as
/// it is; a second time changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum init
  actum init ~/projects/model
  actum init --agent claude              hooks in .claude/settings.json
  actum init --agent codex --dry-run     what would be written
  actum init --agent gemini --user       for all of your projects
  actum init --agent claude --remove")]
pub struct Init {
    /// The project's folder
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Write the hooks of this agent
    #[arg(long, value_name = "NAME", help_heading = "Coding agents")]
    agent: Option<Agent>,
    /// Take the hooks out again
    #[arg(long, requires = "agent", help_heading = "Coding agents")]
    remove: bool,
    /// In your own settings instead of the project's
    #[arg(long, requires = "agent", help_heading = "Coding agents")]
    user: bool,
    /// Show what would be written, and write nothing
    #[arg(long, requires = "agent", help_heading = "Coding agents")]
    dry_run: bool,
    /// As JSON: the file, what happened to it, and its text
    #[arg(long, requires = "agent", help_heading = "Coding agents")]
    json: bool,
}

impl Init {
    pub fn execute(self) -> ExitCode {
        match self.agent {
            Some(agent) => self.hooks(agent),
            None => ended(self.store()),
        }
    }

    fn store(&self) -> Result<ExitCode, Trouble> {
        let keys = config::keys_folder()?;
        let folder = self.folder.canonicalize().map_err(Trouble::file(&self.folder))?;
        let root = folder.join(Store::IN_PROJECT);
        let (store, keyring) = (Store::at(&root), Keyring::at(&keys));
        let before = root.is_dir().then(|| store.is_known(&keyring));
        store.init(&keyring)?;
        screen::say(&match before {
            None => format!("runs below {} are kept in {}", folder.display(), root.display()),
            Some(true) => format!("{} is there already", root.display()),
            Some(false) => format!("{} is taken over: what is in it is trusted from now on", root.display()),
        });
        Ok(ExitCode::SUCCESS)
    }
}
