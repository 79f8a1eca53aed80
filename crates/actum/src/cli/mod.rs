//! Words typed in: one command a file, whose doc comment is its help.

mod config;
mod doctor;
mod report_file;
mod run;
mod sandbox;
mod session;

use crate::screen;
use actum_sandbox::Warden;
use clap::Parser;
use std::process::ExitCode;

/// Actum's own error: the world or we failed, not the program.
pub(crate) const OWN_ERROR: u8 = 125;

/// Runs what agents and people wrote: confined, captured, and told truthfully.
#[derive(Debug, Parser)]
#[command(name = "actum", version, about, max_term_width = 100)]
struct Actum {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(run::Run),
    Doctor(doctor::Doctor),
    Sandbox(sandbox::Sandbox),
    Session(session::Session),
    Config(config::Show),
    #[command(hide = true)]
    Internal(session::Internal),
}

/// Reads the words and does what they say.
pub fn main(warden: Warden) -> ExitCode {
    let actum = match Actum::try_parse() {
        Ok(actum) => actum,
        Err(error) => {
            let _ = error.print();
            // clap's 2 for a wrong word would look like a program's own code; ours is 125.
            return ExitCode::from(if error.use_stderr() { OWN_ERROR } else { 0 });
        }
    };
    match actum.command {
        Command::Run(command) => command.execute(warden),
        Command::Doctor(command) => command.execute(warden),
        Command::Sandbox(command) => command.execute(),
        Command::Session(command) => command.execute(),
        Command::Config(command) => command.execute(),
        Command::Internal(command) => command.execute(warden),
    }
}

/// Shows an error and ends with our own code.
pub(crate) fn fail(error: &dyn std::error::Error, hint: Option<&str>) -> ExitCode {
    screen::problem(error, hint);
    ExitCode::from(OWN_ERROR)
}
