//! The three views.

use super::group::{Group, over_seeds, single};
use super::{Cell, Column, ExperimentRow, SameValue, Section, Table, TableRow};
use actum_model::Outcome;
use std::collections::{BTreeMap, BTreeSet};

/// Metrics that a list has columns for. The others are in `table`.
const LISTED_METRICS: usize = 3;

/// Which end of a metric is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Largest,
    Smallest,
}

/// What a table shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Runs that differ only in their seed are one row.
    pub over_seeds: bool,
    /// Columns for what is the same in all rows as well.
    pub all: bool,
}

/// One line for each experiment, in the order given: `actum experiment ls`.
pub fn list(rows: &[ExperimentRow]) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| &row.metrics) {
        if names.len() < LISTED_METRICS && !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut columns: Vec<Column> = ["run", "started", "name", "outcome", "duration", "seed"]
        .map(|title| run_column(title, true))
        .to_vec();
    if rows.iter().any(|row| row.purpose != "experiment") {
        columns.insert(3, run_column("purpose", true));
    }
    columns.extend(names.iter().map(|name| Column::new(Section::Metric, name, true)));
    let rows = single(rows).iter().map(|group| fill(group, &columns)).collect();
    Table { columns, rows, same: Vec::new(), notes: Vec::new() }
}

/// The best rows by one metric: `actum experiment best`. Over seeds the mean counts.
pub fn best(
    rows: &[ExperimentRow],
    metric: &str,
    direction: Direction,
    most: usize,
    options: TableOptions,
) -> Table {
    let succeeded =
        rows.iter().filter(|row| row.outcome == Some(Outcome::Success) && row.metric(metric).is_some());
    let kept: Vec<ExperimentRow> = succeeded.cloned().collect();
    let left_out = rows.len() - kept.len();
    let groups = if options.over_seeds { over_seeds(&kept) } else { single(&kept) };
    let mut ranked: Vec<(Option<f64>, Group<'_>)> =
        groups.into_iter().map(|group| (group.metric(metric).and_then(|cell| cell.value()), group)).collect();
    // What is not finite comes last, whichever end is good.
    ranked.sort_by(|(a, _), (b, _)| match (a, b) {
        (Some(a), Some(b)) if direction == Direction::Largest => b.total_cmp(a),
        (Some(a), Some(b)) => a.total_cmp(b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    let groups: Vec<Group<'_>> = ranked.into_iter().take(most).map(|(_, group)| group).collect();
    let mut table = build(&groups, options);
    let key = Column::new(Section::Metric, metric, true).key;
    if let Some(at) = table.columns.iter().position(|column| column.key == key) {
        let column = table.columns.remove(at);
        table.columns.insert(1.min(table.columns.len()), column);
    }
    if left_out > 0 {
        let name = actum_model::Untrusted::new(metric).shown(40);
        table.notes.push(format!("{left_out} runs without success or without {name} are left out"));
    }
    table
}

/// All experiments with what differs between them first: `actum experiment table`.
pub fn table(rows: &[ExperimentRow], options: TableOptions) -> Table {
    build(&if options.over_seeds { over_seeds(rows) } else { single(rows) }, options)
}

fn build(groups: &[Group<'_>], options: TableOptions) -> Table {
    let mut columns = vec![run_column("run", true)];
    if groups.iter().any(|group| group.first().outcome != Some(Outcome::Success)) {
        columns.push(run_column("outcome", true));
    }
    let (differing, same) = ingredients(groups);
    columns.extend(differing);
    let seeds: BTreeSet<String> = groups.iter().map(Group::seeds).collect();
    if seeds.len() > 1 || groups.iter().any(|group| group.rows.len() > 1) {
        columns.push(run_column("seed", true));
    }
    let mut metrics: Vec<&str> = Vec::new();
    let mut met: BTreeSet<&str> = BTreeSet::new();
    for (name, _) in groups.iter().flat_map(|group| &group.rows).flat_map(|row| &row.metrics) {
        if met.insert(name) {
            metrics.push(name);
        }
    }
    columns.extend(metrics.iter().map(|name| Column::new(Section::Metric, name, true)));
    let mut same = same;
    if seeds.len() == 1 && groups.iter().all(|group| group.rows.len() == 1) {
        let value = seeds.into_iter().next().unwrap_or_default();
        same.insert(0, SameValue { section: Section::Run, name: "seed".to_owned(), value });
    }
    if options.all {
        columns.extend(same.iter().map(|same| Column::new(same.section, &same.name, false)));
        same.clear();
    }
    let rows = groups.iter().map(|group| fill(group, &columns)).collect();
    Table { columns, rows, same, notes: Vec::new() }
}

/// Columns of what differs, and what is the same in all rows.
fn ingredients(groups: &[Group<'_>]) -> (Vec<Column>, Vec<SameValue>) {
    let mut counts: BTreeMap<&(Section, String), (BTreeSet<&str>, usize)> = BTreeMap::new();
    for (name, value) in groups.iter().flat_map(|group| &group.first().values) {
        let (values, count) = counts.entry(name).or_default();
        values.insert(value);
        *count += 1;
    }
    let (mut columns, mut same) = (Vec::new(), Vec::new());
    for ((section, name), (values, count)) in counts {
        if values.len() == 1 && count == groups.len() {
            let value = values.into_iter().next().unwrap_or_default().to_owned();
            same.push(SameValue { section: *section, name: name.clone(), value });
        } else {
            columns.push(Column::new(*section, name, true));
        }
    }
    (columns, same)
}

fn run_column(title: &str, differs: bool) -> Column {
    Column::new(Section::Run, title, differs)
}

fn fill(group: &Group<'_>, columns: &[Column]) -> TableRow {
    let value = |column: &Column| -> Option<Cell> {
        let row = group.first();
        match column.section {
            Section::Metric => group.metric(&column.title),
            Section::Parameter | Section::Environment => {
                row.values.get(&(column.section, column.title.clone())).map(Cell::text)
            }
            Section::Run => run_value(group, &column.title),
        }
    };
    let values = columns.iter().filter_map(|column| Some((column.key.clone(), value(column)?)));
    TableRow { runs: group.rows.iter().map(|row| row.run).collect(), values: values.collect() }
}

fn run_value(group: &Group<'_>, title: &str) -> Option<Cell> {
    let row = group.first();
    match title {
        "run" => Some(Cell::text(row.run.short())),
        "started" => Some(Cell::text(
            row.created_at.to_string().chars().take(16).collect::<String>().replace('T', " "),
        )),
        "name" => Some(Cell::text(row.name.as_str())),
        "purpose" => Some(Cell::text(row.purpose)),
        "outcome" => {
            let words: BTreeSet<&str> =
                group.rows.iter().map(|row| row.outcome.map_or("running", Outcome::word)).collect();
            Some(Cell::text(words.into_iter().collect::<Vec<_>>().join(", ")))
        }
        "duration" => row.duration.map(|duration| Cell::text(duration.to_string())),
        "seed" => Some(Cell::text(group.seeds())),
        _ => None,
    }
}
