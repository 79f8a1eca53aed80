//! Says how exactly a repeated run gave the original's results, and which ingredients may explain a difference.
//!
//! Input: two [`ExperimentFacts`](crate::compare::ExperimentFacts), tolerances, and what is volatile. Output: a [`Graded`], never better than what
//! was compared: what was left out and what could not be compared are listed in it. Then [`causes`] holds it against a
//! [`Comparison`](crate::compare::Comparison). Pure. Start at [`grade`].

mod causes;
mod judge;
mod metrics;
mod outputs;
mod scope;
#[cfg(test)]
mod tests;
mod tolerance;
mod volatile;

pub use causes::{Cause, Confidence, causes};
pub use judge::grade;
pub use scope::Scope;
pub(crate) use tolerance::mean_and_deviation;
pub use tolerance::{Estimated, Tolerance, Tolerances};
pub use volatile::{VOLATILE_FILES, VOLATILE_METRIC_WORDS, Volatile, VolatileFile};

use actum_model::{ExitCode, RunId, Untrusted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How exactly a run was reproduced, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Grade {
    /// All outputs are the same, bit for bit.
    R0,
    /// All metrics are the same as printed.
    R1,
    /// All metrics are within tolerance.
    R2,
    /// It ran, and the results differ.
    R3,
    /// It did not run.
    R4,
    /// It ran, and left neither metrics nor outputs that could be compared as a whole.
    #[serde(rename = "not-graded")]
    NotGraded,
}

impl Grade {
    pub fn label(self) -> &'static str {
        match self {
            Self::R0 => "R0",
            Self::R1 => "R1",
            Self::R2 => "R2",
            Self::R3 => "R3",
            Self::R4 => "R4",
            Self::NotGraded => "not graded",
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            Self::R0 => "all outputs are identical, bit for bit",
            Self::R1 => "all metrics are equal as printed",
            Self::R2 => "all metrics are within tolerance",
            Self::R3 => "it ran, and the results differ",
            Self::R4 => "it did not run",
            Self::NotGraded => "it ran, but what it left could not be compared",
        }
    }

    /// The exit code of a reproduction: 0 for R0 to R2, 121 where results differ or cannot be compared, for R4 the program's own code, or
    /// 122 where the environment could not be prepared.
    pub fn exit_code(self, program: Option<ExitCode>) -> ExitCode {
        match self {
            Self::R0 | Self::R1 | Self::R2 => ExitCode(0),
            Self::R3 | Self::NotGraded => ExitCode::CHECK_FAILED,
            Self::R4 => program.filter(|code| !code.is_success()).unwrap_or(ExitCode::NOT_PREPARED),
        }
    }
}

/// A graded reproduction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Graded {
    /// The repeated run.
    pub run: RunId,
    /// The original run.
    pub of: RunId,
    pub grade: Grade,
    pub scope: Scope,
    /// What was compared.
    pub basis: GradeBasis,
    pub differences: Vec<ResultDifference>,
    /// Outputs and metrics that are different in every run, and were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
    /// What could not be compared, and what else a reader should know, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What a grade is based on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GradeBasis {
    /// Files that were compared by their digests.
    pub outputs: u64,
    /// Standard output was compared, and it was not empty.
    pub stdout: bool,
    pub metrics: u64,
}

/// One result that is not the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultDifference {
    pub kind: ResultKind,
    /// The path, or the name of the metric.
    pub what: String,
    /// Absent where the original does not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated: Option<String>,
    /// The difference of two metrics divided by the first one, without its sign. Absent where that is not a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative: Option<f64>,
    /// Of a metric: within its tolerance.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub within_tolerance: bool,
    /// Of a metric: the tolerance in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<String>,
}

/// What kind of result it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResultKind {
    /// How it ended.
    Ending,
    Metric,
    Output,
    Stdout,
}

impl ResultKind {
    pub fn label(self) -> &'static str {
        match self {
            Self::Ending => "ending",
            Self::Metric => "metric",
            Self::Output => "file",
            Self::Stdout => "output",
        }
    }
}

impl ResultDifference {
    /// One harmless line.
    pub fn describe(&self) -> String {
        let shown = |text: &str| Untrusted::new(text).shown(120);
        let value = |value: &Option<String>| value.as_deref().map_or_else(|| "absent".to_owned(), shown);
        let mut line = format!("{} {}", self.kind.label(), shown(&self.what));
        line.push_str(&format!(": {} → {}", value(&self.original), value(&self.repeated)));
        if let Some(tolerance) = &self.tolerance {
            let verdict = if self.within_tolerance { "within" } else { "outside" };
            line.push_str(&format!(" ({verdict} {tolerance})"));
        }
        line
    }
}

/// What `actum reproduce --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum reproduction")]
pub struct Reproduction {
    #[serde(flatten)]
    pub graded: Graded,
    pub causes: Vec<Cause>,
}
