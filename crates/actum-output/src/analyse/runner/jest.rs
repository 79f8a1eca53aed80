//! jest: `Tests:       2 failed, 1 skipped, 1 todo, 4 passed, 8 total`.

use super::{Lines, Suites, Tally, counts, duration};

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let (at, numbers) = lines.iter().rev().find_map(|(index, line)| {
        let numbers = line.strip_prefix("Tests:").filter(|numbers| numbers.trim_end().ends_with(" total"))?;
        Some((index, numbers))
    })?;
    let suites = at.checked_sub(1).filter(|above| lines.at(*above).starts_with("Test Suites:"))?;
    let mut tally = Tally { first: suites, last: at, ..Tally::new() };
    for (number, word) in counts(numbers) {
        match word {
            "passed" => tally.passed += number,
            "failed" => tally.failed += number,
            "skipped" | "pending" => tally.skipped += number,
            "todo" => tally.todo += number,
            _ => {}
        }
    }
    if let Some(after) = (at + 1..at + 4).find(|index| lines.at(*index).starts_with("Time:")) {
        tally.duration = duration(lines.at(after).trim_start_matches("Time:"));
        tally.last = after;
    }
    name(lines, suites, &mut tally);
    // A file that could not be loaded has no tests that are counted, and what is said about it may be cut off.
    if tally.failed == 0 {
        let files = lines.at(suites).trim_start_matches("Test Suites:");
        tally.failed = counts(files).find(|(_, word)| *word == "failed").map_or(0, |(number, _)| number);
    }
    Some(tally)
}

/// Files begin with `PASS` or `FAIL`, describe blocks stand below with two spaces, failures begin with `●`.
fn name(lines: &Lines, end: usize, tally: &mut Tally) {
    let mut file = "";
    let mut files = Suites::default();
    for index in 0..end {
        let line = lines.at(index);
        let header =
            line.trim_start().strip_prefix("PASS ").or_else(|| line.trim_start().strip_prefix("FAIL "));
        if let Some(path) = header {
            file = path.trim().split(' ').next().unwrap_or_default();
            files.add(file.rsplit('/').next().unwrap_or(file));
        } else if let Some(failure) = line.strip_prefix("  ● ") {
            if failure == "Test suite failed to run" {
                // None of its tests was counted; the file is what failed.
                let before = tally.failed_names.items.len();
                tally.name(file);
                tally.failed += u64::from(tally.failed_names.items.len() > before);
            } else if !failure.starts_with("Console") {
                tally.name(failure);
            }
        } else if is_describe(line) && !file.is_empty() && describes_below(lines, index) {
            tally.suites.add(line);
        }
    }
    if tally.suites.names.is_empty() {
        tally.suites = files;
    }
}

fn is_describe(line: &str) -> bool {
    line.strip_prefix("  ").is_some_and(|name| name.starts_with(|c: char| c.is_alphanumeric()))
}

/// A describe block has a test or another block right below.
fn describes_below(lines: &Lines, index: usize) -> bool {
    let below = lines.at(index + 1);
    below.strip_prefix("    ").is_some_and(|test| !test.starts_with(' ') && !test.trim().is_empty())
}
