//! `actum init`

use super::trouble::{Trouble, ended};
use crate::config::Surroundings;
use crate::screen;
use actum_store::{Keyring, Store};
use std::path::PathBuf;
use std::process::ExitCode;

/// Keep the runs of a project in the project, in a folder `.actum`
///
/// It is found from every folder below, like `.git`, and is never committed. Without one, runs are kept in your data folder. A
/// `.actum` that came with a project is not used until you take it over with this command.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum init
  actum init ~/projects/model")]
pub struct Init {
    /// The project's folder
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
}

impl Init {
    pub fn execute(self) -> ExitCode {
        ended(self.go())
    }

    fn go(&self) -> Result<ExitCode, Trouble> {
        let keys = Surroundings::keys_folder()?;
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
