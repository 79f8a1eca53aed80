//! `actum session`

use super::{OWN_ERROR, fail, kept};
use crate::config::Surroundings;
use crate::screen;
use actum_model::Applied;
use actum_run::session::{self, Fate, Place, SessionError, SessionName};
use actum_sandbox::Warden;
use actum_store::Keyring;
use rustix::fd::AsFd;
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
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

/// The hidden word by which a session's holder is started, after `internal`; the session's name follows, for those who look
/// at the list of processes.
pub(super) const SERVE: &str = "session-serve";

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

/// Whether these words start a holder.
pub(super) fn is_served(words: impl Iterator<Item = OsString>) -> bool {
    words.skip(1).take(2).eq(["internal", SERVE].map(OsString::from))
}

/// Holds a session; what it is like comes on stdin.
pub(super) fn serve(warden: Warden) -> ExitCode {
    let streams = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .and_then(|stdin| Ok((stdin, std::io::stdout().as_fd().try_clone_to_owned()?)));
    let ways = |keys: &Path| (Some(kept::placer(keys)), Keyring::at(keys).seal_key());
    let served = match streams {
        Ok((order, ready)) => session::serve(warden, order, ready, &ways),
        Err(error) => return fail(&error, None),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error, error.hint().as_deref()),
    }
}

/// Where this user's sessions are: in the cache, which no program sees, one folder for each store. A store may lie where a
/// program can write, and whoever answers at a session's socket is told the caller's code and variables.
pub(super) fn place(surroundings: &Surroundings) -> Place {
    let store = Sha256::digest(surroundings.store.as_os_str().as_bytes());
    let store: String = store.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Place { sessions: surroundings.cache.join("sessions").join(store), program: "/proc/self/exe".into() }
}

fn surroundings() -> Result<Surroundings, Problem> {
    Surroundings::read().map_err(|error| Problem::Words(error.to_string()))
}

fn named(name: &str) -> Result<SessionName, Problem> {
    name.parse().map_err(|error: session::SessionNameError| Problem::Words(error.to_string()))
}

impl Ls {
    fn go(self) -> Result<u8, Problem> {
        let all = session::list(&place(&surroundings()?))?;
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
        let settled = session::stop(&place(&surroundings()?), &named(&self.name)?, fate)?;
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
        return format!("its changes were lost: failed to {problem}");
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
