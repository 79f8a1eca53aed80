//! The curves of a report: one chart for each metric, with all runs in it.

use super::document::Block;
use super::{ExperimentReport, MetricCurve, ReportedExperiment};
use crate::plot::{Axis, Chart, Curve};
use crate::table::{ExperimentRow, Section, TableOptions, table};

/// Charts of one report, in the order in which the metrics first come.
const MOST_CHARTS: usize = 24;
/// From this ratio of the largest to the smallest value on, a logarithmic axis shows more.
const DECADES: f64 = 1000.0;

pub(super) fn curves(report: &ExperimentReport, blocks: &mut Vec<Block>) {
    let mut metrics: Vec<&str> = Vec::new();
    // A single value has no curve: it is in the table.
    let curves = report.experiments.iter().flat_map(|experiment| &experiment.curves);
    for curve in curves.filter(|curve| curve.points.len() > 1) {
        if !metrics.contains(&curve.metric.as_str()) && metrics.len() <= MOST_CHARTS {
            metrics.push(&curve.metric);
        }
    }
    if metrics.is_empty() {
        return;
    }
    blocks.push(Block::Heading("Curves".to_owned()));
    let labels = labels(report);
    for metric in metrics.iter().take(MOST_CHARTS) {
        blocks.push(Block::Chart(Box::new(chart(report, metric, &labels))));
    }
    if metrics.len() > MOST_CHARTS {
        blocks.push(Block::Paragraph(format!("Only the first {MOST_CHARTS} metrics are drawn.")));
    }
}

fn chart(report: &ExperimentReport, metric: &str, labels: &[String]) -> Chart {
    let of_run = |(experiment, label): (&ReportedExperiment, &String)| {
        let found: Option<&MetricCurve> = experiment.curves.iter().find(|curve| curve.metric == metric);
        found.map(|found| Curve { label: label.clone(), points: found.points.clone() })
    };
    let curves: Vec<Curve> = report.experiments.iter().zip(labels).filter_map(of_run).collect();
    let finite =
        || curves.iter().flat_map(|curve| &curve.points).map(|point| point.y).filter(|y| y.is_finite());
    let (least, greatest) =
        finite().fold((f64::INFINITY, 0.0_f64), |(least, greatest), y| (least.min(y), greatest.max(y)));
    let is_log = least > 0.0 && least.is_finite() && greatest / least >= DECADES;
    Chart {
        title: if is_log { format!("{metric} (logarithmic)") } else { metric.to_owned() },
        x_label: "step".to_owned(),
        y_label: String::new(),
        x_axis: Axis::Linear,
        y_axis: if is_log { Axis::Log } else { Axis::Linear },
        curves,
    }
}

/// A run with what tells it apart: its differing parameters and its seed. Nothing for a single run.
fn labels(report: &ExperimentReport) -> Vec<String> {
    let rows: Vec<ExperimentRow> = report.rows();
    if rows.len() < 2 {
        return vec![String::new(); rows.len()];
    }
    let view = table(&rows, TableOptions::default());
    let seeds_differ = rows.windows(2).any(|pair| pair[0].seed != pair[1].seed);
    let label = |(row, run): (&crate::table::TableRow, &ExperimentRow)| {
        let differing = view.columns.iter().filter(|column| column.section == Section::Parameter);
        let mut parts: Vec<String> = differing
            .take(2)
            .filter_map(|column| Some(format!("{}={}", column.title, row.values.get(&column.key)?.shown(20))))
            .collect();
        if seeds_differ {
            parts.push(format!("seed {}", run.seed));
        }
        match parts.is_empty() {
            true => run.run.short(),
            false => format!("{} {}", run.run.short(), parts.join(" ")),
        }
    };
    view.rows.iter().zip(&rows).map(label).collect()
}
