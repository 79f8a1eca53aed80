//! What people see of a sweep: a line for each trial that ends, and a table of its points.

use super::untrusted;
use actum_experiment::sweep::{Ended, SweepAccount, SweepFile};
use actum_sweep::{DoneReason, Goal, Outcome, Parameters, Trial};
use std::fmt::Write as _;

/// Trials that are listed by themselves because they failed.
const MOST_FAILED: usize = 5;

/// One trial: its index, parameters, seed and split.
pub fn trial(of: &Trial) -> String {
    let split = of.split.as_ref().map(|split| format!("  split {split}")).unwrap_or_default();
    untrusted::line(&format!("{:>4}  {}  seed {}{split}", of.index, parameters(&of.parameters), of.seed))
}

/// What begins, or goes on.
pub fn sweep_begins(file: &SweepFile, folder: &str, [ended, total]: [u64; 2]) -> String {
    let left = match ended {
        0 => format!("{total} trials"),
        _ => format!("{ended} of {total} trials have ended"),
    };
    let goal = goal(file.goal());
    let text = format!("actum: sweep {} in {folder}: {left}; {goal} {}", file.id.short(), file.metric.name);
    format!("{}\nactum: {}", untrusted::line(&text), untrusted::line(&file.code.describe()))
}

/// A trial that ended.
pub fn sweep_progress(of: &Ended, metric: &str) -> String {
    let Ended { trial, run, outcome, value, duration, best, done, total, .. } = of;
    let value = value.map_or_else(|| format!("no {metric}"), |value| format!("{metric} {value}"));
    let budget = run.budget.map(|budget| format!("  budget {budget}")).unwrap_or_default();
    let best = best.map(|(value, index)| format!("  (best {value}: trial {index})")).unwrap_or_default();
    let line = self::trial(trial);
    let line = line.trim_start();
    untrusted::line(&format!(
        "[{done}/{total}] trial {line}{budget}  {value}  {duration}  {}{best}",
        word(*outcome)
    ))
}

/// One sweep in a list.
pub fn sweep_line(of: &SweepAccount) -> String {
    let state = match &of.done {
        Some(reason) => why(reason),
        None => "not over".to_owned(),
    };
    let best = of
        .summary
        .best
        .as_ref()
        .map(|best| format!("  best {} {}", of.metric, best.value))
        .unwrap_or_default();
    let line = format!(
        "{}  {}  {}/{} trials  {state}{best}  {}",
        of.id.short(),
        of.name,
        of.ended,
        of.total,
        of.folder
    );
    untrusted::line(&line)
}

/// The account of a sweep: its points, the best of them, and how to look further.
pub fn sweep(of: &SweepAccount, width: usize) -> String {
    let mut text = of.table().text(width);
    let mut line = |one: String| {
        let _ = writeln!(text, "{}", untrusted::line(&one));
    };
    if let Some(best) = &of.summary.best {
        line(format!(
            "best: trial {}  {}  {} {}",
            best.trial.index,
            parameters(&best.trial.parameters),
            of.metric,
            best.value
        ));
        let row = of.trials.iter().find(|row| (row.index, row.rung) == (best.run.index, best.run.rung));
        if let Some((run, output)) = row.and_then(|row| Some((row.run?, row.output.as_ref()?))) {
            line(format!("next: actum show {}", run.short()));
            line(format!("next: actum reproduce {}", run.short()));
            line(format!("output of the best trial: {output}"));
        }
    }
    let failed: Vec<_> = of.trials.iter().filter(|row| row.outcome != Some(Outcome::Succeeded)).collect();
    for row in failed.iter().take(MOST_FAILED) {
        let log = row.output.as_ref().map(|output| format!("  {output}/stderr.log")).unwrap_or_default();
        line(format!("trial {} {}{log}", row.index, word(row.outcome)));
    }
    if failed.len() > MOST_FAILED {
        line(format!("and {} more that did not succeed", failed.len() - MOST_FAILED));
    }
    let without =
        of.trials.iter().filter(|row| row.outcome == Some(Outcome::Succeeded) && row.value.is_none()).count();
    if without > 0 {
        line(format!(
            "{without} trials succeeded without a metric called {}; choose another with --metric",
            of.metric
        ));
    }
    let surplus = of.summary.surplus;
    if surplus > 0 {
        line(format!("{surplus} trials ended after the sweep was decided, and do not count"));
    }
    let state = of.done.as_ref().map_or_else(|| "not over".to_owned(), why);
    line(format!("{} of {} trials have ended: {state}", of.ended, of.total));
    line(format!("next: actum sweep show {}", of.folder));
    text.trim_end().to_owned()
}

fn why(reason: &DoneReason) -> String {
    match reason {
        DoneReason::Complete => "complete".to_owned(),
        DoneReason::Target { index, .. } => format!("trial {index} reached the target"),
        DoneReason::NoImprovement { trials } => format!("{trials} trials without a better value"),
        DoneReason::AllFailed { trials } => format!("the first {trials} trials all failed"),
        DoneReason::NothingToPromote { rung } => format!("no point of rung {rung} has a value"),
        DoneReason::Stopped { reason } => format!("stopped: {reason}"),
    }
}

fn word(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Succeeded) => "succeeded",
        Some(Outcome::Failed) => "failed",
        Some(Outcome::Killed) => "killed",
        None => "lost",
    }
}

fn goal(goal: Goal) -> &'static str {
    match goal {
        Goal::Minimise => "minimise",
        Goal::Maximise => "maximise",
    }
}

fn parameters(of: &Parameters) -> String {
    let all: Vec<String> = of.iter().map(|(name, value)| format!("{name}={value}")).collect();
    all.join(" ")
}
