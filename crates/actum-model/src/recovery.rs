//! What went wrong around a program, and what was changed before it was tried again.

use crate::{Diagnosis, Digest, Ending, Mode, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The attempts of a run, and what was changed between them.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Recovery {
    /// Programs that were started, each time counted.
    pub attempts: u32,
    /// The changes to the program's environment between attempts, in sentences.
    pub remedies: Vec<String>,
    /// Each failure with its remedy, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<RecoveryStep>,
    /// Why there was no further attempt after a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// What would make it succeed on the first attempt next time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permanent: Vec<String>,
    /// Changes to the source that were not made because they were not allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<Proposal>,
}

/// One failed attempt, its cause and its remedy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecoveryStep {
    /// Which program of the source, counted from 1.
    pub program: u32,
    /// Which attempt of the run, counted from 1. Absent if preparing failed and nothing was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Absent if the cause is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<Diagnosis>,
    /// Where the evidence is: `actum:<run>#stderr:L4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// What was changed. Absent if nothing was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// The result.
    pub result: StepResult,
}

impl RecoveryStep {
    /// Why it is tried again. Of a failure that is the program's own the diagnosis says that nothing around it is wrong; then the
    /// remedy's own reason is told.
    pub fn because(&self) -> String {
        match (&self.diagnosis, &self.remedy) {
            (Some(Diagnosis { mode: Mode::Report, .. }), Some(remedy)) => {
                let mut letters = remedy.why.chars();
                let first =
                    letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
                format!("{first}{}.", letters.as_str())
            }
            (Some(diagnosis), _) => diagnosis.cause.clone(),
            (None, _) => String::new(),
        }
    }
}

/// The result of a remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepResult {
    /// The next attempt succeeded.
    Mended,
    /// The next attempt failed in another way.
    Changed,
    /// The next attempt failed in the same way.
    Unchanged,
    /// The remedy could not be applied.
    NotPossible,
    /// There was no remedy.
    Stopped,
}

/// One change to a program's environment, never to its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remedy {
    pub kind: RemedyKind,
    /// In one sentence: `add opencv-python-headless 4.13.0`.
    pub what: String,
    /// The reason for it.
    pub why: String,
    /// What would make it unnecessary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permanent: Option<String>,
    /// Digest of the environment from here on: lock file, interpreter, parameters, launcher and source. None is tried twice.
    pub state: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<Span>,
}

/// What a remedy touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RemedyKind {
    /// Packages that were added.
    Packages,
    /// Other releases of packages.
    Versions,
    /// Another interpreter.
    Interpreter,
    /// Data that a package needs.
    Data,
    /// A limit that was raised.
    Limit,
    /// Variables that were set.
    Variables,
    /// Folders or files that were created.
    Files,
    /// Another way to start it.
    Launcher,
    /// The source itself, in a copy, if that is allowed.
    Source,
    /// Run again without a change.
    Again,
}

/// A change to the source that needs to be allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// The file.
    pub path: String,
    /// In one sentence.
    pub what: String,
    /// As a unified diff.
    pub diff: String,
    /// It was allowed and made in a copy of the source.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applied: bool,
}
