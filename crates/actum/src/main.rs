//! Actum: runs what agents and people wrote, confined and captured.

mod cli;
mod clock;
mod config;
mod facts;
mod screen;
mod signals;

use std::process::ExitCode;

fn main() -> ExitCode {
    let called =
        cli::place::if_called(std::env::args_os()).or_else(|| cli::internal::internal(std::env::args_os()));
    if let Some(code) = called {
        return code;
    }
    // First of all, while this process is small and has one thread: see actum-sandbox's warden.
    match actum_sandbox::Warden::fork() {
        Ok(warden) => cli::main(warden),
        Err(error) => {
            screen::problem(&error, None);
            ExitCode::from(125)
        }
    }
}
