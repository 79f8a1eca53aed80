//! The result of a suite: one row per attempt, and which rows the tests must fail on. Pure.

use crate::{AttackError, Attempt, InTierL, Verdict, attempt};
use actum_model::Tier;
use serde::Serialize;
use std::time::Duration;

/// One attempt and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub id: String,
    pub group: String,
    pub aim: String,
    #[serde(flatten)]
    pub verdict: Verdict,
    pub milliseconds: u64,
}

/// All rows of one run of the suite.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Matrix {
    pub rows: Vec<Row>,
}

/// Whether the attempt may achieve its aim in that tier, and why.
///
/// In tier N nothing may. In tier L the header says what no layer covers. Where nothing confines, everything may.
pub fn expected(tier: Tier, attempt: &Attempt) -> Option<&str> {
    match (tier, &attempt.header.tier_l) {
        (Tier::None, _) => Some("no sandbox"),
        (Tier::L, InTierL::Open(reason)) => Some(reason),
        (Tier::L, InTierL::Enforced) | (Tier::N, _) => None,
    }
}

impl Matrix {
    pub(crate) fn add(&mut self, attempt: &Attempt, verdict: Verdict, took: Duration) {
        self.rows.push(Row {
            id: attempt.header.id.clone(),
            group: attempt.header.group.clone(),
            aim: attempt.header.aim.clone(),
            verdict,
            milliseconds: took.as_millis().try_into().unwrap_or(u64::MAX),
        });
    }

    pub fn achieved(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| matches!(row.verdict, Verdict::Achieved { .. }))
    }

    pub fn held(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| matches!(row.verdict, Verdict::Held { .. }))
    }

    pub fn skipped(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| matches!(row.verdict, Verdict::Skipped { .. }))
    }

    /// Rows whose attempt never came to life.
    pub fn not_started(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| matches!(row.verdict, Verdict::NotStarted { .. }))
    }

    /// Rows that the tests must fail on: what achieved its aim though that tier must prevent it, and what never
    /// started, because nothing is known about it.
    pub fn unexpected(&self, tier: Tier) -> Result<Vec<&Row>, AttackError> {
        let mut rows: Vec<&Row> = Vec::new();
        for row in self.not_started() {
            if !attempt(&row.id)?.is_some_and(|attempt| refused(tier, attempt, row)) {
                rows.push(row);
            }
        }
        for row in self.achieved() {
            let known = attempt(&row.id)?;
            // A row that no header vouches for is not excused by anything.
            if known.is_none_or(|attempt| expected(tier, attempt).is_none()) {
                rows.push(row);
            }
        }
        Ok(rows)
    }
}

/// Actum's exit code for a run that it refused or could not start.
const OWN_FAILURE: i32 = 125;

/// Whether the run was refused because its policy needs namespaces: in tier L the refusal is the protection.
fn refused(tier: Tier, attempt: &Attempt, row: &Row) -> bool {
    let needs_namespaces = matches!(attempt.header.profile.as_str(), "locked" | "networked");
    let is_own_failure = matches!(row.verdict, Verdict::NotStarted { exit_code: Some(OWN_FAILURE), .. });
    tier == Tier::L && needs_namespaces && is_own_failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempts;

    #[test]
    fn a_refusal_is_a_wall_only_where_namespaces_are_missing() {
        let mut matrix = Matrix::default();
        for attempt in attempts().unwrap() {
            let said = "actum: cannot set up the sandbox".to_owned();
            let verdict = Verdict::NotStarted { said, exit_code: Some(OWN_FAILURE) };
            matrix.add(attempt, verdict, Duration::ZERO);
        }
        let needing =
            attempts().unwrap().iter().filter(|attempt| attempt.header.profile != "default").count();
        assert!(needing > 0);
        assert_eq!(matrix.unexpected(Tier::N).unwrap().len(), matrix.rows.len());
        assert_eq!(matrix.unexpected(Tier::L).unwrap().len(), matrix.rows.len() - needing);
    }

    #[test]
    fn only_what_a_header_excuses_may_be_open() {
        let mut matrix = Matrix::default();
        for attempt in attempts().unwrap() {
            let verdict = Verdict::Achieved { evidence: String::new() };
            matrix.add(attempt, verdict, Duration::ZERO);
        }
        let open = |attempt: &&Attempt| matches!(attempt.header.tier_l, InTierL::Open(_));
        let all = matrix.rows.len();
        assert_eq!(matrix.unexpected(Tier::N).unwrap().len(), all);
        assert_eq!(
            matrix.unexpected(Tier::L).unwrap().len(),
            all - attempts().unwrap().iter().filter(open).count()
        );
        assert!(matrix.unexpected(Tier::None).unwrap().is_empty());
    }
}
