//! Something that an agent says happened.

use crate::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that an agent says happened, with the words that say it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum claim")]
pub struct Claim {
    /// The words; for a claim that came as data, it may be left out.
    #[serde(default)]
    pub text: String,
    /// The line of the text where it stands, counted from 1; 0 where there is no text.
    #[serde(default)]
    pub line: u64,
    #[serde(flatten)]
    pub said: Said,
    /// The anchor that the words name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The command that the words name, by which a run is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Which of several runs is meant.
    #[serde(default, skip_serializing_if = "When::is_now")]
    pub when: When,
    /// The headings that it stands under.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// It is only perhaps a claim: told where a record speaks of it, and left out otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tentative: bool,
}

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Said {
    /// A command was run, and where that is said, ended well.
    Ran {
        what: String,
        #[serde(default)]
        well: bool,
    },
    Exit {
        code: i32,
    },
    Tests(TestCounts),
    Test {
        name: String,
        outcome: TestOutcome,
    },
    Metric {
        name: String,
        value: Quantity,
        #[serde(default)]
        which: Which,
    },
    Ratio(Ratio),
    Duration {
        /// What took so long, in its own words: `training`, `tests`.
        #[serde(default)]
        of: String,
        value: Quantity,
    },
    Count {
        noun: String,
        value: Quantity,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    File {
        path: String,
        fact: FileClaim,
    },
    Commit {
        hash: String,
        /// The words say that a run was made at it, not only that it exists.
        #[serde(default)]
        ran_at: bool,
    },
    RunId {
        system: String,
        id: String,
    },
    Installed {
        package: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    Clean {
        what: Cleanliness,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
    Absent {
        what: Unwanted,
    },
    Seed {
        value: i64,
    },
    Device {
        name: String,
    },
    /// A number that is told without the name of a metric: kept, never judged.
    Figure {
        figure: String,
    },
    /// Work that no run can show.
    Done {
        task: String,
    },
    /// Kept, never judged.
    Opinion {
        of: String,
    },
}

/// What is said about tests. What is not said is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestCounts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
    /// Failed as they were marked to: `1 xfailed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_failures: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todo: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether they are said to pass, all of them or as they are.
    #[serde(default)]
    pub verdict: TestsVerdict,
    /// A file or a runner that the words name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub which: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestsVerdict {
    /// Counts alone.
    #[default]
    Unsaid,
    Pass,
    /// Every test that there is.
    AllPass,
    Fail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestOutcome {
    Passed,
    Failed,
    Skipped,
    /// It failed, as it was marked to.
    ExpectedFailure,
}

/// Which of a metric's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    #[default]
    Final,
    Best,
    First,
    Step(u64),
}

/// Which of several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    #[default]
    Now,
    /// `before`, `previously`, `baseline`.
    Before,
}

impl When {
    fn is_now(&self) -> bool {
        *self == When::Now
    }
}

/// How two values relate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// Of what: a metric, or `time`.
    pub of: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Quantity>,
    /// By how much: `3 %`, `2.1x`, `4 points`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Quantity>,
    pub trend: Trend,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trend {
    Up,
    Down,
    /// `improved`, `better`: which way that is depends on the metric.
    Better,
    Worse,
    /// `changed`, `went`.
    Any,
}

/// What is said about a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileClaim {
    Exists,
    /// Written by a run, new or not.
    Written,
    Created,
    Modified,
    Deleted,
    Sha256(String),
    Size(Quantity),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cleanliness {
    Lint,
    Types,
    Build,
    Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unwanted {
    Errors,
    Warnings,
    ErrorsAndWarnings,
}

/// The kinds of claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    Ran,
    Exit,
    Tests,
    Test,
    Metric,
    Ratio,
    Duration,
    Count,
    File,
    Commit,
    RunId,
    Installed,
    Clean,
    Absent,
    Seed,
    Device,
    Figure,
    Done,
    Opinion,
}

impl ClaimKind {
    pub const ALL: [ClaimKind; 19] = [
        ClaimKind::Ran,
        ClaimKind::Exit,
        ClaimKind::Tests,
        ClaimKind::Test,
        ClaimKind::Metric,
        ClaimKind::Ratio,
        ClaimKind::Duration,
        ClaimKind::Count,
        ClaimKind::File,
        ClaimKind::Commit,
        ClaimKind::RunId,
        ClaimKind::Installed,
        ClaimKind::Clean,
        ClaimKind::Absent,
        ClaimKind::Seed,
        ClaimKind::Device,
        ClaimKind::Figure,
        ClaimKind::Done,
        ClaimKind::Opinion,
    ];

    pub fn word(self) -> &'static str {
        match self {
            ClaimKind::Ran => "ran",
            ClaimKind::Exit => "exit",
            ClaimKind::Tests => "tests",
            ClaimKind::Test => "test",
            ClaimKind::Metric => "metric",
            ClaimKind::Ratio => "ratio",
            ClaimKind::Duration => "duration",
            ClaimKind::Count => "count",
            ClaimKind::File => "file",
            ClaimKind::Commit => "commit",
            ClaimKind::RunId => "run_id",
            ClaimKind::Installed => "installed",
            ClaimKind::Clean => "clean",
            ClaimKind::Absent => "absent",
            ClaimKind::Seed => "seed",
            ClaimKind::Device => "device",
            ClaimKind::Figure => "figure",
            ClaimKind::Done => "done",
            ClaimKind::Opinion => "opinion",
        }
    }
}

impl fmt::Display for ClaimKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Said {
    pub fn kind(&self) -> ClaimKind {
        match self {
            Said::Ran { .. } => ClaimKind::Ran,
            Said::Exit { .. } => ClaimKind::Exit,
            Said::Tests(_) => ClaimKind::Tests,
            Said::Test { .. } => ClaimKind::Test,
            Said::Metric { .. } => ClaimKind::Metric,
            Said::Ratio(_) => ClaimKind::Ratio,
            Said::Duration { .. } => ClaimKind::Duration,
            Said::Count { .. } => ClaimKind::Count,
            Said::File { .. } => ClaimKind::File,
            Said::Commit { .. } => ClaimKind::Commit,
            Said::RunId { .. } => ClaimKind::RunId,
            Said::Installed { .. } => ClaimKind::Installed,
            Said::Clean { .. } => ClaimKind::Clean,
            Said::Absent { .. } => ClaimKind::Absent,
            Said::Seed { .. } => ClaimKind::Seed,
            Said::Device { .. } => ClaimKind::Device,
            Said::Figure { .. } => ClaimKind::Figure,
            Said::Done { .. } => ClaimKind::Done,
            Said::Opinion { .. } => ClaimKind::Opinion,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_come_as_data() {
        let claim: Claim =
            serde_json::from_str(r#"{"kind":"metric","name":"accuracy","value":"93.1%"}"#).unwrap();
        assert_eq!(claim.said.kind(), ClaimKind::Metric);
        let claim: Claim = serde_json::from_str(
            r#"{"kind":"tests","passed":12,"total":12,"verdict":"all-pass","text":"all 12 pass"}"#,
        )
        .unwrap();
        let Said::Tests(counts) = &claim.said else { panic!("{claim:?}") };
        assert_eq!((counts.passed, counts.verdict), (Some(12), TestsVerdict::AllPass));
        let again: Claim = serde_json::from_value(serde_json::to_value(&claim).unwrap()).unwrap();
        assert_eq!(again, claim);
    }
}
