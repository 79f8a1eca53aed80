//! Runs that only an agent reported. Anybody can write such a report, so it may contradict a claim and never verifies one.
//!
//! A verdict can rest on several runs (a sum, a change between two), so it is not enough to look at the one that it names: every claim is
//! judged with and without the reported runs, and the worse verdict counts.

use super::verdict::Verdict;
use super::weigh;
use crate::evidence::{Evidence, RunFacts};
use actum_model::{Claim, ClaimStatus};

/// Why a report verifies nothing.
const REPORTED: &str = "only the agent reported this run";

/// The evidence without reported runs, where there is one.
pub(super) fn without(evidence: &Evidence) -> Option<Evidence> {
    if evidence.runs.iter().all(is_executed) {
        return None;
    }
    let runs = evidence.runs.iter().filter(|run| is_executed(run)).cloned().collect();
    Some(Evidence { runs, ..evidence.clone() })
}

/// The worse of what all runs say and what those say that Actum executed: a report can only make a verdict worse.
pub(super) fn settle<'e>(
    mut verdict: Verdict<'e>,
    claim: &'e Claim,
    executed: Option<&'e Evidence>,
) -> Verdict<'e> {
    let Some(evidence) = executed else { return verdict };
    let again = weigh(claim, evidence);
    let is_reported = verdict.run.is_some_and(|run| !is_executed(run));
    match (again.status, verdict.status) {
        (ClaimStatus::Contradicted, ClaimStatus::Contradicted) => verdict,
        // What Actum saw is not undone by a report.
        (ClaimStatus::Contradicted | ClaimStatus::Ambiguous, _) if again.status >= verdict.status => {
            match is_reported {
                true => again.note("a later run that says otherwise was reported by the agent alone"),
                false => again,
            }
        }
        // What was true when it was reported is as little known as what is true now.
        (again_status, ClaimStatus::Verified | ClaimStatus::Stale) if again_status != verdict.status => {
            verdict.status = ClaimStatus::Unsupported;
            verdict.why = REPORTED.to_owned();
            verdict
        }
        (_, ClaimStatus::Verified | ClaimStatus::Stale) => again,
        (_, _) => verdict,
    }
}

fn is_executed(run: &RunFacts) -> bool {
    run.witness.is_executed()
}
