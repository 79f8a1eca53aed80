//! `actum hook`: what coding agents call, as `actum init --agent` told them to.
//!
//! | file | what |
//! |---|---|
//! | `event` | what an agent tells on stdin |
//! | `decide` | whether a command runs in the sandbox, plainly, or not at all |
//! | `route`, `background`, `rules` | whether a command goes through Actum, and the line that makes it |
//! | `shell` | carries such a line out |
//! | `workspace`, `session` | which folder the sandbox shows, and the same one for a whole session |
//! | `ticket` | takes the decision about a command from the first to the second |
//! | `observe` | records what went past |
//! | `stop` | holds the last message against the ledger |
//!
//! Promise: where no sandbox is asked for, an agent is never broken by us. Whatever fails here is a word on stderr and a success, and
//! the agent goes on as if we were not there. Where `[hook] walls` asks for a sandbox, what cannot run in it is refused. A message that
//! could not be judged is sent back once, like a finding. Why it is built so: docs/design/agents.md.

mod background;
mod decide;
mod event;
mod observe;
mod route;
mod rules;
mod session;
mod shell;
mod stop;
mod ticket;
mod workspace;

use super::agent::Agent;
use crate::screen;
use actum_sandbox::Warden;
use event::Event;
use std::process::ExitCode;

/// Handle events of coding agents (set up by `actum init --agent`)
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

/// Route an agent's next shell command through Actum
///
/// Reads the agent's event on stdin and prints the command to run instead, in the agent's format. If routing would change what
/// the command does, the command stays as it is; if `walls` in [hook] requires a sandbox, the command is refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum hook pre-tool-use --agent claude < event.json")]
struct Before {
    /// Agent that sent the event [default: detected]
    #[arg(long, value_name = "NAME")]
    agent: Option<Agent>,
}

/// Record a shell command that the agent ran itself
///
/// Reads the agent's event on stdin. The command is recorded like a run, but marked as observed: it is weaker evidence than a
/// command that Actum ran.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum hook post-tool-use --agent gemini < event.json")]
struct After {
    /// Agent that sent the event [default: detected]
    #[arg(long, value_name = "NAME")]
    agent: Option<Agent>,
}

/// Check an agent's last message against the recorded runs
///
/// Reads the agent's event on stdin. If a claim is contradicted or unsupported, it is printed on stderr and the exit code is 2,
/// which sends the agent back to work. This happens at most once for each user message. A message that could not be checked is
/// also sent back, once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum hook stop --agent codex < event.json")]
struct Stop {
    /// Agent that sent the event [default: detected]
    #[arg(long, value_name = "NAME")]
    agent: Option<Agent>,
}

impl Hook {
    pub fn execute(self, warden: Warden) -> ExitCode {
        match self.command {
            Command::PreToolUse(Before { agent }) => {
                drop(warden);
                end(route::before(agent, Event::read(std::io::stdin().lock())))
            }
            Command::PostToolUse(After { agent }) => end(read(agent, observe::after)),
            Command::Stop(Stop { agent }) => {
                end(stop::stop(agent, Event::read_lossily(std::io::stdin().lock()), warden))
            }
            Command::Shell(shell) => shell.execute(warden),
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

fn read(
    agent: Option<Agent>,
    act: impl FnOnce(Agent, &Event) -> Result<Said, String>,
) -> Result<Said, String> {
    let event = Event::read_lossily(std::io::stdin().lock())?;
    act(agent.unwrap_or_else(|| event.sender()), &event)
}

/// An error lets the agent go on; what must not go on is [`Said::Back`].
fn end(said: Result<Said, String>) -> ExitCode {
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

/// Reads an event and everything that is asked of one, and drops it.
pub(crate) fn parse_hook_event(bytes: &[u8]) {
    let Ok(event) = Event::read(bytes) else { return };
    let sender = event.sender();
    let _ = (event.command(), event.line(), event.message(), event.was_sent_back(), event.outcome(sender));
    let _ = (event.session(), event.unknown_key(), event.tool_folder());
}
