//! A run as a Process Run Crate 0.5 on RO-Crate 1.1: one folder that archives and other tools read.
//!
//! Input: manifest, result, and the files that the caller has ([`CrateSource`]). Output: the text of `ro-crate-metadata.json`, and under which name
//! each file lies beside it. The caller copies the bytes. Every value that describes a file comes from its digest and size. Pure. Start at
//! [`run_crate`].

mod action;
mod entities;
mod graph;
mod paths;
#[cfg(test)]
mod tests;

use crate::manifest::Manifest;
use crate::result::ExperimentResult;
use actum_model::{Bytes, Digest, Moment};

/// The profile that a crate conforms to.
pub const PROFILE: &str = "https://w3id.org/ro/wfrun/process/0.5";
/// The name of the file that holds the description.
pub const METADATA: &str = "ro-crate-metadata.json";

/// A file that the caller has the bytes of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrateSource {
    pub role: FileRole,
    /// Its name where it comes from: relative to the workspace, or absolute.
    pub path: String,
    pub bytes: Bytes,
    pub sha256: Digest,
}

/// What a file is to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileRole {
    Manifest,
    Result,
    Metrics,
    Stdout,
    Stderr,
    Record,
    /// Uncommitted changes.
    Patch,
    /// The exact packages.
    Lock,
    /// A configuration file as the program read it.
    Config,
    Input,
    Output,
}

/// Under whose name, and under which terms, a crate is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    pub author: Option<String>,
    pub organization: Option<Organization>,
    /// The address of a licence. None: none was chosen, which the crate says.
    pub license: Option<String>,
    /// Where the source is: an address that anybody can open.
    pub repository: Option<String>,
    /// When the crate was made. The caller has the clock.
    pub published_at: Moment,
    /// The version of Actum.
    pub actum: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organization {
    pub name: String,
    pub url: String,
}

/// A crate that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCrate {
    /// The content of [`METADATA`].
    pub metadata: String,
    /// In the order of the sources.
    pub files: Vec<CrateFile>,
}

/// Where a file belongs in the crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrateFile {
    /// The index of its source.
    pub source: usize,
    /// Relative to the crate: plain components, no `..`, not too long for a file system.
    pub path: String,
}

/// What a crate is made from.
#[derive(Clone, Copy, Debug)]
pub struct CrateInput<'a> {
    pub manifest: &'a Manifest,
    pub result: Option<&'a ExperimentResult>,
    pub sources: &'a [CrateSource],
    pub publication: &'a Publication,
}

/// Describes one run with its files.
pub fn run_crate(input: CrateInput<'_>) -> RunCrate {
    let files = paths::place(input.sources);
    let graph = graph::build(input, &files);
    let metadata =
        serde_json::to_string_pretty(&graph).expect("BUG: a graph is strings, numbers and lists of them");
    RunCrate { metadata: metadata + "\n", files }
}
