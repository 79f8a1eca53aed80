//! What people see of an experiment: its manifest before it runs, its results after.

use super::untrusted;
use actum_experiment::compare::{Comparison, Group};
use actum_experiment::manifest::{EnvironmentFacts, GpuFacts, Manifest, ParameterOrigin, SeedOrigin};
use actum_experiment::reproduce::{Drifted, Reproduction, Tried};
use actum_experiment::result::{ExperimentResult, MetricSummary};
use actum_model::Outcome;
use std::fmt::Write as _;

const MANIFEST: &str = "=== EXPERIMENT MANIFEST ===";
const MANIFEST_END: &str = "===========================";
const RESULTS: &str = "=== EXPERIMENT RESULTS ===";
const RESULTS_END: &str = "==========================";

/// Parameters and metrics on the screen; all of them are in the output folder.
const MOST_PARAMETERS: usize = 12;
const MOST_METRICS: usize = 12;
const MOST_ARTIFACTS: usize = 6;
const MOST_DIFFERENCES: usize = 12;
const MOST_CAUSES: usize = 5;

/// The manifest.
pub fn manifest(of: &Manifest) -> String {
    let mut text = format!("{MANIFEST}\n");
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{name}: {}", untrusted::line(&value));
    };
    match &of.git {
        Some(git) => {
            row("Git Commit", git.commit.clone());
            row("Branch", git.branch.clone().unwrap_or_else(|| "none (detached)".to_owned()));
            row("Uncommitted Changes", git.describe());
        }
        None => row("Git Commit", "none: not in a git repository".to_owned()),
    }
    row("Command", of.command.words.join(" "));
    if let Some(found) = &of.command.found {
        row("Found", found.clone());
    }
    row(
        "Seed",
        format!("{} ({}), profile {}", of.seed.value, origin(of.seed.origin), of.determinism.profile),
    );
    row("Key Hyperparameters", parameters(of));
    row("Dataset/Split", data(of));
    row("Environment", environment(&of.environment));
    if !of.machine.gpus.is_empty() {
        row("GPU", gpus(&of.machine.gpus));
    }
    row("Output Directory", of.output.clone());
    let unknown = || "unknown (no earlier run)".to_owned();
    row(
        "Estimated Duration",
        of.estimate.as_ref().map_or_else(unknown, |one| format!("{} ({})", one.duration, one.basis)),
    );
    for warning in &of.warnings {
        row("Note", warning.clone());
    }
    text + MANIFEST_END
}

fn origin(origin: SeedOrigin) -> &'static str {
    match origin {
        SeedOrigin::Default => "default",
        SeedOrigin::Given => "given",
        SeedOrigin::Drawn => "drawn",
        SeedOrigin::Derived => "derived",
    }
}

/// Those that somebody chose first.
fn parameters(of: &Manifest) -> String {
    if of.parameters.is_empty() {
        return "none found".to_owned();
    }
    let is_default = |origin: &ParameterOrigin| matches!(origin, ParameterOrigin::Default { .. });
    let (defaults, chosen): (Vec<_>, Vec<_>) = of.parameters.iter().partition(|one| is_default(&one.origin));
    let all = chosen.into_iter().chain(defaults).take(MOST_PARAMETERS);
    let one = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        other @ (serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::Array(_)
        | serde_json::Value::Object(_)) => other.to_string(),
    };
    let mut list: Vec<String> = all.map(|fact| format!("{}={}", fact.name, one(&fact.value))).collect();
    let more = of.parameters.len().saturating_sub(MOST_PARAMETERS);
    if more > 0 {
        list.push(format!("and {more} more"));
    }
    list.join(", ")
}

fn data(of: &Manifest) -> String {
    let Some(data) = &of.data else { return "not named; every file that is read gets a digest".to_owned() };
    let name =
        data.name.clone().or_else(|| data.paths.first().cloned()).unwrap_or_else(|| "not named".to_owned());
    match &data.split {
        Some(split) => format!("{name}, split {split}"),
        None => name,
    }
}

fn environment(of: &EnvironmentFacts) -> String {
    let interpreter = of.interpreter.as_ref().map(|one| {
        let version = one.version.as_deref().unwrap_or("version unknown");
        format!("{} {version}", one.name)
    });
    let packages = (!of.packages.is_empty()).then(|| format!("{} packages", of.packages.len()));
    let parts: Vec<String> = [interpreter, packages, of.active.clone()].into_iter().flatten().collect();
    if parts.is_empty() { "the machine's own programs".to_owned() } else { parts.join(", ") }
}

fn gpus(all: &[GpuFacts]) -> String {
    let one = |gpu: &GpuFacts| {
        let use_of = if gpu.granted { "granted" } else { "not granted" };
        format!("{} {} ({use_of}, {} of {} free)", gpu.index, gpu.name, gpu.memory_free, gpu.memory)
    };
    all.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// The results.
pub fn results(of: &ExperimentResult) -> String {
    let mut text = format!("{RESULTS}\n");
    let status = match of.outcome {
        Outcome::Success => "SUCCESS".to_owned(),
        Outcome::Failure
        | Outcome::Error
        | Outcome::Timeout
        | Outcome::Cancelled
        | Outcome::Skipped
        | Outcome::Lost => format!("FAILURE ({}, exit code {})", of.outcome, of.exit_code.get()),
    };
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{name}: {}", untrusted::line(&value));
    };
    row("Status", status);
    row("Duration", of.duration.to_string());
    row("Output Location", of.output.clone());
    row("Key Metrics", metrics(&of.metrics));
    row("Artifacts Generated", artifacts(of));
    row("Log File", format!("{}/log.jsonl", of.output));
    for alarm in &of.alarms {
        row("Alarm", alarm.clone());
    }
    let _ = writeln!(text, "Reproducibility:");
    for check in &of.checklist {
        let mark = if check.holds { "x" } else { " " };
        let _ = writeln!(
            text,
            "  [{mark}] {} ({})",
            untrusted::line(&check.what),
            untrusted::line(&check.evidence)
        );
    }
    text.push_str(RESULTS_END);
    for step in &of.next_steps {
        let _ = write!(text, "\nnext: {}", untrusted::line(step));
    }
    text
}

fn metrics(all: &[MetricSummary]) -> String {
    if all.is_empty() {
        return "none found".to_owned();
    }
    let one = |metric: &MetricSummary| {
        let best = metric.best.filter(|best| metric.count > 1 && Some(*best) != metric.last);
        match best {
            Some(best) => format!("{}={} (best {best})", metric.name, metric.last_text),
            None => format!("{}={}", metric.name, metric.last_text),
        }
    };
    let mut list: Vec<String> = all.iter().take(MOST_METRICS).map(one).collect();
    let more = all.len().saturating_sub(MOST_METRICS);
    if more > 0 {
        list.push(format!("and {more} more"));
    }
    list.join(", ")
}

fn artifacts(of: &ExperimentResult) -> String {
    if of.artifacts.is_empty() {
        return "none in the output directory".to_owned();
    }
    let mut list: Vec<String> =
        of.artifacts.iter().take(MOST_ARTIFACTS).map(|one| format!("{} ({})", one.path, one.bytes)).collect();
    let more = of.artifacts.len().saturating_sub(MOST_ARTIFACTS) as u64 + of.artifacts_left_out;
    if more > 0 {
        list.push(format!("and {more} more"));
    }
    list.join(", ")
}

/// How far a repetition came out the same, what differs, and why.
pub fn reproduction(of: &Reproduction, tried: &[Tried]) -> String {
    let Reproduction { graded, causes, restored, drifted, folder, .. } = of;
    let mut text = format!(
        "{} {} repeats {}: {}",
        graded.grade.label(),
        graded.run.short(),
        graded.of.short(),
        graded.grade.meaning()
    );
    let mut line = |text_of: String| {
        let _ = write!(text, "\n  {}", untrusted::line(&text_of));
    };
    let basis = &graded.basis;
    let stdout = if basis.stdout { ", standard output" } else { "" };
    line(format!(
        "compared: {} files, {} metrics{stdout}; {}",
        basis.outputs,
        basis.metrics,
        graded.scope.label()
    ));
    for one in graded.differences.iter().take(MOST_DIFFERENCES) {
        line(format!("differs: {}", one.describe()));
    }
    for cause in causes.iter().take(MOST_CAUSES) {
        let what = cause.ingredient.as_ref().map(|one| one.describe());
        let what = what.map(|what| format!("{what}; ")).unwrap_or_default();
        line(format!("cause ({}): {what}{}", cause.confidence.label(), cause.why));
    }
    for one in drifted.iter().take(MOST_DIFFERENCES) {
        line(format!("since then {}; it was as before in the repetition", one.describe()));
    }
    for one in &restored.missing {
        line(format!("missing: {} ({})", one.path, one.why));
    }
    for one in tried {
        let names: Vec<String> = one.ingredients.iter().map(Drifted::describe).collect();
        let verdict = if one.is_cause { "changes the result" } else { "does not change the result" };
        line(format!("bisected: {} {verdict} ({})", names.join(", "), one.grade.label()));
    }
    for note in graded.notes.iter().chain(&restored.notes) {
        line(format!("note: {note}"));
    }
    if let Some(folder) = folder {
        line(format!("kept: {}", folder.display()));
    }
    text
}

/// What differs between two experiments, by groups, and their metrics.
pub fn comparison(of: &Comparison) -> String {
    let mut text = String::new();
    for group in Group::ALL {
        let mut found = of.ingredients.iter().filter(|one| one.kind.group() == group).peekable();
        if found.peek().is_some() {
            let _ = writeln!(text, "{}:", group.label());
        }
        for one in found {
            let _ = writeln!(text, "  {}", untrusted::line(&one.describe()));
        }
    }
    if !of.metrics.is_empty() {
        text.push_str("Metrics:\n");
    }
    for metric in &of.metrics {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
        let by = metric.difference.map(|by| format!(" ({by:+})")).unwrap_or_default();
        let line = format!("{}: {} → {}{by}", metric.name, value(&metric.one), value(&metric.other));
        let _ = writeln!(text, "  {}", untrusted::line(&line));
    }
    for note in &of.not_compared {
        let _ = writeln!(text, "not compared: {}", untrusted::line(note));
    }
    text
}
