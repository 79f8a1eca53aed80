//! Actum: runs what agents and people wrote, confined and captured.

mod cli;
mod config;
mod screen;
mod signals;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Programs of ours that run inside a sandbox: they start nothing, so they need no warden.
    if let Some(code) = cli::internal(std::env::args_os()) {
        return code;
    }
    // Before anything else is done, while this process is small and has one thread: see actum-sandbox's warden.
    match actum_sandbox::Warden::fork() {
        Ok(warden) => cli::main(warden),
        Err(error) => {
            screen::problem(&error, None);
            ExitCode::from(125)
        }
    }
}
