//! The attempts of the catalogue that a snippet in one confined run cannot express, each with the reason.
//!
//! They are tested in the room that the reason names; this list keeps them from being forgotten.

/// One id of the catalogue without a file below `attempts/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotExpressed {
    pub id: &'static str,
    pub reason: &'static str,
}

const LIST: &str = include_str!("../not_expressed.tsv");

/// All of them, in the order of the catalogue.
pub fn not_expressed() -> impl Iterator<Item = NotExpressed> {
    LIST.lines().filter_map(|line| line.split_once('\t')).map(|(id, reason)| NotExpressed { id, reason })
}
