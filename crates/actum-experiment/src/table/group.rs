//! Runs that differ in nothing but their seed, as one.

use super::{Cell, ExperimentRow};
use std::collections::{BTreeMap, BTreeSet};

/// Several runs of one thing.
pub(super) struct Group<'a> {
    pub rows: Vec<&'a ExperimentRow>,
}

impl<'a> Group<'a> {
    pub fn first(&self) -> &'a ExperimentRow {
        self.rows[0]
    }

    pub fn metric(&self, name: &str) -> Option<Cell> {
        let cells: Vec<&Cell> = self.rows.iter().filter_map(|row| row.metric(name)).collect();
        if cells.is_empty() { None } else { Cell::spread(&cells) }
    }

    /// `1, 2, 3`, or `1 … 40 (40)` where there are many.
    pub fn seeds(&self) -> String {
        let seeds: BTreeSet<u64> = self.rows.iter().map(|row| row.seed).collect();
        match (seeds.first(), seeds.last()) {
            (Some(first), Some(last)) if seeds.len() > 6 => format!("{first} … {last} ({})", seeds.len()),
            (_, _) => seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
        }
    }
}

/// Each run by itself.
pub(super) fn single(rows: &[ExperimentRow]) -> Vec<Group<'_>> {
    rows.iter().map(|row| Group { rows: vec![row] }).collect()
}

/// In the order in which the first of each group comes. Two runs with the same seed do not become one: a repeat says nothing about
/// the spread over seeds.
pub(super) fn over_seeds(rows: &[ExperimentRow]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let mut taken: BTreeSet<(usize, u64)> = BTreeSet::new();
    for row in rows {
        let places = known.entry((&row.name, row.purpose, &row.values)).or_default();
        let place = places.iter().copied().find(|place| !taken.contains(&(*place, row.seed)));
        let place = place.unwrap_or_else(|| {
            groups.push(Group { rows: Vec::new() });
            places.push(groups.len() - 1);
            groups.len() - 1
        });
        taken.insert((place, row.seed));
        groups[place].rows.push(row);
    }
    groups
}
