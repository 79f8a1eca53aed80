//! Which experiments a command is about: named ones, else the newest of a name.

use super::problem::ExperimentProblem;
use crate::config;
use actum_evidence::Reading;
use actum_experiment::{Experiments, StoredExperiment};

/// Experiments to look at.
#[derive(Debug, clap::Args)]
pub(super) struct Selection {
    /// Experiments: ids, their beginnings or ends, or `last` [default: the newest]
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// Only experiments of this name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Look at the newest COUNT
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    limit: u64,
}

impl Selection {
    /// The store and the experiments.
    pub(super) fn read(&self) -> Result<(Reading, Vec<StoredExperiment>), ExperimentProblem> {
        let reading = open()?;
        let found = match self.runs.is_empty() {
            false => {
                let find = |text: &String| StoredExperiment::find(&reading, text);
                self.runs.iter().map(find).collect::<Result<Vec<_>, _>>()?
            }
            true => Experiments::open(&reading)?.newest(&reading, self.name.as_deref(), self.limit)?,
        };
        if found.is_empty() {
            return Err(none());
        }
        Ok((reading, found))
    }
}

pub(super) fn open() -> Result<Reading, ExperimentProblem> {
    let surroundings = config::surroundings()?;
    Reading::open(surroundings).map_err(|error| ExperimentProblem::Experiment(error.into()))
}

pub(super) fn none() -> ExperimentProblem {
    ExperimentProblem::Usage {
        what: "no experiment was found".to_owned(),
        hint: "run one with `actum experiment run`".to_owned(),
    }
}
