//! The lines that `--verbose` adds: surroundings, limits, walls, hosts, what was used.

use super::{Row, Tone};
use crate::{phrase, untrusted};
use actum_model::{Check, Decision, Enforced, Report, Stream, StreamFacts, Verdict};

/// Every further line, in reading order.
pub fn rows(report: &Report) -> Vec<Row> {
    let answers: [fn(&Report) -> Vec<Row>; 11] =
        [what, when, environment, expected, limits, layers, hosts, usage, streams, operations, evidence];
    answers.iter().flat_map(|answer| answer(report)).collect()
}

fn what(report: &Report) -> Vec<Row> {
    let execution = &report.execution;
    vec![
        Row::new("command", untrusted::line(&execution.command)),
        Row::new("language", untrusted::line(&execution.language)),
        Row::new("workspace", untrusted::line(&execution.workspace)),
        Row::new("folder", untrusted::line(&execution.folder)),
    ]
}

fn when(report: &Report) -> Vec<Row> {
    let execution = &report.execution;
    let by = untrusted::line(&execution.actum);
    vec![
        Row::new("when", format!("{} to {}", execution.started_at, execution.completed_at)),
        Row::new("run id", format!("{}, by actum {by}", report.run)),
    ]
}

/// Every check with where it was found, and who expected it.
fn expected(report: &Report) -> Vec<Row> {
    let row = |(index, check): (usize, &Check)| {
        let sign = if check.held { "✓" } else { "✗" };
        let (from, at) = (check.origin.as_deref(), check.anchor.as_deref());
        let from = from.map_or_else(String::new, |origin| format!(" · from {origin}"));
        let at = at.map_or_else(String::new, |anchor| format!(" · {anchor}"));
        let text = format!("{sign} {}: {}{from}{at}", check.name, check.expected);
        Row::new(if index == 0 { "checks" } else { "" }, untrusted::line(&text))
    };
    report.validation.checks.iter().enumerate().map(row).collect()
}

fn environment(report: &Report) -> Vec<Row> {
    let environment = &report.environment;
    let mut rows = vec![Row::new("environment", untrusted::line(&environment.system))];
    if let Some(runtime) = &environment.runtime {
        let version = runtime.version.as_deref().unwrap_or("version unknown");
        rows.push(Row::new(
            "runtime",
            untrusted::line(&format!("{} ({version}) at {}", runtime.name, runtime.path)),
        ));
    }
    if let Some(compiled) = &environment.compiled {
        let how = match (compiled.cached, compiled.took) {
            (true, _) => "from the cache".to_owned(),
            (false, Some(took)) => format!("in {}", phrase::duration(took)),
            (false, None) => "now".to_owned(),
        };
        rows.push(Row::new("compiled", format!("{how}: {}", untrusted::line(&compiled.command))));
    }
    if !environment.variables.is_empty() {
        rows.push(Row::new("variables", untrusted::line(&environment.variables.join(" "))));
    }
    rows
}

/// Each limit with how it was really enforced; those that were asked for where nothing was run.
fn limits(report: &Report) -> Vec<Row> {
    let enforced = report.confinement.iter().flat_map(|confinement| &confinement.limits);
    let mut words: Vec<String> =
        enforced.map(|Enforced { limit, max, how }| format!("{limit}={max} by {}", how.phrase())).collect();
    if words.is_empty() {
        words = actum_model::Limit::ALL
            .iter()
            .map(|limit| format!("{limit}={}", report.request.limits.get(*limit)))
            .collect();
    }
    words
        .chunks(4)
        .enumerate()
        .map(|(index, words)| Row::new(if index == 0 { "limits" } else { "" }, words.join(" · ")))
        .collect()
}

fn layers(report: &Report) -> Vec<Row> {
    let Some(confinement) = &report.confinement else { return Vec::new() };
    let names: Vec<String> = confinement.layers.iter().map(phrase::layer).collect();
    let mut rows = vec![Row::new("layers", names.join(" "))];
    for missing in &confinement.missing {
        rows.push(Row::new("missing", format!("{}: {}; {}", missing.layer, missing.because, missing.remedy)));
    }
    rows.extend(confinement.not_covered.iter().map(|words| Row::new("not covered", words.clone())));
    rows
}

fn hosts(report: &Report) -> Vec<Row> {
    let Some(hosts) = &report.hosts else { return Vec::new() };
    let row = |(index, decision): (usize, &Decision)| {
        let verdict = match decision.verdict {
            Verdict::Allowed => "allowed".to_owned(),
            Verdict::Refused(refusal) => format!("refused ({})", refusal.word()),
            Verdict::Failed => "allowed, but the connection failed".to_owned(),
        };
        let port = decision.port.map_or_else(String::new, |port| format!(":{port}"));
        let times = if decision.times > 1 { format!(", {} times", decision.times) } else { String::new() };
        let host = decision.shown_host();
        Row::new(if index == 0 { "hosts" } else { "" }, format!("{host}{port} {verdict}{times}"))
    };
    let mut rows: Vec<Row> = hosts.decisions.iter().enumerate().map(row).collect();
    if hosts.beyond > 0 {
        rows.push(Row::new("", format!("and {} more", hosts.beyond)));
    }
    rows
}

fn usage(report: &Report) -> Vec<Row> {
    let usage = &report.resources;
    let parts = [
        Some(format!("wall {}", phrase::duration(usage.wall))),
        usage.cpu_user.map(|span| format!("user {}", phrase::duration(span))),
        usage.cpu_system.map(|span| format!("system {}", phrase::duration(span))),
        usage.processes_peak.map(|count| format!("processes {count}")),
        usage.disk.map(|bytes| format!("disk {}", bytes.approximate())),
        Some(format!("output {}", usage.output.approximate())),
        usage.stopped_within.map(|span| format!("stopped within {}", phrase::duration(span))),
    ];
    vec![Row::new("used", parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))]
}

fn streams(report: &Report) -> Vec<Row> {
    let streams = &report.result.streams;
    let facts = |stream: Stream, facts: &StreamFacts| {
        let lines = phrase::counted(facts.lines, "line", "lines");
        let digest = facts.sha256.as_ref().map_or_else(String::new, |digest| format!(", sha256 {digest}"));
        Row::new(stream.name(), format!("{}, {lines}{digest}", facts.bytes.approximate()))
    };
    vec![facts(Stream::Stdout, &streams.stdout), facts(Stream::Stderr, &streams.stderr)]
}

fn operations(report: &Report) -> Vec<Row> {
    let row = |operation: &actum_model::Operation| {
        let what = untrusted::line(&operation.what);
        Row::new(
            "operation",
            format!(
                "{} {} in line {}: {what}: {}",
                operation.level,
                operation.kind,
                operation.line,
                untrusted::line(&operation.why)
            ),
        )
    };
    report.request.risk.operations.iter().map(row).collect()
}

/// What the ledger proves about it, and by whom.
fn evidence(report: &Report) -> Vec<Row> {
    let Some(evidence) = &report.evidence else { return Vec::new() };
    let by = match (&evidence.signer, &evidence.unsigned) {
        (Some(signer), _) => untrusted::line(signer),
        (None, Some(why)) => format!("unsigned: {}", untrusted::line(why)),
        (None, None) => "unsigned".to_owned(),
    };
    let level = evidence.level;
    let words = untrusted::line(&evidence.meaning);
    let tone = if evidence.signer.is_some() { Tone::Plain } else { Tone::Doubtful };
    vec![
        Row::new("evidence", format!("{level} {words} · entry {} · {by}", evidence.index)).toned(tone),
        Row::new("record", format!("sha256 {}", evidence.record)),
    ]
}
