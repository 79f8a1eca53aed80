//! From how a run ended to a fact of the sweep. Pure, and the same for a run that was just seen and one that is found in the store.

use super::file::{SweepFile, Take};
use crate::result::{ExperimentResult, MetricSummary};
use actum_model::{Outcome as RunOutcome, Report};
use actum_sweep::{Fact, Goal, LossCause, Outcome, TrialRef};
use std::collections::BTreeMap;

/// Metrics that a journal keeps beside the one that is compared; all of them are in the record.
const MOST_VALUES: usize = 50;

/// What a trial came to.
pub(super) fn fact(
    run: &TrialRef,
    (report, result): (&Report, Option<&ExperimentResult>),
    sweep: &SweepFile,
) -> Fact {
    let (index, rung) = (run.index, run.rung);
    let (metric, goal) = (&sweep.metric, sweep.goal());
    let finished = |outcome: Outcome| {
        let metrics = result.map(|result| result.metrics.as_slice()).unwrap_or_default();
        let of_sweep = metrics.iter().find(|one| one.name == metric.name);
        let value =
            of_sweep.filter(|_| outcome == Outcome::Succeeded).and_then(|one| value(one, metric.take, goal));
        let values: BTreeMap<String, Option<f64>> = metrics
            .iter()
            .filter(|one| one.name != metric.name)
            .take(MOST_VALUES)
            .map(|one| (one.name.clone(), one.last))
            .collect();
        Fact::Finished { index, rung, outcome, value, values }
    };
    let is_alarmed = sweep.trial.stop_on_alarm && result.is_some_and(|result| !result.alarms.is_empty());
    let lost = |cause| Fact::Lost { index, rung, cause };
    match report.outcome {
        RunOutcome::Success => finished(Outcome::Succeeded),
        RunOutcome::Failure | RunOutcome::Timeout | RunOutcome::Skipped => finished(Outcome::Failed),
        // Two trials changed the same file of the workspace. The program itself came to its end.
        RunOutcome::Error if !report.changes.conflicts.is_empty() => finished(Outcome::Succeeded),
        RunOutcome::Error | RunOutcome::Lost => lost(LossCause::Trial),
        // By its own alarm it would be stopped again; else somebody stopped the sweep.
        RunOutcome::Cancelled if is_alarmed => finished(Outcome::Failed),
        RunOutcome::Cancelled => lost(LossCause::Sweep),
    }
}

fn value(of: &MetricSummary, take: Take, goal: Goal) -> Option<f64> {
    match (take, goal) {
        (Take::Last, _) => of.last,
        (Take::Best, Goal::Minimise) => of.min,
        (Take::Best, Goal::Maximise) => of.max,
    }
}
