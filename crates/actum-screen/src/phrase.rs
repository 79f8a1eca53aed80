//! Phrases that several views share, so that a person reads the same words in the terminal and in a pull request.

use super::untrusted;
use actum_model::{
    Advice, Applied, Case, Change, ChangeKind, Changes, Confinement, Conflict, Ending, Failure, Layer,
    LayerState, Missing, Outcome, Report, Span, Tests, Tier, Usage, Validation,
};

/// A sign for an outcome that can be told without colour.
pub fn sign(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "✓",
        Outcome::Failure | Outcome::Timeout => "✗",
        Outcome::Error => "!",
        Outcome::Cancelled | Outcome::Skipped => "-",
        Outcome::Lost => "?",
    }
}

/// `exited 1`, `stopped: limit wall=30s reached (30.1s used)`.
pub fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Exited { code } => format!("exited {code}"),
        Ending::Signalled { signal } => format!("killed by signal {signal}"),
        Ending::TimedOut { max, used } => format!("stopped: limit wall={max} reached ({used} used)"),
        Ending::OutOfMemory { max, used } => format!("stopped: limit memory={max} reached ({used} used)"),
        Ending::OverLimit { limit, max, used } => {
            format!("stopped: limit {limit}={max} reached ({used} used)")
        }
        Ending::Cancelled => "cancelled".to_owned(),
        Ending::NotStarted { reason, .. } => format!("not started: {}", untrusted::line(reason)),
    }
}

/// How a run ended; a run that was not to be has no ending of its own.
pub fn how(report: &Report) -> String {
    match report.outcome {
        Outcome::Skipped => "nothing was run".to_owned(),
        Outcome::Success
        | Outcome::Failure
        | Outcome::Error
        | Outcome::Timeout
        | Outcome::Cancelled
        | Outcome::Lost => ending(&report.result.ending),
    }
}

/// To the hundredth of a second, or to the millisecond where that says more: nobody reads more of it.
pub fn duration(span: Span) -> String {
    let millis = span.0.as_millis();
    match millis {
        0..1000 => format!("{millis}ms"),
        1000..60_000 => format!("{:.2}s", millis as f64 / 1000.0),
        60_000.. => format!("{}m{:02}s", millis / 60_000, millis % 60_000 / 1000),
    }
}

/// Peak memory and processor time, as far as this machine could tell.
pub fn used(usage: &Usage) -> Vec<String> {
    let memory = usage.memory_peak.map(|peak| format!("memory {}", peak.approximate()));
    let cpu = usage.cpu.map(|cpu| format!("cpu {}", duration(cpu)));
    [memory, cpu].into_iter().flatten().collect()
}

/// `jest: 3 passed, 1 failed, 2 skipped`.
pub fn tests(tests: &Tests) -> String {
    let others =
        [(tests.skipped, "skipped"), (tests.expected_failures, "failed as expected"), (tests.todo, "todo")];
    let others: String = others
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!(", {count} {word}"))
        .collect();
    let what = match tests.counted {
        actum_model::Counted::Tests => "",
        actum_model::Counted::Packages => " packages",
    };
    let runner = untrusted::line(&tests.runner);
    format!("{runner}: {}{what} passed, {} failed{others}", tests.passed, tests.failed)
}

/// `3 checks passed`, `2 of 5 checks and cases failed`; nothing if nothing was expected.
pub fn checks(validation: &Validation) -> Option<String> {
    let (held, all) = validation.counts();
    let what = if validation.cases.is_empty() { ("check", "checks") } else { ("case", "checks and cases") };
    match (held, all) {
        (_, 0) => None,
        (held, all) if held == all => Some(format!("{} passed", counted(all as u64, what.0, what.1))),
        (held, all) => Some(format!("{} of {} failed", all - held, counted(all as u64, what.0, what.1))),
    }
}

/// `doubles: stdout expected `4`, found a difference in line 1`.
pub fn case(case: &Case) -> String {
    let broken = case.checks.iter().find(|check| !check.held);
    let why = broken.map_or_else(String::new, |check| format!(": {} {}", check.name, check.words()));
    untrusted::line(&format!("✗ {}{why}", case.name))
}

/// `out.csv: ragged rows`.
pub fn advice(advice: &Advice) -> String {
    let quote = advice.quote.as_ref().map_or_else(String::new, |quote| format!(": {quote}"));
    untrusted::line(&format!("{}: {}{quote}", advice.about, advice.says))
}

/// `main.py:3 in load`, as far as the output told.
pub fn place(failure: &Failure) -> Option<String> {
    let at = |file: &str, line: Option<u64>| match line {
        Some(line) => format!("{}:{line}", untrusted::line(file)),
        None => untrusted::line(file),
    };
    let in_function = |name: &Option<String>| {
        name.as_ref().map_or_else(String::new, |name| format!(" in {}", untrusted::line(name)))
    };
    match (&failure.frame, &failure.file) {
        (Some(frame), _) => Some(at(&frame.file, frame.line) + &in_function(&frame.function)),
        (None, Some(file)) => Some(at(file, failure.line)),
        (None, None) => None,
    }
}

/// `3 changes applied, 1 withheld`; nothing where nothing changed.
pub fn changes(changes: &Changes) -> Option<String> {
    let withheld = changes.files.iter().filter(|change| change.withheld.is_some()).count() as u64;
    let all = changes.created + changes.modified + changes.deleted;
    if all == 0 {
        return None;
    }
    let but = match changes.state {
        Applied::Nothing | Applied::Applied | Applied::Direct | Applied::Refused => "",
        Applied::Kept | Applied::Discarded => "; the workspace is unchanged",
    };
    let what = changes.state.word();
    let beside = if withheld > 0 { format!(", {withheld} withheld") } else { String::new() };
    let count = all.saturating_sub(withheld);
    let at_least = if changes.cut { "more than " } else { "" };
    Some(format!("{at_least}{} {what}{beside}{but}", counted(count, "change", "changes")))
}

/// `+ out.txt`, `~ src/a.py`, `- old.txt`.
pub fn change(change: &Change) -> String {
    let sign = match change.kind {
        ChangeKind::Created => '+',
        ChangeKind::Modified => '~',
        ChangeKind::Deleted => '-',
    };
    let withheld = if change.withheld.is_some() { " (withheld)" } else { "" };
    format!("{sign} {}{withheld}", untrusted::line(&actum_model::path_text(&change.path)))
}

/// `src/main.py: it has been changed`.
pub fn conflict(conflict: &Conflict) -> String {
    format!("{}: {}", untrusted::line(&actum_model::path_text(&conflict.path)), conflict.why.words())
}

/// `tier N (default)`, and the sandbox layers that were missing.
pub fn walls(confinement: &Confinement) -> String {
    let name = match confinement.tier {
        Tier::None => "no sandbox".to_owned(),
        Tier::L | Tier::N => format!("tier {}", confinement.tier),
    };
    let without: Vec<&str> = missing(confinement).map(|missing| missing.layer.name()).collect();
    let without =
        if without.is_empty() { String::new() } else { format!(", without {}", without.join(", ")) };
    format!("{name} ({}){without}", confinement.profile)
}

/// A word where nobody signed for a run that the ledger holds.
pub fn unsigned(report: &Report) -> Option<&'static str> {
    report.evidence.as_ref().filter(|evidence| evidence.signer.is_none()).map(|_| "unsigned")
}

/// Walls that are missing. Accounting is none: without it limits are looked at instead of enforced, and the report
/// says so at each limit.
pub fn missing(confinement: &Confinement) -> impl Iterator<Item = &Missing> {
    confinement.missing.iter().filter(|missing| missing.layer != Layer::Accounting)
}

/// `user`, `landlock-7`, `cgroup-v1`.
pub fn layer(state: &LayerState) -> String {
    match state.layer {
        Layer::Landlock | Layer::Accounting => {
            state.detail.replace("version ", "landlock-").replace("cgroup ", "cgroup-")
        }
        Layer::User
        | Layer::Mount
        | Layer::Pid
        | Layer::Net
        | Layer::Ipc
        | Layer::Uts
        | Layer::Cgroup
        | Layer::Seccomp
        | Layer::Overlay => state.layer.name().to_owned(),
    }
}

pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn durations_are_read_at_a_glance() {
        for (millis, text) in [
            (0, "0ms"),
            (999, "999ms"),
            (1000, "1.00s"),
            (2345, "2.35s"),
            (60_000, "1m00s"),
            (754_321, "12m34s"),
        ] {
            assert_eq!(duration(Span(Duration::from_millis(millis))), text);
        }
    }
}
