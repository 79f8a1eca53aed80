//! `actum sweep`

mod definition;
mod drive;
mod go;
mod look;
mod problem;
mod resume;
mod start;

use actum_engine::EarlySigner;
use actum_sandbox::Warden;
use std::process::ExitCode;

/// Run an experiment many times over parameters, in parallel and resumable
///
/// Each trial is an experiment with its own record and output folder. Which trials there are depends on the definition and its seed
/// alone, not on the number of workers, nor on kills. Parameters reach the command by placeholders such as {lr}; one without a
/// placeholder is set by its name, as by --set of `actum experiment run`. {seed}, {split}, {budget} and {output} are placeholders too,
/// and the program finds the seed in ACTUM_SEED.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  actum sweep --param lr=0.1,0.01 --param layers=1..3 -- python train.py --lr {lr} --layers {layers}
  actum sweep --random 20 --param 'lr=log(1e-5,1e-1)' --seeds 5 -- python train.py
  actum sweep --sobol 32 --space space.yaml --workers 4 --metric acc --goal max -- python train.py
  actum sweep --random 27 --halving 1..27 --budget epochs --param 'lr=log(1e-5,1)' -- python train.py
  actum sweep --split dev,test --param k=1,5,10 -- python eval.py --k {k} --split {split}
  actum sweep --dry-run --param lr=0.1,0.01 -- python train.py
  actum sweep resume last
  actum sweep --outside --name study -- python train.py     driven by `actum sweep drive`

Values of --param:
  lr=0.1,0.01,adam      a list                   n=1..4                 integers, both ends
  batch=int(8,128,step=8)                        n=logint(1,1024)       integers, logarithmic
  p=uniform(0,1,step=0.1)                        lr=log(1e-5,1e-1)      logarithmic
  w=normal(0,1)         mean and deviation       opt=choice(adam,sgd)   a list

Exit codes: 0 if a trial succeeded, 1 if none did, 125 for Actum's own error, 130 if interrupted."
)]
pub struct Sweep {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    start: start::Start,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Resume(resume::Resume),
    Drive(drive::Drive),
    Ls(look::Ls),
    Show(look::Show),
}

impl Sweep {
    pub fn execute(self, warden: Warden, signer: Option<EarlySigner>) -> ExitCode {
        let done = match self.command {
            Some(Command::Resume(command)) => command.go(warden, signer),
            Some(Command::Drive(command)) => command.go(warden, signer),
            Some(Command::Ls(command)) => command.go(),
            Some(Command::Show(command)) => command.go(),
            None => self.start.go(warden, signer),
        };
        done.unwrap_or_else(|problem| problem.fail())
    }
}
