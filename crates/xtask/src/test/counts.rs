//! How many tests passed, failed and were skipped, read from the runners' own summary lines.

use std::fmt;
use std::ops::Add;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

/// Whether a line is a summary that [`read`] understands.
pub fn is_summary(line: &str) -> bool {
    read(line).is_some()
}

/// Reads the summary line of nextest or of `cargo test`:
/// `Summary [ 0.2s] 16 tests run: 15 passed (1 slow), 1 failed, 2 skipped` or
/// `test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`.
pub fn read(line: &str) -> Option<Counts> {
    let listed = match line.trim_start().starts_with("Summary [") {
        true => line.trim().split_once(" run: ")?.1,
        // At the margin only: nextest quotes the same line of a failed test, indented, and has counted it itself.
        false => line.trim_end().strip_prefix("test result: ")?.split_once(". ")?.1,
    };
    let outside = without_brackets(listed);
    let mut counts = Counts::default();
    for part in outside.split([',', ';']) {
        counts = counts + read_part(part.trim());
    }
    Some(counts)
}

/// Parts that count no tests of ours, such as `0 measured` or `finished in 0.00s`, count nothing.
fn read_part(part: &str) -> Counts {
    let nothing = Counts::default();
    let Some((number, words)) = part.split_once(' ') else {
        return nothing;
    };
    let Ok(number) = number.parse() else {
        return nothing;
    };
    match words.trim() {
        "passed" => Counts { passed: number, ..nothing },
        "failed" | "exec failed" | "timed out" => Counts { failed: number, ..nothing },
        "skipped" | "ignored" => Counts { skipped: number, ..nothing },
        _ => nothing,
    }
}

/// Nextest explains counts in brackets, which may hold commas of their own.
fn without_brackets(text: &str) -> String {
    let mut depth = 0;
    text.chars()
        .filter(|character| {
            depth += i32::from(*character == '(');
            let is_outside = depth == 0;
            depth -= i32::from(*character == ')');
            is_outside
        })
        .collect()
}

impl Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_lines() {
        for (line, expected) in [
            ("     Summary [   0.252s] 16 tests run: 16 passed, 0 skipped", (16, 0, 0)),
            (
                "Summary [ 1s] 9 tests run: 5 passed (1 slow, 2 flaky), 2 failed, 1 timed out, 1 exec failed, 3 skipped",
                (5, 4, 3),
            ),
            ("Summary [ 1s] 4/9 tests run: 3 passed, 1 failed (1 leaky), 0 skipped", (3, 1, 0)),
            ("Summary [ 1s] 1 test run: 1 passed, 0 skipped", (1, 0, 0)),
            (
                "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s",
                (5, 0, 1),
            ),
            (
                "test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
                (4, 1, 0),
            ),
        ] {
            let (passed, failed, skipped) = expected;
            assert_eq!(read(line), Some(Counts { passed, failed, skipped }), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_summaries() {
        assert!(
            !is_summary("    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured"),
            "quoted by nextest"
        );
        for line in ["", "PASS [ 0.1s] a b", "running 3 tests", "Summary of changes", "test result unknown"] {
            assert!(!is_summary(line), "{line}");
        }
    }
}
