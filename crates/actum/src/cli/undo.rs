//! `actum undo`

use super::kept::{KeptProblem, KeptRun, conflicts, failed};
use crate::screen;
use actum_changes::settle::{Insist, Settled, undo};
use std::process::ExitCode;

/// Put back what was there before a run's changes were applied
///
/// All of it or nothing. Where somebody has worked on since, nothing is done and the paths are told. A run that wrote
/// directly into its workspace cannot be undone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum undo last
  actum undo 3f9ac0d1e2b4 --force

Exit codes: 0; 3 conflicts, nothing was done; 125 Actum's own error.")]
pub struct Undo {
    /// The run: its id, the beginning or end of it, or last
    #[arg(value_name = "RUN")]
    run: String,
    /// Replace what has changed since; it is kept, and `actum apply` puts it back
    #[arg(long)]
    force: bool,
}

impl Undo {
    pub fn execute(self) -> ExitCode {
        self.carry_out().unwrap_or_else(|problem| failed(&problem))
    }

    fn carry_out(&self) -> Result<ExitCode, KeptProblem> {
        let run = KeptRun::find(&self.run)?;
        let insist = if self.force { Insist::Yes } else { Insist::No };
        Ok(match undo(&run.keeping, insist)? {
            Settled::Done(count) => {
                screen::settled(
                    count,
                    "undone",
                    &format!("`actum apply {}` applies them again", run.id.short()),
                );
                ExitCode::SUCCESS
            }
            Settled::Conflicts(found) => conflicts("undo", run.id, &found),
        })
    }
}
