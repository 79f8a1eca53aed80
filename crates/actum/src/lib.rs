//! Actum: runs what agents and people wrote, confined and captured. The command line, its configuration and its screen.
//!
//! The binary calls [`main`] and nothing else. [`foreign`] are the parsers of text that somebody else wrote, for fuzzing.

mod cli;
mod clock;
mod config;
mod facts;
#[doc(hidden)]
pub mod foreign;
mod screen;
mod signals;

use std::process::ExitCode;

/// Reads the command line and carries it out.
pub fn main() -> ExitCode {
    let called =
        cli::place::if_called(std::env::args_os()).or_else(|| cli::internal::internal(std::env::args_os()));
    if let Some(code) = called {
        return code;
    }
    // First of all, while this process is small and has one thread: see actum-sandbox's warden.
    match actum_sandbox::Warden::fork() {
        Ok(warden) => {
            let is_plain_run = cli::is_plain_run(std::env::args_os());
            if is_plain_run {
                warden.begin_early();
            }
            cli::main(warden, is_plain_run.then(cli::Early::begin))
        }
        Err(error) => {
            screen::problem(&error, None);
            ExitCode::from(125)
        }
    }
}
