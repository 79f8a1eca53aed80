//! After a command: what went past us is recorded as observed.

use super::Said;
use super::event::Event;
use super::route::{Routed, project};
use super::workspace::Workspace;
use crate::cli::agent::Agent;
use crate::cli::run::one_line;
use crate::cli::run::{ForAgent, Whereabouts};
use crate::clock;
use crate::config::Surroundings;
use actum_model::RunId;
use actum_run::unconfined::Told;
use actum_store::{Reader, Store};
use std::ffi::OsStr;

pub(super) fn after(agent: Agent, event: &Event) -> Result<Said, String> {
    let Some(text) = event.line() else { return Ok(Said::Nothing) };
    let surroundings = Surroundings::read().map_err(|error| one_line(&error))?;
    Workspace::keep(agent, event, &surroundings);
    let (run, line) = match Routed::of(text, agent, &surroundings) {
        // `hook shell` has recorded it, under another id where this one was used before.
        Some(Routed { run, .. }) if is_known(&surroundings, run) => return Ok(Said::Nothing),
        Some(Routed { run, line, .. }) => (run, line),
        None => (clock::new_run(), text.to_owned()),
    };
    let base = event.folder().unwrap_or_else(|| surroundings.folder.clone());
    let folder =
        event.tool_folder().map(|named| base.join(named)).filter(|folder| folder.is_dir()).unwrap_or(base);
    let place = Whereabouts { workspace: project(&folder, &surroundings), folder };
    let outcome = event.outcome(agent);
    let told = Told {
        code: outcome.code,
        stdout: outcome.stdout.as_bytes(),
        stderr: outcome.stderr.as_bytes(),
        took: outcome.took,
    };
    let observed = ForAgent::read(surroundings, OsStr::new(&line), &place, agent.name())
        .and_then(|observed| observed.observe(run, told));
    observed.map(|()| Said::Nothing).map_err(|error| one_line(&error))
}

/// Whether the ledger has heard of a run.
pub(super) fn is_known(surroundings: &Surroundings, run: RunId) -> bool {
    let reader = Reader::open(&Store::at(&surroundings.store));
    reader.and_then(|reader| reader.entries(run)).is_ok_and(|entries| !entries.is_empty())
}
