//! What the output of an attempt says about it.
//!
//! Every text in here was printed by the program or chosen by it. It is neutralised (control characters and marks that
//! reorder are escaped) and bounded where it is picked out, so that a view may show it as it is.

use crate::{Metric, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was parsed from an attempt's output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// A summary in one line.
    pub summary: String,
    /// Warnings of compilers and interpreters, one line each.
    pub warnings: Vec<String>,
    /// The failures, one line each, in the wording of the language.
    pub errors: Vec<String>,
    /// The failures with their locations. The same number and order as `errors`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tests>,
    /// Programs in the command that may not be the installed tools of that name: their exit status proves nothing about those
    /// tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_programs: Vec<String>,
    /// Metrics that the program reported, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<Metric>,
    /// The number of metrics that are not listed. The last ones are always listed.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub metrics_left_out: u64,
    /// The number of warnings that are not listed.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub warnings_left_out: u64,
    /// The number of failures that are not listed. The last one is always listed.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub failures_left_out: u64,
}

/// One error in the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Its name in the language: `ModuleNotFoundError`, `panic`, `error[E0308]`, `command not found`.
    pub kind: String,
    /// The first line of its message.
    pub message: String,
    /// The language of the error. A Bash program that starts Python can fail in either.
    pub language: String,
    /// The location: in the user's own code if the output names it, else as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// The innermost frame in the user's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Frame>,
    /// Its causes, nearest first, or the members of a group: one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    pub stream: Stream,
    /// First and last line in the output, counted from 1.
    pub lines: [u64; 2],
}

/// One stack frame of a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    pub file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

/// What a test runner counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tests {
    /// `pytest`, `jest`, `cargo test`, `junit`.
    pub runner: String,
    pub counted: Counted,
    pub passed: u64,
    /// With errors, and with files that could not be loaded: each of those is one.
    pub failed: u64,
    /// Skipped, ignored, pending.
    pub skipped: u64,
    /// Failed as they were marked to; neither passed nor failed.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub expected_failures: u64,
    /// Still to be written, where the runner counts those apart from the skipped.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub todo: u64,
    pub total: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Span>,
    pub failed_names: Vec<String>,
    /// The number of names that are not listed.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub failed_names_left_out: u64,
    /// The groups of the tests, if printed: describe blocks, classes, modules, else files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<String>,
    pub stream: Stream,
    /// First and last line of the counts in the output.
    pub lines: [u64; 2],
}

impl Tests {
    /// The runner of counts that a program printed by itself, or that somebody else told: they deny a claim, and confirm none.
    pub const OWN_HARNESS: &'static str = "its own harness";

    pub fn is_of_a_runner(&self) -> bool {
        self.runner != Self::OWN_HARNESS
    }
}

/// What the numbers of [`Tests`] count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    Tests,
    /// `go test` without `-v` reports only packages.
    Packages,
}

impl Failure {
    /// `ModuleNotFoundError: No module named 'x'`.
    pub fn one_line(&self) -> String {
        match self.message.as_str() {
            "" => self.kind.clone(),
            message => format!("{}: {message}", self.kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_is_absent_and_reads_back() {
        let failure = Failure {
            kind: "panic".to_owned(),
            message: String::new(),
            language: "rust".to_owned(),
            file: None,
            line: None,
            column: None,
            frame: None,
            causes: Vec::new(),
            stream: Stream::Stderr,
            lines: [1, 2],
        };
        let analysis = Analysis { failures: vec![failure], ..Analysis::default() };
        let json = serde_json::to_value(&analysis).unwrap();
        assert_eq!(
            json,
            serde_json::json!({ "summary": "", "warnings": [], "errors": [], "failures": [
                { "kind": "panic", "message": "", "language": "rust", "stream": "stderr", "lines": [1, 2] }
            ]})
        );
        assert_eq!(serde_json::from_value::<Analysis>(json).unwrap(), analysis);
        assert_eq!(analysis.failures[0].one_line(), "panic");
    }
}
