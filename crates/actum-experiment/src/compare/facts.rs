//! What is known about one experiment: its manifest, its result, and the digests of what it read and wrote.

use crate::manifest::Manifest;
use crate::result::ExperimentResult;
use actum_model::Digest;

/// One experiment with what its record contains about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentFacts {
    pub manifest: Manifest,
    /// None where it did not end, or its end was not recorded.
    pub result: Option<ExperimentResult>,
    /// Files that the program read or that lay in its workspace. None where nobody watched.
    pub inputs: Option<Vec<FileDigest>>,
    /// Files that it wrote, beside the artifacts of the result.
    pub outputs: Vec<FileDigest>,
    pub stdout: Option<Digest>,
    pub stderr: Option<Digest>,
    /// The text of `changes.patch`: names the tracked files that were edited.
    pub patch: Option<String>,
}

/// One file and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// Relative to the workspace, or absolute.
    pub path: String,
    /// None where it was not hashed.
    pub sha256: Option<Digest>,
}
