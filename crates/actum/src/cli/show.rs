//! `actum show`

use super::reading::{self, Problem, failed};
use crate::screen::{self, Detail, Look};
use actum_engine::clock;
use actum_evidence::{EvidenceError, Reading};
use actum_model::Stream;
use actum_store::Kept;
use std::process::ExitCode;

/// Show a run's report again, and what the ledger proves
///
/// For a run that is still running or was lost, this shows what is known.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum show last
  actum show last --json | jq .analysis
  actum show 3f9a02 --markdown
  actum show last --record | sha256sum

Exit codes: 0; 125 Actum's own error.")]
pub struct Show {
    /// Run id, its beginning or end, or `last`
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// Print JSON
    #[arg(long, group = "form")]
    json: bool,
    /// Print YAML
    #[arg(long, group = "form")]
    yaml: bool,
    /// Print Markdown
    #[arg(long, group = "form")]
    markdown: bool,
    /// Print JUnit XML
    #[arg(long, group = "form")]
    junit: bool,
    /// Print the sealed record: the exact bytes that were hashed
    #[arg(long, group = "form")]
    record: bool,
}

impl Show {
    pub fn execute(self) -> ExitCode {
        match self.go() {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => failed(&problem),
        }
    }

    fn go(&self) -> Result<(), Problem> {
        let (reading, kept) = reading::open_at(&self.run)?;
        let Some(sealed) = reading.reader.sealed(kept.id)? else { return self.unfinished(&reading, &kept) };
        if self.record {
            let shown = screen::Again::new().show(Stream::Stdout, &sealed.bytes);
            return shown.map(drop).map_err(|source| Problem::Write { source });
        }
        let report = reading.report(&sealed)?;
        let text = match self {
            Self { json: true, .. } => screen::json(&report)?,
            Self { yaml: true, .. } => screen::yaml(&serde_json::to_value(&report)?),
            Self { markdown: true, .. } => screen::markdown(&report),
            Self { junit: true, .. } => screen::junit(&report),
            Self { .. } => screen::account(&report, &look(&reading)),
        };
        screen::say(text.trim_end());
        Ok(())
    }

    /// There is no report yet, and of a lost run there never will be.
    fn unfinished(&self, reading: &Reading, kept: &Kept) -> Result<(), Problem> {
        if self.record || self.markdown || self.junit {
            return Err(EvidenceError::NoRecord { run: kept.id }.into());
        }
        let known = reading.unfinished(kept)?;
        let text = match self {
            Self { json: true, .. } => screen::json(&known)?,
            Self { yaml: true, .. } => screen::yaml(&serde_json::to_value(&known)?),
            Self { .. } => screen::unfinished(&known, clock::now(), &look(reading)),
        };
        screen::say(text.trim_end());
        Ok(())
    }
}

fn look(reading: &Reading) -> Look {
    Look::of_stdout(&reading.surroundings.variables, Detail::Verbose)
}
