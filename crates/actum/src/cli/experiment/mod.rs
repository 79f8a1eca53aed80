//! `actum experiment`

mod clean;
mod export;
mod look;
mod problem;
mod resume;
mod run;
mod select;

use actum_engine::EarlySigner;
use actum_sandbox::Warden;
use std::process::ExitCode;

pub(super) use problem::ExperimentProblem;
pub(super) use run::{Carrying, carry_out};

/// Run experiments that can be repeated, and look at them
///
/// An experiment is a run with everything that is needed to repeat it: the commit and uncommitted changes, the configuration with
/// its defaults, seeds, the environment, and the contents of every file that was read. No change in your code is needed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum experiment run -- python train.py --epochs 3
  actum experiment run --seed 7 --config configs/base.yaml --set lr=0.01
  actum experiment best --metric loss
  actum experiment plot last --metric loss
  actum experiment resume last
  actum reproduce last")]
pub struct Experiment {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(Box<run::Run>),
    #[command(visible_alias = "list")]
    Ls(look::Ls),
    Best(look::Best),
    #[command(name = "table")]
    Compare(look::Compare),
    Plot(look::Plot),
    Report(look::Report),
    Clean(clean::Clean),
    Resume(resume::Resume),
    Export(export::Export),
}

impl Experiment {
    pub fn execute(self, warden: Warden, signer: Option<EarlySigner>) -> ExitCode {
        let done = match self.command {
            Command::Run(command) => return command.execute(warden, signer),
            Command::Resume(command) => return command.execute(warden, signer),
            Command::Export(command) => return command.execute(),
            Command::Ls(command) => command.go(),
            Command::Best(command) => command.go(),
            Command::Compare(command) => command.go(),
            Command::Plot(command) => command.go(),
            Command::Report(command) => command.go(),
            Command::Clean(command) => command.go(),
        };
        done.unwrap_or_else(|problem| problem.fail())
    }
}
