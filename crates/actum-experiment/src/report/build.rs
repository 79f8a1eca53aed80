//! Puts a report together: the summary, what differs, the table, the curves, then each experiment.

use super::document::{Block, Document, Rows, Text, Tone, fact, plain, shown};
use super::{ExperimentReport, charts, experiment};
use crate::compare::{Comparison, Group, compare};
use crate::table::{Cell, Table, TableOptions, table};
use actum_model::{Outcome, Untrusted};
use std::collections::BTreeSet;

/// Experiments with a section of their own.
const MOST_SECTIONS: usize = 40;
/// Rows of one table.
pub(super) const MOST_ROWS: usize = 500;
/// Columns of the table of runs. All are in the CSV.
const MOST_COLUMNS: usize = 24;

pub(super) fn document(report: &ExperimentReport) -> Document {
    let mut blocks = Vec::new();
    summary(report, &mut blocks);
    if report.experiments.len() > 1 {
        differences(report, &mut blocks);
        runs(report, &mut blocks);
    }
    charts::curves(report, &mut blocks);
    sections(report, &mut blocks);
    Document { title: shown(&report.title), made_at: report.made_at.to_string(), blocks }
}

fn summary(report: &ExperimentReport, blocks: &mut Vec<Block>) {
    if report.experiments.is_empty() {
        blocks.push(Block::Paragraph("There are no experiments in this report.".to_owned()));
        return;
    }
    if let [only] = report.experiments.as_slice() {
        blocks.extend(experiment::summary(&only.facts));
        blocks.extend(experiment::results(&only.facts));
        return;
    }
    let outcomes = |wanted: Option<Outcome>| {
        let outcome = |experiment: &&super::ReportedExperiment| {
            experiment.facts.result.as_ref().map(|result| result.outcome) == wanted
        };
        report.experiments.iter().filter(outcome).count()
    };
    let (good, open) = (outcomes(Some(Outcome::Success)), outcomes(None));
    let bad = report.experiments.len() - good - open;
    let number = |count: usize| Text::Number(count.to_string());
    let mut facts =
        vec![fact("experiments", number(report.experiments.len())), fact("succeeded", number(good))];
    if bad > 0 {
        facts.push(super::document::Fact { name: "did not succeed", value: number(bad), tone: Tone::Bad });
    }
    if open > 0 {
        facts.push(fact("without a recorded end", number(open)));
    }
    let groups = table(&report.rows(), TableOptions { over_seeds: true, all: false }).rows.len();
    facts.push(fact("configurations", number(groups)));
    blocks.push(Block::Facts(facts));
}

/// Two runs by ingredients, more by the columns that differ.
fn differences(report: &ExperimentReport, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("What differs".to_owned()));
    if let [one, other] = report.experiments.as_slice() {
        comparison(&compare(&one.facts, &other.facts), blocks);
        return;
    }
    let view = table(&report.rows(), TableOptions::default());
    let mut rows = Vec::new();
    for column in view.columns.iter().filter(|column| column.differs) {
        if matches!(column.section, crate::table::Section::Run | crate::table::Section::Metric) {
            continue;
        }
        let (mut values, mut met): (Vec<String>, BTreeSet<String>) = (Vec::new(), BTreeSet::new());
        for row in &view.rows {
            let value =
                row.values.get(&column.key).map_or_else(|| "absent".to_owned(), |cell| cell.shown(40));
            if met.insert(value.clone()) {
                values.push(value);
            }
        }
        let more = values.len().saturating_sub(8);
        values.truncate(8);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        rows.push(vec![plain(&column.title), Text::Plain(values.join(", ") + &more)]);
    }
    if rows.is_empty() {
        blocks.push(Block::Paragraph(
            "The runs differ in nothing but their seed, as far as their manifests tell.".to_owned(),
        ));
    } else {
        blocks.push(Block::Table(Rows::of(&["ingredient", "values"], rows, MOST_ROWS)));
    }
}

fn comparison(comparison: &Comparison, blocks: &mut Vec<Block>) {
    let value =
        |value: &Option<String>| value.as_deref().map_or_else(|| plain("absent"), super::document::code);
    let mut rows = Vec::new();
    for group in Group::ALL {
        for found in comparison.ingredients.iter().filter(|found| found.kind.group() == group) {
            rows.push(vec![
                plain(group.label()),
                Text::Plain(format!("{} {}", found.kind.label(), shown(&found.what))),
                value(&found.one),
                value(&found.other),
            ]);
        }
    }
    if rows.is_empty() {
        blocks.push(Block::Paragraph("No ingredient differs, as far as the manifests tell.".to_owned()));
    } else {
        blocks.push(Block::Table(Rows::of(&["part", "ingredient", "first", "second"], rows, MOST_ROWS)));
    }
    let metric = |found: &crate::compare::MetricDifference| {
        let text = |text: &Option<String>| {
            text.as_deref().map_or_else(|| plain("absent"), |text| Text::Number(shown(text)))
        };
        let change = found.difference.map_or_else(String::new, crate::plot::number);
        vec![plain(&found.name), text(&found.one), text(&found.other), Text::Number(change)]
    };
    let metrics: Vec<_> = comparison.metrics.iter().map(metric).collect();
    if !metrics.is_empty() {
        blocks.push(Block::Table(Rows::of(&["metric", "first", "second", "difference"], metrics, MOST_ROWS)));
    }
    if !comparison.not_compared.is_empty() {
        blocks.push(Block::Paragraph("Not compared:".to_owned()));
        blocks.push(Block::List(comparison.not_compared.iter().map(|line| shown(line)).collect()));
    }
}

fn runs(report: &ExperimentReport, blocks: &mut Vec<Block>) {
    let rows = report.rows();
    let spread = table(&rows, TableOptions { over_seeds: true, all: false });
    blocks.push(Block::Heading("Results".to_owned()));
    if spread.rows.len() < rows.len() {
        blocks.push(Block::Paragraph(
            "Runs that differ only in their seed are one row: mean ± standard deviation (k runs).".to_owned(),
        ));
    }
    blocks.push(Block::Table(rows_of(&spread)));
    if spread.rows.len() < rows.len() {
        let each = table(&rows, TableOptions::default());
        blocks.push(Block::Details {
            title: format!("Each of the {} runs", rows.len()),
            open: false,
            blocks: vec![Block::Table(rows_of(&each))],
        });
    }
}

fn rows_of(view: &Table) -> Rows {
    let columns = || view.columns.iter().take(MOST_COLUMNS);
    let cell = |cell: Option<&Cell>| match cell {
        None => Text::Plain("–".to_owned()),
        Some(cell @ Cell::Text(_)) => Text::Plain(cell.shown(60)),
        Some(cell @ (Cell::Number { .. } | Cell::Spread { .. })) => Text::Number(cell.shown(60)),
    };
    let row =
        |row: &crate::table::TableRow| columns().map(|column| cell(row.values.get(&column.key))).collect();
    let titles = columns().map(|column| Untrusted::new(column.title.as_str()).shown(60)).collect();
    let left_out = view.rows.len().saturating_sub(MOST_ROWS);
    Rows { titles, rows: view.rows.iter().take(MOST_ROWS).map(row).collect(), left_out }
}

fn sections(report: &ExperimentReport, blocks: &mut Vec<Block>) {
    if let [only] = report.experiments.as_slice() {
        blocks.extend(experiment::blocks(&only.facts));
        return;
    }
    if report.experiments.is_empty() {
        return;
    }
    blocks.push(Block::Heading("Experiments".to_owned()));
    for experiment in report.experiments.iter().take(MOST_SECTIONS) {
        let manifest = &experiment.facts.manifest;
        let outcome =
            experiment.facts.result.as_ref().map_or("no recorded end", |result| result.outcome.word());
        let title = format!(
            "{} · {} · seed {} · {outcome}",
            manifest.run.short(),
            shown(&manifest.name),
            manifest.seed.value
        );
        let mut inner = experiment::summary(&experiment.facts);
        inner.extend(experiment::results(&experiment.facts));
        inner.extend(experiment::blocks(&experiment.facts));
        blocks.push(Block::Details { title, open: false, blocks: inner });
    }
    let more = report.experiments.len().saturating_sub(MOST_SECTIONS);
    if more > 0 {
        blocks.push(Block::Paragraph(format!("{more} more experiments are in the table above.")));
    }
}
