//! `actum session`

use super::{OWN_ERROR, fail, kept};
use crate::config::{Config, Surroundings};
use crate::{clock, screen, signals};
use actum_model::{Applied, Span, Tier, WorkspaceMode};
use actum_run::session::{
    self, Call, Echo, Fate, IDLE, Language, Place, SessionError, SessionName, Standing,
};
use actum_sandbox::{Request, Variable, Warden};
use rustix::fd::AsFd;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
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
    #[command(hide = true)]
    Call(CallOnce),
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

/// Call a session with the defaults of the configuration
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum session call data -c 'x = 6 * 7'
  actum session call data -c x")]
struct CallOnce {
    #[arg(value_name = "NAME")]
    name: String,
    #[arg(long, short, value_enum, default_value = "python")]
    language: Spoken,
    #[arg(short, value_name = "CODE")]
    code: OsString,
    #[arg(long, value_name = "FOLDER")]
    workspace: Option<PathBuf>,
    #[arg(long)]
    in_place: bool,
    #[arg(long, value_name = "NAME=VALUE")]
    limit: Vec<String>,
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    #[arg(long, value_name = "TIME")]
    idle: Option<String>,
    #[arg(long, value_name = "TIER", default_value = "N")]
    tier: Ceiling,
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Spoken {
    Python,
    Bash,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "verbatim")]
enum Ceiling {
    N,
    L,
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
            Command::Call(command) => command.go(),
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
    let placer = kept::keeping(Path::new(""), PathBuf::new()).placer;
    let served = match streams {
        Ok((order, ready)) => session::serve(warden, order, ready, placer),
        Err(error) => return fail(&error, None),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error, error.hint().as_deref()),
    }
}

/// Where this user's sessions are.
pub(super) fn place(surroundings: &Surroundings) -> Place {
    Place { sessions: surroundings.store.join("sessions"), program: "/proc/self/exe".into() }
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

impl CallOnce {
    fn go(self) -> Result<u8, Problem> {
        let surroundings = surroundings()?;
        let call = self.call(&surroundings)?;
        let cancel = signals::cancel();
        let mut output = screen::Through::new();
        let reply =
            session::call(&place(&surroundings), &call, &mut output, cancel.as_ref().map(AsFd::as_fd));
        output.finish(cancel.as_ref().map(AsFd::as_fd));
        let reply = reply?;
        if let Standing::Gone(settled) = &reply.standing {
            screen::note(&format!(
                "actum: session {} is gone and what it knew with it · {}",
                self.name,
                became(settled)
            ));
        }
        Ok(reply.ending.exit_code())
    }

    fn call(&self, surroundings: &Surroundings) -> Result<Call, Problem> {
        let words = |error: &dyn std::fmt::Display| Problem::Words(error.to_string());
        let workspace = surroundings.folder.join(self.workspace.as_deref().unwrap_or(Path::new(".")));
        let workspace = workspace.canonicalize().map_err(|error| words(&error))?;
        let config = Config::resolve(surroundings, Some(&workspace)).map_err(|error| words(&error))?;
        let mut limits = config.limits;
        self.limit.iter().try_for_each(|one| limits.set(one)).map_err(|error| words(&error))?;
        let mut policy = config.profile.policy();
        if self.in_place {
            policy.workspace = WorkspaceMode::InPlace;
        }
        let (language, interpreter) = match self.language {
            Spoken::Python => (Language::Python, "python3"),
            Spoken::Bash => (Language::Bash, "bash"),
        };
        let variable = |text: &String| match text.split_once('=') {
            Some((name, value)) => Variable::Set(name.into(), value.into()),
            None => Variable::Inherited(text.into()),
        };
        let idle = self.idle.as_deref().map(str::parse::<Span>).transpose().map_err(|error| words(&error))?;
        Ok(Call {
            name: named(&self.name)?,
            language,
            request: Request {
                policy,
                limits,
                grace: config.grace,
                terminal: None,
                folder: workspace.clone(),
                workspace,
                command: vec![interpreter.into()],
                variables: surroundings.variables.clone(),
                granted_variables: self.env.iter().map(variable).collect(),
                gate_variables: actum_run::gate_variables(),
                forwards: Vec::new(),
                hidden: surroundings.hidden(),
                layers: surroundings.layers.clone(),
                home: surroundings.home.clone(),
                layer: None,
            },
            ceiling: match self.tier {
                Ceiling::N => Tier::N,
                Ceiling::L => Tier::L,
            },
            code: std::os::unix::ffi::OsStringExt::into_vec(self.code.clone()),
            file: None,
            arguments: self.arguments.clone(),
            echo: Echo::LastValue,
            idle: idle.unwrap_or(IDLE),
            keeping: kept::keeping(
                &surroundings.store,
                surroundings.store.join("runs").join(clock::new_run().to_string()),
            ),
        })
    }
}
