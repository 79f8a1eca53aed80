//! `actum session`

use super::{OWN_ERROR, fail};
use crate::config;
use crate::screen;
use actum_engine::{HelperProgram, session_place};
use actum_model::Applied;
use actum_run::session::{self, Fate, Place, SessionError, SessionName};
use std::process::ExitCode;

/// Show and stop sessions: interpreters that stay between calls, so that variables last
///
/// The first `actum run --session NAME` starts one. It keeps its sandbox and its own view of the workspace until it is
/// stopped, or until nobody has called it for a while; then its changes are applied.
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

/// List the sessions that there are
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

/// End a session and apply its changes to the workspace
///
/// A call that is going on is waited for, unless the changes are thrown away.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum session stop data
  actum session stop data --discard")]
struct Stop {
    /// The session's name
    #[arg(value_name = "NAME")]
    name: String,
    /// Throw its changes away
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
    fn go(self) -> Result<u8, Problem> {
        let all = session::list(&place()?)?;
        if self.json {
            screen::say(
                &serde_json::to_string_pretty(&all).map_err(|error| Problem::Words(error.to_string()))?,
            );
            return Ok(0);
        }
        if all.is_empty() {
            screen::note("actum: there are no sessions");
        }
        for seen in all {
            let doing = match seen.busy {
                true => "busy".to_owned(),
                false => format!("quiet for {}s of {}", seen.quiet.0.as_secs(), seen.idle),
            };
            let calls = if seen.calls == 1 { "1 call".to_owned() } else { format!("{} calls", seen.calls) };
            screen::say(&format!(
                "{:<20} {:<7} {calls}, {doing}, in {}",
                seen.name.as_str(),
                seen.language.name(),
                seen.workspace.display()
            ));
        }
        Ok(0)
    }
}

impl Stop {
    fn go(self) -> Result<u8, Problem> {
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
        Ok(if is_whole { 0 } else { OWN_ERROR })
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
        Applied::Refused => format!("not applied because the workspace changed meanwhile, {}", kept_apart()),
        Applied::Discarded => "discarded".to_owned(),
        Applied::Direct => "made directly".to_owned(),
    };
    let changes = if count == 1 { "change" } else { "changes" };
    let withheld = if withheld == 0 { String::new() } else { format!(" · {withheld} withheld") };
    format!("{count} {changes} {word}{withheld}")
}
