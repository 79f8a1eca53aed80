//! The lines that every account may have. Each function answers one question, with no line where there is no answer.

use super::{Row, Tone};
use crate::{phrase, untrusted};
use actum_model::{Applied, BlockFacts, Case, Check, Ending, Outcome, Report, RiskLevel, Step, StepResult};

/// How many of a kind are named before the rest is only counted. A reader who wants all asks for them.
const NAMED: usize = 5;
/// Errors take two lines each, and the first is nearly always the one that matters.
const ERRORS: usize = 3;

/// Every line below the first, in reading order.
pub fn rows(report: &Report) -> Vec<Row> {
    let answers: [fn(&Report) -> Vec<Row>; 14] = [
        ending, steps, blocks, tests, errors, cause, recovered, warnings, checks, changes, walls, risk, next,
        run,
    ];
    answers.iter().flat_map(|answer| answer(report)).collect()
}

/// `exited 1 in 51ms`; a limit tells its own time.
pub fn ended(report: &Report) -> String {
    let how = phrase::how(report);
    match &report.result.ending {
        _ if report.outcome == Outcome::Skipped => how,
        Ending::TimedOut { .. } | Ending::NotStarted { .. } => how,
        Ending::Exited { .. }
        | Ending::Signalled { .. }
        | Ending::OutOfMemory { .. }
        | Ending::OverLimit { .. }
        | Ending::Cancelled => format!("{how} in {}", phrase::duration(report.resources.wall)),
    }
}

fn ending(report: &Report) -> Vec<Row> {
    let is_told = super::headline(report).is_none();
    let mut parts = if is_told { Vec::new() } else { vec![ended(report)] };
    parts.extend(phrase::used(&report.resources));
    if report.recovery.attempts > 1 {
        parts.push(format!("{} attempts", report.recovery.attempts));
    }
    match parts.is_empty() {
        true => Vec::new(),
        false => vec![Row::new(if is_told { "used" } else { "ended" }, parts.join(" · "))],
    }
}

fn steps(report: &Report) -> Vec<Row> {
    let row = |(index, step): (usize, &Step)| {
        let label = if index == 0 { "steps" } else { "" };
        let how = step.result.as_ref().map_or_else(
            || "not run".to_owned(),
            |result| format!("{} in {}", phrase::ending(&result.ending), untrusted::line(&result.duration)),
        );
        let lines =
            step.lines.map_or_else(String::new, |[first, last]| format!(" (lines {first} to {last})"));
        let command = untrusted::fit(&untrusted::line(&step.command), 40);
        let sign = phrase::sign(step.outcome);
        Row::new(label, format!("{sign} {} {command}{lines}: {how}", step.number)).toned(match step.outcome {
            Outcome::Failure | Outcome::Error | Outcome::Timeout => Tone::Bad,
            Outcome::Success | Outcome::Cancelled | Outcome::Skipped | Outcome::Lost => Tone::Plain,
        })
    };
    report.steps.iter().enumerate().map(row).collect()
}

/// What of an answer was not run, though it is code.
fn blocks(report: &Report) -> Vec<Row> {
    let left: Vec<_> = report.execution.blocks.iter().filter(|block| block.is_left_out()).collect();
    let row = |(index, block): (usize, &&BlockFacts)| {
        let label = if index == 0 { "skipped" } else { "" };
        let ([first, last], why) = block.missing();
        Row::new(label, format!("lines {first} to {last}: {}", untrusted::line(why)))
    };
    let mut rows: Vec<Row> = left.iter().take(NAMED).enumerate().map(row).collect();
    if left.len() > NAMED {
        rows.push(Row::new("", format!("and {} more; see `actum extract`", left.len() - NAMED)));
    }
    rows
}

fn tests(report: &Report) -> Vec<Row> {
    let Some(tests) = &report.analysis.tests else { return Vec::new() };
    let mut rows = vec![Row::new("tests", phrase::tests(tests))];
    for name in tests.failed_names.iter().take(NAMED) {
        rows.push(Row::new("", format!("✗ {}", untrusted::line(name))).toned(Tone::Bad));
    }
    let more = (tests.failed_names.len().saturating_sub(NAMED)) as u64 + tests.failed_names_left_out;
    if more > 0 {
        rows.push(Row::new("", format!("and {more} more")));
    }
    rows
}

fn errors(report: &Report) -> Vec<Row> {
    let analysis = &report.analysis;
    let mut rows = Vec::new();
    for (index, error) in analysis.errors.iter().take(ERRORS).enumerate() {
        let label = if index == 0 { "error" } else { "" };
        rows.push(Row::new(label, untrusted::line(error)).toned(Tone::Bad));
        let place = analysis.failures.get(index).and_then(phrase::place);
        rows.extend(place.map(|place| Row::new("", format!("at {place}"))));
    }
    let more = (analysis.errors.len().saturating_sub(ERRORS)) as u64 + analysis.failures_left_out;
    if more > 0 {
        rows.push(Row::new("", format!("and {}", phrase::counted(more, "more error", "more errors"))));
    }
    rows
}

/// Why it failed, and why nothing more was tried.
fn cause(report: &Report) -> Vec<Row> {
    let Some(step) = report.recovery.steps.last().filter(|_| report.outcome != Outcome::Success) else {
        return Vec::new();
    };
    let mut rows: Vec<Row> =
        step.diagnosis.iter().map(|one| Row::new("cause", untrusted::line(&one.cause))).collect();
    rows.extend(report.recovery.stopped.iter().map(|why| Row::new("", untrusted::line(why))));
    rows
}

/// What was changed around the program, and what would make that unnecessary.
fn recovered(report: &Report) -> Vec<Row> {
    let carried_out = |step: &&actum_model::RecoveryStep| step.result != StepResult::NotPossible;
    let steps = report.recovery.steps.iter().filter(carried_out);
    let remedies = steps.filter_map(|step| Some((step, step.remedy.as_ref()?)));
    let mut rows: Vec<Row> = remedies
        .enumerate()
        .map(|(index, (step, remedy))| {
            let label = if index == 0 { "recovery" } else { "" };
            let why = untrusted::line(&step.because());
            Row::new(label, format!("{why} → {}", untrusted::line(&remedy.what)))
        })
        .collect();
    let permanent = report.recovery.permanent.iter().filter(|_| report.outcome == Outcome::Success);
    rows.extend(
        permanent
            .enumerate()
            .map(|(index, how)| Row::new(if index == 0 { "permanent" } else { "" }, untrusted::line(how))),
    );
    let has_packages = report.environment.prepared.as_ref().is_some_and(|one| !one.requirements.is_empty());
    if report.outcome == Outcome::Success && !report.recovery.permanent.is_empty() && has_packages {
        rows.push(Row::new("", format!("to save this: actum fix {}", report.run.short())));
    }
    rows
}

fn warnings(report: &Report) -> Vec<Row> {
    let analysis = &report.analysis;
    let Some(first) = analysis.warnings.first() else { return Vec::new() };
    let count = analysis.warnings.len() as u64 + analysis.warnings_left_out;
    let text = match count {
        1 => untrusted::line(first),
        count => format!("{count}, first: {}", untrusted::line(first)),
    };
    vec![Row::new("warnings", text).toned(Tone::Doubtful)]
}

/// What did not hold, each with what was found; what held is counted.
fn checks(report: &Report) -> Vec<Row> {
    let validation = &report.validation;
    let broken: Vec<&Check> = validation.checks.iter().filter(|check| !check.held).collect();
    let mut rows: Vec<Row> = broken.iter().take(NAMED).map(|check| broken_check(check)).collect();
    if broken.len() > NAMED {
        rows.push(Row::new("", format!("and {} more", broken.len() - NAMED)).toned(Tone::Bad));
    }
    let held = validation.checks.len() - broken.len();
    if held > 0 {
        rows.push(Row::new("checks", phrase::counted(held as u64, "check passed", "checks passed")));
    }
    rows.extend(cases(report));
    // Warnings have a line of their own.
    let advice = validation.advice.iter().filter(|advice| advice.about != "warnings").take(NAMED);
    rows.extend(advice.enumerate().map(|(index, advice)| {
        Row::new(if index == 0 { "advice" } else { "" }, phrase::advice(advice)).toned(Tone::Doubtful)
    }));
    rows
}

fn broken_check(check: &Check) -> Row {
    let what = if check.undecided.is_some() { "" } else { " failed:" };
    let text = format!("{}{what} {}", untrusted::line(&check.name), untrusted::line(&check.words()));
    Row::new("check", text).toned(Tone::Bad)
}

fn cases(report: &Report) -> Vec<Row> {
    let cases = &report.validation.cases;
    if cases.is_empty() {
        return Vec::new();
    }
    let broken: Vec<&Case> = cases.iter().filter(|case| !case.held).collect();
    let tone = if broken.is_empty() { Tone::Plain } else { Tone::Bad };
    let told = format!("{} passed, {} failed", cases.len() - broken.len(), broken.len());
    let mut rows = vec![Row::new("cases", told).toned(tone)];
    rows.extend(broken.iter().take(NAMED).map(|case| Row::new("", phrase::case(case)).toned(Tone::Bad)));
    if broken.len() > NAMED {
        rows.push(Row::new("", format!("and {} more", broken.len() - NAMED)).toned(Tone::Bad));
    }
    rows
}

fn changes(report: &Report) -> Vec<Row> {
    let Some(told) = phrase::changes(&report.changes) else { return Vec::new() };
    let files = &report.changes.files;
    let mut paths: Vec<String> = files.iter().take(NAMED).map(phrase::change).collect();
    if files.len() > NAMED {
        paths.push(format!("and {} more", files.len() - NAMED));
    }
    let mut rows = vec![Row::new("changes", told), Row::new("", paths.join("  "))];
    let conflicts = report.changes.conflicts.iter().take(NAMED);
    rows.extend(conflicts.map(|conflict| Row::new("", phrase::conflict(conflict)).toned(Tone::Bad)));
    let run = report.run.short();
    match report.changes.state {
        Applied::Kept | Applied::Refused => {
            rows.push(Row::new("", format!("actum changes {run} · actum apply {run} · actum discard {run}")));
        }
        Applied::Nothing | Applied::Applied | Applied::Discarded | Applied::Direct => {}
    }
    rows
}

fn walls(report: &Report) -> Vec<Row> {
    let Some(confinement) = &report.confinement else { return Vec::new() };
    let mut rows = vec![Row::new("sandbox", phrase::walls(confinement))];
    let missing = phrase::missing(confinement).next();
    rows.extend(missing.map(|missing| Row::new("", format!("{}; {}", missing.because, missing.remedy))));
    rows
}

fn risk(report: &Report) -> Vec<Row> {
    let risk = &report.request.risk;
    if risk.level == RiskLevel::None {
        return Vec::new();
    }
    let first = risk.operations.first().map_or_else(String::new, |operation| {
        format!(": {} in line {}: {}", operation.kind, operation.line, untrusted::line(&operation.what))
    });
    let more = risk.operations.len().saturating_sub(1) as u64 + risk.beyond;
    let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
    let tone = match risk.level {
        RiskLevel::None | RiskLevel::Low => Tone::Plain,
        RiskLevel::Medium | RiskLevel::High => Tone::Doubtful,
    };
    vec![Row::new("risk", format!("{}{first}{more}", risk.level)).toned(tone)]
}

fn next(report: &Report) -> Vec<Row> {
    let labelled = |(index, text): (usize, &String)| {
        Row::new(if index == 0 { "next" } else { "" }, untrusted::line(text))
    };
    report.recommendations.iter().take(NAMED).enumerate().map(labelled).collect()
}

/// Where the rest can be looked at: the whole output where some of it is not in the report, else the report.
fn run(report: &Report) -> Vec<Row> {
    let run = report.run.short();
    let streams = &report.result.streams;
    let is_cut = streams.stdout.left_out.0 + streams.stderr.left_out.0 > 0;
    let logs = if is_cut { format!(" · actum logs {run}") } else { String::new() };
    let unsigned = phrase::unsigned(report).map_or_else(String::new, |word| format!(" · {word}"));
    vec![Row::new("run", format!("{run} · actum show {run}{logs}{unsigned}"))]
}
