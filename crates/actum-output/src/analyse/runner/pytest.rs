//! pytest: `== 4 failed, 3 passed, 1 skipped in 0.03s ==`, with `-q` the same without the signs.

use super::{Lines, Tally, counts, duration};

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let (last, closing) = lines.iter().rev().find_map(|(index, line)| Some((index, closing(line)?)))?;
    let mut tally = Tally { last, ..Tally::new() };
    let (numbers, time) = closing.rsplit_once(" in ")?;
    for (number, word) in counts(numbers) {
        match word {
            // An unexpected pass is a pass unless it is strict; then pytest itself counts it as failed.
            "passed" | "xpassed" => tally.passed += number,
            "xfailed" => tally.expected_failures += number,
            "failed" | "error" | "errors" => tally.failed += number,
            "skipped" => tally.skipped += number,
            _ => {}
        }
    }
    tally.duration = duration(time);
    tally.first = first_line(lines, last);
    for index in tally.first..last {
        read(lines.at(index), &mut tally);
    }
    Some(tally)
}

/// The words of the last line, if that is what it is.
fn closing(line: &str) -> Option<&str> {
    let words = line.trim().trim_matches('=').trim();
    let (numbers, time) = words.rsplit_once(" in ")?;
    duration(time)?;
    let known = [
        "passed",
        "failed",
        "error",
        "errors",
        "skipped",
        "xfailed",
        "xpassed",
        "deselected",
        "warnings",
        "warning",
    ];
    let all_known = numbers.split(", ").all(|part| {
        part.split_once(' ')
            .is_some_and(|(number, word)| number.parse::<u64>().is_ok() && known.contains(&word))
    });
    (all_known || numbers == "no tests ran").then_some(words)
}

/// Where the session began; with `-q` where its summary did.
fn first_line(lines: &Lines, last: usize) -> usize {
    // What stands before the summary above belongs to another session.
    let above =
        (0..last).rev().find(|index| closing(lines.at(*index)).is_some()).map_or(0, |index| index + 1);
    let find = |holds: fn(&str) -> bool| (above..last).rev().find(|index| holds(lines.at(*index)));
    find(|line| line.starts_with('=') && line.contains("test session starts"))
        .or_else(|| find(|line| line.contains("short test summary info")))
        .unwrap_or_else(|| {
            (0..last).rev().take_while(|index| is_named(lines.at(*index))).last().unwrap_or(last)
        })
}

fn is_named(line: &str) -> bool {
    line.starts_with("FAILED ") || line.starts_with("ERROR ")
}

/// `FAILED x.py::test_a - message`, `ERROR x.py`, `x.py ..F`, `x.py::test_a PASSED`.
fn read(line: &str, tally: &mut Tally) {
    if let Some(failed) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
        let name = failed.split_once(" - ").map_or(failed, |(name, _)| name);
        if name.contains(".py") {
            tally.name(name);
        }
    }
    let Some((file, rest)) = line.split_once(".py") else { return };
    let progress = |text: &str| text.chars().take_while(|c| *c != '[').all(|c| ".FsxXE ".contains(c));
    let shown = rest.strip_prefix(' ').is_some_and(progress) && !rest.trim().is_empty();
    // Where the summary is told to leave failures out (`-rs`), the line of the test itself still names it.
    if rest.starts_with("::")
        && let Some(at) = line.find(" FAILED").or_else(|| line.find(" ERROR"))
        && !file.contains(' ')
    {
        tally.name(&line[..at]);
    }
    let verbose = rest.starts_with("::")
        && ["PASSED", "FAILED", "SKIPPED", "ERROR", "XFAIL"].iter().any(|word| rest.contains(word));
    if (shown || verbose) && !file.contains(' ') {
        tally.suites.add(&format!("{file}.py"));
    }
}
