//! How a project is started and with which parameters, read from its files without running anything.
//!
//! | question | where |
//! |---|---|
//! | how is it started, where nobody says so | [`entry`] |
//! | which configuration does it use, what is in it, and what is the text with other values | [`config_file`] |
//! | which parameters does it declare, and what does Hydra compose | [`declared`] |
//! | what are all parameters of a run, defaults included, and what does `--set` change | [`resolve`] |
//! | which data does it use, and what prepared them | [`data`] |
//! | what does its `--help` offer | [`help`] |
//! | how is it made short for a smoke run | [`smoke`] |
//! | how does it go on from a checkpoint, and which is the newest | [`resume`] |
//!
//! Files are read through [`actum_gate::Root`]; everything else is pure. No file is written, no program is started and none is parsed here:
//! a program's text is read in a sandbox and arrives as [`actum_model::Reading`]. Why: docs/design/parameters.md.

pub mod config_file;
pub mod data;
pub mod declared;
pub mod entry;
mod error;
pub mod help;
mod near;
pub mod resolve;
pub mod resume;
pub mod smoke;
#[cfg(test)]
mod tests;

pub use error::ParameterError;
