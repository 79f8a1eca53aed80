//! `actum sweep drive`

use super::go::Going;
use super::problem::SweepProblem;
use super::resume::{folder, resumed};
use crate::screen;
use actum_engine::EarlySigner;
use actum_experiment::sweep::{Drive as Driving, Ended, Ending, Manner, SweepFile};
use actum_sandbox::Warden;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// Answer another program that asks for trials, in JSON lines
///
/// Reads one request a line from stdin and answers with one line on stdout. {\"ask\":{\"parameters\":{\"lr\":0.1},\"by\":\"optuna\"}} runs a
/// trial with these parameters and answers {\"known\":{\"trial\":…,\"settled\":{\"value\":…}}} when it has ended. {\"ask\":{}} runs the next
/// trial of the sweep's own. With --hand-out trials are not run here: whoever asks runs them, and tells how they ended, as in
/// {\"tell\":{\"index\":0,\"value\":0.5}}. Parameters that were tried before are answered from the journal.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum sweep drive runs/study_20261119-205501
  echo '{\"ask\":{\"parameters\":{\"lr\":0.1}}}' | actum sweep drive last
  actum sweep drive last --workers 4            replies come as trials end
  actum sweep drive last --hand-out")]
pub(super) struct Drive {
    /// Sweep: its folder, name, id, or `last`
    #[arg(value_name = "SWEEP")]
    sweep: String,
    /// Run so many trials at once [default: 1]
    #[arg(long, short = 'j', value_name = "N")]
    workers: Option<NonZeroUsize>,
    /// Do not run trials; whoever asks runs them
    #[arg(long)]
    hand_out: bool,
}

impl Drive {
    pub(super) fn go(self, warden: Warden, signer: Option<EarlySigner>) -> Result<ExitCode, SweepProblem> {
        let workers = self.workers.unwrap_or(NonZeroUsize::MIN);
        let folder = folder(&self.sweep)?;
        let workspace = SweepFile::read(&folder)?.workspace;
        let mut going = Going::begin((warden, signer), Some(&workspace), workers)?;
        let sweep = resumed(&going, &folder, false)?;
        let metric = sweep.file.metric.name.clone();
        let told = |ended: &Ended| screen::note(&screen::sweep_progress(ended, &metric));
        let manner = if self.hand_out { Manner::HandOut } else { Manner::Run };
        let lines = (BufReader::new(std::io::stdin()), std::io::stdout());
        let cancel = going.cancel.take();
        let (_, ending) =
            Driving::new((&going.engine, sweep), workers, &told).serve(manner, lines, cancel)?;
        Ok(match ending {
            Ending::Interrupted => actum_model::ExitCode::CANCELLED.into(),
            Ending::Done(_) | Ending::Idle => ExitCode::SUCCESS,
        })
    }
}
