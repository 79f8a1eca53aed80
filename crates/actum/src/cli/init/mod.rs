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

/// Keep a project's runs in the project, or connect a coding agent
///
/// Without --agent, this creates the folder `.actum` and keeps the project's runs there. Actum finds it from every folder
/// below, like `.git`, and it is never committed. Projects without `.actum` use your data folder. A `.actum` that came with a
/// project is not used until you run this command in the project.
///
/// With --agent, this adds hooks to the agent's settings. The agent then calls Actum before and after each shell command and
/// when it stops. Its commands are recorded, and its last message is checked against the records. All other settings are kept.
/// Running this again changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum init
  actum init ~/projects/model
  actum init --agent claude              add hooks to .claude/settings.json
  actum init --agent codex --dry-run     show what would be written
  actum init --agent gemini --user       for all of your projects
  actum init --agent claude --remove")]
pub struct Init {
    /// Project folder
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Add hooks for this coding agent
    #[arg(long, value_name = "NAME", help_heading = "Coding agents")]
    agent: Option<Agent>,
    /// Remove the hooks
    #[arg(long, requires = "agent", help_heading = "Coding agents")]
    remove: bool,
    /// Change your user settings instead of the project's
    #[arg(long, requires = "agent", help_heading = "Coding agents")]
    user: bool,
    /// Show what would be written; write nothing
    #[arg(long, requires = "agent", help_heading = "Coding agents")]
    dry_run: bool,
    /// Print JSON: the file, its status and its text
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
            Some(true) => format!("{} already exists", root.display()),
            Some(false) => format!("{} is yours now: its contents are trusted from now on", root.display()),
        });
        Ok(ExitCode::SUCCESS)
    }
}
