//! What a look at the code found before it runs, how much of it the walls let through, and when somebody is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A kind of operation that changes state which outlives the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OperationKind {
    /// Files or folders are removed.
    Delete,
    /// A path outside the workspace is written.
    OverwriteOutside,
    /// Third-party code is downloaded and installed or run.
    Install,
    /// Data is published: a git push, a package, an image, a release.
    Publish,
    /// Rows of a database are inserted, updated or deleted.
    DatabaseWrite,
    /// The tables, rights or settings of a database are changed.
    DatabaseSchema,
    /// Something is sent that changes another machine: a POST, a copy, a remote command.
    NetworkWrite,
    /// Privileges are requested, or an operation that needs them.
    Privilege,
    /// Other processes, or the machine itself, are stopped.
    ProcessControl,
    /// Something is set up to run later: cron, systemd, shell start files, keys.
    Persistence,
    /// Native system functions are called, which the static check cannot analyse.
    Native,
}

/// The risk level, ordered.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum RiskLevel {
    /// Nothing was found.
    #[default]
    None,
    /// The effect stays inside the sandbox, or can be undone.
    Low,
    /// The sandbox allows it because of a grant.
    Medium,
    /// The sandbox allows it, and it cannot be undone.
    High,
}

/// One operation that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Operation {
    pub kind: OperationKind,
    /// The code: neutralised, shortened, untrusted.
    pub what: String,
    /// The line of the source, from 1.
    pub line: u32,
    pub level: RiskLevel,
    /// Whether the sandbox contains its effect or makes it undoable.
    pub contained: bool,
    /// In one sentence.
    pub why: String,
}

/// How much of the code was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    #[default]
    Whole,
    /// The code is longer than the limit of the check.
    Beginning,
    /// There are no rules for the language.
    Nothing,
}

/// What was found, and the highest level of it.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Risk {
    pub level: RiskLevel,
    /// Highest risk first, then in the order of the code.
    pub operations: Vec<Operation>,
    /// The number of operations that are not listed; none has a higher risk than the level.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub beyond: u64,
    pub seen: Seen,
}

/// When a person is asked before a run. Ordered from lenient to strict.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Approval {
    /// Never: the sandbox is enough.
    Never,
    /// When the risk is high.
    #[default]
    Risky,
    /// Before each run.
    Always,
}

/// Why a text is not an approval.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an approval mode; the modes are never, risky and always")]
pub struct ApprovalError(pub String);

impl Approval {
    pub const ALL: [Approval; 3] = [Approval::Never, Approval::Risky, Approval::Always];

    pub fn name(self) -> &'static str {
        match self {
            Approval::Never => "never",
            Approval::Risky => "risky",
            Approval::Always => "always",
        }
    }

    /// Whether a run of this level waits for a person. `risky` asks only at high: a question that comes for ordinary
    /// programs is answered without being read.
    pub fn asks(self, level: RiskLevel) -> bool {
        match self {
            Approval::Never => false,
            Approval::Risky => level >= RiskLevel::High,
            Approval::Always => true,
        }
    }
}

impl OperationKind {
    pub const ALL: [OperationKind; 11] = [
        OperationKind::Delete,
        OperationKind::OverwriteOutside,
        OperationKind::Install,
        OperationKind::Publish,
        OperationKind::DatabaseWrite,
        OperationKind::DatabaseSchema,
        OperationKind::NetworkWrite,
        OperationKind::Privilege,
        OperationKind::ProcessControl,
        OperationKind::Persistence,
        OperationKind::Native,
    ];

    /// The word for it, the same as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            OperationKind::Delete => "delete",
            OperationKind::OverwriteOutside => "overwrite-outside",
            OperationKind::Install => "install",
            OperationKind::Publish => "publish",
            OperationKind::DatabaseWrite => "database-write",
            OperationKind::DatabaseSchema => "database-schema",
            OperationKind::NetworkWrite => "network-write",
            OperationKind::Privilege => "privilege",
            OperationKind::ProcessControl => "process-control",
            OperationKind::Persistence => "persistence",
            OperationKind::Native => "native",
        }
    }
}

impl RiskLevel {
    pub fn name(self) -> &'static str {
        match self {
            RiskLevel::None => "none",
            RiskLevel::Low => "low",
            RiskLevel::Medium => "medium",
            RiskLevel::High => "high",
        }
    }
}

impl FromStr for Approval {
    type Err = ApprovalError;
    fn from_str(text: &str) -> Result<Self, ApprovalError> {
        Self::ALL.into_iter().find(|one| one.name() == text).ok_or_else(|| ApprovalError(text.to_owned()))
    }
}

impl fmt::Display for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for OperationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for RiskLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json() {
        for kind in OperationKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        for approval in Approval::ALL {
            assert_eq!(serde_json::to_value(approval).unwrap(), approval.name());
            assert_eq!(approval.to_string().parse(), Ok(approval));
        }
        for level in [RiskLevel::None, RiskLevel::Low, RiskLevel::Medium, RiskLevel::High] {
            assert_eq!(serde_json::to_value(level).unwrap(), level.name());
        }
        assert!("sometimes".parse::<Approval>().is_err());
    }

    #[test]
    fn risky_asks_at_high_only() {
        let asked = |approval: Approval| {
            [RiskLevel::None, RiskLevel::Low, RiskLevel::Medium, RiskLevel::High]
                .map(|level| approval.asks(level))
        };
        assert_eq!(asked(Approval::Never), [false, false, false, false]);
        assert_eq!(asked(Approval::Risky), [false, false, false, true]);
        assert_eq!(asked(Approval::Always), [true, true, true, true]);
    }

    #[test]
    fn a_risk_reads_back() {
        let operation = Operation {
            kind: OperationKind::Delete,
            what: "rm -rf build".to_owned(),
            line: 3,
            level: RiskLevel::Low,
            contained: true,
            why: "undoable".to_owned(),
        };
        let risk =
            Risk { level: RiskLevel::Low, operations: vec![operation], beyond: 2, seen: Seen::Beginning };
        let text = serde_json::to_string(&risk).unwrap();
        assert_eq!(serde_json::from_str::<Risk>(&text).unwrap(), risk);
    }
}
