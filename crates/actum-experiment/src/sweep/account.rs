//! What is told of a sweep: its trials with their runs, and what they amount to. Read without driving it.

use super::error::SweepError;
use super::file::{Code, MetricChoice, SweepFile};
use super::journal::{self, Journal, Replayed, TrialRuns};
use super::open::{Sweep, open_folder};
use crate::output_folder::DEFAULT_PATTERN;
use crate::table::{Cell, Column, Section, Table, TableRow};
use actum_model::{Moment, RunId};
use actum_sweep::{
    Decision, DoneReason, Goal, Method, Outcome, Parameters, Spread, Summary, SweepState, TrialRef,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// A sweep as it stands.
#[derive(Debug)]
pub struct SweepView {
    pub file: SweepFile,
    /// Relative to the workspace.
    pub shown: String,
    pub state: SweepState,
    runs: TrialRuns,
}

/// The account of a sweep, for people and programs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "Actum sweep")]
pub struct SweepAccount {
    pub v: u32,
    pub id: RunId,
    pub name: String,
    pub created_at: Moment,
    /// Relative to the workspace.
    pub folder: String,
    pub method: Method,
    pub seed: u64,
    pub metric: String,
    pub goal: Goal,
    /// Why it is over. Absent where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<DoneReason>,
    /// How many trials have ended, and how many have to.
    pub ended: u64,
    pub total: u64,
    /// What the trials see that the workspace has meanwhile.
    pub code: String,
    /// The same for any number of workers.
    pub summary: Summary,
    pub trials: Vec<TrialRow>,
}

/// One trial in one rung.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrialRow {
    pub index: u64,
    #[serde(skip_serializing_if = "crate::absent::is_first")]
    pub rung: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    pub parameters: Parameters,
    pub seed: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    pub id: String,
    /// Absent where it was lost more often than it is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// It ended although the sweep was decided before its turn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub surplus: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

impl SweepView {
    /// Reads a sweep, which another process may drive.
    pub fn read(folder: &Path) -> Result<Self, SweepError> {
        let file = SweepFile::read(folder)?;
        let folder = open_folder(&file, folder)?;
        let Replayed { facts, runs, .. } = journal::read(&folder)?;
        let failed = |source| SweepError::Replay { path: folder.path.join(Journal::FILE), source };
        let state = SweepState::replay(file.trials()?, file.rules.clone(), &facts).map_err(failed)?;
        Ok(Self { file, shown: folder.shown, state, runs })
    }

    /// The trials that have ended, in order.
    pub fn account(&self) -> SweepAccount {
        let Self { file, state, .. } = self;
        let counted = state.counted().into_iter().map(|run| (run, false));
        let mut ended: Vec<(TrialRef, bool)> =
            counted.chain(state.surplus().into_iter().map(|run| (run, true))).collect();
        ended.sort_by_key(|(run, _)| (run.rung, run.index));
        let MetricChoice { name: metric, .. } = &file.metric;
        let [ended_count, total] = state.progress();
        let done = match state.next(1) {
            Decision::Done(reason) => Some(reason),
            Decision::Start(_) | Decision::Wait => None,
        };
        SweepAccount {
            v: 1,
            id: file.id,
            name: file.name.clone(),
            created_at: file.created_at,
            folder: self.shown.clone(),
            method: file.definition.method.clone(),
            seed: file.definition.seed,
            metric: metric.clone(),
            goal: file.goal(),
            done,
            ended: ended_count,
            total,
            code: file.code.describe(),
            summary: state.summary(),
            trials: ended.into_iter().filter_map(|(run, surplus)| self.row(run, surplus)).collect(),
        }
    }

    fn row(&self, run: TrialRef, surplus: bool) -> Option<TrialRow> {
        let trial = self.state.trial(run.index)?;
        let settled = self.state.settled(run.index, run.rung)?;
        let became = self.runs.get(&(run.index, run.rung));
        Some(TrialRow {
            index: run.index,
            rung: run.rung,
            budget: run.budget,
            parameters: trial.parameters,
            seed: trial.seed,
            split: trial.split,
            id: trial.id.to_string(),
            outcome: settled.outcome,
            value: settled.value,
            surplus,
            run: became.map(|one| one.run),
            output: became.map(|one| one.output.clone()),
        })
    }
}

impl From<Sweep> for SweepView {
    fn from(sweep: Sweep) -> Self {
        let Sweep { file, folder, state, runs, .. } = sweep;
        Self { file, shown: folder.shown, state, runs }
    }
}

impl SweepAccount {
    /// One row for each point: its parameters, mean and deviation over its seeds and splits.
    pub fn table(&self) -> Table {
        let points = &self.summary.points;
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in points.iter().flat_map(|point| point.parameters.iter()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut splits: Vec<&str> = Vec::new();
        for split in points.iter().flat_map(|point| &point.splits) {
            if !splits.contains(&split.split.as_str()) {
                splits.push(&split.split);
            }
        }
        let rank = Column::new(Section::Run, "rank", true);
        let budget = Column::new(Section::Run, "budget", true);
        let failed = Column::new(Section::Run, "without value", true);
        let metric = Column::new(Section::Metric, &self.metric, true);
        let of_name = |name: &str| Column::new(Section::Parameter, name, true);
        let of_split = |split: &str| Column::new(Section::Metric, &format!("{} {split}", self.metric), true);
        let has_budget = points.iter().any(|point| point.budget.is_some());
        let has_failed = points.iter().any(|point| point.all.without_value > 0);
        let mut columns = vec![rank.clone()];
        columns.extend(names.iter().map(|name| of_name(name)));
        columns.extend(has_budget.then(|| budget.clone()));
        columns.push(metric.clone());
        columns.extend(splits.iter().filter(|_| splits.len() > 1).map(|split| of_split(split)));
        columns.extend(has_failed.then(|| failed.clone()));
        let rows = points.iter().map(|point| {
            let mut values: BTreeMap<String, Cell> = BTreeMap::new();
            values.insert(rank.key.clone(), Cell::count(point.rank));
            for (name, value) in point.parameters.iter() {
                values.insert(of_name(name).key, Cell::text(value.to_string()));
            }
            values.extend(point.budget.map(|of| (budget.key.clone(), Cell::count(of))));
            values.extend(spread(&point.all).map(|cell| (metric.key.clone(), cell)));
            for split in &point.splits {
                values.extend(spread(&split.spread).map(|cell| (of_split(&split.split).key, cell)));
            }
            values.insert(failed.key.clone(), Cell::count(point.all.without_value));
            TableRow { runs: Vec::new(), values }
        });
        Table { rows: rows.collect(), columns, same: Vec::new(), notes: Vec::new() }
    }
}

fn spread(of: &Spread) -> Option<Cell> {
    let k = u32::try_from(of.count).unwrap_or(u32::MAX);
    Some(Cell::Spread { mean: of.mean?, deviation: of.deviation, k })
}

impl Code {
    /// In a sentence.
    pub fn describe(&self) -> String {
        match self {
            Self::Live { why } => format!("trials read the workspace as it is when they start: {why}"),
        }
    }
}

/// Sweeps that are looked at; more are not in one folder.
const MOST: usize = 10_000;

/// The sweeps of a workspace whose folders were made by this pattern, the oldest first.
pub fn list(workspace: &Path, pattern: &str) -> Vec<(PathBuf, SweepFile)> {
    let mut folders: Vec<PathBuf> =
        [pattern, DEFAULT_PATTERN].into_iter().map(|pattern| workspace.join(above(pattern))).collect();
    folders.dedup();
    let below = |folder: &PathBuf| {
        actum_gate::own::names(folder)
            .unwrap_or_default()
            .into_iter()
            .map(|name| folder.join(name))
            .collect::<Vec<_>>()
    };
    let mut found: Vec<(PathBuf, SweepFile)> = folders
        .iter()
        .flat_map(below)
        .take(MOST)
        .filter_map(|path| SweepFile::read(&path).ok().map(|file| (path, file)))
        .collect();
    found.sort_by_key(|(_, file)| file.id);
    found
}

/// The folder of the sweep that a person means: by its folder, its name, or its id or a part of it; `last` is the newest.
pub fn find(workspace: &Path, pattern: &str, text: &str) -> Result<PathBuf, SweepError> {
    let as_folder = Path::new(text);
    if as_folder.join(SweepFile::FILE).is_file() {
        return Ok(as_folder.to_path_buf());
    }
    let all = list(workspace, pattern);
    if text == "last"
        && let Some((path, _)) = all.last()
    {
        return Ok(path.clone());
    }
    let is_meant = |path: &Path, file: &SweepFile| {
        let id = file.id.to_string();
        let is_part = text.len() >= 4 && (id.starts_with(text) || id.ends_with(text));
        is_part || file.name == text || path.file_name().is_some_and(|name| name == text)
    };
    let meant: Vec<&(PathBuf, SweepFile)> = all.iter().filter(|(path, file)| is_meant(path, file)).collect();
    match meant.as_slice() {
        [] => Err(SweepError::Unknown(text.to_owned())),
        [(path, _)] => Ok(path.clone()),
        several => {
            let ids: Vec<String> = several.iter().map(|(_, file)| file.id.short()).collect();
            Err(SweepError::Ambiguous { text: text.to_owned(), list: ids.join(", ") })
        }
    }
}

/// The folder above the part of a pattern that is filled.
fn above(pattern: &str) -> PathBuf {
    let parts: Vec<Component<'_>> = Path::new(pattern).components().collect();
    let fixed = parts.iter().take(parts.len().saturating_sub(1));
    fixed.take_while(|part| !part.as_os_str().to_string_lossy().contains('{')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_are_looked_for_where_their_pattern_puts_them() {
        for (pattern, expected) in [
            ("runs/{name}_{timestamp}", "runs"),
            ("out/all/{date}/{name}", "out/all"),
            ("{name}", ""),
            ("out/fixed", "out"),
        ] {
            assert_eq!(above(pattern), Path::new(expected), "{pattern}");
        }
    }
}
