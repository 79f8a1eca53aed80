//! Experiments as rows: `ls`, `best` and `table`, as text in columns, CSV and JSON.
//!
//! Input: one [`ExperimentRow`] for each experiment. Output: a [`Table`]. Columns that differ between the runs come first; what is the same in
//! all of them is said once. Runs that differ in nothing but their seed can be one row with mean, standard deviation and count. Pure.
//! Start at [`list`], [`best`] and [`table`].

mod cell;
mod group;
mod render;
mod row;
#[cfg(test)]
pub(crate) mod tests;
mod views;

pub use cell::Cell;
pub use row::ExperimentRow;
pub use views::{Direction, TableOptions, best, list, table};

use actum_model::RunId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A view of several experiments.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "Actum table of experiments")]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<TableRow>,
    /// What is the same in all rows, where only differences are columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<SameValue>,
    /// What a reader should know, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Column {
    /// Unique: `parameter.lr`, `metric.loss`.
    pub key: String,
    pub section: Section,
    pub title: String,
    /// Not the same in all rows.
    pub differs: bool,
}

/// Where a column comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    Run,
    Parameter,
    Environment,
    Metric,
}

impl Section {
    fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Parameter => "parameter",
            Self::Environment => "environment",
            Self::Metric => "metric",
        }
    }
}

/// One row: one run, or several that differ in their seed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TableRow {
    pub runs: Vec<RunId>,
    /// By the key of a column. What a run does not have is absent.
    pub values: BTreeMap<String, Cell>,
}

/// A value that all rows have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SameValue {
    pub section: Section,
    pub name: String,
    pub value: String,
}

impl Column {
    pub(crate) fn new(section: Section, title: &str, differs: bool) -> Self {
        Self { key: format!("{}.{title}", section.word()), section, title: title.to_owned(), differs }
    }
}
