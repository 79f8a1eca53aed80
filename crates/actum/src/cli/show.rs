//! `actum show`

use super::fail;
use crate::config::{ConfigError, Surroundings};
use crate::screen::{self, Detail, Look};
use actum_model::Report;
use actum_model::RunId;
use actum_store::{Reader, Store, StoreError};
use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

/// Show the report of a run again
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum show last
  actum show last --json | jq .analysis
  actum show 3f9a02 --markdown")]
pub struct Show {
    /// The run: its id, the beginning or end of it, or `last`
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// As JSON
    #[arg(long, group = "form")]
    json: bool,
    /// As YAML
    #[arg(long, group = "form")]
    yaml: bool,
    /// As Markdown
    #[arg(long, group = "form")]
    markdown: bool,
    /// As JUnit XML
    #[arg(long, group = "form")]
    junit: bool,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("read {}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("show run {run}: it goes on, or was lost")]
    GoesOn { run: RunId },
    #[error("understand the report")]
    Json(#[from] serde_json::Error),
}

impl Problem {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::GoesOn { .. } | Self::Read { .. } | Self::Config(_) | Self::Json(_) => None,
        }
    }
}

impl Show {
    pub fn execute(self) -> ExitCode {
        match self.go() {
            Ok(text) => {
                screen::say(text.trim_end());
                ExitCode::SUCCESS
            }
            Err(problem) => fail(&problem, problem.hint().as_deref()),
        }
    }

    fn go(&self) -> Result<String, Problem> {
        let surroundings = Surroundings::read()?;
        let store = Store::at(&surroundings.store);
        let run = store.find(&self.run)?.id;
        let reader = Reader::open(&store)?;
        let sealed = reader.sealed(run)?.ok_or(Problem::GoesOn { run })?;
        let mut text = String::new();
        let read = reader.blob(&sealed.record.report.sha256)?.read_to_string(&mut text);
        read.map_err(|source| Problem::Read { path: store.ledger_file(), source })?;
        if self.json {
            return Ok(text);
        }
        let report: Report = serde_json::from_str(&text)?;
        Ok(match self {
            Self { yaml: true, .. } => screen::yaml(&serde_json::to_value(&report)?),
            Self { markdown: true, .. } => screen::markdown(&report),
            Self { junit: true, .. } => screen::junit(&report),
            Self { .. } => {
                screen::account(&report, &Look::of_stdout(&surroundings.variables, Detail::Verbose))
            }
        })
    }
}
