//! `actum reproduce`

use super::experiment::ExperimentProblem;
use super::run::{Form, Options};
use super::run::{OneRun, Presenter, Reporter, engine};
use crate::config::{self, Config};
use crate::screen;
use actum_engine::{EarlySigner, Lifetime, NoSink, Sink};
use actum_evidence::{EvidenceError, Reading};
use actum_experiment::StoredExperiment;
use actum_experiment::grade::{Tolerance, Tolerances};
use actum_experiment::reproduce::{Drifted, ReproduceOptions, Reproduction, Tried, bisect, reproduce};
use actum_model::{ExitCode as Code, Tier};
use actum_sandbox::{Opening, Warden};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Repeat an experiment and say whether it gives the same result
///
/// Puts the commit, the uncommitted changes and every file that was read together in a folder of their own, rebuilds the environment
/// from its lock, and runs the same command with the same seed. Your files are not touched. The grade: R0 bit for bit, R1 metrics
/// equal as printed, R2 metrics within tolerance, R3 other results, R4 did not run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum reproduce last
  actum reproduce 3f9a02 --tolerance loss=1e-4 --tolerance '*=1e-6'
  actum reproduce 3f9a02 --json | jq .grade
  actum reproduce 3f9a02 --keep                  leave the folder for a look

Exit codes: 0 for R0 to R2; 121 for R3; for R4 122 or the program's own; 125 Actum's own error.")]
pub struct Reproduce {
    /// Experiment: its id, the id's beginning or end, or `last`
    #[arg(value_name = "RUN")]
    run: String,
    /// Allow a metric to differ by a relative amount (repeatable; * is all others)
    #[arg(long, value_name = "METRIC=AMOUNT")]
    tolerance: Vec<String>,
    /// Do not compare files of this pattern, such as *.log (repeatable)
    #[arg(long, value_name = "PATTERN")]
    volatile: Vec<String>,
    /// Find the ingredient that matters, by changing one at a time
    #[arg(long)]
    bisect: bool,
    /// Keep the folder in which it was run
    #[arg(long)]
    keep: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Do not show the program's output
    #[arg(long, short)]
    quiet: bool,
}

/// What is printed as JSON.
#[derive(Serialize)]
struct Told<'a> {
    run: actum_model::RunId,
    of: actum_model::RunId,
    grade: &'a str,
    meaning: &'a str,
    differences: serde_json::Value,
    scope: serde_json::Value,
    basis: serde_json::Value,
    excluded: &'a [String],
    notes: &'a [String],
    causes: serde_json::Value,
    ingredients: serde_json::Value,
    missing: Vec<String>,
    drifted: &'a [Drifted],
    #[serde(skip_serializing_if = "<[Tried]>::is_empty")]
    bisected: &'a [Tried],
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<PathBuf>,
}

impl Reproduce {
    pub fn execute(self, warden: Warden, signer: Option<EarlySigner>) -> ExitCode {
        match self.go(warden, signer) {
            Ok(code) => code.into(),
            Err(problem) => problem.fail(),
        }
    }

    fn go(&self, warden: Warden, signer: Option<EarlySigner>) -> Result<Code, ExperimentProblem> {
        let opening = Opening::begin(warden, Tier::N).map_err(actum_engine::EngineError::from)?;
        let surroundings = config::surroundings()?;
        let config = Config::resolve(&surroundings, None)?;
        let reading = Reading::open(surroundings.clone()).map_err(evidence)?;
        let original = StoredExperiment::find(&reading, &self.run)?;
        let options = ReproduceOptions {
            workspace: surroundings.folder.clone(),
            tolerances: self.tolerances()?,
            volatile: actum_experiment::grade::Volatile {
                files: self.volatile.clone(),
                ..Default::default()
            },
            keep: self.keep,
            ..ReproduceOptions::default()
        };
        let one = OneRun::opening(opening, signer);
        let engine = engine(one, (surroundings, config.run), Lifetime::ManyRuns, Tier::N)?;
        super::kept::report_unfinished(&engine.finish_pending());
        let form = if self.quiet { Form::Quiet } else { Form::People };
        let reporter =
            Reporter::prepare(&Options::form(form), &engine.surroundings().variables, original.manifest.run)?;
        if !self.json {
            screen::note(&format!(
                "actum: repeating {}",
                screen::harmless(&original.manifest.command.words.join(" "))
            ));
        }
        let mut quiet = NoSink;
        let mut presenter;
        let sink: &mut dyn Sink = if self.json || self.quiet {
            &mut quiet
        } else {
            presenter = Presenter::new(&reporter, super::run::ProgramTerminal::None);
            &mut presenter
        };
        let reproduction = reproduce(&engine, (&reading, &original), &options, sink)?;
        let mut tried = Vec::new();
        if self.bisect {
            let mut progress = |group: &[Drifted]| {
                if !self.json {
                    let names: Vec<String> = group.iter().map(Drifted::describe).collect();
                    screen::note(&format!("actum: trying: {}", screen::harmless(&names.join(", "))));
                }
            };
            tried = bisect(&engine, (&reading, &original), &options, &mut progress)?;
        }
        self.show(&reproduction, &tried)
    }

    fn tolerances(&self) -> Result<Tolerances, ExperimentProblem> {
        let mut tolerances = Tolerances::default();
        for text in &self.tolerance {
            let wrong = || ExperimentProblem::Usage {
                what: format!("`{text}` is not a tolerance"),
                hint: "write it as in --tolerance loss=1e-4".to_owned(),
            };
            let (name, amount) = text.split_once('=').ok_or_else(wrong)?;
            let amount: f64 =
                amount.trim().parse().ok().filter(|amount: &f64| *amount >= 0.0).ok_or_else(wrong)?;
            let tolerance = Tolerance { relative: amount, ..Tolerance::default() };
            match name {
                "*" => tolerances.otherwise = Some(tolerance),
                name => drop(tolerances.declared.insert(name.to_owned(), tolerance)),
            }
        }
        Ok(tolerances)
    }

    fn show(&self, reproduction: &Reproduction, tried: &[Tried]) -> Result<Code, ExperimentProblem> {
        let Reproduction { graded, comparison, causes, restored, drifted, finished, folder } = reproduction;
        let code = graded.grade.exit_code(Some(finished.run.report.exit_code));
        let missing = restored.missing.iter().map(|one| format!("{}: {}", one.path, one.why)).collect();
        if self.json {
            let told = Told {
                run: graded.run,
                of: graded.of,
                grade: graded.grade.label(),
                meaning: graded.grade.meaning(),
                differences: serde_json::to_value(&graded.differences)?,
                scope: serde_json::to_value(graded.scope)?,
                basis: serde_json::to_value(graded.basis)?,
                excluded: &graded.excluded,
                notes: &graded.notes,
                causes: serde_json::to_value(causes)?,
                ingredients: serde_json::to_value(&comparison.ingredients)?,
                missing,
                drifted,
                bisected: tried,
                folder: folder.clone(),
            };
            screen::say(&serde_json::to_string_pretty(&told)?);
        } else {
            screen::note(&screen::reproduction(reproduction, tried));
        }
        Ok(code)
    }
}

fn evidence(error: EvidenceError) -> ExperimentProblem {
    ExperimentProblem::Experiment(error.into())
}
