//! What a program's output says, and which known failure it is.
//!
//! - [`analyse`]: errors, counts of tests, metrics, and one line for a person
//! - [`diagnose`]: why an attempt failed, by a taxonomy that is data
//! - [`metric_files`]: files of metrics among what was written
//! - [`Origin`]: whose counts of tests are believed
//!
//! What programs print is hostile: everything takes time in proportion to its length, nothing panics, and every text that
//! leaves is neutral and bounded.

pub mod analyse;
pub mod diagnose;
pub mod metric_files;
mod origin;

pub use origin::{Origin, Runners};
