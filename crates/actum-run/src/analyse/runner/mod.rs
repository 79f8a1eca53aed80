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
use actum_model::{Counted, Span, Stream, Tests};
use std::time::Duration;

/// 20: names of suites beyond these say only that there are many.
const MOST_SUITES: usize = 20;

type Count = fn(&Lines) -> Option<Tally>;

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

/// The tests that an output tells about.
pub(super) fn count(texts: [&Text; 2], [stdout, stderr]: [&Lines; 2]) -> Option<Tests> {
    for (runner, count) in RUNNERS {
        for (lines, other) in [(stdout, stderr), (stderr, stdout)] {
            let Some(mut tally) = count(lines) else { continue };
            if *runner == "vitest" {
                vitest::name_failed(other, &mut tally);
            }
            return Some(tally.settle(runner, lines));
        }
    }
    let streams = [Stream::Stdout, Stream::Stderr];
    streams.into_iter().zip(texts).find_map(|(stream, text)| junit::of_stream(stream, text))
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
