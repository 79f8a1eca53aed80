//! Evidence for claims: what records, their output and their files say, as the plain values that `actum-claims` judges by.

mod gather;
mod lines;
mod makefile;
mod names;
mod reach;
mod tracked;

pub use gather::gather;

/// Reads a Makefile as far as claims need it.
pub(crate) fn parse_makefile(text: &str) {
    let _ = makefile::made_from(text, &[]);
}
