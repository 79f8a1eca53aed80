//! `actum apply`

use super::kept::{KeptProblem, KeptRun, conflicts, failed};
use crate::screen;
use actum_changes::settle::{Insist, Settled, apply};
use std::path::PathBuf;
use std::process::ExitCode;

/// Apply a run's changes that were kept apart
///
/// Changes are kept apart if the run failed, if they conflict with the workspace, or after `actum undo`. Of a run that was lost
/// (killed, or the power failed) this applies what it had written when it was last saved. This applies all of them or none. If
/// the workspace has changed since the run, nothing is done and the conflicting paths are listed. Withheld changes, such as git
/// hooks, are applied only if you name their paths.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum apply last
  actum apply last src/main.rs docs
  actum apply last .git/hooks/pre-commit
  actum apply 3f9ac0d1e2b4 --force

Exit codes: 0; 3 conflicts, and nothing was done; 125 Actum's own error.")]
pub struct Apply {
    /// Run id, its beginning or end, or `last`
    #[arg(value_name = "RUN")]
    run: String,
    /// Apply only these paths and everything below them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Overwrite newer files; they are saved, and `actum undo` restores them
    #[arg(long)]
    force: bool,
}

impl Apply {
    pub fn execute(self) -> ExitCode {
        self.carry_out().unwrap_or_else(|problem| failed(&problem))
    }

    fn carry_out(&self) -> Result<ExitCode, KeptProblem> {
        let run = KeptRun::find(&self.run)?;
        let names: Result<Vec<Vec<u8>>, KeptProblem> =
            self.paths.iter().map(|path| run.inside(path)).collect();
        let insist = if self.force { Insist::Yes } else { Insist::No };
        Ok(match apply(&run.keeping, &names?, insist)? {
            Settled::Done(count) => {
                screen::settled(count, "applied", &format!("`actum undo {}` reverts this", run.id.short()));
                ExitCode::SUCCESS
            }
            Settled::Conflicts(found) => conflicts("apply", run.id, &found),
        })
    }
}
