//! A table as aligned text, as CSV and as JSON.

use super::{Cell, Column, Table};
use actum_model::Untrusted;
use unicode_width::UnicodeWidthStr;

/// The widest cell of a text table, in characters.
const WIDEST: usize = 36;
/// A cell of a CSV file. Longer values are cut with an ellipsis.
const LONGEST: usize = 10_000;

impl Table {
    /// Columns that fit into so many columns of a terminal; the names of the others are said below.
    pub fn text(&self, width: usize) -> String {
        if self.rows.is_empty() {
            return "no experiments\n".to_owned();
        }
        let cells: Vec<Vec<String>> = self.columns.iter().map(|column| self.column(column, WIDEST)).collect();
        let widths: Vec<usize> =
            cells.iter().map(|cells| cells.iter().map(|cell| cell.width()).max().unwrap_or(0)).collect();
        let mut used = 0;
        let fitting = widths.iter().take_while(|width_of| {
            used += **width_of + 2;
            used <= width + 2
        });
        let fitting = fitting.count().clamp(1.min(widths.len()), widths.len());
        let mut out = String::new();
        let lines = (0..=self.rows.len()).map(|row| self.line(&cells[..fitting], &widths, row));
        lines.for_each(|line| out.push_str(&format!("{}\n", line.trim_end())));
        self.remarks(&self.columns[fitting..], &mut out);
        out
    }

    /// One line of the text: the titles, then the rows.
    fn line(&self, cells: &[Vec<String>], widths: &[usize], row: usize) -> String {
        // Titles stand where the first value does.
        let values = self.rows.get(row.saturating_sub(1));
        let cell = |((cells, column), width): ((&Vec<String>, &Column), &usize)| {
            let text = cells[row].as_str();
            let gap = " ".repeat(width.saturating_sub(text.width()));
            match values.is_some_and(|values| is_numeric(values, column)) {
                true => format!("{gap}{text}  "),
                false => format!("{text}{gap}  "),
            }
        };
        cells.iter().zip(&self.columns).zip(widths).map(cell).collect()
    }

    /// RFC 4180, with a header. Text that a spreadsheet would take for a formula gets an apostrophe.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        let line =
            |cells: Vec<String>| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\r\n";
        let mut head = vec!["runs".to_owned()];
        let spreads: Vec<bool> = self.columns.iter().map(|column| self.has_spread(column)).collect();
        for (column, spread) in self.columns.iter().zip(&spreads) {
            let title = inert(&Untrusted::new(column.key.as_str()).shown(LONGEST));
            if *spread {
                head.extend([title.clone(), format!("{title}.deviation"), format!("{title}.k")]);
            } else {
                head.push(title);
            }
        }
        out.push_str(&line(head));
        for row in &self.rows {
            let mut cells = vec![row.runs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")];
            for (column, spread) in self.columns.iter().zip(&spreads) {
                cells.extend(csv_cells(row.values.get(&column.key), *spread));
            }
            out.push_str(&line(cells));
        }
        out
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("BUG: a table is strings, numbers and lists of them")
    }

    /// Title and cells of one column.
    fn column(&self, column: &Column, most: usize) -> Vec<String> {
        let title = Untrusted::new(column.title.as_str()).shown(most);
        let cell = |row: &super::TableRow| {
            row.values.get(&column.key).map_or_else(|| "-".to_owned(), |cell| cell.shown(most))
        };
        std::iter::once(title).chain(self.rows.iter().map(cell)).collect()
    }

    fn has_spread(&self, column: &Column) -> bool {
        self.rows.iter().any(|row| matches!(row.values.get(&column.key), Some(Cell::Spread { .. })))
    }

    fn remarks(&self, hidden: &[Column], out: &mut String) {
        let shown = |text: &str, most: usize| Untrusted::new(text).shown(most);
        if !hidden.is_empty() {
            let names: Vec<String> = hidden.iter().take(8).map(|column| shown(&column.title, 24)).collect();
            let more = if hidden.len() > names.len() { ", …" } else { "" };
            out.push_str(&format!("{} more columns: {}{more}\n", hidden.len(), names.join(", ")));
        }
        if !self.same.is_empty() && self.rows.len() > 1 {
            let named: Vec<String> = self
                .same
                .iter()
                .take(6)
                .map(|same| format!("{} {}", shown(&same.name, 24), shown(&same.value, 24)))
                .collect();
            let more = if self.same.len() > named.len() { ", …" } else { "" };
            out.push_str(&format!("the same in all: {}{more}\n", named.join(", ")));
        }
        for note in &self.notes {
            out.push_str(&format!("{}\n", shown(note, 400)));
        }
    }
}

fn is_numeric(row: &super::TableRow, column: &Column) -> bool {
    row.values.get(&column.key).is_some_and(Cell::is_number)
}

/// A spread takes three cells in every row of its column.
fn csv_cells(cell: Option<&Cell>, spread: bool) -> Vec<String> {
    let mut cells = match cell {
        None => vec![String::new()],
        Some(Cell::Text(text)) => vec![inert(&Untrusted::new(text.as_str()).shown(LONGEST))],
        Some(Cell::Number { value: Some(_), text }) => vec![number_or_inert(text)],
        Some(Cell::Number { value: None, text }) => {
            vec![inert(&Untrusted::new(text.as_str()).shown(LONGEST))]
        }
        Some(Cell::Spread { mean, deviation, k }) => {
            vec![
                mean.to_string(),
                deviation.map_or_else(String::new, |deviation| deviation.to_string()),
                k.to_string(),
            ]
        }
    };
    if spread && cells.len() == 1 {
        let count = if cell.is_some() { "1" } else { "0" };
        cells.extend([String::new(), count.to_owned()]);
    }
    cells
}

/// Digits, signs and an exponent pass as they are.
fn number_or_inert(text: &str) -> String {
    if text.parse::<f64>().is_ok() { text.to_owned() } else { inert(&Untrusted::new(text).shown(LONGEST)) }
}

/// Spreadsheets take what begins with these for a formula.
pub(crate) fn inert(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err() {
        return format!("'{text}");
    }
    text.to_owned()
}

/// In quotes where it has to be.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ') {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}
