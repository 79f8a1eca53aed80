//! `actum undo`

use super::kept::{KeptProblem, KeptRun, conflicts, failed};
use crate::screen;
use actum_changes::settle::{Insist, Settled, undo};
use std::process::ExitCode;

/// Undo a run's applied changes
///
/// Restores all files from before the run, or none. If they have changed since, nothing is done and the conflicting paths are
/// listed. A run with --in-place cannot be undone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum undo last
  actum undo 3f9ac0d1e2b4 --force

Exit codes: 0; 3 conflicts, and nothing was done; 125 Actum's own error.")]
pub struct Undo {
    /// Run id, its beginning or end, or `last`
    #[arg(value_name = "RUN")]
    run: String,
    /// Overwrite newer files; they are saved, and `actum apply` restores them
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
