//! What a query returned, read from the table that `psql` and Actum's own SQLite print.

use super::lines::Lines;
use super::shown::{counted, shown};

/// 4: a row with more columns is a table, not a sentence.
const MOST_COLUMNS: usize = 4;
/// 60: what is shown of one value.
const VALUE: usize = 60;

/// `query returned 1 row: user_count = 15423`, `query returned 120 rows`, `3 rows updated`.
pub(super) fn told(lines: &Lines) -> Option<String> {
    let results: Vec<(usize, u64)> =
        lines.iter().filter_map(|(index, line)| Some((index, row_count(line)?))).collect();
    match results.as_slice() {
        [] => changed(lines),
        [(at, 1)] => Some(match row(lines, *at) {
            Some(row) => format!("query returned 1 row: {row}"),
            None => "query returned 1 row".to_owned(),
        }),
        [(_, rows)] => Some(format!("query returned {}", counted(*rows, "row"))),
        several => {
            let rows = several.iter().fold(0_u64, |sum, (_, rows)| sum.saturating_add(*rows));
            Some(format!("{} queries returned {}", several.len(), counted(rows, "row")))
        }
    }
}

/// `(1 row)`, `(120 rows)`.
fn row_count(line: &str) -> Option<u64> {
    let (number, word) = line.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(' ')?;
    (word == "row" || word == "rows").then(|| number.parse().ok())?
}

/// The one row above `(1 row)`: its columns begin where the line of dashes has its crosses.
fn row(lines: &Lines, at: usize) -> Option<String> {
    let [names, dashes, values] = [at.checked_sub(3)?, at - 2, at - 1].map(|index| lines.at(index));
    let ruled = dashes.starts_with('-') && dashes.chars().all(|c| c == '-' || c == '+');
    let widths: Vec<usize> = dashes.split('+').map(|column| column.chars().count()).collect();
    if !ruled || widths.len() > MOST_COLUMNS {
        return None;
    }
    let (names, values) = (cells(names, &widths), cells(values, &widths));
    let pairs = names
        .iter()
        .zip(&values)
        .map(|(name, value)| format!("{} = {}", shown(name, VALUE), shown(value, VALUE)));
    Some(pairs.collect::<Vec<_>>().join(", "))
}

fn cells(line: &str, widths: &[usize]) -> Vec<String> {
    let mut characters = line.chars();
    let last = widths.len() - 1;
    let cell = |(index, width): (usize, &usize)| {
        // The last cell takes what is left: a value may be wider than its rule where it was not padded.
        let length = if index == last { usize::MAX } else { *width };
        let cell: String = characters.by_ref().take(length).collect();
        characters.next();
        cell.trim().to_owned()
    };
    widths.iter().enumerate().map(cell).collect()
}

/// `UPDATE 3`, `INSERT 0 5`, `DELETE 2`: what `psql` says of statements without rows. The last one counts.
fn changed(lines: &Lines) -> Option<String> {
    let line = lines.last_words()?;
    let (tag, number) = line.rsplit_once(' ')?;
    let verb = match tag {
        "UPDATE" => "updated",
        "DELETE" => "deleted",
        "INSERT 0" => "inserted",
        "COPY" => "copied",
        "MERGE" => "merged",
        _ => return None,
    };
    Some(format!("{} {verb}", counted(number.parse().ok()?, "row")))
}
