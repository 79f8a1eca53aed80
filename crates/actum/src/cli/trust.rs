//! `actum trust`

use crate::config::{self, ConfigError, ConfigFile, keys_needing_trust, project_file};
use crate::screen;
use actum_engine::Surroundings;
use actum_gate::{Bound, Owner, Root};
use actum_model::path_text;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Trust a project's actum.toml as it is now
///
/// A project's file may restrict what you allow. Keys that allow more, such as another package index or a language definition,
/// count only in a file that you trust. Trust ends when the file changes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum trust                       the nearest actum.toml, here or above
  actum trust ~/project/actum.toml
  actum trust --list
  actum trust --remove ~/project/actum.toml")]
pub struct Trust {
    /// File to trust [default: nearest actum.toml]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// List the trusted files
    #[arg(long, conflicts_with_all = ["file", "remove"])]
    list: bool,
    /// Stop trusting the file
    #[arg(long)]
    remove: bool,
}

impl Trust {
    pub fn execute(self) -> ExitCode {
        match self.carry_out() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => super::fail(&error, Some(error.hint())),
        }
    }

    fn carry_out(&self) -> Result<(), ConfigError> {
        let surroundings = config::surroundings()?;
        let trust = config::Trust::of(&surroundings)?;
        if self.list {
            for trusted in trust.list()? {
                screen::say(&format!("{}  {}", trusted.digest, shown(&trusted.path)));
            }
            return Ok(());
        }
        if self.remove {
            return self.stop(&surroundings);
        }
        let file = self.named_or_nearest(&surroundings)?;
        let keys = keys_needing_trust(&file)?;
        let trusted = trust.add(&file.path, &file.text)?;
        screen::say(&format!("trusted {} ({})", shown(&trusted.path), trusted.digest));
        match keys.is_empty() {
            true => screen::say("it has no setting that needs trust"),
            false => screen::say(&format!("settings that count now: {}", shown_text(&keys.join(", ")))),
        }
        Ok(())
    }

    /// A file that is gone can still be named.
    fn stop(&self, surroundings: &Surroundings) -> Result<(), ConfigError> {
        let path = match &self.file {
            Some(named) => surroundings.folder.join(named),
            None => self.named_or_nearest(surroundings)?.path,
        };
        let path = path.canonicalize().unwrap_or(path);
        let was = config::Trust::of(surroundings)?.remove(&path)?;
        let said = if was { "no longer trusted:" } else { "was not trusted:" };
        screen::say(&format!("{said} {}", shown(&path)));
        Ok(())
    }

    fn named_or_nearest(&self, surroundings: &Surroundings) -> Result<ConfigFile, ConfigError> {
        let Some(named) = &self.file else {
            return project_file(surroundings, None)?.ok_or(ConfigError::NoProjectFile);
        };
        let path = surroundings.folder.join(named);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(ConfigError::NoProjectFile);
        };
        // As a run would read it: a file that a run would refuse is not worth trusting.
        let read = Root::open(folder).map(|root| root.owned_by(Owner::CallerOrRoot));
        let text = read.and_then(|root| root.read_text(Path::new(name), Bound::SMALL));
        let text = text.map_err(|source| ConfigError::Gate { source })?.into_string();
        Ok(ConfigFile { path, text })
    }
}

fn shown(path: &Path) -> String {
    path_text(path.as_os_str().as_bytes())
}

fn shown_text(text: &str) -> String {
    actum_model::Untrusted::new(text).shown(1000)
}
