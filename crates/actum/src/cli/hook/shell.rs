//! `actum hook shell`: carries a routed line out, so that the agent sees what it would have seen without us.
//!
//! Where no sandbox is asked for, whatever fails before the line is started leads to the bare shell, without a word: what the agent
//! reads is the command's own. What could not be kept then is recorded as observed when the command is over, if the agent tells of
//! it. Where a sandbox is asked for, whatever fails is a refusal: only [`Plain`] starts a bare shell.

use super::decide::{Decision, Plain, Sandboxed, decide};
use super::observe::agent_engine;
use super::route::project;
use super::ticket::Ticket;
use super::workspace::Workspace;
use crate::cli::agent::Agent;
use crate::cli::kept;
use crate::cli::run::{Call, Form, Options, Presentation};
use crate::config::{self, Config, SandboxRequest};
use crate::{screen, signals};
use actum_engine::{
    AgentPlace, AgentStreams, RequestBuilder, SourceChoice, StdinChoice, Surroundings, describe,
};
use actum_model::command_line::single_quoted;
use actum_model::{Label, Profile, RunId, Tier};
use actum_run::unconfined;
use actum_sandbox::Warden;
use actum_store::Keyring;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Run a line for a coding agent's shell; `actum hook pre-tool-use` writes the call
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum hook shell --agent claude --run 01a1e132-9c6a-7886-a834-4f81855994db --name \"$0\" -- 'make test'")]
pub(super) struct Shell {
    /// Who calls
    #[arg(long, value_name = "NAME")]
    agent: Agent,
    /// The name of the run
    #[arg(long, value_name = "ID")]
    run: RunId,
    /// What the agent's shell is called
    #[arg(long, value_name = "WORD")]
    name: OsString,
    /// The sandbox that was decided on, authenticated
    #[arg(long, value_name = "TEXT")]
    ticket: Option<String>,
    /// Where the folder is left that the line ends in
    #[arg(long, value_name = "FILE")]
    folder_file: Option<PathBuf>,
    /// The line
    #[arg(last = true, required = true, value_name = "LINE")]
    line: OsString,
}

/// What has to be known before a line can run in the sandbox.
struct Ready {
    surroundings: Surroundings,
    place: AgentPlace,
    walls: SandboxRequest,
}

impl Ready {
    fn read(shell: &Shell) -> Result<Self, String> {
        let surroundings = config::surroundings().map_err(|error| describe(&error))?;
        let ticket = shell.ticket(&surroundings)?;
        if let Some(Ticket { workspace, .. }) = &ticket {
            workspace.check_unchanged()?;
            if !workspace.covers(&surroundings.folder) {
                return Err("it starts in a folder outside the agent's project".to_owned());
            }
        }
        let carried =
            ticket.as_ref().map_or(SandboxRequest::No, |ticket| SandboxRequest::Yes(ticket.profile));
        let workspace = ticket
            .map_or_else(|| project(&surroundings.folder, &surroundings), |ticket| ticket.workspace.path);
        let place = AgentPlace { workspace, folder: surroundings.folder.clone() };
        let config =
            Config::resolve(&surroundings, Some(&place.workspace)).map_err(|error| describe(&error))?;
        let walls = config.hook.walls.map_or(SandboxRequest::No, SandboxRequest::Yes).stricter(carried);
        Ok(Self { surroundings, place, walls })
    }
}

impl Shell {
    pub(super) fn execute(self, warden: Warden) -> ExitCode {
        let ready = Ready::read(&self);
        let carried = match (&ready, &self.ticket) {
            (Ok(ready), _) => ready.walls.clone(),
            // Whoever wrote the line asked for a sandbox.
            (Err(why), Some(_)) => SandboxRequest::Unknown(why.clone()),
            (Err(_), None) => SandboxRequest::No,
        };
        let asked = SandboxRequest::read(None).stricter(carried);
        match (decide(&asked, ready.as_ref().err().cloned()), ready) {
            (Decision::Sandboxed(sandboxed), Ok(ready)) => match self.check_workspace(&ready) {
                Ok(()) => self.confined(&sandboxed, ready.place, warden),
                Err(why) => refuse(&format!("actum: the command was not run: {why}")),
            },
            (Decision::Plain(plain), ready) => {
                drop(warden);
                self.plain(plain, ready.ok())
            }
            (Decision::Refused(refused), _) => refuse(&refused.message()),
            // An obstacle is never sandboxed.
            (Decision::Sandboxed(_), Err(why)) => refuse(&why),
        }
    }

    /// A sandbox that was asked for after the line was routed has no ticket, and its workspace was not checked yet.
    fn check_workspace(&self, ready: &Ready) -> Result<(), String> {
        match self.ticket {
            Some(_) => Ok(()),
            None => Workspace::choose(&ready.surroundings.folder, &ready.surroundings).map(|_| ()),
        }
    }

    fn ticket(&self, surroundings: &Surroundings) -> Result<Option<Ticket>, String> {
        let key = || Keyring::at(&surroundings.keys).seal_key();
        let opened = |text: &String| Ticket::open(text, &key(), self.run, self.line.as_bytes());
        self.ticket.as_ref().map(opened).transpose()
    }

    fn plain(&self, plain: Plain, ready: Option<Ready>) -> ExitCode {
        let shell = self.shell(&plain);
        let Some(Ready { surroundings, place, .. }) = ready else { return bare(plain, &shell) };
        // An id that another run has is not one that was handed out for this line.
        let is_used = super::observe::is_known(&surroundings, self.run);
        let run = if is_used { actum_engine::clock::new_run() } else { self.run };
        let Ok(engine) = agent_engine(surroundings, &place) else { return bare(plain, &shell) };
        let Ok(command) = engine.agent_command(&self.line, &place, self.agent.name()) else {
            return bare(plain, &shell);
        };
        kept::report_unfinished(&engine.finish_pending());
        let [stdout, stderr] = screen::own_streams();
        // The command has said everything then: what we have to say is in the record, or nowhere.
        let finished = &screen::say_no_more;
        let streams = AgentStreams { stdout, stderr, cancel: &signals::cancel, finished };
        match command.execute(run, &shell, &streams) {
            Ok(code) => ExitCode::from(code),
            Err(Some(starter)) => not_started(&shell, &starter.become_command(shell.command(Path::new(".")))),
            Err(None) => bare(plain, &shell),
        }
    }

    /// The agent's shell with the line, which then says where it ended if it ended well: as the agent itself would ask.
    fn shell(&self, _: &Plain) -> unconfined::Shell {
        let Some(file) = &self.folder_file else { return unconfined::Shell::of(&self.name, &self.line) };
        // The shell writes the file by its name: only in a folder that is the caller's alone.
        let is_private = |folder| actum_gate::own::private_folder(folder).is_ok();
        if !file.parent().is_some_and(is_private) {
            return unconfined::Shell::of(&self.name, &self.line);
        }
        let file = single_quoted(&file.to_string_lossy());
        let mut line = self.line.clone();
        line.push(format!("\n__actum=$?; [ $__actum -eq 0 ] && pwd -P >| {file}; exit $__actum"));
        unconfined::Shell::of(&self.name, &line)
    }

    /// In the sandbox it is a run like any other.
    fn confined(&self, sandboxed: &Sandboxed, place: AgentPlace, warden: Warden) -> ExitCode {
        let profile = sandboxed.profile();
        let label: Option<Label> = format!("agent={}", self.agent.name()).parse().ok();
        let asked = RequestBuilder {
            source: SourceChoice::Shell(self.line.clone()),
            // A policy that changes nothing cannot write in place.
            in_place: profile != Profile::Locked,
            policy: Some(profile.name().to_owned()),
            workspace: Some(place.workspace),
            workdir: Some(place.folder),
            stdin: StdinChoice::Inherit,
            labels: label.into_iter().collect(),
            ..RequestBuilder::default()
        };
        let line = vec!["actum".into(), "run".into(), "--shell".into(), "--".into(), self.line.clone()];
        let presentation =
            Presentation { line, options: Options::form(Form::Quiet), ..Presentation::default() };
        let call = Call { asked, presentation, dry_run: false, ceiling: Tier::N, approved: None };
        call.execute(warden.into())
    }
}

fn refuse(message: &str) -> ExitCode {
    screen::note(message);
    actum_model::ExitCode::OWN_ERROR.into()
}

/// As the agent would have run it.
fn bare(_: Plain, shell: &unconfined::Shell) -> ExitCode {
    not_started(shell, &shell.command(Path::new(".")).exec())
}

fn not_started(shell: &unconfined::Shell, failed: &std::io::Error) -> ExitCode {
    screen::note(&format!("{}: {failed}", shell.name.display()));
    actum_model::ExitCode::NOT_FOUND.into()
}
