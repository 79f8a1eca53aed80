//! What a program's output says, and which known failure it is.
//!
//! - [`analyse`]: errors, counts of tests, metrics, and one line for a person
//! - [`diagnose`]: why an attempt failed, by a taxonomy that is data
//! - [`HarnessOutput`]: counts of tests that a project's own harness printed
//! - [`metric_files`]: files of metrics among what was written
//! - [`Origin`]: whose counts of tests are believed
//!
//! What programs print is hostile: everything takes time in proportion to its length, nothing panics, and every text that
//! leaves is neutral and bounded.

pub mod analyse;
pub mod diagnose;
mod harness;
pub mod metric_files;
mod origin;

pub use harness::{HarnessOutput, HarnessTests, PrintedLine};
pub use origin::{Origin, Runners};
