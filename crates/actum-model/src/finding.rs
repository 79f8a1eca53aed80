//! What the ledger says about a claim.

use crate::{ClaimKind, Level};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the ledger says about everything that a text claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum findings")]
pub struct Findings {
    pub findings: Vec<Finding>,
    /// The worst of them; `none` where nothing is claimed.
    pub status: ClaimStatus,
}

/// What the ledger says about one claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The words that claim it.
    pub claim: String,
    pub kind: ClaimKind,
    pub status: ClaimStatus,
    /// The piece of evidence, which `actum evidence` prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// What that evidence says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
    /// The evidence level of the record that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// In one sentence.
    pub why: String,
    /// The line of the text, counted from 1.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub line: u64,
    /// What was understood: the claim as data.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub understood: String,
    /// What else is worth knowing: `truncated`, which other run has the value, signals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What was looked at, in the order in which it was: for `--explain`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub considered: Vec<String>,
}

/// What the evidence says about a claim, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum ClaimStatus {
    /// Nothing is claimed.
    #[serde(rename = "none")]
    None,
    /// Outside of what a run can show. Worse than verified only for who is strict.
    #[serde(rename = "not judged")]
    NotJudged,
    /// Evidence of the right kind in an intact record supports it.
    #[serde(rename = "verified")]
    Verified,
    /// No evidence of that kind in scope.
    #[serde(rename = "unsupported")]
    Unsupported,
    /// Several candidates disagree.
    #[serde(rename = "ambiguous")]
    Ambiguous,
    /// Was true of other inputs.
    #[serde(rename = "stale")]
    Stale,
    /// Evidence of the right kind says otherwise.
    #[serde(rename = "contradicted")]
    Contradicted,
    /// A signature, a hash or a proof fails. Overrides everything.
    #[serde(rename = "invalid record")]
    Invalid,
}

impl ClaimStatus {
    pub fn word(self) -> &'static str {
        match self {
            ClaimStatus::None => "none",
            ClaimStatus::Verified => "verified",
            ClaimStatus::NotJudged => "not judged",
            ClaimStatus::Unsupported => "unsupported",
            ClaimStatus::Ambiguous => "ambiguous",
            ClaimStatus::Stale => "stale",
            ClaimStatus::Contradicted => "contradicted",
            ClaimStatus::Invalid => "invalid record",
        }
    }

    /// What a command ends with that found this at worst.
    fn exit_code(self) -> u8 {
        match self {
            ClaimStatus::None | ClaimStatus::Verified | ClaimStatus::NotJudged => 0,
            ClaimStatus::Unsupported | ClaimStatus::Ambiguous | ClaimStatus::Stale => 4,
            ClaimStatus::Contradicted => 3,
            ClaimStatus::Invalid => 6,
        }
    }
}

impl fmt::Display for ClaimStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Whether what no run can show is a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    Usual,
    Strict,
}

impl Findings {
    /// The worst status wins.
    pub fn of(findings: Vec<Finding>) -> Self {
        let status = findings.iter().map(|finding| finding.status).max().unwrap_or(ClaimStatus::None);
        Self { findings, status }
    }

    /// What a command ends with that found these.
    pub fn exit_code(&self, strictness: Strictness) -> u8 {
        let is_open = self.findings.iter().any(|finding| finding.status == ClaimStatus::NotJudged);
        match (self.status.exit_code(), strictness) {
            (0, Strictness::Strict) if is_open => 5,
            (code, _) => code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(statuses: &[ClaimStatus]) -> Findings {
        let one = |status: &ClaimStatus| Finding {
            claim: String::new(),
            kind: ClaimKind::Ran,
            status: *status,
            anchor: None,
            observed: None,
            level: None,
            why: String::new(),
            line: 0,
            understood: String::new(),
            notes: Vec::new(),
            considered: Vec::new(),
        };
        Findings::of(statuses.iter().map(one).collect())
    }

    #[test]
    fn the_worst_wins_and_has_its_code() {
        use ClaimStatus::*;
        for (statuses, worst, usual, strict) in [
            (&[][..], None, 0, 0),
            (&[Verified], Verified, 0, 0),
            (&[NotJudged], NotJudged, 0, 5),
            (&[Verified, NotJudged], Verified, 0, 5),
            (&[Verified, Unsupported], Unsupported, 4, 4),
            (&[Ambiguous, Verified], Ambiguous, 4, 4),
            (&[Stale, NotJudged], Stale, 4, 4),
            (&[Stale, Contradicted], Contradicted, 3, 3),
            (&[Contradicted, Invalid], Invalid, 6, 6),
        ] {
            let all = findings(statuses);
            assert_eq!(all.status, worst, "{statuses:?}");
            assert_eq!(
                (all.exit_code(Strictness::Usual), all.exit_code(Strictness::Strict)),
                (usual, strict),
                "{statuses:?}"
            );
        }
    }
}
