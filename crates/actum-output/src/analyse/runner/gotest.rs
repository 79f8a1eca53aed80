//! go test: `--- FAIL: TestAdd (0.00s)` for each test that is told of, then `ok` or `FAIL` with the package.
//!
//! Without `-v` the tests that passed are not told of. Then packages are counted, and the names are still of tests.

use super::{Lines, Tally, duration};
use actum_model::{Counted, Span};
use std::collections::HashSet;

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let verbose = lines.iter().any(|(_, line)| line.starts_with("=== RUN   "));
    let mut tally = Tally::new();
    let mut tests = Vec::new();
    let mut packages: Vec<Package<'_>> = Vec::new();
    let mut first = None;
    for (index, line) in lines.iter() {
        if let Some(test) = Test::read(line) {
            first.get_or_insert(index);
            tests.push(test);
        } else if let Some(package) = Package::read(line) {
            first.get_or_insert(index);
            tally.last = index;
            settle(&package, std::mem::take(&mut tests), &mut tally);
            packages.push(package);
        }
    }
    // A test binary that was started by hand has tests and no package.
    let alone = Package { name: "", verdict: Verdict::Passed, time: None };
    let last_test = tests.len();
    settle(&alone, tests, &mut tally);
    if packages.is_empty() && (last_test == 0 || !verbose) {
        return None;
    }
    tally.first = first?;
    tally.last = tally.last.max(tally.first);
    if !verbose {
        tally.counted = Counted::Packages;
        let number = |verdict| packages.iter().filter(|package| package.verdict == verdict).count() as u64;
        tally.passed = number(Verdict::Passed);
        tally.failed = number(Verdict::Failed);
        tally.skipped = number(Verdict::Skipped);
    }
    Some(tally)
}

/// `FAIL` alone is the last line where any package failed, and stands before `exit status 1` in the output of each that did.
pub(super) fn ends_with_failure(lines: &Lines) -> bool {
    let last = lines.iter().rev().find(|(_, line)| !line.trim().is_empty()).map(|(index, _)| index);
    let is_closing = |index: usize| last == Some(index) || lines.at(index + 1).starts_with("exit status ");
    lines.iter().any(|(index, line)| line == "FAIL" && is_closing(index))
}

/// Counts the tests of a package. One with subtests is not counted itself: its subtests are.
fn settle(package: &Package<'_>, tests: Vec<Test<'_>>, tally: &mut Tally) {
    let parents: HashSet<&str> =
        tests.iter().filter_map(|test| test.name.rsplit_once('/')).map(|(parent, _)| parent).collect();
    let mut failed = 0;
    for test in tests.iter().filter(|test| !parents.contains(test.name)) {
        match test.verdict {
            Verdict::Passed => tally.passed += 1,
            Verdict::Skipped => tally.skipped += 1,
            Verdict::Failed => {
                failed += 1;
                tally.name(test.name);
            }
        }
    }
    // It did not build, or ended before a test could fail.
    if failed == 0 && package.verdict == Verdict::Failed {
        failed = 1;
        tally.name(package.name);
    }
    tally.failed += failed;
    if package.verdict != Verdict::Skipped {
        tally.suites.add(package.name);
    }
    if let Some(time) = package.time {
        tally.duration = Some(Span(tally.duration.unwrap_or_default().0.saturating_add(time.0)));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Skipped,
}

struct Test<'a> {
    name: &'a str,
    verdict: Verdict,
}

impl<'a> Test<'a> {
    /// `--- FAIL: TestTable/two (0.00s)`, indented when it is a subtest.
    fn read(line: &'a str) -> Option<Self> {
        let (verdict, rest) = line.trim_start().strip_prefix("--- ")?.split_once(": ")?;
        let verdict = match verdict {
            "PASS" => Verdict::Passed,
            "FAIL" => Verdict::Failed,
            "SKIP" => Verdict::Skipped,
            _ => return None,
        };
        let (name, _) = rest.rsplit_once(" (").filter(|(_, time)| time.ends_with("s)"))?;
        Some(Self { name, verdict })
    }
}

struct Package<'a> {
    name: &'a str,
    verdict: Verdict,
    time: Option<Span>,
}

impl<'a> Package<'a> {
    /// `ok      example.com/shop/user    0.002s`, `FAIL    example.com/shop/bad [build failed]`.
    fn read(line: &'a str) -> Option<Self> {
        let (word, rest) = line.split_once('\t')?;
        let (name, rest) = rest.split_once(['\t', ' ']).unwrap_or((rest, ""));
        let verdict = match word {
            "ok  " if rest.contains("[no tests to run]") => Verdict::Skipped,
            "ok  " => Verdict::Passed,
            "FAIL" => Verdict::Failed,
            "?   " => Verdict::Skipped,
            _ => return None,
        };
        Some(Self { name, verdict, time: duration(rest) })
    }
}
