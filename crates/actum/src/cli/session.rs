//! `actum session`

use super::fail;
use crate::config;
use crate::screen;
use actum_engine::{HelperProgram, session_place};
use actum_model::Applied;
use actum_run::session::{self, Fate, Place, SessionError, SessionName};
use std::process::ExitCode;

/// List and stop sessions: interpreters that keep variables between calls
///
/// The first `actum run --session NAME` starts a session. It keeps its sandbox and its own view of the workspace until you stop
/// it or its idle time is over. Then its changes are applied.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum session ls
  actum session stop data
  actum session stop data --discard")]
pub struct Session {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Ls(Ls),
    Stop(Stop),
}

/// List the active sessions
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum session ls
  actum session ls --json")]
struct Ls {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Stop a session and apply its changes to the workspace
///
/// Waits for a running call, unless you discard the changes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum session stop data
  actum session stop data --discard")]
struct Stop {
    /// Session name
    #[arg(value_name = "NAME")]
    name: String,
    /// Discard its changes
    #[arg(long)]
    discard: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Why a session could not do what was asked.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("{0}")]
    Words(String),
}

impl Session {
    pub fn execute(self) -> ExitCode {
        let done = match self.command {
            Command::Ls(command) => command.go(),
            Command::Stop(command) => command.go(),
        };
        match done {
            Ok(code) => ExitCode::from(code),
            Err(Problem::Session(error)) => {
                fail(&error, error.hint().as_deref());
                ExitCode::from(error.exit_code())
            }
            Err(problem @ Problem::Words(_)) => fail(&problem, None),
        }
    }
}

fn place() -> Result<Place, Problem> {
    let surroundings = config::surroundings().map_err(|error| Problem::Words(error.to_string()))?;
    let program = HelperProgram::itself().map_err(|error| Problem::Words(error.to_string()))?;
    Ok(session_place(&surroundings, &program))
}

fn named(name: &str) -> Result<SessionName, Problem> {
    name.parse().map_err(|error: session::SessionNameError| Problem::Words(error.to_string()))
}

impl Ls {
    fn go(self) -> Result<actum_model::ExitCode, Problem> {
        let all = session::list(&place()?)?;
        if self.json {
            screen::say(
                &serde_json::to_string_pretty(&all).map_err(|error| Problem::Words(error.to_string()))?,
            );
            return Ok(actum_model::ExitCode::SUCCESS);
        }
        if all.is_empty() {
            screen::note("actum: no session is running");
        }
        for seen in all {
            let doing = match seen.busy {
                true => "busy".to_owned(),
                false => format!("idle for {}s of {}", seen.quiet.0.as_secs(), seen.idle),
            };
            let calls = if seen.calls == 1 { "1 call".to_owned() } else { format!("{} calls", seen.calls) };
            screen::say(&format!(
                "{:<20} {:<7} {calls}, {doing}, in {}",
                seen.name.as_str(),
                seen.language.name(),
                seen.workspace.display()
            ));
        }
        Ok(actum_model::ExitCode::SUCCESS)
    }
}

impl Stop {
    fn go(self) -> Result<actum_model::ExitCode, Problem> {
        let fate = if self.discard { Fate::Discard } else { Fate::Apply };
        let settled = session::stop(&place()?, &named(&self.name)?, fate)?;
        if self.json {
            let text =
                serde_json::to_string_pretty(&settled).map_err(|error| Problem::Words(error.to_string()))?;
            screen::say(&text);
        } else {
            screen::note(&format!("actum: session {} stopped · {}", self.name, became(&settled)));
        }
        let is_whole = settled.problem.is_none() && settled.applied != Applied::Refused;
        Ok(if is_whole { actum_model::ExitCode::SUCCESS } else { actum_model::ExitCode::OWN_ERROR })
    }
}

/// What became of a session's changes, in words.
fn became(settled: &session::Settled) -> String {
    if let Some(problem) = &settled.problem {
        return format!("its changes were lost: {problem}");
    }
    let withheld = settled.changes.iter().filter(|change| change.withheld.is_some()).count();
    let count = settled.changes.len() - withheld;
    let kept_apart = || match &settled.run {
        Some(run) => format!("kept apart: actum apply {run}"),
        None => "kept apart".to_owned(),
    };
    let word = match settled.applied {
        Applied::Nothing => return "no changes".to_owned(),
        Applied::Applied => "applied".to_owned(),
        Applied::Kept => kept_apart(),
        Applied::Refused => format!("not applied because the workspace has changed, {}", kept_apart()),
        Applied::Discarded => "discarded".to_owned(),
        Applied::Direct => "written directly".to_owned(),
    };
    let changes = if count == 1 { "change" } else { "changes" };
    let withheld = if withheld == 0 { String::new() } else { format!(" · {withheld} withheld") };
    format!("{count} {changes} {word}{withheld}")
}
