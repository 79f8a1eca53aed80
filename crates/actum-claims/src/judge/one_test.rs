//! One test by its name: what the runs that named it say became of it.

use super::scope::Scope;
use super::tests_run::{by_a_runner, counted, piece};
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use actum_commands::command;
use actum_model::{TestOutcome, Tests, When};

/// What a run says about the tests that bear a name.
#[derive(Default)]
pub(super) struct Seen<'e> {
    pub(super) failed: Vec<&'e str>,
    pub(super) passed: Vec<&'e str>,
    skipped: Vec<&'e str>,
    expected: Vec<&'e str>,
}

impl<'e> Seen<'e> {
    pub(super) fn of(run: &'e RunFacts, tests: &'e Tests, name: &str) -> Self {
        fn all<'e>(list: &'e [String], name: &str) -> Vec<&'e str> {
            list.iter().map(String::as_str).filter(|one| bears(one, name)).collect()
        }
        Self {
            failed: all(&tests.failed_names, name),
            passed: all(&run.passed_names, name),
            skipped: all(&run.skipped_names, name),
            expected: all(&run.expected_names, name),
        }
    }

    fn outcomes(&self) -> Vec<(TestOutcome, &'e str)> {
        let lists = [
            (TestOutcome::Failed, &self.failed),
            (TestOutcome::Passed, &self.passed),
            (TestOutcome::Skipped, &self.skipped),
            (TestOutcome::ExpectedFailure, &self.expected),
        ];
        lists.into_iter().filter_map(|(outcome, list)| Some((outcome, *list.first()?))).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.failed.len() + self.passed.len() + self.skipped.len() + self.expected.len()
    }
}

/// Whether a runner's name for a test is the one that was told: the whole of it, its end, or without its parameters.
fn bears(seen: &str, told: &str) -> bool {
    let (seen, told) = (seen.trim().to_lowercase(), told.trim().to_lowercase());
    let ends = |seen: &str| {
        seen == told
            || seen.strip_suffix(&told).is_some_and(|before| before.ends_with(['.', ':', '/', ' ', '>']))
                && !told.contains(' ')
            || seen.strip_suffix(&told).is_some_and(|before| {
                before.trim_end().ends_with(['>', '›', '❯', '»']) && before.ends_with(' ')
            })
    };
    // A class stands within the name.
    let within = [format!("::{told}::"), format!(".{told}."), format!("{told}::")];
    if !told.contains(' ')
        && (within[..2].iter().any(|part| seen.contains(part)) || seen.starts_with(&within[2]))
    {
        return true;
    }
    let bare = seen.split('[').next().unwrap_or(&seen);
    // Before Python 3.11 and with parameters a runner writes more behind the name.
    let first = seen.split(" (").next().unwrap_or(&seen);
    ends(&seen) || (!told.contains('[') && ends(bare)) || ends(first)
}

pub(crate) fn word(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "failed",
        TestOutcome::Skipped => "skipped",
        TestOutcome::ExpectedFailure => "failed as expected",
    }
}

/// One test by its name.
pub(crate) fn test<'e>(scope: &Scope<'e>, name: &str, outcome: TestOutcome) -> Verdict<'e> {
    let verdict = by_a_runner(one_test(scope, name, outcome)).considered(scope.looked_at());
    let mut runs = scope.runs.iter().filter(|run| run.tests.is_some() || command::runs_tests(&run.command));
    let is_open = |run: &&&RunFacts| run.tests.is_none() && (run.lost || run.exit != 0);
    let is_verified = verdict.status == actum_model::ClaimStatus::Verified && outcome == TestOutcome::Passed;
    match runs.next().filter(is_open).filter(|_| is_verified && scope.when != When::Before) {
        Some(run) => {
            let why = format!("since then `{}` did not end well and named no test", run.command);
            Verdict::of(actum_model::ClaimStatus::Stale, why).on(run, "exit", run.exit.to_string())
        }
        None => verdict,
    }
}

fn one_test<'e>(scope: &Scope<'e>, name: &str, outcome: TestOutcome) -> Verdict<'e> {
    if scope.when == When::Before && outcome != TestOutcome::Passed {
        return once(scope, name, outcome).unwrap_or_else(|| unknown(scope, name, outcome));
    }
    let with_counts = scope.runs.iter().filter_map(|run| Some((*run, run.tests.as_ref()?)));
    let mut newer: Vec<(&RunFacts, &Tests)> = Vec::new();
    for (run, tests) in with_counts {
        let seen = Seen::of(run, tests, name);
        let outcomes = seen.outcomes();
        let short = name.rsplit("::").next().unwrap_or(name);
        let is_alone = outcomes.is_empty()
            && tests.total == 1
            && tests.passed == 1
            && run.exit == 0
            && command::words(&run.command).iter().any(|word| bears(word, short));
        if is_alone {
            return of_outcome(run, tests, TestOutcome::Passed, short, outcome);
        }
        if !seen.failed.is_empty()
            && let Some((later, later_tests)) = newer.first().copied()
        {
            return since(run, tests, (later, later_tests), outcome);
        }
        match outcomes.as_slice() {
            // A run that named all of its tests did not run this one.
            [] if named(run, tests) >= tests.total => {}
            [] => newer.push((run, tests)),
            [(became, full)] => return of_outcome(run, tests, *became, full, outcome),
            [..] => {
                let why = "several tests bear this name, and not all of them ended so";
                let observed = format!("{} with this name", seen.count());
                return Verdict::ambiguous(why).on(run, &piece(tests), observed);
            }
        }
    }
    unknown(scope, name, outcome)
}

/// `at first it failed`: any run may be meant, and none denies it.
fn once<'e>(scope: &Scope<'e>, name: &str, outcome: TestOutcome) -> Option<Verdict<'e>> {
    let seen = |run: &'e RunFacts| {
        let tests = run.tests.as_ref()?;
        Some((run, tests, Seen::of(run, tests, name).outcomes()))
    };
    let told: Vec<_> = scope.runs.iter().filter_map(|run| seen(run)).collect();
    let is_it = |(became, _): &&(TestOutcome, &str)| *became == outcome;
    let found =
        told.iter().rev().find_map(|(run, tests, all)| Some((*run, *tests, all.iter().find(is_it)?.1)));
    match found {
        Some((run, tests, full)) => Some(of_outcome(run, tests, outcome, full, outcome).ageless()),
        None if told.iter().any(|(.., all)| !all.is_empty()) => {
            Some(Verdict::unsupported(format!("no earlier run named it among those that {}", word(outcome))))
        }
        None => None,
    }
}

/// How many of its tests a run named.
fn named(run: &RunFacts, tests: &Tests) -> u64 {
    let lists = [&run.passed_names, &run.skipped_names, &run.expected_names, &tests.failed_names];
    lists.iter().map(|list| list.len() as u64).sum()
}

fn of_outcome<'e>(
    run: &'e RunFacts,
    tests: &Tests,
    became: TestOutcome,
    full: &str,
    told: TestOutcome,
) -> Verdict<'e> {
    let why = format!("the runner named it among those that {}", word(became));
    let why = if became == TestOutcome::Skipped { "the runner named it as skipped".to_owned() } else { why };
    let verdict = match (became, told) {
        (became, told) if became == told => Verdict::verified(why),
        // Whoever says that it fails may mean that it is marked so.
        (TestOutcome::ExpectedFailure, TestOutcome::Failed) => Verdict::unsupported(why),
        (_, _) => Verdict::contradicted(why),
    };
    let piece = match became {
        TestOutcome::Failed => format!("test/{full}"),
        TestOutcome::Passed | TestOutcome::Skipped | TestOutcome::ExpectedFailure => piece(tests),
    };
    verdict.on(run, &piece, word(became))
}

/// No runner named it: perhaps it is a file or a module, perhaps no test at all.
fn unknown<'e>(scope: &Scope<'e>, name: &str, outcome: TestOutcome) -> Verdict<'e> {
    let text = scope.text.to_lowercase();
    let speaks_of_tests = ["test", "spec", "suite", "fixture", "::"].iter().any(|word| text.contains(word));
    let is_ticked = !scope.text.starts_with(|c: char| c.is_alphanumeric() || "`\"'(*".contains(c));
    if speaks_of_tests || (outcome == TestOutcome::Passed && !is_ticked) {
        return Verdict::unsupported(format!("no runner named {name} in what it printed"));
    }
    let why = format!("no runner named {name}: it may be no test");
    Verdict::of(actum_model::ClaimStatus::NotJudged, why)
}

/// It failed once, and a newer run does not name it: where that ran the same and nothing failed, it passed.
fn since<'e>(
    run: &RunFacts,
    tests: &Tests,
    (later, later_tests): (&'e RunFacts, &Tests),
    outcome: TestOutcome,
) -> Verdict<'e> {
    let all_pass = later.exit == 0 && later_tests.failed == 0 && later_tests.skipped <= tests.skipped;
    let is_same = later.command == run.command && later_tests.total >= tests.total;
    match (all_pass && is_same, outcome) {
        (true, TestOutcome::Passed) => Verdict::verified(
            "it failed before, and the same tests were run again without a failure",
        )
        .on(later, &piece(later_tests), counted(later_tests)),
        (_, _) => Verdict::unsupported("it failed in an earlier run, and the newest one does not name it"),
    }
}
