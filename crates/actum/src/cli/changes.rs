//! `actum changes`

use super::kept::{KeptProblem, KeptRun, failed};
use crate::screen;
use actum_model::{Bytes, RunId};
use std::process::ExitCode;

/// List the files that a run changed in its workspace
///
/// Prints one line for each path: + created, ~ modified, - deleted, with the size and the start of the SHA-256. If a change is
/// never applied automatically, the line says why. While a run goes on its changes are unknown yet. Of a run that was lost this
/// lists what it had written when it was last saved.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum changes last
  actum changes last --diff
  actum changes 3f9ac0d1e2b4 --json

Exit codes: 0; 125 Actum's own error, such as a run that made no changes.")]
pub struct Changes {
    /// Run id, its beginning or end, or `last`
    #[arg(value_name = "RUN")]
    run: String,
    /// Print JSON
    #[arg(long, conflicts_with = "diff")]
    json: bool,
    /// Show changes of text files as a unified diff
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
        let run = match KeptRun::find(&self.run) {
            // An answer, and no failure: nobody may take it for none.
            Err(KeptProblem::UnknownYet { run }) => return self.unknown_yet(run),
            found => found?,
        };
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
        if let Some(at) = run.lost {
            screen::note(&format!(
                "actum: the run was lost; this is what it had written when it was last saved, at {at}"
            ));
        }
        Ok(())
    }

    fn unknown_yet(&self, run: RunId) -> Result<(), KeptProblem> {
        if self.json {
            let told = serde_json::json!({ "run": run.to_string(), "state": "unknown-yet" });
            screen::say(&serde_json::to_string_pretty(&told)?);
        } else {
            screen::note(&format!("actum: run {}: unknown yet, it is still running", run.short()));
        }
        Ok(())
    }
}
