//! `actum experiment run`

use super::problem::ExperimentProblem;
use crate::cli::run::{
    Form, OneRun, Options, Presenter, ProgramTerminal, Reporter, RunOptions, Words, engine, source,
};
use crate::config::{self, Config};
use crate::screen;
use actum_engine::{EarlySigner, Engine, Lifetime, RequestBuilder, RunState};
use actum_experiment::manifest::Purpose;
use actum_experiment::{
    ExperimentRequest, FinishedExperiment, OnAlarm, PreparedExperiment, Profile, WatchPolicy,
};
use actum_model::{ExitCode as Code, Span, Tier};
use actum_sandbox::{Opening, Warden};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Run an experiment and keep everything that is needed to repeat it
///
/// Without a command the way to start is looked for: scripts/train.*, Makefile targets and others. Before anything starts, the manifest
/// is written to the output folder and shown: commit, uncommitted changes, command, seed, parameters, data. The program gets the
/// folder as ACTUM_OUTPUT, and {output} in its arguments stands for it. Metrics are read from what it prints, from files in the output
/// folder (metrics.jsonl, CSV, TensorBoard), and from MLflow's client, which finds a server at MLFLOW_TRACKING_URI.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum experiment run -- python train.py --epochs 3 --out {output}
  actum experiment run train.py --epochs 3          a file with its arguments
  actum experiment run --name base --seed 7         find the way to start
  actum experiment run --config base.yaml --set optimizer.lr=0.01 -- python train.py
  actum experiment run --smoke -- python train.py   one step, to see that it works
  actum experiment run --profile strict -- python train.py

Profiles, for --profile:
  record   pin nothing; the program finds the seed in ACTUM_SEED
  pinned   set seeds, hash order, threads and BLAS kernels (default)
  strict   also fix the clock and the system's entropy; needs --net none or no --net

Exit codes: those of `actum run`; 120 if the experiment was not confirmed.")]
pub struct Run {
    /// Name the experiment [default: its program]
    #[arg(long, value_name = "NAME", help_heading = "Experiment")]
    name: Option<String>,
    /// Set the seed: a number, or random to draw one [default: 42]
    #[arg(long, value_name = "SEED", help_heading = "Experiment")]
    seed: Option<String>,
    /// Use this configuration file
    #[arg(long, value_name = "FILE", help_heading = "Experiment")]
    config: Option<PathBuf>,
    /// Set a parameter, in a configuration copy or as a flag (repeatable)
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Experiment")]
    set: Vec<String>,
    /// Set how much is pinned: record, pinned or strict [default: pinned]
    #[arg(long, value_name = "PROFILE", help_heading = "Experiment")]
    profile: Option<String>,
    /// Set the threads of numeric libraries [default: all processors]
    #[arg(long, value_name = "N", help_heading = "Experiment")]
    threads: Option<u32>,
    /// Make one short run to see that it works
    #[arg(long, help_heading = "Experiment")]
    smoke: bool,
    /// Set the pattern of the output folder [default: runs/{name}_{timestamp}]
    #[arg(long, value_name = "PATTERN", help_heading = "Experiment")]
    output: Option<String>,
    /// Warn or stop on a NaN loss, silence or a full disk [default: warn]
    #[arg(long, value_name = "warn|stop", help_heading = "Experiment")]
    on_alarm: Option<String>,
    /// Raise an alarm after TIME without output [default: 30m]
    #[arg(long, value_name = "TIME", help_heading = "Experiment")]
    stalled: Option<Span>,
    /// Refuse to run with uncommitted changes
    #[arg(long, help_heading = "Experiment")]
    require_clean: bool,
    /// Do not ask for confirmation
    #[arg(long, short, help_heading = "Experiment")]
    yes: bool,
    /// Show the manifest, run nothing
    #[arg(long, help_heading = "Experiment")]
    dry_run: bool,

    #[command(flatten)]
    options: RunOptions,

    #[command(flatten)]
    reporting: Options,

    /// File and its arguments, or a command after --
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FILE [ARGUMENT]…")]
    words: Vec<OsString>,
}

/// From this duration on an experiment is expensive, and is confirmed first.
const EXPENSIVE: Duration = Duration::from_secs(10 * 60);

impl Run {
    pub fn execute(self: Box<Self>, warden: Warden, signer: Option<EarlySigner>) -> ExitCode {
        match self.go(warden, signer) {
            Ok(code) => code.into(),
            Err(problem) => problem.fail(),
        }
    }

    fn go(self, warden: Warden, signer: Option<EarlySigner>) -> Result<Code, ExperimentProblem> {
        let opening = Opening::begin(warden, Tier::N).map_err(actum_engine::EngineError::from)?;
        let how = Carrying {
            reporting: self.reporting.clone(),
            terminal: self.options.terminal(),
            yes: self.yes,
            dry_run: self.dry_run,
            output: self.output.clone(),
        };
        carry_out(OneRun::opening(opening, signer), self.request()?, how)
    }

    fn request(self) -> Result<ExperimentRequest, ExperimentProblem> {
        let line: Vec<OsString> = std::env::args_os().collect();
        let words = Words::read(&line, &self.words);
        let (source, arguments) = source(None, false, words, &self.words)?;
        let asked = RequestBuilder { source, arguments, ..self.options.asked() };
        let mut request = ExperimentRequest::new(asked);
        let usage = |error: &dyn std::error::Error, hint: &str| ExperimentProblem::Usage {
            what: error.to_string(),
            hint: hint.to_owned(),
        };
        if let Some(seed) = &self.seed {
            request.seed =
                actum_experiment::parse_seed(seed).map_err(|error| usage(&error, "as in --seed 42"))?;
        }
        if let Some(profile) = &self.profile {
            request.profile =
                profile.parse::<Profile>().map_err(|error| usage(&error, "as in --profile pinned"))?;
        }
        request.watch = watch(self.on_alarm.as_deref(), self.stalled)?;
        if self.smoke {
            request.purpose = Purpose::Smoke;
        }
        Ok(ExperimentRequest {
            name: self.name,
            config: self.config,
            set: self.set,
            threads: self.threads,
            require_clean: self.require_clean,
            ..request
        })
    }
}

/// How an experiment is carried out and shown.
pub(in crate::cli) struct Carrying {
    pub(in crate::cli) reporting: Options,
    pub(in crate::cli) terminal: ProgramTerminal,
    pub(in crate::cli) yes: bool,
    pub(in crate::cli) dry_run: bool,
    /// The pattern of the output folder, if not the configured one.
    pub(in crate::cli) output: Option<String>,
}

/// Prepares an experiment, shows its manifest, asks, runs it and shows what came of it.
pub(in crate::cli) fn carry_out(
    one: OneRun,
    request: ExperimentRequest,
    how: Carrying,
) -> Result<Code, ExperimentProblem> {
    let surroundings = config::surroundings()?;
    let config = Config::resolve(&surroundings, request.asked.workspace.as_deref())?;
    let request = ExperimentRequest {
        pattern: how.output.or(config.experiment.output.clone()).unwrap_or(request.pattern),
        ..request
    };
    let engine = engine(one, (surroundings, config.run), Lifetime::ManyRuns, Tier::N)?;
    crate::cli::kept::report_unfinished(&engine.finish_pending());
    let mut prepared = actum_experiment::prepare(&engine, request)?;
    actum_experiment::estimate(&engine, &mut prepared);
    let reporter =
        Reporter::prepare(&how.reporting, &engine.surroundings().variables, prepared.manifest.run)?;
    let showing = Showing { reporter, terminal: how.terminal, yes: how.yes, dry_run: how.dry_run };
    showing.go(&engine, prepared)
}

/// What is left to do with an experiment that is prepared.
pub(super) struct Showing {
    pub(super) reporter: Reporter,
    pub(super) terminal: ProgramTerminal,
    pub(super) yes: bool,
    pub(super) dry_run: bool,
}

impl Showing {
    pub(super) fn go(self, engine: &Engine, prepared: PreparedExperiment) -> Result<Code, ExperimentProblem> {
        let speaks = matches!(self.reporter.form, Form::People);
        if speaks {
            prepared
                .notes
                .iter()
                .for_each(|note| screen::note(&format!("actum: {}", screen::harmless(note))));
            screen::note(&screen::manifest(&prepared.manifest));
        }
        if self.dry_run {
            if !speaks {
                screen::say(&serde_json::to_string_pretty(&prepared.manifest)?);
            }
            prepared.discard();
            return Ok(Code::SUCCESS);
        }
        let prepared = if self.yes { prepared } else { confirm(prepared)? };
        let mut presenter = Presenter::new(&self.reporter, self.terminal);
        let finished = actum_experiment::run(engine, prepared, &mut presenter);
        drop(presenter);
        show(engine, &self.reporter, finished?)
    }
}

fn watch(on_alarm: Option<&str>, stalled: Option<Span>) -> Result<WatchPolicy, ExperimentProblem> {
    let on_alarm = match on_alarm {
        None | Some("warn") => OnAlarm::Warn,
        Some("stop") => OnAlarm::Stop,
        Some(other) => {
            return Err(ExperimentProblem::Usage {
                what: format!("`{other}` is not an answer to an alarm"),
                hint: "use --on-alarm warn or --on-alarm stop".to_owned(),
            });
        }
    };
    let mut policy = WatchPolicy { on_alarm, ..WatchPolicy::default() };
    if let Some(Span(time)) = stalled {
        policy.stalled_after = (!time.is_zero()).then_some(time);
    }
    Ok(policy)
}

/// Asks whether an experiment is to be run that is dirty or expensive. Without a terminal what is dirty runs, since everything
/// uncommitted is kept, and what is expensive does not.
fn confirm(prepared: PreparedExperiment) -> Result<PreparedExperiment, ExperimentProblem> {
    let manifest = &prepared.manifest;
    let dirty = manifest.git.as_ref().filter(|git| git.dirty);
    let dirty = dirty.map(|_| "there are uncommitted changes; they are kept with the run".to_owned());
    let is_long = manifest.estimate.as_ref().filter(|one| one.duration.0 > EXPENSIVE);
    let long = is_long.map(|one| format!("it is expected to take {}", one.duration));
    let gpu = (!manifest.request.gpus.is_empty()).then(|| "it uses a GPU".to_owned());
    let is_smoke = manifest.purpose == Purpose::Smoke;
    let expensive = long.or(gpu).filter(|_| !is_smoke);
    let terminal = std::io::stderr().is_terminal().then(|| actum_gate::own::terminal().ok()).flatten();
    let Some(mut terminal) = terminal else {
        return match expensive {
            Some(why) => {
                prepared.discard();
                Err(ExperimentProblem::NobodyToAsk { why })
            }
            None => {
                dirty.iter().for_each(|why| screen::note(&format!("actum: {why}")));
                Ok(prepared)
            }
        };
    };
    let reasons: Vec<String> = dirty.into_iter().chain(expensive.clone()).collect();
    if reasons.is_empty() {
        return Ok(prepared);
    }
    reasons.iter().for_each(|why| screen::note(&format!("actum: {why}")));
    if expensive.is_some() {
        screen::note("hint: --smoke makes one short run first");
    }
    let mut answer = String::new();
    let asked =
        terminal.write_all(b"Run it? [y/N] ").and_then(|()| BufReader::new(terminal).read_line(&mut answer));
    match asked.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        true => Ok(prepared),
        false => {
            prepared.discard();
            Err(ExperimentProblem::NotConfirmed)
        }
    }
}

/// Shows what came of it.
fn show(
    _engine: &Engine,
    reporter: &Reporter,
    finished: FinishedExperiment,
) -> Result<Code, ExperimentProblem> {
    let FinishedExperiment { run, manifest, result } = finished;
    if let Some(error) = &run.unsigned {
        screen::problem(error, error.hint().as_deref());
    }
    if let RunState::AwaitingApproval { question } = &run.state {
        question.iter().for_each(|line| screen::note(line));
        return Ok(reporter.show_waiting(&run.report)?);
    }
    if reporter.form == Form::Json {
        let mut report = serde_json::to_value(&run.report)?;
        if let Some(fields) = report.as_object_mut() {
            fields.insert("manifest".to_owned(), serde_json::to_value(&manifest)?);
            if let Some(result) = &result {
                fields.insert("metrics".to_owned(), serde_json::to_value(&result.metrics)?);
                fields.insert("experiment".to_owned(), serde_json::to_value(result)?);
            }
        }
        screen::say(&serde_json::to_string_pretty(&report)?);
        return Ok(run.report.exit_code);
    }
    let code = reporter.show(&run.report)?;
    if let (Form::People, Some(result)) = (reporter.form, &result) {
        screen::note(&screen::results(result));
    }
    Ok(code)
}
