//! What is told while a run goes on.

use crate::{Ending, ExitCode, Moment, Outcome, RunId, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One line of `--events`. Readers ignore types that they do not know; `seq` has no gaps within a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum event")]
pub struct Event {
    pub v: u32,
    pub seq: u64,
    pub ts: Moment,
    pub run: RunId,
    #[serde(flatten)]
    pub what: Happened,
}

/// What happened. Output is shown and forgotten; everything else is a fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
pub enum Happened {
    #[serde(rename = "run.started")]
    RunStarted { command: String, language: String, steps: u32 },
    /// A limit that this machine cannot enforce for the granted resources, reported before the program starts.
    #[serde(rename = "run.not-covered")]
    NotCovered { what: String },
    /// What its text already tells, before the program starts: what it needs and does not have.
    #[serde(rename = "run.warned")]
    Warned { what: String },
    /// The environment of a program is being prepared.
    #[serde(rename = "environment.preparing")]
    Preparing { what: String },
    /// A program failed, and is run again with one change.
    #[serde(rename = "attempt.remedied")]
    Remedied { step: u32, cause: String, what: String },
    #[serde(rename = "attempt.compiling")]
    Compiling { step: u32, command: String },
    #[serde(rename = "attempt.started")]
    AttemptStarted { step: u32, command: String },
    #[serde(rename = "run.output")]
    Output(OutputPiece),
    #[serde(rename = "attempt.ended")]
    AttemptEnded { step: u32, ending: Ending },
    /// Its changes are being collected, then applied or discarded.
    #[serde(rename = "run.settling")]
    Settling {},
    #[serde(rename = "run.ended")]
    RunEnded { outcome: Outcome, exit_code: ExitCode, summary: String },
}

/// A piece of output: as text where it is UTF-8, else in base64.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutputPiece {
    pub stream: Stream,
    /// Its offset in the stream.
    pub offset: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}
