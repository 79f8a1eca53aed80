//! What a project's own harness printed about its tests, where no runner that is known counted them.
//!
//! A harness of somebody's own says what it likes, so only forms that leave no other reading are taken: one sum of passed and failed
//! that agrees with itself (`7 tests, 7 passed, 0 failed`), or lines that each name a test and say what became of it (`PASS test_x`).
//! Several sums are one only where the last is that of the others. Start reading at [`HarnessOutput::count_tests`].

use actum_model::{Counted, Stream, TestOutcome, Tests};
use regex::bytes::{Captures, Regex};
use serde::Deserialize;
use std::sync::LazyLock;

/// A line that was printed.
#[derive(Clone, Debug, Deserialize)]
pub struct PrintedLine {
    /// `stdout` or `stderr`.
    pub stream: String,
    /// Counted from 1.
    pub number: u64,
    pub text: String,
}

/// An output in which such counts are looked for.
#[derive(Clone, Copy, Debug)]
pub struct HarnessOutput<'o> {
    pub lines: &'o [PrintedLine],
    /// Lines between its ends are not among them.
    pub is_cut: bool,
    pub exit: i32,
    /// The command is called as one that runs tests.
    pub may_run_tests: bool,
}

/// What a harness printed about its tests.
#[derive(Clone, Debug)]
pub struct HarnessTests {
    pub tests: Tests,
    pub passed_names: Vec<String>,
    pub skipped_names: Vec<String>,
}

/// Longer lines are no sums, and name no test.
const LONGEST: usize = 200;

const PASSED: &str = "pass|passed|passes|passing|succeeded|successes|ok";
const FAILED: &str = "fail|failed|fails|failing|failures?|errors?";
const TESTS: &str = "tests?|test cases?|cases?|specs?|checks?|assertions?|examples?";

impl HarnessOutput<'_> {
    /// The counts and names, where the output leaves no other reading.
    pub fn count_tests(&self) -> Option<HarnessTests> {
        let named: Vec<(String, TestOutcome, &PrintedLine)> = self
            .lines
            .iter()
            .filter_map(|line| {
                let (name, outcome) = one(line)?;
                Some((name, outcome, line))
            })
            .collect();
        let tests = counts(self, &named)?;
        let of = |outcome: TestOutcome| -> Vec<String> {
            named.iter().filter(|(_, became, _)| *became == outcome).map(|(name, ..)| name.clone()).collect()
        };
        Some(HarnessTests {
            tests: Tests { failed_names: of(TestOutcome::Failed), ..tests },
            passed_names: of(TestOutcome::Passed),
            skipped_names: of(TestOutcome::Skipped),
        })
    }
}

/// The sum that was printed, else that of the tests that were named.
fn counts(run: &HarnessOutput<'_>, named: &[(String, TestOutcome, &PrintedLine)]) -> Option<Tests> {
    let may_run = run.may_run_tests;
    let sums: Vec<Sum> =
        sums(run.lines).into_iter().filter(|sum| may_run || sum.says_tests || !named.is_empty()).collect();
    let (sum, lines) = match &sums[..] {
        [] => of_names(run, named).filter(|_| may_run)?,
        [only] => (only.settled(run)?, only.lines),
        [parts @ .., last] => (last.settled(run).filter(|_| is_sum_of(last, parts))?, last.lines),
    };
    let [passed, failed, skipped] = sum;
    let stream = if lines.2 { Stream::Stderr } else { Stream::Stdout };
    let lines = [lines.0, lines.1];
    Some(Tests {
        runner: Tests::OWN_HARNESS.to_owned(),
        counted: Counted::Tests,
        passed,
        failed,
        skipped,
        expected_failures: 0,
        todo: 0,
        total: passed.checked_add(failed)?.checked_add(skipped)?,
        duration: None,
        failed_names: Vec::new(),
        failed_names_left_out: 0,
        suites: Vec::new(),
        stream,
        lines,
    })
}

/// First line, last line, and whether they are those of stderr.
type Lines = (u64, u64, bool);

fn place(line: &PrintedLine) -> Lines {
    (line.number, line.number, line.stream == "stderr")
}

/// Each test by itself: where all that was printed is known, they are as many as there are.
fn of_names(
    run: &HarnessOutput<'_>,
    named: &[(String, TestOutcome, &PrintedLine)],
) -> Option<([u64; 3], Lines)> {
    let ([(_, _, first), ..], [.., (_, _, last)]) = (named, named) else { return None };
    let count =
        |outcome: TestOutcome| named.iter().filter(|(_, became, _)| *became == outcome).count() as u64;
    let is_sure = named.len() > 1 && !run.is_cut && first.stream == last.stream;
    let all = [TestOutcome::Passed, TestOutcome::Failed, TestOutcome::Skipped].map(count);
    is_sure.then_some((all, (first.number, last.number, place(first).2)))
}

/// A sum as far as it was told, on one line or on several that follow each other.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    passed: Option<u64>,
    failed: Option<u64>,
    skipped: Option<u64>,
    total: Option<u64>,
    says_tests: bool,
    lines: Lines,
}

impl Sum {
    /// Passed, failed and skipped, where these agree with the total that was told.
    fn settled(&self, run: &HarnessOutput<'_>) -> Option<[u64; 3]> {
        let (passed, skipped) = (self.passed?, self.skipped.unwrap_or(0));
        let failed = match (self.failed, self.total) {
            (Some(failed), _) => failed,
            (None, Some(total)) => total.checked_sub(passed)?.checked_sub(skipped)?,
            (None, None) if run.exit == 0 => 0,
            (None, None) => return None,
        };
        let all = passed.checked_add(failed)?.checked_add(skipped)?;
        self.total.is_none_or(|total| total == all).then_some([passed, failed, skipped])
    }

    /// Whether enough is told: what passed, and what did not, how many there are, or that they are tests.
    fn is_whole(&self) -> bool {
        self.passed.is_some() && (self.failed.is_some() || self.total.is_some() || self.says_tests)
    }

    /// With what another line tells; nothing where both tell the same thing.
    fn with(&self, other: &Self) -> Option<Self> {
        let either = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(_), Some(_)) => None,
            (one, other) => Some(one.or(other)),
        };
        let (first, last, stream) = (self.lines.0, other.lines.1, self.lines.2);
        (stream == other.lines.2).then_some(())?;
        Some(Self {
            passed: either(self.passed, other.passed)?,
            failed: either(self.failed, other.failed)?,
            skipped: either(self.skipped, other.skipped)?,
            total: either(self.total, other.total)?,
            says_tests: self.says_tests || other.says_tests,
            lines: (first, last, stream),
        })
    }
}

/// Whether the last sum is that of the ones before it.
fn is_sum_of(last: &Sum, parts: &[Sum]) -> bool {
    let of = |part: fn(&Sum) -> Option<u64>| -> Option<u64> {
        parts.iter().try_fold(0_u64, |sum, one| sum.checked_add(part(one).unwrap_or(0)))
    };
    of(|one| one.passed) == last.passed && of(|one| one.failed) == Some(last.failed.unwrap_or(0))
}

/// All sums, in order.
fn sums(lines: &[PrintedLine]) -> Vec<Sum> {
    let mut found: Vec<Sum> = Vec::new();
    let mut open: Option<Sum> = None;
    for line in lines {
        let told = sum(line);
        let joined = open.zip(told).and_then(|(open, told)| open.with(&told));
        match (joined, told) {
            (Some(joined), _) => open = Some(joined),
            (None, Some(told)) => found.extend(open.replace(told).filter(Sum::is_whole)),
            (None, None) if line.text.trim().is_empty() => {}
            (None, None) => found.extend(open.take().filter(Sum::is_whole)),
        }
    }
    found.extend(open.filter(Sum::is_whole));
    found
}

/// What one line tells, where it tells nothing but such numbers.
fn sum(line: &PrintedLine) -> Option<Sum> {
    static ALL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"\ball (?:of )?(?:the )?(\d+) (?:[a-z]+ )?({TESTS}) (?:have |were |are )?(?:{PASSED})\b"
        ))
    });
    static SHARE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"\b(\d+) ?(?:/|of|out of) ?(\d+) (?:[a-z]+ )?({TESTS})? ?(?:have |were |are )?(?:{PASSED})\b|\b({TESTS}) (?:{PASSED})[:=]? *(\d+) ?(?:/|of) ?(\d+)\b"
        ))
    });
    static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"\b(\d+) (?:({TESTS}) )?(?:(?:were|have|are) )?({PASSED}|{FAILED}|skipped|ignored|total|run|ran|{TESTS})\b"
        ))
    });
    static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"\b(?:({TESTS}) )?({PASSED}|{FAILED}|skipped|ignored|total(?: tests)?|{TESTS}|tests run|ran)(?: ({TESTS}))? ?[:=] *(\d+)(?:[^\d./%]|$)"
        ))
    });
    static NEXT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(r"^ (?:{PASSED}|{FAILED}|skipped|ignored|total|{TESTS})\b( ?[:=])?"))
    });
    let text = line.text.to_lowercase();
    if line.text.len() > LONGEST || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut told = Sum { lines: place(line), ..Sum::default() };
    if let Some(found) = ALL.captures(bytes) {
        let all = number(&found, 1)?;
        return Some(Sum { passed: Some(all), total: Some(all), failed: Some(0), says_tests: true, ..told });
    }
    if let Some(found) = SHARE.captures(bytes) {
        let (passed, total) =
            (number(&found, 1).or(number(&found, 5))?, number(&found, 2).or(number(&found, 6))?);
        told.says_tests = found.get(3).or(found.get(4)).is_some();
        (told.passed, told.total) = (Some(passed), Some(total));
    }
    let mut rest = bytes.to_vec();
    SHARE.find_iter(bytes).for_each(|place| rest[place.range()].fill(b' '));
    let mut taken = Vec::new();
    for found in LABELLED.captures_iter(&rest) {
        let (whole, word, value) = (found.get(0)?, found.get(2)?, found.get(4)?);
        // `tests: 6 passed` tells how many passed.
        if NEXT.captures(&rest[value.end()..]).is_some_and(|next| next.get(1).is_none()) {
            continue;
        }
        told.says_tests |= found.get(1).or(found.get(3)).is_some();
        told.put(word.as_bytes(), number(&found, 4)?)?;
        taken.push(whole.start()..value.end());
    }
    taken.into_iter().for_each(|range| rest[range].fill(b' '));
    for found in BEHIND.captures_iter(&rest) {
        told.says_tests |= found.get(2).is_some();
        told.put(found.get(3)?.as_bytes(), number(&found, 1)?)?;
    }
    let is_any = [told.passed, told.failed, told.skipped, told.total].iter().any(Option::is_some);
    is_any.then_some(told)
}

impl Sum {
    /// Puts a number where its word says; nothing where one stands there that is another.
    fn put(&mut self, word: &[u8], value: u64) -> Option<()> {
        let begins = |list: &[&[u8]]| list.iter().any(|one| word.starts_with(one));
        let slot = match () {
            () if begins(&[b"pass", b"succe", b"ok"]) => &mut self.passed,
            () if begins(&[b"fail", b"error"]) => &mut self.failed,
            () if begins(&[b"skip", b"ignor"]) => &mut self.skipped,
            () => {
                self.says_tests |= !word.starts_with(b"total") && !word.starts_with(b"r");
                &mut self.total
            }
        };
        if slot.is_some_and(|before| before != value) {
            return None;
        }
        *slot = Some(value);
        Some(())
    }
}

fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?-u){text}")).expect("the patterns are constants that a test compiles")
}

fn number(found: &Captures<'_>, group: usize) -> Option<u64> {
    std::str::from_utf8(found.get(group)?.as_bytes()).ok()?.parse::<u32>().ok().map(u64::from)
}

/// A test that a line names, and what became of it: `PASS test_x`, `[FAIL] name`, `ok - name`, `name ... ok`, `name: PASS`.
fn one(line: &PrintedLine) -> Option<(String, TestOutcome)> {
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*(?:\[ *(pass|passed|ok|fail|failed|skip|skipped) *\][: -]*|(pass|passed|fail|failed|skip|skipped)(?:: *| - | +)|(ok|not ok)(?: \d+)? ?[-:] )(\S.*)$",
        )
    });
    static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*([a-z_][^:]{0,80}?)(?: *: *| ?\.{2,} ?| - )\[?(pass|passed|ok|fail|failed|not ok|skip|skipped)\]?$",
        )
    });
    if line.text.len() > LONGEST {
        return None;
    }
    // Letters are compared in lower case, and have the same length there.
    let text = line.text.trim_end().to_ascii_lowercase();
    let (name, word) = match BEFORE.captures(text.as_bytes()) {
        Some(found) => (found.get(4)?, found.get(1).or(found.get(2)).or(found.get(3))?),
        None => BEHIND.captures(text.as_bytes()).and_then(|found| Some((found.get(1)?, found.get(2)?)))?,
    };
    let outcome = match word.as_bytes() {
        b"pass" | b"passed" | b"ok" => TestOutcome::Passed,
        b"skip" | b"skipped" => TestOutcome::Skipped,
        _ => TestOutcome::Failed,
    };
    let name = without_time(line.text.get(name.range())?.trim());
    // `PASSED: 7` and `FAIL 2 of 9` are sums.
    let is_name =
        name.contains(|c: char| c.is_alphabetic()) && !name.starts_with(|c: char| c.is_ascii_digit());
    (is_name && sum(line).is_none()).then(|| (name.to_owned(), outcome))
}

/// Without a time in brackets behind it, and without what came of it behind a colon.
fn without_time(name: &str) -> &str {
    let is_time = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let name = match name.rsplit_once(" (").or_else(|| name.rsplit_once(" [")) {
        Some((name, rest)) if is_time(rest) => name,
        Some(_) | None => name,
    };
    let is_word = |name: &str| !name.contains(' ') && name.contains('_');
    name.split_once(": ").map(|(name, _)| name).filter(|name| is_word(name)).unwrap_or(name).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted_by(lines: &[&str], may_run_tests: bool) -> Option<[u64; 3]> {
        let line = |(at, text): (usize, &&str)| PrintedLine {
            stream: "stdout".to_owned(),
            number: at as u64 + 1,
            text: (*text).to_owned(),
        };
        let lines: Vec<PrintedLine> = lines.iter().enumerate().map(line).collect();
        let output = HarnessOutput { lines: &lines, is_cut: false, exit: 0, may_run_tests };
        let tests = output.count_tests()?.tests;
        Some([tests.passed, tests.failed, tests.skipped])
    }

    fn counted(lines: &[&str]) -> Option<[u64; 3]> {
        counted_by(lines, true)
    }

    #[test]
    fn sums_of_a_harness() {
        for (lines, expected) in [
            (&["7 tests, 6 passed, 1 failed"][..], Some([6, 1, 0])),
            (&["7 tests: 7 passed"], Some([7, 0, 0])),
            (&["Tests: 6 passed, 1 failed"], Some([6, 1, 0])),
            (&["passed: 6 failed: 1"], Some([6, 1, 0])),
            (&["passed: 7  failed: 0"], Some([7, 0, 0])),
            (&["Tests: 9, Passed: 7, Failed: 1, Skipped: 1"], Some([7, 1, 1])),
            (&["All 7 tests passed"], Some([7, 0, 0])),
            (&["all 12 unit tests passed."], Some([12, 0, 0])),
            (&["11/12 checks passed"], Some([11, 1, 0])),
            (&["Tests passed: 11/12"], Some([11, 1, 0])),
            (&["3 of 3 passed"], Some([3, 0, 0])),
            (&["Total: 4", "Passed: 3", "Failed: 1"], Some([3, 1, 0])),
            (&["== summary", "passed=3", "", "failed=0"], Some([3, 0, 0])),
            (&["a: 2 passed, 0 failed", "b: 3 passed, 1 failed", "5 passed, 1 failed"], Some([5, 1, 0])),
            (&["7 tests passed"], Some([7, 0, 0])),
            (&["suite a", "2 passed, 0 failed", "suite b", "3 passed, 1 failed"], None),
            (
                &["2 passed, 0 failed", "next", "3 passed, 1 failed", "sum", "5 passed, 1 failed"],
                Some([5, 1, 0]),
            ),
            (&["7 tests, 42 checks passed"], None),
            (&["8 tests, 7 passed, 0 failed"], None),
            (&["7 passed"], None),
            (&["accuracy 0.7, 12 samples"], None),
            (&["PASS adds", "PASS subtracts", "FAIL divides"], Some([2, 1, 0])),
            (&["ok - adds", "not ok - divides"], Some([1, 1, 0])),
            (&["PASS adds"], None),
        ] {
            assert_eq!(counted(lines), expected, "{lines:?}");
        }
        assert_eq!(counted_by(&["validated: 7 passed, 0 failed"], false), None);
        assert!(counted_by(&["7 tests, 7 passed, 0 failed"], false).is_some());
    }

    #[test]
    fn names_of_a_harness() {
        for (text, name, outcome) in [
            ("PASS test_wraps", "test_wraps", TestOutcome::Passed),
            ("  FAIL: test_wraps (3 ms)", "test_wraps", TestOutcome::Failed),
            ("[PASS] wraps at the end", "wraps at the end", TestOutcome::Passed),
            ("[  OK  ] wraps", "wraps", TestOutcome::Passed),
            ("ok - empty input", "empty input", TestOutcome::Passed),
            ("not ok 3 - empty input", "empty input", TestOutcome::Failed),
            ("test_wraps ... ok", "test_wraps", TestOutcome::Passed),
            ("test_wraps: FAILED", "test_wraps", TestOutcome::Failed),
            ("SKIP test_slow: no network", "test_slow", TestOutcome::Skipped),
        ] {
            let line = PrintedLine { stream: "stdout".to_owned(), number: 1, text: text.to_owned() };
            assert_eq!(one(&line), Some((name.to_owned(), outcome)), "{text}");
        }
        for text in ["PASSED: 7", "FAIL 2 of 9", "passing the torch", "okay", "7 tests, 7 passed"] {
            let line = PrintedLine { stream: "stdout".to_owned(), number: 1, text: text.to_owned() };
            assert_eq!(one(&line), None, "{text}");
        }
    }
}
