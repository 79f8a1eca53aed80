//! `actum experiment export`

use super::problem::ExperimentProblem;
use crate::config;
use crate::screen;
use actum_engine::clock;
use actum_evidence::{EvidenceError, Reading};
use actum_experiment::StoredExperiment;
use actum_experiment::export::{mlflow::Client, write_crate};
use actum_experiment::ro_crate::{Organization, Publication};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Export an experiment as a run crate, or to an MLflow server
///
/// A crate is a folder with everything that is known about the run and its files, described in ro-crate-metadata.json (Process Run
/// Crate 0.5), as archives such as Zenodo take it. An MLflow server gets parameters, tags and every point of every metric; it is spoken
/// to over plain HTTP, so use a local one or forward a port.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum experiment export last --crate crate
  actum experiment export 3f9a02 --crate crate --author 'A. Person' --license https://spdx.org/licenses/MIT
  actum experiment export last --mlflow http://127.0.0.1:5000")]
#[command(group = clap::ArgGroup::new("to").required(true).multiple(true))]
pub struct Export {
    /// Experiment: its id, the id's beginning or end, or `last`
    #[arg(value_name = "RUN")]
    run: String,
    /// Write a run crate into this new folder
    #[arg(long = "crate", value_name = "FOLDER", group = "to")]
    folder: Option<PathBuf>,
    /// Log it to the MLflow server at this address
    #[arg(long, value_name = "URL", group = "to")]
    mlflow: Option<String>,
    /// Name the author of the crate
    #[arg(long, value_name = "NAME", requires = "folder")]
    author: Option<String>,
    /// Name the author's organization, and its address
    #[arg(long, value_name = "NAME=URL", requires = "folder")]
    organization: Option<String>,
    /// Set the license of the crate, by its address
    #[arg(long, value_name = "URL", requires = "folder")]
    license: Option<String>,
    /// Name an address at which everybody finds the source
    #[arg(long, value_name = "URL", requires = "folder")]
    repository: Option<String>,
}

impl Export {
    pub fn execute(self) -> ExitCode {
        match self.go() {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => problem.fail(),
        }
    }

    fn go(&self) -> Result<(), ExperimentProblem> {
        let reading = Reading::open(config::surroundings()?).map_err(evidence)?;
        let stored = StoredExperiment::find(&reading, &self.run)?;
        if let Some(folder) = &self.folder {
            self.write(&reading, &stored, folder)?;
        }
        if let Some(address) = &self.mlflow {
            let client = Client::new(address)?;
            let logged = client.log(&stored, &stored.metrics(&reading)?)?;
            let text = format!(
                "actum: logged {} points and {} parameters as run {} of experiment {}",
                logged.points, logged.params, logged.run_id, logged.experiment_id
            );
            screen::note(&screen::harmless(&text));
        }
        Ok(())
    }

    fn write(
        &self,
        reading: &Reading,
        stored: &StoredExperiment,
        folder: &Path,
    ) -> Result<(), ExperimentProblem> {
        let organization = self.organization.as_deref().map(organization).transpose()?;
        let publication = Publication {
            author: self.author.clone(),
            organization,
            license: self.license.clone(),
            repository: self.repository.clone(),
            published_at: clock::now(),
            actum: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let written = write_crate(reading, stored, &publication, folder)?;
        let shown = folder.to_string_lossy();
        screen::note(&format!("actum: wrote {} files to {}", written.files + 1, screen::harmless(&shown)));
        for path in &written.left_out {
            screen::note(&format!(
                "actum: not in it, since its contents are not kept: {}",
                screen::harmless(path)
            ));
        }
        Ok(())
    }
}

fn organization(text: &str) -> Result<Organization, ExperimentProblem> {
    let (name, url) = text.split_once('=').ok_or_else(|| ExperimentProblem::Usage {
        what: format!("`{text}` is not a name with an address"),
        hint: "write it as in 'Some Institute=https://ror.org/0123456'".to_owned(),
    })?;
    Ok(Organization { name: name.to_owned(), url: url.to_owned() })
}

fn evidence(error: EvidenceError) -> ExperimentProblem {
    ExperimentProblem::Experiment(error.into())
}
