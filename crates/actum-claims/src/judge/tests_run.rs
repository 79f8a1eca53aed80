//! Tests: counts that a runner's parser produced, exit 0, no failures, the claimed total.

use super::scope::{Scope, line};
use super::verdict::Verdict;
use crate::command;
use crate::evidence::RunFacts;
use actum_model::{Counted, TestCounts, TestOutcome, Tests, TestsVerdict};

/// What is claimed, in a few words.
pub(crate) fn told(counts: &TestCounts) -> String {
    let part = |value: Option<u64>, word: &str| value.map(|value| format!("{value} {word}"));
    let verdict = match counts.verdict {
        TestsVerdict::Unsaid => None,
        TestsVerdict::Pass => Some("pass".to_owned()),
        TestsVerdict::AllPass => Some("all pass".to_owned()),
        TestsVerdict::Fail => Some("fail".to_owned()),
    };
    let parts = [
        verdict,
        part(counts.passed, "passed"),
        part(counts.failed, "failed"),
        part(counts.skipped, "skipped"),
        part(counts.total, "in all"),
        counts.which.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn counted(tests: &Tests) -> String {
    let noun = match tests.counted {
        Counted::Tests => "",
        Counted::Packages => " packages",
    };
    format!(
        "{} passed{noun}, {} failed, {} skipped, {} in all ({})",
        tests.passed, tests.failed, tests.skipped, tests.total, tests.runner
    )
}

/// The piece where the counts stand.
fn piece(tests: &Tests) -> String {
    format!("{}:L{}-L{}", tests.stream, tests.lines[0], tests.lines[1])
}

pub(crate) fn tests<'e>(scope: &Scope<'e>, claimed: &TestCounts) -> Verdict<'e> {
    let considered = scope
        .runs
        .iter()
        .filter(|run| run.tests.is_some() || command::runs_tests(&run.command))
        .take(10)
        .map(|run| match &run.tests {
            Some(tests) => format!("{}: {}", line(run), counted(tests)),
            None => format!("{}: no counts", line(run)),
        });
    let considered: Vec<String> = considered.collect();
    weigh(scope, claimed).considered(considered)
}

fn weigh<'e>(scope: &Scope<'e>, claimed: &TestCounts) -> Verdict<'e> {
    let about: Vec<&RunFacts> = scope
        .runs
        .iter()
        .copied()
        .filter(|run| run.tests.is_some() || command::runs_tests(&run.command))
        .collect();
    let about: Vec<&RunFacts> = match &claimed.which {
        Some(which) => match chosen(about, which) {
            Ok(runs) => runs,
            Err(why) => return Verdict::unsupported(why),
        },
        None => about,
    };
    let claims_success = claims_success(claimed);
    // The newest run of tests that ended badly before it could count.
    if let Some(run) = about.first().filter(|run| run.tests.is_none() && run.exit != 0 && claims_success) {
        let why = format!("the newest run of tests ended with {} and counted nothing", run.exit);
        return Verdict::contradicted(why).on(run, "exit", run.exit.to_string());
    }
    let with_counts: Vec<(&RunFacts, &Tests)> =
        about.iter().filter_map(|run| Some((*run, run.tests.as_ref()?))).collect();
    let Some((newest, newest_tests)) = with_counts.first().copied() else {
        return Verdict::unsupported(match about.first() {
            Some(run) => {
                format!("`{}` ran, but no runner's counts were found in what it printed", run.command)
            }
            None => "no recorded run of tests is in scope".to_owned(),
        });
    };
    if newest_tests.counted == Counted::Packages && claimed_numbers(claimed) && !scope.says("package") {
        return Verdict::unsupported("the runner told of packages only, not of tests").on(
            newest,
            &piece(newest_tests),
            counted(newest_tests),
        );
    }
    if !command::may_run_tests(&newest.command) {
        let why = format!(
            "`{}` is no runner of tests that is known: what it printed may come from anywhere",
            newest.command
        );
        return Verdict::unsupported(why).on(newest, &piece(newest_tests), counted(newest_tests));
    }
    let first = against(newest, newest_tests, claimed);
    if scope.bound || with_counts.len() == 1 {
        return first;
    }
    among(claimed, &with_counts, first)
}

/// Several runs of tests: the newest decides, but for a part of the tests that ran after all of them.
fn among<'e>(claimed: &TestCounts, runs: &[(&'e RunFacts, &'e Tests)], first: Verdict<'e>) -> Verdict<'e> {
    let (newest, newest_tests) = runs[0];
    let others = runs[1..].iter().filter(|(run, _)| run.command != newest.command);
    let larger = others.clone().find(|(_, tests)| tests.total > newest_tests.total).copied();
    let is_verified = first.status == actum_model::ClaimStatus::Verified;
    if let (true, Some((_, tests)), TestsVerdict::AllPass | TestsVerdict::Pass) =
        (is_verified, larger, claimed.verdict)
    {
        let says_how_many = claimed.passed.is_some() || claimed.total.is_some();
        if tests.failed > 0 && !says_how_many {
            return Verdict::ambiguous(format!(
                "the newest run covers {} tests, an earlier one of {} had {} failures",
                newest_tests.total, tests.total, tests.failed
            ))
            .on(newest, &piece(newest_tests), counted(newest_tests));
        }
    }
    if is_verified {
        return first;
    }
    for (run, tests) in runs.iter().skip(1) {
        let other = against(run, tests, claimed);
        if other.status != actum_model::ClaimStatus::Verified {
            continue;
        }
        if run.command == newest.command {
            let note = format!("equals an earlier run, actum:{}", run.run);
            return first.note(note);
        }
        let later_hold = runs
            .iter()
            .take_while(|(later, _)| later.run != run.run)
            .all(|(later, tests)| later.exit == 0 && tests.failed == 0);
        let is_part = tests.total > newest_tests.total;
        if later_hold && is_part {
            return other.note(format!(
                "later, {} of the tests ran again and passed (`{}`)",
                newest_tests.total, newest.command
            ));
        }
        return Verdict::ambiguous(format!(
            "`{}` says so, and the newer `{}` says otherwise",
            run.command, newest.command
        ))
        .on(run, &piece(tests), counted(tests));
    }
    first
}

fn claims_success(claimed: &TestCounts) -> bool {
    matches!(claimed.verdict, TestsVerdict::Pass | TestsVerdict::AllPass)
        || claimed.failed == Some(0)
        || (claimed.passed.is_some() && claimed.passed == claimed.total)
}

fn claimed_numbers(claimed: &TestCounts) -> bool {
    claimed.passed.is_some() || claimed.total.is_some() || claimed.skipped.is_some()
}

/// One run's counts against the claimed ones.
fn against<'e>(run: &'e RunFacts, tests: &'e Tests, claimed: &TestCounts) -> Verdict<'e> {
    let on = |verdict: Verdict<'e>| verdict.on(run, &piece(tests), counted(tests));
    let mut wrong: Vec<String> = Vec::new();
    let mut hold = |what: &str, told: Option<u64>, seen: u64| {
        if let Some(told) = told.filter(|told| *told != seen) {
            wrong.push(format!("{seen} {what}, not {told}"));
        }
    };
    hold("passed", claimed.passed, tests.passed);
    hold("failed", claimed.failed, tests.failed);
    hold("were skipped", claimed.skipped, tests.skipped);
    // Who tells the skipped apart may leave them out of the sum.
    let told_apart =
        claimed.skipped.is_some() && claimed.total == Some(tests.total - tests.skipped.min(tests.total));
    if !told_apart {
        hold("ran in all", claimed.total, tests.total);
    }
    if !wrong.is_empty() {
        return on(Verdict::contradicted(format!("the runner counted otherwise: {}", wrong.join("; "))));
    }
    if claimed.verdict == TestsVerdict::Fail {
        return on(match tests.failed {
            0 if run.exit == 0 => Verdict::contradicted("the runner counted no failure"),
            0 => Verdict::unsupported("the runner counted no failure, yet it did not end with 0"),
            _ => Verdict::verified("the runner counted failures"),
        });
    }
    // Counts with their failures told are true of a run that failed.
    let tells_failures = claimed.failed.is_some_and(|failed| failed > 0)
        || claimed.total.is_some_and(|total| claimed.passed.is_some_and(|passed| passed < total));
    if tells_failures {
        return on(Verdict::verified("the runner counted the same"));
    }
    let only_total =
        claimed.verdict == TestsVerdict::Unsaid && claimed.passed.is_none() && claimed.failed.is_none();
    if only_total {
        return on(Verdict::verified("the runner counted as many"));
    }
    if tests.failed > 0 {
        let why = format!("{} of {} failed", tests.failed, tests.total);
        // `10 passed` is true of 10 passed and 2 failed, and still not the whole of it.
        let is_count =
            claimed.verdict != TestsVerdict::AllPass && claimed.passed.is_some() && claimed.total.is_none();
        return on(if is_count {
            Verdict::unsupported(format!("the count agrees, but {why}"))
        } else {
            Verdict::contradicted(why)
        });
    }
    if run.exit != 0 {
        return on(Verdict::unsupported(format!("no test failed, but the run ended with {}", run.exit)));
    }
    if tests.total == 0 || tests.passed == 0 {
        return on(Verdict::contradicted("no test passed: none ran, or all were skipped"));
    }
    success(run, tests, claimed, on)
}

fn success<'e>(
    run: &'e RunFacts,
    tests: &Tests,
    claimed: &TestCounts,
    on: impl Fn(Verdict<'e>) -> Verdict<'e>,
) -> Verdict<'e> {
    let says_how_many = claimed.passed.is_some() || claimed.total.is_some();
    if claimed.verdict == TestsVerdict::AllPass && !says_how_many && command::selects_tests(&run.command) {
        return on(Verdict::unsupported(format!("`{}` chose some of the tests", run.command)));
    }
    // `all 12 pass` says that there are 12.
    let all =
        claimed.verdict == TestsVerdict::AllPass && claimed.total.is_none() && claimed.skipped.is_none();
    if let Some(passed) = claimed.passed.filter(|passed| all && *passed != tests.total) {
        return on(Verdict::contradicted(format!(
            "{passed} passed, but there are {}: {} were skipped",
            tests.total, tests.skipped
        )));
    }
    let verdict = Verdict::verified(format!("{} counted it, and the run ended with 0", tests.runner));
    let verdict = if tests.skipped > 0 && claimed.skipped.is_none() {
        verdict.note(format!("{} skipped", tests.skipped))
    } else {
        verdict
    };
    on(verdict)
}

/// Runs of the file, the kind or the runner that the words name.
fn chosen<'e>(runs: Vec<&'e RunFacts>, which: &str) -> Result<Vec<&'e RunFacts>, String> {
    let is_runner = [
        "pytest",
        "unittest",
        "jest",
        "vitest",
        "mocha",
        "rspec",
        "phpunit",
        "nextest",
        "cargo test",
        "go test",
        "minitest",
    ]
    .contains(&which);
    let name = which.rsplit('/').next().unwrap_or(which);
    let fits = |run: &&RunFacts| {
        let command = run.command.to_lowercase();
        let suites = run.tests.iter().flat_map(|tests| &tests.suites);
        let only_suite = run.tests.as_ref().is_some_and(|tests| tests.suites.len() == 1);
        match is_runner {
            true => {
                command.contains(which)
                    || run.tests.as_ref().is_some_and(|tests| tests.runner.eq_ignore_ascii_case(which))
            }
            false => {
                command.contains(name)
                    || (only_suite && suites.into_iter().any(|suite| suite.to_lowercase().contains(name)))
            }
        }
    };
    let chosen: Vec<&RunFacts> = runs.into_iter().filter(fits).collect();
    if chosen.is_empty() {
        return Err(format!("no recorded run of tests is one of {which}"));
    }
    Ok(chosen)
}

/// One test by its name.
pub(crate) fn test<'e>(scope: &Scope<'e>, name: &str, outcome: TestOutcome) -> Verdict<'e> {
    let short = name.rsplit("::").next().unwrap_or(name);
    let is_it = |one: &String| {
        one == name
            || one.ends_with(&format!("::{short}"))
            || one == short
            || one.rsplit(['.', ' ', ':', '/']).next() == Some(short)
            || one.split(' ').next() == Some(short)
    };
    let with_counts = scope.runs.iter().filter_map(|run| Some((*run, run.tests.as_ref()?)));
    let mut newer: Vec<(&RunFacts, &Tests)> = Vec::new();
    for (run, tests) in with_counts {
        let failed = tests.failed_names.iter().find(|one| is_it(one));
        let passed = run.passed_names.iter().find(|one| is_it(one));
        if let (Some(_), Some((later, later_tests))) = (failed, newer.first().copied()) {
            return since(run, tests, (later, later_tests), outcome).considered(scope.looked_at());
        }
        if let Some(full) = failed {
            let verdict = match outcome {
                TestOutcome::Failed => Verdict::verified("the runner named it among the failed"),
                TestOutcome::Passed => Verdict::contradicted("the runner named it among the failed"),
            };
            return verdict.on(run, &format!("test/{full}"), "failed").considered(scope.looked_at());
        }
        let alone = tests.total == 1 && tests.passed == 1 && run.exit == 0 && run.command.contains(short);
        if passed.is_some() || alone {
            let verdict = match outcome {
                TestOutcome::Passed => Verdict::verified("the runner named it among the passed"),
                TestOutcome::Failed => Verdict::contradicted("the runner named it among the passed"),
            };
            return verdict.on(run, &piece(tests), "passed").considered(scope.looked_at());
        }
        newer.push((run, tests));
    }
    Verdict::unsupported(format!("no runner named {name} in what it printed")).considered(scope.looked_at())
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
