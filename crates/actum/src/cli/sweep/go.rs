//! A sweep that is carried out: progress while it goes on, its account at the end.

use super::problem::SweepProblem;
use super::start::CEILING;
use crate::cli::kept;
use crate::cli::run::{OneRun, engine_for};
use crate::config::{self, Config};
use crate::{screen, signals};
use actum_engine::{EarlySigner, Engine, EngineError};
use actum_experiment::sweep::{Drive, Ended, Ending, Sweep, SweepAccount, SweepView};
use actum_sandbox::{Opening, Warden};
use actum_sweep::Outcome;
use rustix::fd::OwnedFd;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;

/// What every command has that runs trials.
pub(super) struct Going {
    pub(super) engine: Engine,
    pub(super) config: Config,
    pub(super) cancel: Option<OwnedFd>,
}

impl Going {
    pub(super) fn begin(
        (warden, signer): (Warden, Option<EarlySigner>),
        workspace: Option<&Path>,
        workers: NonZeroUsize,
    ) -> Result<Self, SweepProblem> {
        // Before the first thread: one that was there earlier would take the signal.
        let cancel = signals::cancel();
        let opening = Opening::begin(warden, CEILING).map_err(EngineError::from)?;
        let surroundings = config::surroundings()?;
        let config = Config::resolve(&surroundings, workspace)?;
        let one = OneRun::opening(opening, signer);
        let engine = engine_for(one, (surroundings, config.run.clone()), workers)?;
        kept::report_unfinished(&engine.finish_pending());
        Ok(Self { engine, config, cancel })
    }

    /// Runs what is left of a sweep.
    pub(super) fn run(
        self,
        sweep: Sweep,
        workers: NonZeroUsize,
        json: bool,
    ) -> Result<ExitCode, SweepProblem> {
        let metric = sweep.file.metric.name.clone();
        if !json {
            screen::note(&screen::sweep_begins(&sweep.file, &sweep.folder.shown, sweep.state().progress()));
        }
        let told = |ended: &Ended| {
            if !json {
                screen::note(&screen::sweep_progress(ended, &metric));
            }
        };
        let (sweep, ending) = Drive::new((&self.engine, sweep), workers, &told).run(self.cancel)?;
        show(&SweepView::from(sweep).account(), &ending, json)
    }
}

/// Shows the account of a sweep, and gives the exit code.
pub(super) fn show(account: &SweepAccount, ending: &Ending, json: bool) -> Result<ExitCode, SweepProblem> {
    let is_interrupted = *ending == Ending::Interrupted;
    match json {
        true => screen::say(&serde_json::to_string_pretty(account)?),
        false => screen::note(&screen::sweep(account, screen::columns())),
    }
    if is_interrupted {
        screen::note(&format!("actum: interrupted\nhint: go on with: actum sweep resume {}", account.folder));
        return Ok(actum_model::ExitCode::CANCELLED.into());
    }
    let has_success = account.trials.iter().any(|trial| trial.outcome == Some(Outcome::Succeeded));
    Ok(if has_success || account.trials.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Tells a sweep that is driven from outside.
pub(super) fn told(sweep: Sweep, json: bool) -> Result<ExitCode, SweepProblem> {
    let account = SweepView::from(sweep).account();
    if json {
        screen::say(&serde_json::to_string_pretty(&account)?);
    } else {
        screen::say(&account.folder);
        screen::note(&format!(
            "hint: drive it with: actum sweep drive {}",
            screen::harmless(&account.folder)
        ));
    }
    Ok(ExitCode::SUCCESS)
}
