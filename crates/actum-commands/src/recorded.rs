//! A command that ended, with what its record holds.

use actum_output::PrintedLine;

/// What is asked of a record to decide which tests a command ran and what its exit status proves.
#[derive(Clone, Debug, Default)]
pub struct RecordedCommand<'r> {
    /// As a person would type it.
    pub line: &'r str,
    pub exit: i32,
    /// Where it started, absolute. Empty where that is not known.
    pub folder: &'r str,
    /// The project that it ran in, absolute. Empty where that is not known.
    pub workspace: &'r str,
    /// That project is only a part of the one that is asked about.
    pub is_nested: bool,
    /// The test runner that counted.
    pub runner: Option<&'r str>,
    /// What it printed, stdout before stderr.
    pub printed: &'r [PrintedLine],
    /// Files that it was given, with their digest.
    pub inputs: &'r [(String, String)],
    /// Files that it wrote.
    pub written: Vec<&'r str>,
}
