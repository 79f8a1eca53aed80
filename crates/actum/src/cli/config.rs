//! `actum config`

use crate::config::{self, Config, DEFAULTS};
use crate::screen;
use actum_engine::Redact;
use actum_model::Limit;
use actum_run::redact::Pattern;
use std::process::ExitCode;

/// Show the active configuration, or the documented defaults
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum config
  actum config --defaults > ~/.config/actum/config.toml")]
pub struct Show {
    /// Print the built-in defaults with comments, to start your own file
    #[arg(long)]
    defaults: bool,
}

impl Show {
    pub fn execute(self) -> ExitCode {
        if self.defaults {
            screen::say(DEFAULTS.trim_end());
            return ExitCode::SUCCESS;
        }
        let resolved = config::surroundings()
            .and_then(|surroundings| Ok((Config::resolve(&surroundings, None)?, surroundings)));
        let (config, surroundings) = match resolved {
            Ok(resolved) => resolved,
            Err(error) => {
                return super::fail(&error, Some("`actum config --defaults` prints a valid file"));
            }
        };
        match &surroundings.config_file {
            Some(path) if path.exists() => {
                screen::say(&format!("# {}, which overrides the built-in defaults", path.display()))
            }
            Some(path) => {
                screen::say(&format!("# the built-in defaults; {} would override them", path.display()))
            }
            None => screen::say("# the built-in defaults"),
        }
        let store = actum_store::Store::at(&surroundings.store);
        screen::say(&format!("# runs are kept in {}", store.root().display()));
        screen::say(&format!("# compiled programs are kept in {}", surroundings.cache.display()));
        screen::say(&format!("[policy]\nprofile = \"{}\"\n\n[limits]", config.run.profile));
        for limit in Limit::ALL {
            screen::say(&format!("{limit} = \"{}\"", config.run.limits.get(limit)));
        }
        let patterns: Vec<&str> = config.run.redact.patterns.iter().map(Pattern::text).collect();
        screen::say("\n[redact]");
        screen::say(&format!("# built in: {}", Redact::names().join(", ")));
        screen::say(&format!("patterns = {}\noff = {}", listed(&patterns), listed(&config.run.redact.off)));
        screen::say(&format!("\n{}", config.hook.shown()));
        screen::say(&format!("\n[changes]\nkeep = \"{}\"", config.run.keep));
        screen::say(&format!("\n[endings]\ngrace = \"{}\"", config.run.grace));
        ExitCode::SUCCESS
    }
}

/// As TOML has it; a list of texts is written as in JSON.
fn listed<T: serde::Serialize>(list: &[T]) -> String {
    serde_json::to_string(list).unwrap_or_default()
}
