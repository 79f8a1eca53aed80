//! `actum hook`: what coding agents call, as `actum init --agent` told them to.
//!
//! | file | what |
//! |---|---|
//! | `event` | what an agent tells on stdin |
//! | `route`, `background`, `rules` | whether a command goes through Actum, and the line that makes it |
//! | `shell` | carries such a line out |
//! | `observe` | records what went past |
//! | `stop` | holds the last message against the ledger |
//!
//! Promise: an agent is never broken by us. Whatever fails here is a word on stderr and a success, and the agent goes on as if
//! we were not there; only a finding blocks, and once. Why it is built so: docs/design/agents.md.

mod background;
mod event;
mod observe;
mod route;
mod rules;
mod shell;
mod stop;

pub(super) use route::quoted;

use super::agent::Agent;
use crate::screen;
use actum_sandbox::Warden;
use event::Event;
use std::process::ExitCode;

/// What coding agents call before and after commands; `actum init --agent` sets it up
#[derive(Debug, clap::Args)]
pub struct Hook {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    PreToolUse(Before),
    PostToolUse(After),
    Stop(Stop),
    #[command(hide = true)]
    Shell(shell::Shell),
}

/// Have a shell command that an agent is about to run go through Actum
///
/// Reads the agent's event on stdin and prints the command that it is to run instead, in the agent's own form. A command that
/// cannot be routed without changing what it does is left as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum hook pre-tool-use --agent claude < event.json")]
struct Before {
    /// Who calls; where nobody says, the form of the event tells
    #[arg(long, value_name = "NAME")]
    agent: Option<Agent>,
}

/// Record a shell command that went past Actum, as observed
///
/// Reads the agent's event on stdin. What the agent tells about a command is kept like a run, marked as observed: weaker
/// evidence than what Actum ran itself.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum hook post-tool-use --agent gemini < event.json")]
struct After {
    /// Who calls; where nobody says, the form of the event tells
    #[arg(long, value_name = "NAME")]
    agent: Option<Agent>,
}

/// Hold the last message of an agent against the ledger, and send it back once if it does not hold
///
/// Reads the agent's event on stdin. Exit code 2, with what is contradicted or unsupported on stderr, sends the agent back to
/// work; it is done once for each message of a user. Any failure of our own lets the agent stop.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum hook stop --agent codex < event.json")]
struct Stop {
    /// Who calls; where nobody says, the form of the event tells
    #[arg(long, value_name = "NAME")]
    agent: Option<Agent>,
}

impl Hook {
    pub fn execute(self, warden: Warden) -> ExitCode {
        // Nothing here is confined by us: what is, is another `actum run`.
        drop(warden);
        match self.command {
            Command::PreToolUse(Before { agent }) => open(agent, route::before),
            Command::PostToolUse(After { agent }) => open(agent, observe::after),
            Command::Stop(Stop { agent }) => open(agent, stop::stop),
            Command::Shell(shell) => shell.execute(),
        }
    }
}

/// What a hook says when it is over.
enum Said {
    /// The agent goes on as it wanted to.
    Nothing,
    /// In the agent's own form, on stdout.
    Answer(String),
    /// For the model, on stderr; it goes on working.
    Back(String),
}

/// The agents' own sign for "go back".
const BLOCKED: u8 = 2;

/// Whatever fails lets the agent go on.
fn open(agent: Option<Agent>, act: fn(Agent, &Event) -> Result<Said, String>) -> ExitCode {
    let said = Event::read(std::io::stdin().lock())
        .and_then(|event| act(agent.unwrap_or_else(|| event.sender()), &event));
    match said {
        Ok(Said::Nothing) => ExitCode::SUCCESS,
        Ok(Said::Answer(text)) => {
            screen::say(&text);
            ExitCode::SUCCESS
        }
        Ok(Said::Back(text)) => {
            screen::note(&text);
            ExitCode::from(BLOCKED)
        }
        Err(why) => {
            screen::note(&format!("actum: the hook did nothing: {why}"));
            ExitCode::SUCCESS
        }
    }
}
