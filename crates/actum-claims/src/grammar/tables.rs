//! Rows of tables as the sentences that a person would make of them.

use crate::markdown::Row;
use crate::names;
use crate::sentence::Sentence;
use actum_model::Unit;

/// Columns that hold values of the row's name.
const VALUES: &[&str] = &[
    "value", "result", "results", "score", "status", "outcome", "after", "now", "new", "current", "observed",
    "measured", "final", "actual", "estimate", "amount", "number", "",
];
const BEFORE: &[&str] = &["before", "old", "baseline", "previous", "original"];
const AFTER: &[&str] = &["after", "new", "now", "current", "optimized", "optimised", "improved"];
const CHANGES: &[&str] =
    &["change", "delta", "improvement", "diff", "difference", "gain", "reduction", "speedup", "δ"];
const NOT: &[&str] = &[
    "target",
    "goal",
    "threshold",
    "expected",
    "required",
    "paper",
    "limit",
    "min",
    "notes",
    "note",
    "description",
    "comment",
    "comments",
];
/// Columns of counts that belong to one statement about tests.
const TESTS: &[&str] = &[
    "passed", "failed", "skipped", "total", "pass", "fail", "errors", "tests", "ignored", "xfailed",
    "pending",
];

/// One row.
pub(super) fn sentences(row: &Row, line: u64, under: &str) -> Vec<Sentence> {
    let header: Vec<String> =
        row.header.iter().map(|cell| called(plain(cell).to_lowercase().replace('²', "2"))).collect();
    let cells: Vec<String> = row.cells.iter().map(|cell| plain(cell)).collect();
    let (header, cells) = without_rank(with_units(header, cells));
    let Some(label) = cells.first().filter(|label| !label.is_empty()) else { return Vec::new() };
    let one = |text: String| Sentence::plain(&text, line, under);
    if header.iter().skip(1).filter(|name| TESTS.contains(&name.as_str())).count() >= 2 {
        return vec![one(counts(label, &header, &cells))];
    }
    let at =
        |list: &[&str]| header.iter().skip(1).position(|name| list.contains(&name.as_str())).map(|at| at + 1);
    if let (Some(before), Some(after)) = (at(BEFORE), at(AFTER)) {
        let cell = |at: usize| cells.get(at).map(String::as_str).unwrap_or_default();
        let change = at(CHANGES).map(|at| format!(" ({})", cell(at))).unwrap_or_default();
        return vec![one(format!("{label} went from {} to {}{change}", cell(before), cell(after)))];
    }
    let pairs = header
        .iter()
        .zip(&cells)
        .skip(1)
        .filter(|(name, cell)| !NOT.contains(&name.as_str()) && !cell.is_empty());
    let first = header.first().map(String::as_str).unwrap_or_default();
    pairs.map(|(name, cell)| one(pair(first, label, name, cell))).collect()
}

/// `Version installed` is a version.
fn called(name: String) -> String {
    let is_version =
        ["version installed", "installed version", "version (installed)"].contains(&name.as_str());
    if is_version { "version".to_owned() } else { name }
}

/// Which place a row has says nothing about it: `Rank | Word | Count`.
fn without_rank((mut header, mut cells): (Vec<String>, Vec<String>)) -> (Vec<String>, Vec<String>) {
    const RANKS: &[&str] = &["rank", "#", "no", "no.", "nr", "nr.", "pos", "position", "place", ""];
    let is_rank = header.len() > 2
        && header.first().is_some_and(|name| RANKS.contains(&name.as_str()))
        && cells.first().is_some_and(|cell| cell.trim_end_matches('.').parse::<u64>().is_ok())
        && cells.get(1).is_some_and(|cell| !is_number(cell));
    if is_rank {
        header.remove(0);
        cells.remove(0);
    }
    (header, cells)
}

fn is_number(cell: &str) -> bool {
    cell.replace([',', '%'], "").trim().parse::<f64>().is_ok()
}

/// `p50 (ms)` gives its unit to what stands under it.
fn with_units(header: Vec<String>, cells: Vec<String>) -> (Vec<String>, Vec<String>) {
    let unit = |name: &String| {
        let (name, unit) = name.strip_suffix(')')?.rsplit_once(" (")?;
        Some((name.to_owned(), unit.to_owned()))
    };
    let units: Vec<Option<(String, String)>> = header.iter().map(unit).collect();
    let names = header.into_iter().zip(&units);
    let names = names.map(|(name, unit)| unit.as_ref().map_or(name, |(name, _)| name.clone())).collect();
    let with = |(at, cell): (usize, String)| match units.get(at).and_then(Option::as_ref) {
        Some((_, unit)) if cell.parse::<f64>().is_ok() => format!("{cell} {unit}"),
        Some(_) | None => cell,
    };
    (names, cells.into_iter().enumerate().map(with).collect())
}

fn pair(first: &str, label: &str, name: &str, cell: &str) -> String {
    // Of a level of a log every number is how often it was told.
    let is_count = ["lines", "entries", "messages", "occurrences", "events", "n", "records"].contains(&name);
    if ["level", "severity", "log level"].contains(&first) && is_count {
        return format!("{label} count: {cell}");
    }
    if VALUES.contains(&name) {
        return format!("{label}: {cell}");
    }
    if let Some(size) = size(label, name, cell) {
        return size;
    }
    let step = label.parse::<u64>().is_ok() && (first.is_empty() || first.split(' ').any(names::is_step));
    // A number names its row together with what its column is called.
    let label = &if label.parse::<f64>().is_ok() { format!("{first} {label}") } else { label.to_owned() };
    let tail = name.split(' ').next_back().unwrap_or_default();
    let before = name.rsplit_once(' ').map(|(before, _)| before.rsplit(' ').next().unwrap_or_default());
    match (names::is_head(before, tail), step) {
        (true, true) => format!("{name} at {label}: {cell}"),
        (true, false) if is_split(label) => format!("{label} {name}: {cell}"),
        (true, false) if label.to_lowercase().contains("baseline") => format!("baseline {name}: {cell}"),
        (true, false) => format!("{label}, {name}: {cell}"),
        (false, _) => format!("{label} {name}: {cell}"),
    }
}

/// A file and its size, where the column has the unit: `bytes`, `size in KiB`.
fn size(label: &str, name: &str, cell: &str) -> Option<String> {
    let unit = name.rsplit([' ', '_']).next()?;
    let is_size = matches!(Unit::named(unit), Some(Unit::Size(_))) && unit.len() > 1;
    let is_file = !label.contains(' ') && label.contains(['.', '/']);
    let is_number = cell.replace([',', '_'], "").parse::<f64>().is_ok();
    (is_size && is_file && is_number).then(|| format!("{label} size: {cell} {unit}"))
}

fn is_split(label: &str) -> bool {
    ["train", "training", "val", "validation", "test", "dev", "eval"].contains(&label.to_lowercase().as_str())
}

/// `unit tests: 12 passed, 0 failed, 12 total`.
fn counts(label: &str, header: &[String], cells: &[String]) -> String {
    let told = header.iter().zip(cells).skip(1).filter(|(name, _)| TESTS.contains(&name.as_str()));
    let told: Vec<String> = told
        .map(|(name, cell)| match name.as_str() {
            "pass" => format!("{cell} passed"),
            "fail" => format!("{cell} failed"),
            "tests" => format!("{cell} total"),
            name => format!("{cell} {name}"),
        })
        .collect();
    let noun = if label.to_lowercase().contains("test") { "" } else { " tests" };
    format!("{label}{noun}: {}", told.join(", "))
}

/// Without marks that say nothing more than the words.
fn plain(cell: &str) -> String {
    cell.replace(['✅', '❌', '✔', '\u{fe0f}', '*', '`'], " ").trim().to_owned()
}
