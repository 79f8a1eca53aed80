//! `actum hook shell`: carries a routed line out, so that the agent sees what it would have seen without us.
//!
//! Where no sandbox is asked for, whatever fails before the line is started leads to the bare shell, without a word: what the agent
//! reads is the command's own. What could not be kept then is recorded as observed when the command is over, if the agent tells of
//! it. Where a sandbox is asked for, whatever fails is a refusal: only [`Plain`] starts a bare shell.

use super::decide::{Decision, Plain, Sandboxed, decide};
use super::route::project;
use super::ticket::Ticket;
use super::workspace::Workspace;
use crate::cli::agent::Agent;
use crate::cli::run::{ForAgent, Whereabouts, one_line};
use crate::config::{Config, SandboxRequest, Surroundings};
use actum_model::{Profile, RunId};
use actum_run::unconfined;
use actum_store::Keyring;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

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
    place: Whereabouts,
    walls: SandboxRequest,
    itself: PathBuf,
}

impl Ready {
    fn read(shell: &Shell) -> Result<Self, String> {
        let surroundings = Surroundings::read().map_err(|error| one_line(&error))?;
        let ticket = shell.ticket(&surroundings)?;
        if let Some(Ticket { workspace, .. }) = &ticket {
            workspace.check_unchanged()?;
            if !workspace.covers(&surroundings.folder) {
                return Err("it starts in a folder outside of the project that the agent is in".to_owned());
            }
        }
        let carried =
            ticket.as_ref().map_or(SandboxRequest::No, |ticket| SandboxRequest::Yes(ticket.profile));
        let workspace = ticket
            .map_or_else(|| project(&surroundings.folder, &surroundings), |ticket| ticket.workspace.path);
        let place = Whereabouts { workspace, folder: surroundings.folder.clone() };
        let config =
            Config::resolve(&surroundings, Some(&place.workspace)).map_err(|error| one_line(&error))?;
        let itself =
            std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
        let walls = config.hook.walls.map_or(SandboxRequest::No, SandboxRequest::Yes).stricter(carried);
        Ok(Self { surroundings, place, walls, itself })
    }
}

impl Shell {
    pub(super) fn execute(self) -> ExitCode {
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
                Ok(()) => self.confined(&sandboxed, &ready),
                Err(why) => refuse(&format!("actum: the command was not run: {why}")),
            },
            (Decision::Plain(plain), ready) => self.plain(plain, ready.ok()),
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
        let run = if is_used { crate::clock::new_run() } else { self.run };
        let Ok(routed) = ForAgent::read(surroundings, &self.line, &place, self.agent.name()) else {
            return bare(plain, &shell);
        };
        match routed.execute(run, &shell) {
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
        let file = super::quoted(&file.to_string_lossy());
        let mut line = self.line.clone();
        line.push(format!("\n__actum=$?; [ $__actum -eq 0 ] && pwd -P >| {file}; exit $__actum"));
        unconfined::Shell::of(&self.name, &line)
    }

    /// In the sandbox it is a run like any other.
    fn confined(&self, sandboxed: &Sandboxed, ready: &Ready) -> ExitCode {
        let (profile, place) = (sandboxed.profile(), &ready.place);
        let label = format!("agent={}", self.agent.name());
        let words: [&OsStr; 15] = [
            "run".as_ref(),
            "--quiet".as_ref(),
            "--shell".as_ref(),
            "--in-place".as_ref(),
            "--policy".as_ref(),
            profile.name().as_ref(),
            "--workspace".as_ref(),
            place.workspace.as_ref(),
            "--workdir".as_ref(),
            place.folder.as_ref(),
            "--stdin".as_ref(),
            "-".as_ref(),
            "--label".as_ref(),
            label.as_ref(),
            "--".as_ref(),
        ];
        // A policy that changes nothing cannot write in place.
        let words = words.into_iter().filter(|word| profile != Profile::Locked || *word != "--in-place");
        let failed = Command::new(&ready.itself).args(words).arg(&self.line).exec();
        crate::screen::note(&format!("actum: failed to start itself: {failed}"));
        ExitCode::from(crate::cli::OWN_ERROR)
    }
}

fn refuse(message: &str) -> ExitCode {
    crate::screen::note(message);
    ExitCode::from(crate::cli::OWN_ERROR)
}

/// As the agent would have run it.
fn bare(_: Plain, shell: &unconfined::Shell) -> ExitCode {
    not_started(shell, &shell.command(Path::new(".")).exec())
}

fn not_started(shell: &unconfined::Shell, failed: &std::io::Error) -> ExitCode {
    crate::screen::note(&format!("{}: {failed}", shell.name.display()));
    const NOT_FOUND: u8 = 127;
    ExitCode::from(NOT_FOUND)
}
