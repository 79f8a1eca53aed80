//! nextest: `Summary [   0.421s] 5 tests run: 3 passed, 2 failed, 1 skipped`.

use super::{Lines, Tally, counts, duration};

/// How a test can end badly, as its line says.
const BAD: &[&str] =
    &["FAIL", "TIMEOUT", "SIGSEGV", "SIGABRT", "SIGKILL", "SIGTERM", "ABORT", "XFAIL", "TRY"];

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let (last, (time, numbers)) =
        lines.iter().rev().find_map(|(index, line)| Some((index, closing(line)?)))?;
    let mut tally = Tally { last, duration: duration(time), ..Tally::new() };
    for (number, words) in counts(numbers) {
        match words {
            "passed" => tally.passed += number,
            "failed" | "timed out" | "exec failed" => tally.failed += number,
            "skipped" => tally.skipped += number,
            _ => {}
        }
    }
    let mut before = (0..last).rev().take_while(|index| closing(lines.at(*index)).is_none());
    let started = before.find(|index| lines.at(*index).trim_start().starts_with("Starting "));
    tally.first = started.unwrap_or(last);
    for (_, line) in lines.iter().skip(tally.first) {
        read(line, &mut tally);
    }
    Some(tally)
}

/// The time and the counts of a summary.
fn closing(line: &str) -> Option<(&str, &str)> {
    let (time, rest) = line.trim_start().strip_prefix("Summary [")?.split_once(']')?;
    let (_, numbers) = rest.split_once(" run: ")?;
    Some((time, numbers))
}

/// `FAIL [   0.355s] (3/5) shop cart::adds`; older versions have no `(3/5)`.
fn read(line: &str, tally: &mut Tally) {
    let Some((verdict, rest)) = line.trim_start().split_once(" [") else { return };
    let Some((time, rest)) = rest.split_once("] ") else { return };
    if duration(time.trim_start_matches(['>', ' '])).is_none() {
        return;
    }
    let rest = rest.trim_start();
    let numbered = rest.strip_prefix('(').and_then(|rest| rest.split_once(") "));
    let (_, test) = numbered.unwrap_or(("", rest));
    let Some((binary, name)) = test.split_once(' ') else { return };
    let verdict = verdict.split(' ').next().unwrap_or(verdict);
    if BAD.contains(&verdict) {
        tally.name(name.trim());
    }
    if BAD.contains(&verdict) || verdict == "PASS" {
        tally.suites.add(binary);
    }
}
