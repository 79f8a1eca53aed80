//! `actum doctor`

use super::fail;
use crate::config;
use crate::screen;
use actum_model::Tier;
use actum_sandbox::{Abilities, Machine, Sandboxes, ToolPlaces, Warden};
use std::process::ExitCode;

/// Check which sandbox features work here and how to enable more
///
/// Tests each feature by using it. Exits with 0 if programs can be sandboxed, otherwise with 125.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum doctor
  actum doctor --json | jq .tier")]
pub struct Doctor {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub fn execute(self, warden: Warden) -> ExitCode {
        let surroundings = match config::surroundings() {
            Ok(surroundings) => surroundings,
            Err(error) => return fail(&error, None),
        };
        let (home, cache) = (surroundings.home.as_deref(), Some(surroundings.cache.as_path()));
        let places = ToolPlaces::new(home, std::slice::from_ref(&surroundings.folder), cache);
        let places = places.with_variables(&surroundings.variables);
        let machine = Machine::survey(surroundings.path(), home, places);
        let runtimes = machine.runtimes();
        let sandboxes = match Sandboxes::open(warden, machine, Tier::N) {
            Ok(sandboxes) => sandboxes,
            Err(error) => return fail(&error, error.hint().as_deref()),
        };
        let abilities = sandboxes.examine();
        if self.json {
            match with_cards(&abilities) {
                Ok(text) => screen::say(&text),
                Err(error) => return fail(&error, None),
            }
        } else {
            screen::say(&screen::abilities(&abilities, &runtimes, &actum_engine::cards()));
        }
        exit_code(&abilities).into()
    }
}

/// The abilities as JSON, with the cards where there are any.
fn with_cards(abilities: &Abilities) -> serde_json::Result<String> {
    let mut value = serde_json::to_value(abilities)?;
    let cards = actum_engine::cards();
    if let (Some(fields), false) = (value.as_object_mut(), cards.is_empty()) {
        fields.insert("gpus".to_owned(), serde_json::to_value(cards)?);
    }
    serde_json::to_string_pretty(&value)
}

fn exit_code(abilities: &Abilities) -> actum_model::ExitCode {
    if abilities.tier == Tier::None {
        actum_model::ExitCode::OWN_ERROR
    } else {
        actum_model::ExitCode::SUCCESS
    }
}
