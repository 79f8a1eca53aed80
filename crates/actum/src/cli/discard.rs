//! `actum discard`

use super::kept::{KeptProblem, KeptRun, failed};
use crate::screen;
use actum_changes::settle::discard;
use std::process::ExitCode;

/// Delete a run's changes that were kept apart
///
/// The list of changes stays; their contents are deleted. The workspace stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum discard last
  actum discard 3f9ac0d1e2b4

Exit codes: 0; 125 Actum's own error, such as nothing to discard.")]
pub struct Discard {
    /// Run id, its beginning or end, or `last`
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
        screen::settled(discard(&run.keeping)?, "discarded", "the list of changes is kept");
        Ok(())
    }
}
