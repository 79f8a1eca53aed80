//! Python: from what a program writes to the package that it means.

pub(crate) mod carriers;
pub(crate) mod engines;
pub(crate) mod generic;
pub(crate) mod provider;
pub(crate) mod removals;
pub(crate) mod standard;
pub(crate) mod used;

/// The part of a dotted name before the first dot.
pub(crate) fn top_of(module: &str) -> &str {
    module.split('.').next().unwrap_or(module)
}

/// A dotted name, then the same without its last part, down to the first part alone.
pub(crate) fn prefixes(module: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(module), |name| name.rsplit_once('.').map(|(before, _)| before))
}
