//! Names that releases of a package no longer have.
//!
//! Two tables. The short one is made by hand and knows what no parser sees: methods of something unknown, literals,
//! arguments that a function took without naming them. The long one is made by `tools/removed_names.py`, which reads the
//! last release of every series of a package and notes what the next one lacks.
//!
//! [`removals`] is asked before anything ran, so it takes only what is sure. [`removal_of`] is asked when a run has failed on
//! a name, so it may look wider.

use super::provider::{Display, Provider, provider};
use super::used::Used;
use super::{prefixes, top_of};
use crate::table::{Packed, Row, Table};
use actum_model::NameUse;
use std::cmp::Ordering;

static KNOWN: Table = Table::new(include_str!("../../data/python/removals-known.tsv"));
static LISTED: Packed = Packed::new(include_bytes!("../../data/python/removals.tsv.zst"));

/// A package has to be older than a release, for a program to find what it uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    pub package: &'static str,
    /// The first series without it: `2.0` is to be read as `<2.0`.
    pub below: &'static str,
    /// The day on which that series began, as `2024-06-16`.
    pub released: &'static str,
    /// One sentence.
    pub because: String,
    /// Where the program uses it; none where a run told it.
    pub line: Option<u32>,
}

/// What must be older for these uses: for each package the strictest bound, in the order of the program.
pub fn removals(names: &[NameUse]) -> Vec<Bound> {
    let mut bounds: Vec<Bound> = Vec::new();
    for name in names {
        let Some(bound) = removed(name, names) else { continue };
        match bounds.iter_mut().find(|one| one.package == bound.package) {
            Some(one) if order(bound.below, one.below) == Ordering::Less => *one = bound,
            Some(_) => {}
            None => bounds.push(bound),
        }
    }
    bounds
}

/// Since when a package lacks what a run missed. The name is as a message has it: `float` of `numpy`,
/// `DataFrame.append` of `pandas`, `boxplot(labels=)` of `matplotlib`; empty where the module itself is missing.
pub fn removal_of(module: &str, name: &str) -> Option<Bound> {
    let full = if name.is_empty() { module.to_owned() } else { format!("{module}.{name}") };
    let row = exact(&full).or_else(|| anywhere(top_of(module), name))?;
    bound(row, &full, None)
}

fn removed(name: &NameUse, all: &[NameUse]) -> Option<Bound> {
    let used = Used::read(&name.name);
    let Some(top) = used.top() else {
        let row = keys(&used).iter().find_map(|key| KNOWN.find(key))?;
        return is_beside(row, all).then(|| bound(row, &name.name, Some(name.line)))?;
    };
    let known = keys(&used).iter().find_map(|key| KNOWN.find(key)).filter(|row| is_of(*row, top));
    let row = known.or_else(|| {
        let argument = used.keyword.map(|keyword| format!("{}({keyword}=)", used.path));
        argument.and_then(|key| LISTED.table().find(&key)).or_else(|| exact(used.path))
    })?;
    bound(row, &name.name, Some(name.line))
}

/// The forms under which the short table may hold a use: the calls of something unknown have their brackets there.
fn keys(used: &Used) -> Vec<String> {
    let mut keys = used.keys();
    keys.push(format!("{}()", used.path));
    keys
}

/// A name, or the module or class that it is in and that is gone as a whole.
fn exact(full: &str) -> Option<Row> {
    let path = full.split('(').next().unwrap_or(full);
    let whole = KNOWN.find(full).or_else(|| LISTED.table().find(full));
    whole.or_else(|| {
        prefixes(path)
            .filter(|part| part.contains('.'))
            .find_map(|part| KNOWN.find(part).or_else(|| LISTED.table().find(part)))
    })
}

/// A name that ends like this, of whatever module of the package. Of several the one that was there the longest: an older
/// package would do for it as well.
fn anywhere(top: &str, name: &str) -> Option<Row> {
    if name.is_empty() {
        return None;
    }
    let inside = format!("{top}.");
    let ending = format!(".{name}");
    let is_it = |row: &Row| row.key().starts_with(&inside) && row.key().ends_with(&ending);
    let unknown =
        KNOWN.find(&format!("?.{name}")).or_else(|| KNOWN.find(&format!("?.{}()", name.rsplit('.').next()?)));
    let unknown = unknown.filter(|row| is_of(*row, top));
    let listed = KNOWN
        .rows()
        .filter(is_it)
        .chain(LISTED.table().from(&inside).take_while(|row| row.key().starts_with(&inside)).filter(is_it));
    unknown.or_else(|| listed.max_by(|one, other| order(one.field(2), other.field(2))))
}

/// A row about something of unknown type counts only beside the package that it is about.
fn is_beside(row: Row, all: &[NameUse]) -> bool {
    all.iter().filter_map(|name| Used::read(&name.name).top()).any(|top| is_of(row, top))
}

fn is_of(row: Row, top: &str) -> bool {
    package_of(top).is_some_and(|package| is_same(package, row.field(1)))
}

fn bound(row: Row, used: &str, line: Option<u32>) -> Option<Bound> {
    let named = row.field(1);
    let top = top_of(row.key());
    let package =
        if top == "?" || top.starts_with('*') { Some(named) } else { package_of(top).or(Some(named)) }?;
    let because = match row.given(4) {
        Some(note) => format!("{used} was removed in {named} {}: {note}", row.field(2)),
        None => format!("{used} was removed in {named} {}", row.field(2)),
    };
    Some(Bound { package, below: row.field(2), released: row.field(3), because, line })
}

fn package_of(top: &str) -> Option<&'static str> {
    match provider(top, Display::Unused) {
        Provider::Package(provided) => Some(provided.package),
        Provider::Python2 { .. } | Provider::Elsewhere { .. } | Provider::Generic | Provider::Unknown => None,
    }
}

/// The builds of one package for other machines have the same names in them.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.to_ascii_lowercase().trim_end_matches("-cpu").replace('_', "-");
    plain(one) == plain(other)
}

/// The order of two versions that consist of numbers.
fn order(one: &str, other: &str) -> Ordering {
    let numbers =
        |text: &str| text.split('.').map(|part| part.parse::<u32>().unwrap_or(0)).collect::<Vec<u32>>();
    numbers(one).cmp(&numbers(other))
}

#[cfg(test)]
mod tests;
