//! Everything that is looked for, arranged by what it begins with.

use super::anchors::Anchors;
use super::block;
use super::builtin::{BUILTIN, PRIVATE_KEY};
use super::fuel::Fuel;
use super::needles::Needles;
use super::pattern::Pattern;
use super::value::{is_secret, lines};
use super::{Sought, forms};
use std::collections::BTreeSet;

/// What a run takes out.
#[derive(Default)]
pub(super) struct Rules {
    pub(super) anchors: Anchors,
    /// What an anchor may begin, by its number.
    pub(super) groups: Vec<Vec<Rule>>,
    pub(super) needles: Needles,
    /// Looked for in every line.
    pub(super) in_lines: Vec<Pattern>,
    /// How long those may look.
    pub(super) fuel: Fuel,
}

/// What an anchor may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Forms of known values, by their places: from, and up to.
    Needles(usize, usize),
    /// A row of the table, by its place.
    Builtin(usize),
    PrivateKey,
}

/// A needle is found by its first bytes. More make the search larger and hardly any rarer.
const ANCHOR: usize = 6;
/// Longer values are looked for in pieces of this length.
const LONGEST: usize = 1 << 10;
/// As many bytes of values are looked for in all forms: some ten megabytes of needles. Of what is more, as it is.
const IN_ALL_FORMS: usize = 256 << 10;

impl Rules {
    pub(super) fn new(sought: &Sought<'_>) -> Self {
        let needles = needles(sought);
        let is_on = |name: &str| !sought.off.iter().any(|off| off == name);
        let known = needles.iter().enumerate();
        let known = known
            .map(|(at, needle)| (needle[..needle.len().min(ANCHOR)].to_vec(), Rule::Needles(at, at + 1)));
        let table = BUILTIN.iter().enumerate().filter(|(_, one)| is_on(one.name));
        let table = table.flat_map(|(at, one)| {
            one.anchors.iter().map(move |anchor| (anchor.as_bytes().to_vec(), Rule::Builtin(at)))
        });
        let keys = is_on(PRIVATE_KEY).then(|| (block::ANCHOR.to_vec(), Rule::PrivateKey));
        let (anchors, groups) = Anchors::new(known.chain(table).chain(keys).collect());
        let groups = groups.into_iter().map(together).collect();
        let needles = Needles::new(needles);
        Self { anchors, groups, needles, in_lines: sought.added.to_vec(), fuel: Fuel::default() }
    }

    /// Whether there is anything to look for.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.in_lines.is_empty()
    }
}

/// The rules of one anchor. Its needles begin alike, so they are neighbours and are looked for together.
fn together(group: Vec<Rule>) -> Vec<Rule> {
    let mut needles: Option<(usize, usize)> = None;
    let mut rules = Vec::new();
    for rule in group {
        match (rule, needles) {
            (Rule::Needles(from, to), None) => needles = Some((from, to)),
            (Rule::Needles(from, to), Some((first, last))) => needles = Some((first.min(from), last.max(to))),
            (Rule::Builtin(_) | Rule::PrivateKey, _) => rules.push(rule),
        }
    }
    rules.extend(needles.map(|(from, to)| Rule::Needles(from, to)));
    rules
}

fn needles(sought: &Sought<'_>) -> Vec<Vec<u8>> {
    let mut needles = BTreeSet::new();
    let mut bytes = 0;
    // Without the line end that a file or a shell put there.
    let known = sought.known.iter().map(|known| (known.name, known.value.trim_ascii_end()));
    for (_, value) in known.filter(|(name, value)| is_secret(name, value)) {
        for piece in lines(value).chain([value]).flat_map(pieces) {
            bytes += piece.len();
            match bytes <= IN_ALL_FORMS {
                true => needles.extend(forms::of(piece)),
                false => _ = needles.insert(piece.to_vec()),
            }
        }
    }
    needles.into_iter().collect()
}

/// Pieces of a long value, all of the same length. Each overlaps the next, so that what is found of them is one.
fn pieces(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let count = value.len().saturating_sub(1).div_ceil(LONGEST - 1).max(1);
    (0..count).map(move |at| {
        let from = (at * (LONGEST - 1)).min(value.len().saturating_sub(LONGEST));
        &value[from..value.len().min(from + LONGEST)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_value_hold_together() {
        for length in [0, 1, 1023, 1024, 1025, 2047, 2048, 5000] {
            let value: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let at = |piece: &[u8]| piece.as_ptr().addr() - value.as_ptr().addr();
            let mut reached = 0;
            for piece in pieces(&value) {
                assert_eq!(piece.len(), length.min(LONGEST));
                assert!(at(piece) == 0 || at(piece) < reached, "{length}: they overlap");
                reached = at(piece) + piece.len();
            }
            assert_eq!(reached, length);
        }
    }
}
