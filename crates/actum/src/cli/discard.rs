//! `actum discard`

use super::kept::{KeptProblem, KeptRun, failed};
use crate::screen;
use actum_changes::settle::discard;
use std::process::ExitCode;

/// Give up what a run changed and did not apply
///
/// The list stays; the contents are removed. What is in the workspace stays there.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum discard last
  actum discard 3f9ac0d1e2b4

Exit codes: 0; 125 Actum's own error, such as nothing to discard.")]
pub struct Discard {
    /// The run: its id, the beginning or end of it, or last
    #[arg(value_name = "RUN")]
    run: String,
}

impl Discard {
    pub fn execute(self) -> ExitCode {
        match self.carry_out() {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => failed(&problem),
        }
    }

    fn carry_out(&self) -> Result<(), KeptProblem> {
        let run = KeptRun::find(&self.run)?;
        screen::settled(discard(&run.keeping)?, "discarded", "their list is still there");
        Ok(())
    }
}
