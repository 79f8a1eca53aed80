//! `actum sweep`: a new sweep.

use super::definition::Asked;
use super::go::{self, Going};
use super::problem::SweepProblem;
use crate::cli::run::{RunOptions, Words, source};
use crate::config::Config;
use crate::screen;
use actum_engine::{EarlySigner, RequestBuilder};
use actum_experiment::Profile;
use actum_experiment::sweep::{Sweep, SweepError, SweepPlan, TrialTemplate};
use actum_model::Tier;
use actum_sandbox::Warden;
use actum_sweep::{Method, SweepState, Trials};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Start {
    /// Name the sweep [default: sweep]
    #[arg(long, value_name = "NAME", help_heading = "Sweep")]
    name: Option<String>,
    /// Run so many trials at once [default: 1]
    #[arg(long, short = 'j', value_name = "N", help_heading = "Sweep")]
    workers: Option<NonZeroUsize>,
    /// Set the pattern of the output folder [default: runs/{name}_{timestamp}]
    #[arg(long, value_name = "PATTERN", help_heading = "Sweep")]
    output: Option<String>,
    /// Show the trials, run nothing
    #[arg(long, help_heading = "Sweep")]
    dry_run: bool,
    /// Print JSON
    #[arg(long, help_heading = "Sweep")]
    json: bool,

    #[command(flatten)]
    asked: Asked,

    /// Use this configuration file
    #[arg(long, value_name = "FILE", help_heading = "Experiment")]
    config: Option<PathBuf>,
    /// Set a parameter of all trials (repeatable)
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Experiment")]
    set: Vec<String>,
    /// Set how much is pinned: record, pinned or strict [default: pinned]
    #[arg(long, value_name = "PROFILE", help_heading = "Experiment")]
    profile: Option<String>,
    /// Set the threads of numeric libraries [default: processors by workers]
    #[arg(long, value_name = "N", help_heading = "Experiment")]
    threads: Option<u32>,
    /// Stop a trial whose loss is NaN or that raises another alarm
    #[arg(long, help_heading = "Experiment")]
    stop_on_alarm: bool,

    #[command(flatten)]
    options: RunOptions,

    /// File and its arguments, or a command after --
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FILE [ARGUMENT]…")]
    words: Vec<OsString>,
}

impl Start {
    pub(super) fn go(self, warden: Warden, signer: Option<EarlySigner>) -> Result<ExitCode, SweepProblem> {
        let definition = self.asked.definition()?;
        let rules = self.asked.rules()?;
        if self.dry_run {
            return self.list(
                SweepState::new(Trials::new(definition).map_err(SweepError::from)?, rules)
                    .map_err(SweepError::from)?,
            );
        }
        let (metric, budget) = (self.asked.metric(), self.asked.budget.clone());
        let workers = self.workers.unwrap_or(NonZeroUsize::MIN);
        let (name, output, json) = (self.name.clone(), self.output.clone(), self.json);
        let is_outside = definition.method == Method::Outside;
        let trial = self.template(workers)?;
        let workspace = trial.asked.workspace.clone();
        let going = Going::begin((warden, signer), workspace.as_deref(), workers)?;
        let Config { experiment, .. } = &going.config;
        let pattern = output
            .or(experiment.output.clone())
            .unwrap_or_else(|| actum_experiment::DEFAULT_PATTERN.to_owned());
        let name = name.unwrap_or_else(|| "sweep".to_owned());
        let plan = SweepPlan { name, pattern, definition, rules, metric, budget, trial };
        let sweep = Sweep::create(&going.engine, plan)?;
        if is_outside {
            return go::told(sweep, json);
        }
        going.run(sweep, workers, json)
    }

    fn template(self, workers: NonZeroUsize) -> Result<TrialTemplate, SweepProblem> {
        let line: Vec<OsString> = std::env::args_os().collect();
        let words = Words::read(&line, &self.words);
        let (source, arguments) = source(None, false, words, &self.words)?;
        let profile = match &self.profile {
            Some(profile) => {
                let usage = |error: &dyn std::error::Error| {
                    SweepProblem::usage(error.to_string(), "as in --profile pinned")
                };
                profile.parse::<Profile>().map_err(|error| usage(&error))?;
                profile.clone()
            }
            None => "pinned".to_owned(),
        };
        // As many threads in all as there are processors: a number that two machines may not share, so it is kept.
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = self.threads.or_else(|| u32::try_from((cores / workers.get()).max(1)).ok());
        let asked = RequestBuilder { source, arguments, ..self.options.asked() };
        let (config, set, stop_on_alarm) = (self.config, self.set, self.stop_on_alarm);
        Ok(TrialTemplate { asked, profile, config, set, threads, stop_on_alarm })
    }

    /// The trials that there would be.
    fn list(&self, state: SweepState) -> Result<ExitCode, SweepProblem> {
        let trials: Vec<_> = state.trials().iter().collect();
        if self.json {
            let list = serde_json::json!({ "trials": trials, "rungs": state.plan() });
            screen::say(&serde_json::to_string_pretty(&list)?);
            return Ok(ExitCode::SUCCESS);
        }
        for trial in &trials {
            let double =
                state.double_of(trial.index).map(|first| format!("  (as trial {first}, not run again)"));
            screen::say(&format!("{}{}", screen::trial(trial), double.unwrap_or_default()));
        }
        for rung in state.plan().unwrap_or_default() {
            screen::note(&format!("rung with budget {}: at most {} points", rung.budget, rung.points));
        }
        screen::note(&format!("{} trials", trials.len()));
        Ok(ExitCode::SUCCESS)
    }
}

/// Sweeps run in whatever tier the machine has.
pub(super) const CEILING: Tier = Tier::N;
