//! `actum experiment clean`

use super::problem::ExperimentProblem;
use super::select::open;
use crate::screen;
use actum_experiment::StoredExperiment;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::process::ExitCode;

/// Remove the output folders of experiments
///
/// The records stay, with the manifest, the curves and the contents that were kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum experiment clean 3f9a02
  actum experiment clean --yes last")]
pub(super) struct Clean {
    /// Experiments: ids, their beginnings or ends, or `last`
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

impl Clean {
    pub(super) fn go(&self) -> Result<ExitCode, ExperimentProblem> {
        let reading = open()?;
        for run in &self.runs {
            let found = StoredExperiment::find(&reading, run)?;
            let folder = actum_experiment::own_output(&found.manifest)?;
            let shown = screen::harmless(&folder.display().to_string());
            if !self.yes && !confirmed(&format!("Remove {shown}? [y/N] ")) {
                return Err(ExperimentProblem::NotConfirmed);
            }
            actum_experiment::remove_output(&found.manifest)?;
            screen::say(&format!("removed {shown}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn confirmed(question: &str) -> bool {
    if !std::io::stderr().is_terminal() {
        return false;
    }
    let Ok(mut terminal) = actum_gate::own::terminal() else { return false };
    let mut answer = String::new();
    let asked = terminal
        .write_all(question.as_bytes())
        .and_then(|()| BufReader::new(terminal).read_line(&mut answer));
    asked.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
