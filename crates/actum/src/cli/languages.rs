//! `actum languages`

use super::fail;
use crate::config::{self, Config};
use crate::screen;
use actum_engine::Surroundings;
use actum_languages::Language;
use actum_sandbox::find_command;
use std::ffi::OsStr;
use std::process::ExitCode;

/// List the languages that can run, and how to install others
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum languages
  actum languages --json")]
pub struct List {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl List {
    pub fn execute(self) -> ExitCode {
        let resolved = config::surroundings()
            .and_then(|surroundings| Ok((Config::resolve(&surroundings, None)?, surroundings)));
        let (config, surroundings) = match resolved {
            Ok(resolved) => resolved,
            Err(error) => return fail(&error, None),
        };
        for language in config.run.languages.iter() {
            let found = runtime(language, &surroundings);
            let line = if self.json {
                as_json(language, found.as_deref())
            } else {
                as_text(language, found.as_deref())
            };
            screen::say(&line);
        }
        ExitCode::SUCCESS
    }
}

/// The first command of the first runtime that is there.
fn runtime(language: &Language, surroundings: &Surroundings) -> Option<String> {
    if language.name == "sql" {
        return Some("built in".to_owned());
    }
    let find = |command: &&str| {
        find_command(OsStr::new(command), surroundings.path(), &surroundings.folder).is_some()
    };
    let all = |commands: &Vec<&str>| commands.iter().all(find);
    let usable = language.runtimes.iter().map(|runtime| runtime.commands()).find(all);
    usable.and_then(|commands| commands.first().map(|command| (*command).to_owned()))
}

fn as_text(language: &Language, found: Option<&str>) -> String {
    let extensions: Vec<String> =
        language.extensions.iter().map(|extension| format!(".{extension}")).collect();
    let here = match found {
        Some(command) => command.to_owned(),
        None => format!(
            "not installed: {}",
            language.install.hint().unwrap_or_else(|| "no runtime was found".to_owned())
        ),
    };
    format!("{:<12}{:<28}{here}", language.name, extensions.join(" "))
}

fn as_json(language: &Language, found: Option<&str>) -> String {
    let mut value = serde_json::json!({
        "name": language.name,
        "names": language.names,
        "extensions": language.extensions,
        "available": found.is_some(),
    });
    if let Some(command) = found {
        value["runtime"] = command.into();
    } else if let Some(hint) = language.install.hint() {
        value["hint"] = hint.into();
    }
    value.to_string()
}
