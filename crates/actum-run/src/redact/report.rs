//! Which texts of a report are somebody else's. Words of ours (outcomes, kinds, digests) are left alone: a value that
//! happens to be one of them must not make a report that nobody can read.

use super::Redaction;
use actum_model::{
    Analysis, Change, Check, Ending, Failure, Metric, MetricSource, Node, Printed, Report, Risk, Step, Tests,
};

pub(super) fn report(redaction: &Redaction, report: &mut Report) {
    let one = |text: &mut String| *text = redaction.text(text);
    printed(redaction, &mut report.result);
    one(&mut report.execution.command);
    report.execution.source.path.iter_mut().for_each(one);
    for block in &mut report.execution.blocks {
        one(&mut block.why);
        block.path.iter_mut().chain(&mut block.truncated).for_each(one);
        block.left_out.iter_mut().for_each(|left| one(&mut left.why));
    }
    one(&mut report.execution.workspace);
    one(&mut report.execution.folder);
    analysis(redaction, &mut report.analysis);
    risk(redaction, &mut report.request.risk);
    report.environment.runtime.iter_mut().for_each(|runtime| one(&mut runtime.path));
    report.environment.compiled.iter_mut().for_each(|compiled| one(&mut compiled.command));
    report.changes.files.iter_mut().for_each(|one| change(redaction, one));
    report.changes.conflicts.iter_mut().for_each(|conflict| path(redaction, &mut conflict.path));
    report
        .hosts
        .iter_mut()
        .flat_map(|hosts| &mut hosts.decisions)
        .for_each(|decision| decision.host = redaction.text(decision.host.as_str()).into());
    report.validation.checks.iter_mut().for_each(|one| check(redaction, one));
    report
        .validation
        .cases
        .iter_mut()
        .flat_map(|case| &mut case.checks)
        .for_each(|one| check(redaction, one));
    for advice in &mut report.validation.advice {
        advice.about = redaction.text(&advice.about);
        advice.quote.iter_mut().for_each(one);
    }
    report.recommendations.iter_mut().for_each(one);
    report.steps.iter_mut().for_each(|one| step(redaction, one));
}

fn check(redaction: &Redaction, check: &mut Check) {
    let one = |text: &mut String| *text = redaction.text(text);
    [&mut check.name, &mut check.expected, &mut check.found].into_iter().for_each(one);
    [&mut check.quote, &mut check.anchor, &mut check.undecided].into_iter().flatten().for_each(one);
}

pub(super) fn risk(redaction: &Redaction, risk: &mut Risk) {
    for operation in &mut risk.operations {
        operation.what = redaction.text(&operation.what);
        operation.why = redaction.text(&operation.why);
    }
}

fn step(redaction: &Redaction, step: &mut Step) {
    step.command = redaction.text(&step.command);
    step.result.iter_mut().for_each(|result| printed(redaction, result));
    step.analysis.iter_mut().for_each(|one| analysis(redaction, one));
}

/// Its streams were redacted when they were kept.
fn printed(redaction: &Redaction, printed: &mut Printed) {
    printed.ending = ending(redaction, &printed.ending);
}

pub(super) fn ending(redaction: &Redaction, ending: &Ending) -> Ending {
    match ending {
        Ending::NotStarted { code, reason } => {
            Ending::NotStarted { code: *code, reason: redaction.text(reason) }
        }
        Ending::Exited { .. }
        | Ending::Signalled { .. }
        | Ending::TimedOut { .. }
        | Ending::OutOfMemory { .. }
        | Ending::OverLimit { .. }
        | Ending::Cancelled => ending.clone(),
    }
}

/// Read from what was redacted, and once more: names of tests come from files that are the program's own.
fn analysis(redaction: &Redaction, analysis: &mut Analysis) {
    let one = |text: &mut String| *text = redaction.text(text);
    one(&mut analysis.summary);
    analysis.warnings.iter_mut().for_each(one);
    analysis.errors.iter_mut().for_each(one);
    analysis.failures.iter_mut().for_each(|one| failure(redaction, one));
    analysis.tests.iter_mut().for_each(|one| tests(redaction, one));
    analysis.metrics.iter_mut().for_each(|one| metric(redaction, one));
}

fn metric(redaction: &Redaction, metric: &mut Metric) {
    metric.name = redaction.text(&metric.name);
    match &mut metric.source {
        MetricSource::File { path } => *path = redaction.text(path),
        MetricSource::Json(_) | MetricSource::Text(_) => {}
    }
}

fn failure(redaction: &Redaction, failure: &mut Failure) {
    let one = |text: &mut String| *text = redaction.text(text);
    one(&mut failure.kind);
    one(&mut failure.message);
    failure.file.iter_mut().for_each(one);
    failure.causes.iter_mut().for_each(one);
    if let Some(frame) = &mut failure.frame {
        frame.function.iter_mut().for_each(one);
        one(&mut frame.file);
    }
}

fn tests(redaction: &Redaction, tests: &mut Tests) {
    let one = |text: &mut String| *text = redaction.text(text);
    tests.failed_names.iter_mut().for_each(one);
    tests.suites.iter_mut().for_each(one);
}

/// A name that a program gave to a file, or a link's target, may be one too. What is in the file is the user's.
fn change(redaction: &Redaction, change: &mut Change) {
    path(redaction, &mut change.path);
    for standing in [&mut change.before, &mut change.after] {
        match &mut standing.node {
            Node::Link { target } => path(redaction, target),
            Node::File | Node::Folder | Node::Fifo | Node::Socket | Node::Device | Node::Nothing => {}
        }
    }
}

fn path(redaction: &Redaction, path: &mut Vec<u8>) {
    if let Some(replaced) = redaction.replaced(path) {
        *path = replaced;
    }
}
