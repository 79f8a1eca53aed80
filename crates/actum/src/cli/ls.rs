//! `actum ls`

use super::reading::{self, Problem, failed};
use super::when::When;
use crate::config::ConfigError;
use crate::screen::{self, Detail, Look};
use actum_engine::clock;
use actum_evidence::{EvidenceError, Reading, RunProgress};
use actum_model::{Label, Moment, Outcome, Span};
use actum_store::{Filter, Listed, StoreError};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// List runs, newest first
///
/// Prints one line for each run: the end of its id, start time, outcome, duration, language and command. If you give several
/// filters, all of them must match.
#[derive(Debug, clap::Args)]
#[command(
    visible_alias = "list",
    after_help = "\
Examples:
  actum ls
  actum ls --outcome failure,timeout --since 2d
  actum ls --label nightly --path . --all
  actum ls --since 2026-11-01 --until 2026-12-01 --json

TIME is RFC 3339, a date (its start in UTC), or an age such as 90m, 2h or 3d.
Exit codes: 0, also if no run matches; 125 Actum's own error."
)]
pub struct Ls {
    /// Show only runs that began at TIME or later
    #[arg(long, value_name = "TIME")]
    since: Option<When>,
    /// Show only runs that began before TIME
    #[arg(long, value_name = "TIME")]
    until: Option<When>,
    /// Show only runs with this outcome
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',')]
    outcome: Vec<Which>,
    /// Show only runs in this language
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    language: Vec<String>,
    /// Show only runs with this label (repeatable: all must match)
    #[arg(long, value_name = "LABEL")]
    label: Vec<Label>,
    /// Show only runs that started in this folder or below
    #[arg(long, value_name = "FOLDER")]
    path: Option<PathBuf>,
    /// Show only runs whose command contains TEXT
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,
    /// Show at most COUNT runs
    #[arg(long, value_name = "COUNT", default_value_t = 20, conflicts_with = "all")]
    limit: u64,
    /// Show all runs
    #[arg(long)]
    all: bool,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// How far a run is, as it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    Success,
    Failure,
    Error,
    Timeout,
    Cancelled,
    Skipped,
    Lost,
    Running,
}

/// One run as programs read it.
#[derive(Serialize)]
struct Line<'a> {
    run: actum_model::RunId,
    /// An outcome, or `running`.
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<u8>,
    began: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Moment>,
    /// In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<Span>,
    language: &'a str,
    command: &'a str,
    folder: &'a str,
    labels: &'a [String],
}

impl Ls {
    pub fn execute(self) -> ExitCode {
        match self.go() {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => failed(&problem),
        }
    }

    fn go(&self) -> Result<(), Problem> {
        let reading = match reading::open() {
            // Before the first run there is nothing to list, and nothing wrong.
            Err(Problem::Evidence(EvidenceError::Store(StoreError::Nothing { path }))) => {
                return self.nothing(&path);
            }
            opened => opened?,
        };
        let now = clock::now();
        let (runs, all) = self.select(&reading, now)?;
        if self.json {
            let lines: Vec<Line<'_>> = runs.iter().map(|(run, state)| line(run, *state)).collect();
            screen::say(&screen::json(&lines)?);
            return Ok(());
        }
        if runs.is_empty() {
            screen::note(&format!("actum: no run in {} matches", reading.store.root().display()));
            return Ok(());
        }
        let look = Look::of_stdout(&reading.surroundings.variables, Detail::Brief);
        screen::say(&screen::listing(&runs, now, &look));
        let more = all.saturating_sub(runs.len() as u64);
        if more > 0 {
            screen::note(&format!("actum: and {more} more; --all shows them"));
        }
        Ok(())
    }

    /// The runs that are shown, and how many there are in all.
    fn select(&self, reading: &Reading, now: Moment) -> Result<(Vec<(Listed, RunProgress)>, u64), Problem> {
        let limit = (!self.all).then_some(self.limit);
        let filter = self.filter(&reading.surroundings.folder, now)?;
        let with_state = |run: Listed| {
            let state = reading.state(run.run, run.outcome);
            (run, state)
        };
        // What goes on and what is gone are told apart by a look at each; there are never many.
        if filter.going_on {
            let wanted =
                |(_, state): &(Listed, RunProgress)| self.outcome.iter().any(|which| which.is(*state));
            let mut runs: Vec<_> =
                reading.reader.list(&filter)?.into_iter().map(with_state).filter(wanted).collect();
            let all = runs.len() as u64;
            runs.truncate(limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
            return Ok((runs, all));
        }
        let runs = reading.reader.list(&Filter { limit, ..filter.clone() })?;
        let all = match limit {
            Some(limit) if runs.len() as u64 >= limit => reading.reader.count(&filter)?,
            Some(_) | None => runs.len() as u64,
        };
        Ok((runs.into_iter().map(with_state).collect(), all))
    }

    fn filter(&self, here: &Path, now: Moment) -> Result<Filter, Problem> {
        let below = self.path.as_ref().map(|path| folder(here, path)).transpose()?;
        Ok(Filter {
            run: None,
            since: self.since.map(|when| when.before(now)),
            until: self.until.map(|when| when.before(now)),
            outcomes: self.outcome.iter().filter_map(|which| which.outcome()).collect(),
            going_on: self.outcome.iter().any(|which| matches!(which, Which::Lost | Which::Running)),
            languages: self.language.clone(),
            labels: self.label.iter().map(Label::to_string).collect(),
            below,
            command: self.grep.clone(),
            limit: None,
        })
    }

    fn nothing(&self, store: &Path) -> Result<(), Problem> {
        if self.json {
            screen::say("[]");
        } else {
            screen::note(&format!("actum: no run is kept in {}", store.display()));
        }
        Ok(())
    }
}

/// As records have it: whole, without links where it is still there.
fn folder(here: &Path, path: &Path) -> Result<String, ConfigError> {
    let whole = here.join(path);
    let whole = whole.canonicalize().unwrap_or(whole);
    Ok(whole.to_string_lossy().into_owned())
}

fn line(run: &Listed, state: RunProgress) -> Line<'_> {
    let duration = run.ended.filter(|_| state != RunProgress::Ended(Outcome::Lost));
    let duration = duration.map(|ended| Span(Duration::from_micros(ended.0.saturating_sub(run.began.0))));
    Line {
        run: run.run,
        outcome: state.word(),
        exit_code: run.exit_code,
        began: run.began,
        ended: run.ended,
        duration,
        language: &run.language,
        command: &run.command,
        folder: &run.folder,
        labels: &run.labels,
    }
}

impl Which {
    fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Success => Some(Outcome::Success),
            Self::Failure => Some(Outcome::Failure),
            Self::Error => Some(Outcome::Error),
            Self::Timeout => Some(Outcome::Timeout),
            Self::Cancelled => Some(Outcome::Cancelled),
            Self::Skipped => Some(Outcome::Skipped),
            Self::Lost => Some(Outcome::Lost),
            Self::Running => None,
        }
    }

    fn is(self, state: RunProgress) -> bool {
        match state {
            RunProgress::Running => self == Self::Running,
            RunProgress::Ended(outcome) => self.outcome() == Some(outcome),
        }
    }
}
