//! Compiled programs are kept by what they were made from.
//!
//! [`key`] names what is known before compiling: source, compiler, flags, variables. What else the compiler read (headers,
//! modules) is known only afterwards; a [`Manifest`] beside each artifact lists it, and [`Manifest::is_fresh`] compares.
//! Several artifacts may lie under one key, one for each state of those files, so nothing is ever replaced.
//!
//! The compiler runs in the sandbox of the caller and writes to a folder of its own; [`Cache::admit`] copies what it made.
//! A program sees an entry read-only or not at all. Start reading at [`Cache`]; docs/design/languages.md says why.

mod cache;
mod depfile;
mod error;
mod identity;
mod key;
mod manifest;
mod remove;
#[cfg(test)]
mod tests;

pub use cache::{Cache, Kept};
pub use error::CompileCacheError;
pub use identity::{Identity, identify};
pub use key::{Key, Made, key};
pub use manifest::{Gathered, Manifest, Read, Stamp, gather};
