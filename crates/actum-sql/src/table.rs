//! Prints rows as `psql` aligns them, in bounded memory.
//!
//! Widths and sides come from the first rows: 1000 of them, or the first MiB. A later cell that is wider sticks out, and
//! the rows around it keep their columns.

use crate::cell::{Cell, Kind, Line};
use std::io::{self, Write};

const MOST_ROWS: usize = 1000;
const MOST_BYTES: usize = 1 << 20;

/// A table that is being printed.
pub(crate) struct Table {
    names: Vec<Cell>,
    waiting: Vec<Vec<Cell>>,
    bytes: usize,
    columns: Option<Vec<Column>>,
    rows: u64,
}

#[derive(Debug, Clone, Copy)]
struct Column {
    width: usize,
    side: Side,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Table {
    pub(crate) fn new(names: Vec<Cell>) -> Self {
        Self { names, waiting: Vec::new(), bytes: 0, columns: None, rows: 0 }
    }

    pub(crate) fn row(&mut self, row: Vec<Cell>, out: &mut dyn Write) -> io::Result<()> {
        self.rows += 1;
        if let Some(columns) = &self.columns {
            return print_row(&row, columns, out);
        }
        self.bytes += row.iter().map(Cell::length).sum::<usize>();
        self.waiting.push(row);
        if self.waiting.len() >= MOST_ROWS || self.bytes >= MOST_BYTES {
            self.settle(out)?;
        }
        Ok(())
    }

    /// The rest of the rows, their count, and an empty line.
    pub(crate) fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.columns.is_none() {
            self.settle(out)?;
        }
        let rows = if self.rows == 1 { "row" } else { "rows" };
        write!(out, "({} {rows})\n\n", self.rows)
    }

    /// Decides widths and sides, then prints the header and what waited for it.
    fn settle(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let columns: Vec<Column> = (0..self.names.len()).map(|index| self.column(index)).collect();
        print_header(&self.names, &columns, out)?;
        let ruler: Vec<String> = columns.iter().map(|column| "-".repeat(column.width + 2)).collect();
        writeln!(out, "{}", ruler.join("+"))?;
        for row in std::mem::take(&mut self.waiting) {
            print_row(&row, &columns, out)?;
        }
        self.columns = Some(columns);
        Ok(())
    }

    /// SQLite's columns have no type of their own: one that holds numbers and nothing else is aligned as numbers.
    fn column(&self, index: usize) -> Column {
        let cells = || self.waiting.iter().filter_map(|row| row.get(index));
        let width = cells().map(Cell::width).chain([self.names[index].width()]).max().unwrap_or(0);
        let numbers = cells().any(|cell| cell.kind == Kind::Number);
        let texts = cells().any(|cell| cell.kind == Kind::Text);
        Column { width, side: if numbers && !texts { Side::Right } else { Side::Left } }
    }
}

/// Names stand in the middle of their columns.
fn print_header(names: &[Cell], columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
    let height = names.iter().map(|name| name.lines.len()).max().unwrap_or(1);
    for at in 0..height {
        for (index, (name, column)) in names.iter().zip(columns).enumerate() {
            let Line { text, width } = name.lines.get(at).cloned().unwrap_or_default();
            let space = column.width.saturating_sub(width);
            let (before, after) = (" ".repeat(space / 2), " ".repeat(space.div_ceil(2)));
            let goes_on = if at + 1 < name.lines.len() { '+' } else { ' ' };
            write!(out, "{} {before}{text}{after}{goes_on}", bar(index))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A cell of several lines takes as many; a plus says that it goes on. The last column has no blanks behind it.
fn print_row(row: &[Cell], columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
    let height = row.iter().map(|cell| cell.lines.len()).max().unwrap_or(1);
    for at in 0..height {
        for (index, (cell, column)) in row.iter().zip(columns).enumerate() {
            let Line { text, width } = cell.lines.get(at).cloned().unwrap_or_default();
            let space = " ".repeat(column.width.saturating_sub(width));
            let goes_on = at + 1 < cell.lines.len();
            let last = index + 1 == columns.len() && !goes_on;
            let end = if goes_on { "+" } else { " " };
            match column.side {
                Side::Right if last => write!(out, "{} {space}{text}", bar(index))?,
                Side::Right => write!(out, "{} {space}{text}{end}", bar(index))?,
                Side::Left if last => write!(out, "{} {text}", bar(index))?,
                Side::Left => write!(out, "{} {text}{space}{end}", bar(index))?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn bar(index: usize) -> &'static str {
    if index == 0 { "" } else { "|" }
}
