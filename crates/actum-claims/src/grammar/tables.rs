//! Rows of tables as the sentences that a person would make of them.

use super::numbers::SPLITS;
use crate::markdown::Row;
use crate::names;
use crate::sentence::Sentence;
use crate::vocabulary::VOCABULARY;
use actum_commands::programs::WordList;

/// One row.
pub(super) fn sentences(row: &Row, line: u64, under: &str) -> Vec<Sentence> {
    let header: Vec<String> =
        row.header.iter().map(|cell| plain(cell).to_lowercase().replace('²', "2")).collect();
    let cells: Vec<String> = row.cells.iter().map(|cell| plain(cell)).collect();
    let (header, cells) = with_units(header, cells);
    let Some(label) = cells.first().filter(|label| !label.is_empty()) else { return Vec::new() };
    let one = |text: String| Sentence::plain(&text, line, under);
    if header.iter().skip(1).filter(|name| VOCABULARY.test_columns.contains(name)).count() >= 2 {
        return vec![one(counts(label, &header, &cells))];
    }
    let at = |list: &WordList| header.iter().skip(1).position(|name| list.contains(name)).map(|at| at + 1);
    if let (Some(before), Some(after)) = (at(&VOCABULARY.before_columns), at(&VOCABULARY.after_columns)) {
        let cell = |at: usize| cells.get(at).map(String::as_str).unwrap_or_default();
        let change = at(&VOCABULARY.change_columns).map(|at| format!(" ({})", cell(at))).unwrap_or_default();
        return vec![one(format!("{label} went from {} to {}{change}", cell(before), cell(after)))];
    }
    let pairs = header
        .iter()
        .zip(&cells)
        .skip(1)
        .filter(|(name, cell)| !VOCABULARY.other_columns.contains(name) && !cell.is_empty());
    let first = header.first().map(String::as_str).unwrap_or_default();
    pairs.map(|(name, cell)| one(pair(first, label, name, cell))).collect()
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
    if VOCABULARY.value_columns.contains(name) {
        return format!("{label}: {cell}");
    }
    let step = label.parse::<u64>().is_ok() && (first.is_empty() || first.split(' ').any(names::is_step));
    // A number names its row together with what its column is called.
    let label = &if label.parse::<f64>().is_ok() { format!("{first} {label}") } else { label.to_owned() };
    let tail = name.split(' ').next_back().unwrap_or_default();
    let before = name.rsplit_once(' ').map(|(before, _)| before.rsplit(' ').next().unwrap_or_default());
    match (names::is_head(before, tail), step) {
        (true, true) => format!("{name} at {label}: {cell}"),
        (true, false) if SPLITS.contains(&label.to_lowercase().as_str()) => format!("{label} {name}: {cell}"),
        (true, false) if label.to_lowercase().contains("baseline") => format!("baseline {name}: {cell}"),
        (true, false) => format!("{label}, {name}: {cell}"),
        (false, _) => format!("{label} {name}: {cell}"),
    }
}

/// `unit tests: 12 passed, 0 failed, 12 total`.
fn counts(label: &str, header: &[String], cells: &[String]) -> String {
    let told = header.iter().zip(cells).skip(1).filter(|(name, _)| VOCABULARY.test_columns.contains(name));
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
