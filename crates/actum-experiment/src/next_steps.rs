//! What to do after an experiment: from what happened, in sentences that can be typed. Pure.

use crate::manifest::{Manifest, Purpose};
use crate::result::MetricSummary;
use actum_model::{Outcome, Report};

/// What the steps follow from.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    pub manifest: &'a Manifest,
    pub report: &'a Report,
    pub metrics: &'a [MetricSummary],
    /// The newest checkpoint that it left.
    pub checkpoint: Option<&'a str>,
    /// Why it was stopped by our own watch.
    pub alarm: Option<&'a str>,
}

/// At most five, the most useful first.
pub fn suggest(situation: Situation<'_>) -> Vec<String> {
    let mut steps = match situation.report.outcome {
        Outcome::Success => after_success(situation),
        Outcome::Failure | Outcome::Error | Outcome::Timeout | Outcome::Cancelled | Outcome::Lost => {
            after_failure(situation)
        }
        Outcome::Skipped => Vec::new(),
    };
    steps.truncate(5);
    steps
}

fn after_success(situation: Situation<'_>) -> Vec<String> {
    let Situation { manifest, metrics, .. } = situation;
    let run = manifest.run.short();
    let mut steps = Vec::new();
    if manifest.purpose == Purpose::Smoke {
        steps.push("the smoke run worked: run the experiment without --smoke".to_owned());
        return steps;
    }
    if let Some(bad) = metrics.iter().find(|one| one.not_finite > 0) {
        steps.push(format!(
            "{} of {} values of {} are not finite: `actum experiment plot {run} --metric {}` shows where it began",
            bad.not_finite, bad.count, bad.name, bad.name
        ));
    }
    match metrics.first() {
        Some(metric) => {
            steps.push(format!("compare with earlier runs: actum experiment best --metric {}", metric.name));
            steps.push(
                "see the spread over seeds: run it with --seed 43, 44 and so on, then actum experiment table --over-seeds"
                    .to_owned(),
            );
        }
        None => steps.push(
            "no metrics were found: print them as `name: value`, or write metrics.jsonl into the output folder".to_owned(),
        ),
    }
    steps.push(format!("check that it can be repeated: actum reproduce {run}"));
    if manifest.git.as_ref().is_some_and(|git| git.dirty) {
        steps.push("commit the changes that it ran with, so that others have them too".to_owned());
    }
    steps
}

fn after_failure(situation: Situation<'_>) -> Vec<String> {
    let Situation { manifest, report, checkpoint, alarm, .. } = situation;
    let run = manifest.run.short();
    let mut steps: Vec<String> = alarm.map(str::to_owned).into_iter().collect();
    let diagnosis = report.recovery.steps.iter().rev().find_map(|step| step.diagnosis.as_ref());
    steps.extend(diagnosis.map(|diagnosis| format!("cause: {}", diagnosis.cause)));
    steps.extend(report.recommendations.iter().take(2).cloned());
    match checkpoint {
        Some(path) => steps.push(format!("continue from {path}: actum experiment resume {run}")),
        None => steps.push(format!("run it again: actum rerun {run}")),
    }
    steps.push(format!("read what it printed last: actum logs {run}"));
    steps.push(format!("remove what it left: actum experiment clean {run}"));
    steps
}
