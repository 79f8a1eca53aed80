//! Actum: runs what agents and people wrote, confined and captured. The command line, its configuration and its screen.
//!
//! The binary calls [`main`] and nothing else. [`foreign`] are the parsers of text that somebody else wrote, for fuzzing.

mod cli;
mod config;
#[doc(hidden)]
pub mod foreign;
use actum_screen as screen;
mod signals;

use std::process::ExitCode;

/// Reads the command line and carries it out.
pub fn main() -> ExitCode {
    // Helper processes are this program as well.
    if let Some(code) = actum_engine::run_helper() {
        return code;
    }
    // First of all, while this process is small and has one thread: see actum-sandbox's warden.
    match actum_sandbox::Warden::fork() {
        Ok(warden) => {
            let is_plain_run = cli::is_plain_run(std::env::args_os());
            if is_plain_run {
                warden.begin_early();
            }
            cli::main(warden, is_plain_run.then(actum_engine::EarlySigner::fork))
        }
        Err(error) => {
            screen::problem(&error, None);
            actum_model::ExitCode::OWN_ERROR.into()
        }
    }
}
