//! `actum backup`

use super::trouble::{Trouble, ended};
use crate::config;
use crate::screen;
use actum_store::{Against, Keyring, Reader, Store, backup, verify};
use std::path::PathBuf;
use std::process::ExitCode;

/// Copy the whole store to a new folder, even during runs
///
/// The copy is a complete store, as of one moment, and is verified before the command ends. Set ACTUM_STORE to use it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum backup /mnt/disk/actum-2026-11-15
  ACTUM_STORE=/mnt/disk/actum-2026-11-15 actum ls")]
pub struct Backup {
    /// New folder; it must not exist
    #[arg(value_name = "FOLDER")]
    to: PathBuf,
}

impl Backup {
    pub fn execute(self) -> ExitCode {
        ended(self.go())
    }

    fn go(&self) -> Result<ExitCode, Trouble> {
        let surroundings = config::surroundings()?;
        let to = surroundings.folder.join(&self.to);
        let copied = backup(&Reader::open(&Store::at(&surroundings.store))?, &to)?;
        let keys = Keyring::at(&surroundings.keys).own()?;
        let found = verify(&Reader::open(&Store::at(&to))?, &Against { keys, ..Against::default() });
        if let Some(problem) = found.problems.first() {
            screen::note(&format!(
                "the copy is not intact: {problem}\nhint: `actum verify` checks the original"
            ));
            return Ok(ExitCode::from(super::trouble::INVALID));
        }
        screen::say(&format!(
            "copied {} entries and {} large blobs to {}; the copy is intact",
            copied.entries,
            copied.blobs,
            to.display()
        ));
        Ok(ExitCode::SUCCESS)
    }
}
