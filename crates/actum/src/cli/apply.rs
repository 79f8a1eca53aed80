//! `actum apply`

use super::kept::{KeptProblem, KeptRun, conflicts, failed};
use crate::screen;
use actum_changes::settle::{Insist, Settled, apply};
use std::path::PathBuf;
use std::process::ExitCode;

/// Apply what a run changed and did not apply
///
/// It did not because it failed, because of conflicts, or because it was undone. All of it or nothing. Where the workspace has changed since the run, nothing is done and the paths are told. What is
/// withheld, such as git hooks, is applied only when its path is named.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum apply last
  actum apply last src/main.rs docs
  actum apply last .git/hooks/pre-commit
  actum apply 3f9ac0d1e2b4 --force

Exit codes: 0; 3 conflicts, nothing was done; 125 Actum's own error.")]
pub struct Apply {
    /// The run: its id, the beginning or end of it, or last
    #[arg(value_name = "RUN")]
    run: String,
    /// Only these, and what is beneath them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Replace what has changed since; it is kept, and `actum undo` puts it back
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
                screen::settled(
                    count,
                    "applied",
                    &format!("`actum undo {}` takes them back", run.id.short()),
                );
                ExitCode::SUCCESS
            }
            Settled::Conflicts(found) => conflicts("apply", run.id, &found),
        })
    }
}
