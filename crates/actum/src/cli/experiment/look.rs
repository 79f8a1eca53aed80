//! `actum experiment ls`, `best`, `table`, `plot` and `report`

use super::problem::ExperimentProblem;
use super::select::{Selection, none, open};
use crate::cli::report_file::ReportFile;
use crate::screen;
use actum_engine::clock;
use actum_experiment::plot::{Axis, Chart, Colour, Curve, SvgSize, TerminalSize};
use actum_experiment::report::{ExperimentReport, MetricCurve, ReportedExperiment};
use actum_experiment::reproduce::facts_of;
use actum_experiment::table::{self, Direction, ExperimentRow, Table, TableOptions};
use actum_experiment::{ExperimentFilter, Experiments, Ranking, StoredExperiment, curves_of};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

/// In which form a table is printed.
#[derive(Debug, clap::Args)]
struct TableForm {
    /// Print JSON
    #[arg(long, group = "table_form")]
    json: bool,
    /// Print CSV
    #[arg(long, group = "table_form")]
    csv: bool,
}

impl TableForm {
    fn print(&self, table: &Table) -> Result<ExitCode, ExperimentProblem> {
        match (self.json, self.csv) {
            (true, _) => screen::say(&serde_json::to_string_pretty(table)?),
            (_, true) => screen::say(table.csv().trim_end()),
            (false, false) => screen::say(table.text(width()).trim_end()),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// List experiments, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum experiment ls
  actum experiment ls --name train --csv")]
pub(super) struct Ls {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    form: TableForm,
}

impl Ls {
    pub(super) fn go(&self) -> Result<ExitCode, ExperimentProblem> {
        let (_, found) = self.selection.read()?;
        self.form.print(&table::list(&rows(&found)))
    }
}

/// Rank experiments by a metric
///
/// Lower is better for metrics such as loss and error, higher for metrics such as accuracy, unless you say --lowest or --highest.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum experiment best --metric loss
  actum experiment best --metric val_accuracy --limit 5 --over-seeds")]
pub(super) struct Best {
    /// Metric to rank by [default: the most frequent one]
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,
    /// Only experiments of this name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Show at most COUNT
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    limit: u64,
    /// Rank the lowest value first
    #[arg(long, group = "direction")]
    lowest: bool,
    /// Rank the highest value first
    #[arg(long, group = "direction")]
    highest: bool,
    /// Join runs that differ only in their seed
    #[arg(long)]
    over_seeds: bool,
    #[command(flatten)]
    form: TableForm,
}

impl Best {
    pub(super) fn go(&self) -> Result<ExitCode, ExperimentProblem> {
        let reading = open()?;
        let experiments = Experiments::open(&reading)?;
        let metric = match &self.metric {
            Some(metric) => metric.clone(),
            None => experiments.metrics(1)?.into_iter().next().ok_or_else(none)?,
        };
        let is_lower = self.lowest
            || (!self.highest
                && actum_experiment::guess_direction(&metric)
                    == Some(actum_experiment::MetricDirection::Lower));
        let (ranking, direction) = match is_lower {
            true => (Ranking::LowestLast, Direction::Smallest),
            false => (Ranking::HighestLast, Direction::Largest),
        };
        // Several seeds of one row count as one.
        let wanted = if self.over_seeds { self.limit.saturating_mul(20) } else { self.limit };
        let filter = ExperimentFilter { name: self.name.clone(), limit: Some(wanted), ..Default::default() };
        let found = experiments.best(&reading, (&metric, ranking), &filter)?;
        if found.is_empty() {
            let known = experiments.metrics(10)?.join(", ");
            return Err(ExperimentProblem::Usage {
                what: format!("no experiment has the metric {metric}"),
                hint: if known.is_empty() {
                    "no metrics were recorded".to_owned()
                } else {
                    format!("known: {known}")
                },
            });
        }
        let options = TableOptions { over_seeds: self.over_seeds, ..TableOptions::default() };
        self.form.print(&table::best(&rows(&found), &metric, direction, self.limit as usize, options))
    }
}

/// Compare experiments in a table: what differs, then metrics
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum experiment table
  actum experiment table 3f9a02 last --all
  actum experiment table --name train --over-seeds --csv")]
pub(super) struct Compare {
    #[command(flatten)]
    selection: Selection,
    /// Join runs that differ only in their seed
    #[arg(long)]
    over_seeds: bool,
    /// Show also what is the same in all
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    form: TableForm,
}

impl Compare {
    pub(super) fn go(&self) -> Result<ExitCode, ExperimentProblem> {
        let (_, found) = self.selection.read()?;
        let options = TableOptions { over_seeds: self.over_seeds, all: self.all };
        self.form.print(&table::table(&rows(&found), options))
    }
}

/// Draw the curves of a metric
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum experiment plot last --metric loss
  actum experiment plot 3f9a02 last --metric loss --log --svg loss.svg")]
pub(super) struct Plot {
    #[command(flatten)]
    selection: Selection,
    /// Metric to draw [default: the first of the newest run]
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,
    /// Use a logarithmic vertical axis
    #[arg(long)]
    log: bool,
    /// Write an SVG picture to FILE
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Plot {
    pub(super) fn go(&self) -> Result<ExitCode, ExperimentProblem> {
        let (reading, found) = self.selection.read()?;
        let first =
            |one: &StoredExperiment| one.result.as_ref()?.metrics.first().map(|metric| metric.name.clone());
        let metric = self.metric.clone().or_else(|| found.iter().find_map(first)).ok_or_else(|| {
            ExperimentProblem::Usage {
                what: "these experiments have no metrics".to_owned(),
                hint: "print them as `name: value`, or write metrics.jsonl into the output folder".to_owned(),
            }
        })?;
        let mut curves = Vec::new();
        for one in &found {
            let points =
                curves_of(&reading, one, Some(&metric))?.into_iter().flat_map(|curve| curve.points).collect();
            let label = format!("{} seed {}", one.manifest.run.short(), one.manifest.seed.value);
            curves.push(Curve { label, points });
        }
        curves.retain(|curve| !curve.points.is_empty());
        let chart = Chart {
            title: metric.clone(),
            x_label: "step".to_owned(),
            y_label: metric,
            x_axis: Axis::Linear,
            y_axis: if self.log { Axis::Log } else { Axis::Linear },
            curves,
        };
        match &self.svg {
            Some(path) => write(path, &chart.svg(SvgSize::default()))?,
            None => {
                let size = screen::size()
                    .map_or((80, 24), |size| (usize::from(size.columns), usize::from(size.rows)));
                let size =
                    TerminalSize { columns: size.0.min(120), rows: size.1.saturating_sub(4).clamp(8, 24) };
                // On a terminal no sequence passes; letters tell the curves apart.
                screen::say(chart.terminal(size, Colour::Plain).trim_end());
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Write a report: Markdown, CSV, or one HTML file that opens offline
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum experiment report last
  actum experiment report --name train --output report.html
  actum experiment report --output runs.csv")]
pub(super) struct Report {
    #[command(flatten)]
    selection: Selection,
    /// Write to FILE (.html, .csv, otherwise Markdown) [default: Markdown on stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Set the title
    #[arg(long, value_name = "TEXT", default_value = "Experiments")]
    title: String,
}

impl Report {
    pub(super) fn go(&self) -> Result<ExitCode, ExperimentProblem> {
        let (reading, found) = self.selection.read()?;
        let mut experiments = Vec::new();
        for one in &found {
            let curves: Vec<MetricCurve> = curves_of(&reading, one, None)?;
            experiments.push(ReportedExperiment { facts: facts_of(&reading, one)?, curves });
        }
        let report = ExperimentReport { title: self.title.clone(), made_at: clock::now(), experiments };
        match &self.output {
            None => screen::say(report.markdown().trim_end()),
            Some(path) => match path.extension().and_then(|ending| ending.to_str()) {
                Some("html" | "htm") => write(path, &report.html())?,
                Some("csv") => write(path, &report.csv())?,
                Some(_) | None => write(path, &report.markdown())?,
            },
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Columns of the terminal; a file or a pipe takes more than a terminal shows.
fn width() -> usize {
    const OF_A_FILE: usize = 200;
    if std::io::stdout().is_terminal() {
        screen::size().map_or(80, |size| usize::from(size.columns))
    } else {
        OF_A_FILE
    }
}

fn rows(of: &[StoredExperiment]) -> Vec<ExperimentRow> {
    of.iter().map(|one| ExperimentRow::new(&one.manifest, one.result.as_ref())).collect()
}

fn write(path: &std::path::Path, text: &str) -> Result<(), ExperimentProblem> {
    Ok(ReportFile::prepare(path)?.write(text)?)
}
