//! What went wrong around a program, and what was changed before it was tried again.

use crate::{Diagnosis, Digest, Ending, Mode, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often a run was tried, and what was changed in between.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Recovery {
    /// Programs that were started, each time counted.
    pub attempts: u32,
    /// What was changed around the program between attempts, in sentences.
    pub remedies: Vec<String>,
    /// Each failure with what was done about it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<RecoveryStep>,
    /// Why it was not tried once more, where it ended badly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// What would make it run at once the next time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permanent: Vec<String>,
    /// Changes to the source that were not made, since nobody allowed them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<Proposal>,
}

/// One attempt that failed, why, and what was done about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecoveryStep {
    /// Which program of the source, counted from 1.
    pub program: u32,
    /// Which attempt of the run, counted from 1. Absent where nothing was started yet: preparing failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Absent where nothing is known about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<Diagnosis>,
    /// Where the evidence is: `actum:<run>#stderr:L4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// What was changed. Absent where nothing could be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// What came of it.
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

/// What came of a remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepResult {
    /// The next attempt ended well.
    Mended,
    /// The next attempt failed in another way.
    Changed,
    /// The next attempt failed in the same way.
    Unchanged,
    /// The remedy could not be carried out.
    NotPossible,
    /// There was none.
    Stopped,
}

/// One change around a program. Never to its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remedy {
    pub kind: RemedyKind,
    /// In a sentence: `add opencv-python-headless 4.13.0`.
    pub what: String,
    /// Why this and nothing else.
    pub why: String,
    /// What would make it unnecessary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permanent: Option<String>,
    /// What the program meets from here on, by digest: lock, interpreter, parameters, launcher and staged source. None is tried
    /// twice.
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
    /// Data that a package wants.
    Data,
    /// A limit that was raised.
    Limit,
    /// Variables that were set.
    Variables,
    /// Folders or files that were made.
    Files,
    /// Another way to start it.
    Launcher,
    /// The source itself, in a copy, where somebody allowed it.
    Source,
    /// Started again as it was.
    Again,
}

/// A change to the source that somebody would have to allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// The file.
    pub path: String,
    /// In a sentence.
    pub what: String,
    /// As a unified diff.
    pub diff: String,
    /// It was allowed, and the staged copy has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applied: bool,
}
