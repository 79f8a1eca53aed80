//! `actum checkpoint`

use super::trouble::{Trouble, ended};
use crate::config;
use crate::screen;
use actum_engine::clock;
use actum_engine::{HelperProgram, StartedSigner};
use actum_store::{Ledger, Store};
use std::process::ExitCode;

/// Print the ledger's signed state (checkpoint), to save somewhere else
///
/// With a saved checkpoint, `actum verify --checkpoint FILE` detects that the ledger was truncated or rewritten. A
/// checkpoint contains its size and root hash, and nothing about runs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum checkpoint > ~/elsewhere/actum.checkpoint
  actum verify --checkpoint ~/elsewhere/actum.checkpoint")]
pub struct Checkpoint {}

impl Checkpoint {
    pub fn execute(self) -> ExitCode {
        ended(go())
    }
}

fn go() -> Result<ExitCode, Trouble> {
    let surroundings = config::surroundings()?;
    let mut signer = StartedSigner::begin(&surroundings, &HelperProgram::itself()?).signer()?;
    let ledger = Ledger::open(&Store::at(&surroundings.store), clock::now())?;
    let note = signer.seal(&ledger, &ledger.reader()?)?;
    screen::say(note.to_string().trim_end_matches('\n'));
    Ok(ExitCode::SUCCESS)
}
