//! Which package an import means.
//!
//! The longest part of a dotted name that a table knows decides: first the namespaces (`google.cloud.storage`), then the
//! choices among twins (`cv2`), then the map of modules. What no table knows is not guessed.

use super::generic::is_generic;
use super::standard::python3_name;
use super::{prefixes, top_of};
use crate::table::{Packed, Row, Table};
use actum_model::Import;

static NAMESPACES: Table = Table::new(include_str!("../../data/python/namespaces.tsv"));
static VARIANTS: Table = Table::new(include_str!("../../data/python/variants.tsv"));
static IMPORTS: Packed = Packed::new(include_bytes!("../../data/python/imports.tsv.zst"));

/// Where a module comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    Package(Provided),
    /// A module of Python 2 itself that Python 3 has under another name, or not at all. Nothing is installed for it.
    Python2 {
        now: Option<&'static str>,
    },
    /// It is part of something that is no package: another system, or a program that embeds Python.
    Elsewhere {
        place: &'static str,
    },
    /// The name of a file of the program's own.
    Generic,
    /// No table knows it.
    Unknown,
}

/// A package that brings a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provided {
    pub package: &'static str,
    /// A bound that belongs to the choice, as in a requirement: `<81`.
    pub bound: Option<&'static str>,
    /// Other packages with a module of that name, the more used first.
    pub others: Vec<&'static str>,
    /// What to know about the choice.
    pub note: Option<&'static str>,
}

/// Whether a program opens windows. Decides between builds with and without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    Used,
    Unused,
}

/// Which package brings a module, given with all its dots.
pub fn provider(module: &str, display: Display) -> Provider {
    let top = top_of(module);
    if is_generic(top) {
        return Provider::Generic;
    }
    if let Some(now) = python3_name(top) {
        return Provider::Python2 { now };
    }
    prefixes(module).find_map(|name| known(name, display)).unwrap_or(Provider::Unknown)
}

/// Which packages an import means: `from google.cloud import storage, bigquery` means two.
pub fn providers(import: &Import, display: Display) -> Vec<Provider> {
    let mut found = Vec::new();
    let inside = format!("{}.", import.module);
    if NAMESPACES.has_prefix(&inside) {
        let named = import.names.iter().map(|name| format!("{inside}{name}"));
        found.extend(
            named.filter(|name| NAMESPACES.find(name).is_some()).map(|name| provider(&name, display)),
        );
    }
    if found.is_empty() || found.len() < import.names.len() && NAMESPACES.find(&import.module).is_some() {
        found.push(provider(&import.module, display));
    }
    found.dedup();
    found
}

/// Whether the map of modules knows a name, which says nothing about what is meant by it.
pub(crate) fn is_mapped(module: &str) -> bool {
    IMPORTS.table().find(module).is_some()
}

/// Every package that a table names, as it writes it.
pub(crate) fn packages() -> impl Iterator<Item = &'static str> {
    let mapped = IMPORTS.table().rows().flat_map(|row| row.field(1).split(','));
    let chosen = NAMESPACES.rows().chain(VARIANTS.rows()).flat_map(|row| [Some(row.field(1)), row.given(2)]);
    mapped.chain(chosen.flatten().filter(|name| !is_place(name)))
}

fn known(name: &str, display: Display) -> Option<Provider> {
    let special = NAMESPACES.find(name).map(|row| (row, row.field(1)));
    let special = special.or_else(|| VARIANTS.find(name).map(|row| (row, chosen(row, display))));
    match special {
        Some((_, place)) if is_place(place) => Some(Provider::Elsewhere { place: &place[1..] }),
        Some((row, package)) => Some(Provider::Package(provided(name, package, Some(row)))),
        None => {
            let first = IMPORTS.table().find(name)?.field(1).split(',').next()?;
            Some(Provider::Package(provided(name, first, None)))
        }
    }
}

/// The second choice of a row is for programs that open windows.
fn chosen(row: Row, display: Display) -> &'static str {
    match display {
        Display::Used => row.given(2).unwrap_or(row.field(1)),
        Display::Unused => row.field(1),
    }
}

fn provided(name: &str, package: &'static str, row: Option<Row>) -> Provided {
    let mapped = IMPORTS.table().find(name).map(|row| row.field(1)).unwrap_or_default();
    Provided {
        package,
        bound: row.and_then(|row| row.given(3)),
        others: mapped.split(',').filter(|other| !other.is_empty() && *other != package).collect(),
        note: row.and_then(|row| row.given(4)),
    }
}

/// A place instead of a package is marked in the tables.
fn is_place(package: &str) -> bool {
    package.starts_with('!')
}

#[cfg(test)]
mod tests;
