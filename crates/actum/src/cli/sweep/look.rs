//! `actum sweep ls` and `actum sweep show`

use super::problem::SweepProblem;
use super::resume::folder;
use crate::screen;
use actum_experiment::sweep::{SweepAccount, SweepView, list};
use std::process::ExitCode;

/// List the sweeps of this workspace
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum sweep ls
  actum sweep ls --json")]
pub(super) struct Ls {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Show a sweep: its points in order, its trials and their runs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum sweep show last
  actum sweep show runs/sweep_20261119-205501 --json | jq .summary.best")]
pub(super) struct Show {
    /// Sweep: its folder, name, id, or `last`
    #[arg(value_name = "SWEEP")]
    sweep: String,
    /// Print the points as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Ls {
    pub(super) fn go(self) -> Result<ExitCode, SweepProblem> {
        let surroundings = crate::config::surroundings()?;
        let config = crate::config::Config::resolve(&surroundings, None)?;
        let pattern = config.experiment.output.as_deref().unwrap_or(actum_experiment::DEFAULT_PATTERN);
        let all = list(&surroundings.folder, pattern);
        let accounts: Vec<SweepAccount> = all
            .iter()
            .filter_map(|(path, _)| SweepView::read(path).ok())
            .map(|view| view.account())
            .collect();
        if self.json {
            let short = |account: SweepAccount| SweepAccount { trials: Vec::new(), ..account };
            let short: Vec<SweepAccount> = accounts.into_iter().map(short).collect();
            screen::say(&serde_json::to_string_pretty(&short)?);
            return Ok(ExitCode::SUCCESS);
        }
        accounts.iter().for_each(|account| screen::say(&screen::sweep_line(account)));
        if accounts.is_empty() {
            screen::note("actum: no sweeps here");
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Show {
    pub(super) fn go(self) -> Result<ExitCode, SweepProblem> {
        let account = SweepView::read(&folder(&self.sweep)?)?.account();
        if self.json {
            screen::say(&serde_json::to_string_pretty(&account)?);
        } else if self.csv {
            screen::say(account.table().csv().trim_end());
        } else {
            screen::say(&screen::sweep(&account, screen::columns()));
        }
        Ok(ExitCode::SUCCESS)
    }
}
