//! `actum changes`

use super::kept::{KeptProblem, KeptRun, failed};
use crate::screen;
use actum_model::Bytes;
use std::process::ExitCode;

/// List what a run changed in its workspace, and what became of it
///
/// One line for each path: + created, ~ modified, - deleted, with its size and the beginning of its SHA-256. A change that
/// is never applied by itself says why.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum changes last
  actum changes last --diff
  actum changes 3f9ac0d1e2b4 --json

Exit codes: 0; 125 Actum's own error, such as a run that made no changes.")]
pub struct Changes {
    /// The run: its id, the beginning or end of it, or last
    #[arg(value_name = "RUN")]
    run: String,
    /// As JSON
    #[arg(long, conflicts_with = "diff")]
    json: bool,
    /// What changed in text files, as a unified diff
    #[arg(long)]
    diff: bool,
}

/// 4 MiB: what is longer is not read by people.
const LONGEST: Bytes = Bytes::mib(4);

impl Changes {
    pub fn execute(self) -> ExitCode {
        match self.show() {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => failed(&problem),
        }
    }

    fn show(&self) -> Result<(), KeptProblem> {
        let run = KeptRun::find(&self.run)?;
        let list = run.keeping.read()?;
        if self.json {
            screen::say(&serde_json::to_string_pretty(&list)?);
        } else if self.diff {
            for kept in &list.changes {
                screen::difference(&kept.change, &run.keeping.sides(&list, kept, LONGEST));
            }
        } else {
            screen::changes(run.id, &list);
        }
        Ok(())
    }
}
