//! What test runners print, one runner a file.
//!
//! A runner's file reads one stream and gives a [`Tally`], or nothing when the output is not that runner's. The first of
//! the table that recognises its own is believed: a runner that starts another (nextest starts libtest) stands before it.

mod cargo;
mod doctest;
mod gotest;
mod jest;
mod junit;
mod minitest;
mod mocha;
mod nextest;
mod node;
mod phpunit;
mod pytest;
mod rspec;
mod tap;
mod unittest;
mod vitest;

pub use junit::junit;

use super::collect::Bounded;
use super::lines::Lines;
use super::shown::{NAME, shown};
use super::text::Text;
use crate::Origin;
use actum_model::{Counted, Span, Stream, Tests};
use std::time::Duration;

/// 20: names of suites beyond these say only that there are many.
const MOST_SUITES: usize = 20;

type Count = fn(&Lines) -> Option<Tally>;
type Fails = fn(&Lines) -> bool;

const RUNNERS: &[(&str, Count)] = &[
    ("nextest", nextest::count),
    ("cargo test", cargo::count),
    ("pytest", pytest::count),
    ("unittest", unittest::count),
    ("doctest", doctest::count),
    ("jest", jest::count),
    ("vitest", vitest::count),
    ("mocha", mocha::count),
    ("node --test", node::count),
    ("go test", gotest::count),
    ("RSpec", rspec::count),
    ("minitest", minitest::count),
    ("PHPUnit", phpunit::count),
    ("TAP", tap::count),
];

/// 64: a line starts fewer runners, and each summary costs a pass over the output.
const MOST_SUMMARIES: usize = 64;

/// The tests that an output tells about, where a runner printed it. Text that looks like another runner's is none.
pub(super) fn count(texts: [&Text; 2], lines: [&Lines; 2], origin: &Origin) -> Option<Tests> {
    let failing = if origin.has_several { worst_summary(lines, origin) } else { None };
    if let Some((runner, mut tally, stream)) = failing.or_else(|| first_summary(lines, origin)) {
        // A part that failed may have no summary, or one that is cut off: the runner's last words tell it all the same.
        let fails = closing_failures(origin.has_several, runner, origin);
        if tally.failed == 0 && fails.iter().any(|fails| lines.iter().any(|lines| fails(lines))) {
            tally.failed = 1;
        }
        let runner = if origin.only_denies { Tests::OWN_HARNESS } else { runner };
        return Some(tally.settle(runner, stream));
    }
    let streams = [Stream::Stdout, Stream::Stderr];
    let mut streams = streams.into_iter().zip(texts).filter(|_| origin.has("junit"));
    streams.find_map(|(stream, text)| junit::of_stream(stream, text))
}

type Summary<'l> = (&'static str, Tally, &'l Lines);

fn first_summary<'l>([stdout, stderr]: [&'l Lines; 2], origin: &Origin) -> Option<Summary<'l>> {
    for (runner, count) in RUNNERS.iter().filter(|(runner, _)| origin.has(runner)) {
        for (lines, other) in [(stdout, stderr), (stderr, stdout)] {
            let Some(mut tally) = count(lines) else { continue };
            if *runner == "vitest" {
                vitest::name_failed(other, &mut tally);
            }
            return Some((runner, tally, lines));
        }
    }
    None
}

/// The summary with the most failures, of all summaries of all runners. Nothing where no test failed.
fn worst_summary<'l>(lines: [&'l Lines; 2], origin: &Origin) -> Option<Summary<'l>> {
    let mut worst: Option<Summary<'l>> = None;
    for (runner, count) in RUNNERS.iter().filter(|(runner, _)| origin.has(runner)) {
        for lines in lines {
            let mut before = lines.clone();
            for _ in 0..MOST_SUMMARIES {
                let Some(tally) = count(&before) else { break };
                before.truncate(tally.first);
                if tally.failed > worst.as_ref().map_or(0, |(_, worst, _)| worst.failed) {
                    worst = Some((runner, tally, lines));
                }
            }
        }
    }
    worst
}

/// What tells, at the end of an output, that a runner failed: of the runner that counted, or of each that was started.
fn closing_failures(has_several: bool, runner: &str, origin: &Origin) -> Vec<Fails> {
    let is_asked = |name: &str| if has_several { origin.has(name) } else { runner == name };
    let all: [(&str, Fails); 5] = [
        ("nextest", cargo::ends_with_failure),
        ("cargo test", cargo::ends_with_failure),
        ("vitest", vitest::ends_with_failure),
        ("go test", gotest::ends_with_failure),
        ("TAP", tap::ends_with_failure),
    ];
    all.into_iter().filter(|(name, _)| is_asked(name)).map(|(_, fails)| fails).collect()
}

/// What a runner counted, before it is neutral and bounded.
#[derive(Debug)]
struct Tally {
    counted: Counted,
    passed: u64,
    failed: u64,
    skipped: u64,
    expected_failures: u64,
    todo: u64,
    duration: Option<Span>,
    failed_names: Bounded<String>,
    suites: Suites,
    /// Index of the first and the last line that belong to the counts.
    first: usize,
    last: usize,
}

impl Tally {
    fn new() -> Self {
        Self {
            counted: Counted::Tests,
            passed: 0,
            failed: 0,
            skipped: 0,
            expected_failures: 0,
            todo: 0,
            duration: None,
            failed_names: Bounded::default(),
            suites: Suites::default(),
            first: 0,
            last: 0,
        }
    }

    fn name(&mut self, name: &str) {
        self.failed_names.push(shown(name, NAME));
    }

    fn settle(self, runner: &str, lines: &Lines) -> Tests {
        let span = [lines.number(self.first), lines.number(self.last)];
        self.tests(runner, lines.stream, span)
    }

    fn tests(self, runner: &str, stream: Stream, lines: [u64; 2]) -> Tests {
        Tests {
            runner: runner.to_owned(),
            counted: self.counted,
            passed: self.passed,
            failed: self.failed,
            skipped: self.skipped,
            expected_failures: self.expected_failures,
            todo: self.todo,
            total: [self.failed, self.skipped, self.expected_failures, self.todo]
                .into_iter()
                .fold(self.passed, u64::saturating_add),
            duration: self.duration,
            failed_names: self.failed_names.items,
            failed_names_left_out: self.failed_names.left_out,
            suites: self.suites.names,
            stream,
            lines,
        }
    }
}

/// The names of groups, each once.
#[derive(Debug, Default)]
struct Suites {
    names: Vec<String>,
}

impl Suites {
    fn add(&mut self, name: &str) {
        let name = shown(name, NAME);
        if self.names.len() < MOST_SUITES && !name.is_empty() && !self.names.contains(&name) {
            self.names.push(name);
        }
    }
}

/// `3 failed`, `1 skipped`: a number and a word, separated by anything else.
fn counts(text: &str) -> impl Iterator<Item = (u64, &str)> {
    text.split([',', '|', ';', '(', ')']).filter_map(|part| {
        let (number, word) = part.trim().split_once(' ')?;
        Some((whole(number)?, word.trim()))
    })
}

/// A number of tests. Nobody has more than four thousand million, and sums of those cannot overflow.
fn whole(text: &str) -> Option<u64> {
    text.parse::<u32>().ok().map(u64::from)
}

/// A length of time as runners write it: `0.03s`, `538ms`, `0.413 s`, `2m`.
fn duration(text: &str) -> Option<Span> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let unit: String = text[end..].trim_start().chars().take_while(|c| c.is_ascii_alphabetic()).collect();
    let seconds = match unit.as_str() {
        "ms" => number / 1000.0,
        "s" | "sec" | "second" | "seconds" | "" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return None,
    };
    // Whole microseconds, which is what a span keeps in JSON.
    Duration::try_from_secs_f64((seconds * 1e6).round() / 1e6).ok().map(Span)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passed and failed of what these runners printed to stdout and stderr.
    fn counted(runners: &[&'static str], stdout: &str, stderr: &str) -> Option<[u64; 2]> {
        let texts = [Text::of(stdout.as_bytes()), Text::of(stderr.as_bytes())];
        let lines = [Lines::read(Stream::Stdout, &texts[0]), Lines::read(Stream::Stderr, &texts[1])];
        let tests = count([&texts[0], &texts[1]], [&lines[0], &lines[1]], &Origin::of_runners(runners))?;
        assert_eq!(tests.is_of_a_runner(), runners.len() == 1);
        Some([tests.passed, tests.failed])
    }

    #[test]
    fn a_failure_in_any_of_several_summaries_is_counted() {
        let pytest = "F.\nFAILED a.py::test_a - x\n1 failed, 2 passed in 0.03s\n";
        let passed = "..\n2 passed in 0.01s\n";
        let unittest = "Ran 3 tests in 0.001s\n\nFAILED (failures=2)\n";
        let session = "=== test session starts ===\na.py F\n=== 1 failed in 0.03s ===\n";
        let nextest = "Summary [   0.4s] 5 tests run: 3 passed, 2 failed\n";
        for (runners, stdout, stderr, expected) in [
            (&["pytest", "pytest"][..], format!("{pytest}{passed}"), "", [2, 1]),
            (&["pytest", "pytest"], format!("{passed}{pytest}{passed}{passed}"), "", [2, 1]),
            (&["pytest", "pytest"], format!("{session}{passed}"), "", [0, 1]),
            (&["pytest", "pytest"], format!("{passed}{passed}"), "", [2, 0]),
            (&["unittest", "pytest"], passed.to_owned(), unittest, [1, 2]),
            (
                &["unittest", "unittest"],
                String::new(),
                &format!("{unittest}Ran 1 test in 0.1s\n\nOK\n"),
                [1, 2],
            ),
            (
                &["nextest", "nextest"],
                String::new(),
                &format!("Starting 5 tests\n{nextest}Summary [ 0.1s] 1 test run: 1 passed\n"),
                [3, 2],
            ),
            (&["go test", "pytest"], format!("FAIL\tm/a\t0.1s\nFAIL\n{passed}"), "", [0, 1]),
            (
                &["pytest", "cargo test"],
                passed.to_owned(),
                "error: test failed, to rerun pass `--lib`\n",
                [2, 1],
            ),
        ] {
            assert_eq!(counted(runners, &stdout, stderr), Some(expected), "{stdout}{stderr}");
        }
    }

    #[test]
    fn the_last_words_of_a_runner_are_a_failure() {
        let cargo =
            "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n";
        for (runner, stdout, stderr, expected) in [
            ("go test", "ok  \tm/b\t0.002s\nFAIL\n", "", [1, 1]),
            ("go test", "ok  \tm/b\t0.002s\n", "", [1, 0]),
            (
                "go test",
                "=== RUN   TestA\nFAIL\n--- PASS: TestA (0.00s)\nPASS\nok  \tm/b\t0.002s\n",
                "",
                [1, 0],
            ),
            ("cargo test", &format!("{cargo}error: 1 target failed:\n    `--lib`\n"), "", [2, 1]),
            ("cargo test", cargo, "error: 2 targets failed:\n", [2, 1]),
            ("cargo test", cargo, "error: test failed, to rerun pass `--test a`\n", [2, 1]),
            ("cargo test", cargo, "error: doctest failed, to rerun pass `--doc`\n", [2, 1]),
            ("cargo test", cargo, "warning: unused\n", [2, 0]),
            (
                "jest",
                "Test Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed, 3 total\n",
                "",
                [3, 1],
            ),
            ("vitest", " Test Files  1 failed | 1 passed (2)\n      Tests  3 passed (3)\n", "", [3, 1]),
            (
                "vitest",
                " Test Files  1 passed (1)\n      Tests  3 passed (3)\n     Errors  1 error\n",
                "",
                [3, 1],
            ),
            ("TAP", "1..1\nok 1\nResult: FAIL\n", "", [1, 1]),
        ] {
            assert_eq!(counted(&[runner], stdout, stderr), Some(expected), "{stdout}{stderr}");
        }
    }

    #[test]
    fn lengths_of_time() {
        for (text, millis) in [
            ("0.03s", 30),
            ("538ms", 538),
            ("0.413 s, estimated", 413),
            ("2m", 120_000),
            ("1.5 seconds", 1500),
        ] {
            assert_eq!(duration(text), Some(Span(Duration::from_millis(millis))), "{text}");
        }
        for text in ["", "s", "1 fortnight", "1..2s", "99999999999999999999999999999h"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
