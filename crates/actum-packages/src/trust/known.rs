//! Packages that a table names: those that imports mean, and those that everybody uses.

use super::spelling::{is_spelled_like, normal};
use crate::python::{engines, provider};
use crate::table::Table;
use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) static POPULAR: &str = include_str!("../../data/python/popular.txt");
static MEANT: Table = Table::new(include_str!("../../data/python/meant.tsv"));

/// Whether a package of Python is in a table of ours, however its name is spelled. Looking at every name takes less time
/// than building a set of them, and few names are asked about in most runs; whoever asks often gets the set.
pub fn is_known(name: &str) -> bool {
    const FEW: usize = 16;
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    static NAMES: OnceLock<HashSet<String>> = OnceLock::new();
    let name = normal(name);
    if ASKED.fetch_add(1, Ordering::Relaxed) < FEW {
        return all().any(|known| is_spelled_like(known, &name));
    }
    NAMES.get_or_init(|| all().map(normal).collect()).contains(&name)
}

/// Every known package, some of them more than once.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    let meant = MEANT.rows().map(|row| row.field(1));
    provider::packages().chain(engines::packages()).chain(POPULAR.lines()).chain(meant)
}

/// The package that was meant by a name under which people look for it in vain.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    MEANT.find(&normal(name)).map(|row| row.field(1))
}
