//! A report about one experiment or several: Markdown, CSV, or one HTML file that opens without a network.
//!
//! Input: an [`ExperimentReport`]. It becomes a document of blocks (`build`), and each form is one rendering of the same blocks, so none says more
//! than another. All text from outside is neutralised, then escaped for its form. Pure. Start at [`ExperimentReport`].

mod build;
mod charts;
mod document;
mod experiment;
mod html;
mod markdown;
#[cfg(test)]
mod tests;

use crate::compare::ExperimentFacts;
use crate::plot::Point;
use crate::table::{ExperimentRow, TableOptions, table};
use actum_model::Moment;

/// What a report is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentReport {
    pub title: String,
    /// When it was made. The caller has the clock.
    pub made_at: Moment,
    pub experiments: Vec<ReportedExperiment>,
}

/// One experiment with its curves.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedExperiment {
    pub facts: ExperimentFacts,
    pub curves: Vec<MetricCurve>,
}

/// All values of one metric in one run. What is not finite is a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricCurve {
    pub metric: String,
    pub points: Vec<Point>,
}

impl ExperimentReport {
    pub fn markdown(&self) -> String {
        markdown::render(&build::document(self))
    }

    /// One file: style and charts are in it, nothing is fetched, and nothing in it is a script.
    pub fn html(&self) -> String {
        html::render(&build::document(self))
    }

    /// One line for each run, with all columns.
    pub fn csv(&self) -> String {
        table(&self.rows(), TableOptions { over_seeds: false, all: true }).csv()
    }

    fn rows(&self) -> Vec<ExperimentRow> {
        let row = |experiment: &ReportedExperiment| {
            ExperimentRow::new(&experiment.facts.manifest, experiment.facts.result.as_ref())
        };
        self.experiments.iter().map(row).collect()
    }
}
