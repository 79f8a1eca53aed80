//! `actum hook shell`: carries a routed line out, so that the agent sees what it would have seen without us.
//!
//! Whatever fails before the line is started leads to the bare shell, without a word: what the agent reads is the command's own. What
//! could not be kept then is recorded as observed when the command is over, if the agent tells of it.

use super::route::project;
use crate::cli::agent::Agent;
use crate::cli::run::{ForAgent, Whereabouts};
use crate::config::{Config, Surroundings};
use actum_model::{Profile, RunId};
use actum_run::unconfined;
use std::ffi::{OsStr, OsString};
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
    /// Where the folder is left that the line ends in
    #[arg(long, value_name = "FILE")]
    folder_file: Option<PathBuf>,
    /// The line
    #[arg(last = true, required = true, value_name = "LINE")]
    line: OsString,
}

impl Shell {
    pub(super) fn execute(self) -> ExitCode {
        let shell = self.shell();
        let Ok(surroundings) = Surroundings::read() else { return bare(&shell) };
        let place = Whereabouts {
            workspace: project(&surroundings.folder, &surroundings),
            folder: surroundings.folder.clone(),
        };
        let walls = Config::resolve(&surroundings, Some(&place.workspace)).map(|config| config.hook.walls);
        match walls {
            Ok(None) => {}
            Ok(Some(profile)) => return self.confined(profile, &place),
            Err(_) => return bare(&shell),
        }
        let Ok(routed) = ForAgent::read(surroundings, &self.line, &place, self.agent.name()) else {
            return bare(&shell);
        };
        match routed.execute(self.run, &shell) {
            Ok(code) => ExitCode::from(code),
            Err(Some(starter)) => not_started(&shell, &starter.become_command(shell.command(Path::new(".")))),
            Err(None) => bare(&shell),
        }
    }

    /// The agent's shell with the line, which then says where it ended if it ended well: as the agent itself would ask.
    fn shell(&self) -> unconfined::Shell {
        let Some(file) = &self.folder_file else { return unconfined::Shell::of(&self.name, &self.line) };
        let _ = file.parent().map(std::fs::create_dir_all);
        let file = super::quoted(&file.to_string_lossy());
        let mut line = self.line.clone();
        line.push(format!("\n__actum=$?; [ $__actum -eq 0 ] && pwd -P >| {file}; exit $__actum"));
        unconfined::Shell::of(&self.name, &line)
    }

    /// Behind walls it is a run like any other.
    fn confined(&self, profile: Profile, place: &Whereabouts) -> ExitCode {
        let Ok(itself) = std::env::current_exe() else { return bare(&self.shell()) };
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
        let failed = Command::new(itself).args(words).arg(&self.line).exec();
        crate::screen::note(&format!("actum: failed to start itself: {failed}"));
        ExitCode::from(crate::cli::OWN_ERROR)
    }
}

/// As the agent would have run it.
fn bare(shell: &unconfined::Shell) -> ExitCode {
    not_started(shell, &shell.command(Path::new(".")).exec())
}

fn not_started(shell: &unconfined::Shell, failed: &std::io::Error) -> ExitCode {
    crate::screen::note(&format!("{}: {failed}", shell.name.display()));
    const NOT_FOUND: u8 = 127;
    ExitCode::from(NOT_FOUND)
}
