//! After a command: what went past us is recorded as observed.

use super::Said;
use super::event::Event;
use super::route::{Routed, project};
use super::workspace::Workspace;
use crate::cli::agent::Agent;
use crate::cli::run::{self, OneRun, Problem};
use crate::config::{self, Config};
use actum_engine::clock;
use actum_engine::{AgentPlace, Engine, Lifetime, Surroundings, describe};
use actum_model::{RunId, Tier};
use actum_run::unconfined::Told;
use actum_store::{Reader, Store};
use std::ffi::OsStr;

pub(super) fn after(agent: Agent, event: &Event) -> Result<Said, String> {
    let Some(text) = event.line() else { return Ok(Said::Nothing) };
    let surroundings = config::surroundings().map_err(|error| describe(&error))?;
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
    let place = AgentPlace { workspace: project(&folder, &surroundings), folder };
    let outcome = event.outcome(agent);
    let told = Told {
        code: outcome.code,
        stdout: outcome.stdout.as_bytes(),
        stderr: outcome.stderr.as_bytes(),
        took: outcome.took,
    };
    let engine = agent_engine(surroundings, &place).map_err(|error| describe(&error))?;
    let command = engine.agent_command(OsStr::new(&line), &place, agent.name());
    let observed = command.and_then(|command| command.observe(run, told));
    observed.map(|()| Said::Nothing).map_err(|error| describe(&error))
}

/// An engine for one command of an agent. A project's file that cannot be read must not keep a command out of the record.
pub(super) fn agent_engine(surroundings: Surroundings, place: &AgentPlace) -> Result<Engine, Problem> {
    let config =
        Config::resolve(&surroundings, Some(&place.workspace)).or_else(|_| Config::of_user(&surroundings))?;
    let given = (surroundings, config.run);
    Ok(run::engine(OneRun::without_sandbox(), given, Lifetime::OneRun, Tier::None)?)
}

/// Whether the ledger has heard of a run.
pub(super) fn is_known(surroundings: &Surroundings, run: RunId) -> bool {
    let reader = Reader::open(&Store::at(&surroundings.store));
    reader.and_then(|reader| reader.entries(run)).is_ok_and(|entries| !entries.is_empty())
}
