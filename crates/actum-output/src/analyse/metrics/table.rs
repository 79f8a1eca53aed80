//! Tables with bars: a name beside its number, or names above their numbers.

use super::names::{self, Weight};
use super::{Told, number};

/// The table that a stream is in.
#[derive(Debug, Default)]
pub(super) struct Tables {
    header: Vec<String>,
}

const MOST_CELLS: usize = 32;

impl Tables {
    /// What a row told; none for a line that is no row.
    pub(super) fn row(&mut self, line: &str) -> Option<Vec<Told>> {
        let Some(cells) = cells(line) else {
            // The frame of a table is part of it.
            if !is_rule(line) {
                self.header.clear();
            }
            return is_rule(line).then(Vec::new);
        };
        if let [name, value] = cells.as_slice()
            && let Some(told) = beside(name, value)
        {
            return Some(vec![told]);
        }
        if cells.iter().all(|cell| number::read(cell).is_none()) {
            if !cells.iter().all(|cell| is_rule(cell)) {
                self.header = cells.iter().map(|cell| (*cell).to_owned()).collect();
            }
            return Some(Vec::new());
        }
        if cells.len() != self.header.len() {
            return Some(Vec::new());
        }
        Some(self.below(&cells))
    }

    /// Numbers below their names; what stands first says whose they are.
    fn below(&self, cells: &[&str]) -> Vec<Told> {
        let is_step = |(name, _): &(&String, &&str)| names::is_step(name);
        let step = self.header.iter().zip(cells).find(is_step).and_then(|(_, cell)| number::step(cell));
        let whose = cells.first().filter(|cell| number::read(cell).is_none());
        let told = self.header.iter().zip(cells).filter_map(|(header, cell)| {
            let number = number::read(cell)?;
            let counts = match names::weight(header) {
                Weight::Strong => true,
                Weight::Weak => number.is_fractional,
                Weight::Unknown | Weight::Never => false,
            };
            let name = whose.map_or_else(|| header.clone(), |whose| format!("{whose} {header}"));
            counts.then(|| Told { name, literal: number.literal.to_owned(), value: number.value, step })
        });
        told.collect()
    }
}

fn beside(name: &str, value: &str) -> Option<Told> {
    let number = number::read(value)?;
    let counts = match names::weight(name) {
        Weight::Strong => true,
        Weight::Weak => number.is_fractional,
        Weight::Unknown | Weight::Never => false,
    };
    let literal = number.literal.to_owned();
    counts.then(|| Told { name: name.to_owned(), literal, value: number.value, step: None })
}

/// The cells between bars, at least two.
fn cells(line: &str) -> Option<Vec<&str>> {
    let is_bar = |c: char| matches!(c, '|' | '│' | '┃');
    let row = line.trim();
    let inner = row.strip_prefix(is_bar)?.strip_suffix(is_bar)?;
    let cells: Vec<&str> = inner.split(is_bar).take(MOST_CELLS + 1).map(str::trim).collect();
    ((2..=MOST_CELLS).contains(&cells.len())).then_some(cells)
}

/// A line of a frame: `|---|---:|`, `+-----+`, `├──┼──┤`.
fn is_rule(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| "|+-=: ".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c))
}
