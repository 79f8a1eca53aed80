//! `actum experiment resume`

use super::problem::ExperimentProblem;
use super::run::Showing;
use crate::cli::run::{OneRun, Options, ProgramTerminal, Reporter, engine};
use crate::config::{self, Config};
use crate::screen;
use actum_engine::{EarlySigner, Lifetime};
use actum_evidence::{EvidenceError, Reading};
use actum_experiment::resume::{ResumeOptions, find, prepare};
use actum_model::{ExitCode as Code, Tier};
use actum_sandbox::{Opening, Warden};
use std::path::Path;
use std::process::ExitCode;

/// Continue an experiment that did not end, from its newest checkpoint
///
/// For an experiment that failed, was cancelled, or was killed together with Actum. The newest checkpoint is looked for in its output
/// folder, then in folders of the workspace that its command names. The option that continues is found in the program's text or its
/// --help; [experiment] resume of your configuration names another. Seed, profile, parameters and output folder are the same, and the
/// curves of all attempts are one: where a later attempt repeats steps, what it reported stands.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum experiment resume last
  actum experiment resume 3f9a02 --checkpoint checkpoint-500
  actum experiment resume 3f9a02 --dry-run       show the command, run nothing

In actum.toml of your own configuration, for programs with another way:
  [experiment]
  resume = \"--warm-start {checkpoint}\"

Exit codes: those of `actum run`; 120 if it was not confirmed.")]
pub struct Resume {
    /// Experiment: its id, the id's beginning or end, or `last`
    #[arg(value_name = "RUN")]
    run: String,
    /// Continue from this checkpoint, not from the newest
    #[arg(long, value_name = "PATH")]
    checkpoint: Option<String>,
    /// Continue an experiment that succeeded
    #[arg(long)]
    again: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Show the manifest, run nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    reporting: Options,
}

impl Resume {
    pub fn execute(self, warden: Warden, signer: Option<EarlySigner>) -> ExitCode {
        match self.go(warden, signer) {
            Ok(code) => code.into(),
            Err(problem) => problem.fail(),
        }
    }

    fn go(self, warden: Warden, signer: Option<EarlySigner>) -> Result<Code, ExperimentProblem> {
        let opening = Opening::begin(warden, Tier::N).map_err(actum_engine::EngineError::from)?;
        let surroundings = config::surroundings()?;
        let reading = Reading::open(surroundings.clone()).map_err(evidence)?;
        let earlier = find(&reading, &self.run)?;
        drop(reading);
        let workspace = Path::new(&earlier.manifest.workspace);
        if !workspace.is_dir() {
            return Err(ExperimentProblem::Usage {
                what: format!(
                    "the workspace of the experiment, {}, is not there",
                    screen::harmless(&earlier.manifest.workspace)
                ),
                hint: "put it back, or start anew where it is now".to_owned(),
            });
        }
        let config = Config::resolve(&surroundings, Some(workspace))?;
        let options = ResumeOptions {
            again: self.again,
            declared: config.experiment.resume.clone(),
            checkpoint: self.checkpoint,
        };
        let one = OneRun::opening(opening, signer);
        let engine = engine(one, (surroundings, config.run), Lifetime::ManyRuns, Tier::N)?;
        crate::cli::kept::report_unfinished(&engine.finish_pending());
        let prepared = prepare(&engine, &earlier, &options)?;
        let reporter =
            Reporter::prepare(&self.reporting, &engine.surroundings().variables, prepared.manifest.run)?;
        let showing =
            Showing { reporter, terminal: ProgramTerminal::None, yes: self.yes, dry_run: self.dry_run };
        showing.go(&engine, prepared)
    }
}

fn evidence(error: EvidenceError) -> ExperimentProblem {
    ExperimentProblem::Experiment(error.into())
}
