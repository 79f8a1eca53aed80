//! `actum sweep resume`

use super::go::Going;
use super::problem::SweepProblem;
use crate::screen;
use actum_engine::EarlySigner;
use actum_experiment::sweep::{Sweep, SweepFile, find};
use actum_sandbox::Warden;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Go on with a sweep that was interrupted or killed
///
/// Trials that had ended are not run again, also where nobody had written down that they ended: their records tell. Trials that
/// were running are started again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum sweep resume last
  actum sweep resume runs/sweep_20261119-205501 --workers 4")]
pub(super) struct Resume {
    /// Sweep: its folder, name, id, or `last`
    #[arg(value_name = "SWEEP")]
    sweep: String,
    /// Run so many trials at once [default: 1]
    #[arg(long, short = 'j', value_name = "N")]
    workers: Option<NonZeroUsize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Resume {
    pub(super) fn go(self, warden: Warden, signer: Option<EarlySigner>) -> Result<ExitCode, SweepProblem> {
        let workers = self.workers.unwrap_or(NonZeroUsize::MIN);
        let folder = folder(&self.sweep)?;
        let workspace = SweepFile::read(&folder)?.workspace;
        let going = Going::begin((warden, signer), Some(&workspace), workers)?;
        let sweep = resumed(&going, &folder, self.json)?;
        going.run(sweep, workers, self.json)
    }
}

/// The folder of the sweep that somebody means, from here.
pub(super) fn folder(text: &str) -> Result<PathBuf, SweepProblem> {
    let surroundings = crate::config::surroundings()?;
    let config = crate::config::Config::resolve(&surroundings, None)?;
    let pattern = config.experiment.output.as_deref().unwrap_or(actum_experiment::DEFAULT_PATTERN);
    Ok(find(&surroundings.folder, pattern, text)?)
}

/// Takes a sweep over, and says what was found.
pub(super) fn resumed(going: &Going, folder: &std::path::Path, json: bool) -> Result<Sweep, SweepProblem> {
    let (sweep, recovered) = Sweep::resume(&going.engine, folder)?;
    if !json && !recovered.found.is_empty() {
        screen::note(&format!(
            "actum: {} trials had ended, which was not written down",
            recovered.found.len()
        ));
    }
    if !json && !recovered.lost.is_empty() {
        screen::note(&format!("actum: {} trials were cut off and are started again", recovered.lost.len()));
    }
    Ok(sweep)
}
