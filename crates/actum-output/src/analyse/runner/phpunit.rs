//! PHPUnit: `OK (1 test, 1 assertion)` or `Tests: 4, Assertions: 2, Errors: 1, Failures: 1, Skipped: 1.`

use super::{Lines, Tally, counts, whole};
use actum_model::Span;
use std::time::Duration;

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let is_count = |line: &str| line.starts_with("Tests: ") && line.contains(", Assertions: ");
    let is_ok = |line: &str| line.starts_with("OK (") && line.contains(" assertion");
    let (last, line) = lines.iter().rev().find(|(_, line)| is_count(line) || is_ok(line))?;
    let mut tally = Tally { first: last, last, ..Tally::new() };
    if is_ok(line) {
        tally.passed =
            counts(line).find(|(_, word)| word.starts_with("test")).map_or(0, |(number, _)| number);
    } else {
        let total = read(line, &mut tally);
        tally.passed = total.saturating_sub(tally.failed).saturating_sub(tally.skipped);
    }
    let mut bad = false;
    for index in 0..last {
        let line = lines.at(index);
        if let Some(time) = line.strip_prefix("Time: ") {
            (tally.first, tally.duration) = (index, clock(time));
        } else if line.starts_with("There was ") || line.starts_with("There were ") {
            // Skipped and risky tests are listed in the same shape.
            bad = line.contains(" failure") || line.contains(" error");
        } else if let Some((_, name)) = numbered(line).filter(|(_, name)| bad && name.contains("::")) {
            tally.name(name);
            tally.suites.add(name.split("::").next().unwrap_or(name));
        }
    }
    Some(tally)
}

/// Gives the total; the rest goes into the tally.
fn read(line: &str, tally: &mut Tally) -> u64 {
    let mut total = 0;
    for (word, number) in line.trim_end_matches('.').split(", ").filter_map(|part| part.split_once(": ")) {
        let number = whole(number).unwrap_or(0);
        match word {
            "Tests" => total = number,
            "Errors" | "Failures" => tally.failed += number,
            "Skipped" | "Incomplete" => tally.skipped += number,
            _ => {}
        }
    }
    total
}

fn numbered(line: &str) -> Option<(u64, &str)> {
    let (number, name) = line.split_once(") ")?;
    Some((number.parse().ok()?, name))
}

/// `00:00.003, Memory: 4.00 MB`.
fn clock(time: &str) -> Option<Span> {
    let (time, _) = time.split_once(',')?;
    let (minutes, seconds) = time.rsplit_once(':')?;
    let minutes: f64 = minutes.rsplit(':').next()?.parse().ok()?;
    let seconds: f64 = seconds.parse().ok()?;
    Duration::try_from_secs_f64(minutes * 60.0 + seconds).ok().map(Span)
}
