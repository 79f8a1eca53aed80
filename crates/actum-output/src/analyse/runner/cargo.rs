//! cargo test: one `test result:` line for each binary and for the documentation tests, summed.

use super::{Lines, Tally, counts, duration, whole};
use actum_model::Span;

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let mut tally = Tally::new();
    let mut seen = false;
    let mut listing = false;
    for (index, line) in lines.iter() {
        if let Some(result) = line.strip_prefix("test result: ") {
            if !seen {
                tally.first = index;
            }
            (seen, listing, tally.last) = (true, false, index);
            add(result, &mut tally);
        } else if line == "failures:" {
            // Twice: first with what the tests printed, then with their names alone.
            listing = true;
        } else if let Some(name) = line.strip_prefix("    ").filter(|_| listing) {
            tally.name(name);
        } else if let Some((name, _)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
        {
            tally.suites.add(module(name));
        } else if line.starts_with("----") {
            listing = false;
        }
    }
    seen.then_some(tally)
}

/// `error: test failed, to rerun pass`, `error: 2 targets failed:`, `error: doctest failed`, nextest's `error: test run failed`: also
/// where a test program crashed, which prints no result.
pub(super) fn ends_with_failure(lines: &Lines) -> bool {
    let is_count = |text: &str| text.split_once(' ').is_some_and(|(number, _)| whole(number).is_some());
    lines.iter().any(|(_, line)| {
        let Some(error) = line.strip_prefix("error: ") else { return false };
        let is_named =
            ["test failed", "doctest failed", "test run failed"].iter().any(|text| error.starts_with(text));
        let is_counted =
            is_count(error) && (error.contains(" target failed") || error.contains(" targets failed"));
        is_named || is_counted
    })
}

/// `FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.12s`.
fn add(result: &str, tally: &mut Tally) {
    let (_, numbers) = result.split_once(". ").unwrap_or(("", result));
    for (number, word) in counts(numbers) {
        match word {
            "passed" | "measured" => tally.passed += number,
            "failed" => tally.failed += number,
            "ignored" => tally.skipped += number,
            _ => {}
        }
    }
    if let Some(time) = numbers.rsplit_once("finished in ").and_then(|(_, time)| duration(time)) {
        tally.duration = Some(Span(tally.duration.unwrap_or_default().0.saturating_add(time.0)));
    }
}

/// `cart::total` of `cart::total::adds`; the file of a documentation test.
fn module(name: &str) -> &str {
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    match name.split_once(" - ") {
        Some((file, _)) => file,
        None => name.rsplit_once("::").map_or("", |(module, _)| module),
    }
}
