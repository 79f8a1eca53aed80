//! Tests: counts that a runner's parser produced, exit 0, no failures, the claimed total.

use super::scope::{Scope, line};
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::stance::pattern;
use actum_commands::command;
use actum_commands::programs::PROGRAMS;
use actum_commands::test_selection::TestSelection;
use actum_model::{Counted, TestCounts, Tests, TestsVerdict, When};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// The note of a finding about tests that is open while the newest run of tests failed.
pub const NEWEST_FAILED: &str = "the newest run of tests failed";
/// The note of a finding about tests that rests on a part of those that failed before.
pub const WIDER_FAILED: &str = "an earlier run of more tests failed, and no run of as many passed since";

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
        part(counts.expected_failures, "failed as expected"),
        part(counts.todo, "still to be written"),
        part(counts.total, "in all"),
        counts.which.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

pub(super) fn counted(tests: &Tests) -> String {
    let noun = match tests.counted {
        Counted::Tests => "",
        Counted::Packages => " packages",
    };
    let other = |count: u64, word: &str| if count > 0 { format!(", {count} {word}") } else { String::new() };
    format!(
        "{} passed{noun}, {} failed, {} skipped{}{}, {} in all ({})",
        tests.passed,
        tests.failed,
        tests.skipped,
        other(tests.expected_failures, "failed as expected"),
        other(tests.todo, "still to be written"),
        tests.total,
        tests.runner
    )
}

/// The piece where the counts stand.
pub(super) fn piece(tests: &Tests) -> String {
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
    let verdict = by_a_runner(by_all(scope, claimed, weigh(scope, claimed))).considered(considered);
    let mut runs = scope.runs.iter().filter(|run| run.tests.is_some() || command::runs_tests(&run.command));
    let failed = |run: &&RunFacts| run.exit != 0 || run.tests.as_ref().is_some_and(|tests| tests.failed > 0);
    let is_open = verdict.status == actum_model::ClaimStatus::Ambiguous && claims_success(claimed);
    let verdict = match runs.next().filter(|run| is_open && failed(run)) {
        Some(_) => verdict.note(NEWEST_FAILED),
        None => verdict,
    };
    // What a run that is named counted stays what it counted.
    let is_named = scope.bound;
    let is_of_then =
        scope.when == When::Before || is_named && verdict.status == actum_model::ClaimStatus::Contradicted;
    if is_of_then { verdict.ageless() } else { verdict }
}

/// A failure among more tests is not undone by a part of them that passes.
fn by_all<'e>(scope: &Scope<'e>, claimed: &TestCounts, verdict: Verdict<'e>) -> Verdict<'e> {
    use actum_model::ClaimStatus::{Ambiguous, Unsupported, Verified};
    let is_count = claimed.passed.is_some() || claimed.total.is_some();
    let is_of_part = claimed.which.as_deref().is_some_and(|which| !PROGRAMS.test_runners.contains(which));
    let means_all =
        claimed.verdict == TestsVerdict::AllPass || claims_success(claimed) && !is_count && !is_of_part;
    if !means_all || !matches!(verdict.status, Verified | Unsupported | Ambiguous) {
        return verdict;
    }
    while_failing(scope, verdict, !is_of_part && !scope.bound)
}

/// Leaves a claim of success open while a run of more tests failed that no run undid. Whatever its words, a claim about the project is
/// held against every such run, and one about a part against those that cover the part.
pub(super) fn while_failing<'e>(scope: &Scope<'e>, verdict: Verdict<'e>, is_project: bool) -> Verdict<'e> {
    let Some(run) = verdict.run.filter(|_| scope.when != When::Before) else { return verdict };
    let Some(failed) = wider_failure(scope, is_project, run) else { return verdict };
    let mut open = verdict;
    open.status = actum_model::ClaimStatus::Ambiguous;
    open.why = format!("`{}` covers more tests than `{}`, and it failed", failed.command, run.command);
    open.notes.retain(|note| note != WIDER_FAILED);
    open.note(WIDER_FAILED)
}

/// The newest failed run before this one that was given every test, while nothing passed that covers as much.
fn wider_failure<'e>(scope: &Scope<'e>, is_project: bool, run: &RunFacts) -> Option<&'e RunFacts> {
    const ENDS_OF_FAILURES: [i32; 3] = [1, 2, 101];
    let is_test = |run: &&RunFacts| run.tests.is_some() || command::runs_tests(&run.command);
    let all: Vec<&RunFacts> = match is_project {
        false => scope.runs.iter().copied().filter(is_test).collect(),
        true => scope.evidence.runs.iter().filter(is_test).collect(),
    };
    let at = all.iter().position(|one| one.run == run.run)?;
    let failed = |run: &RunFacts| match &run.tests {
        Some(tests) => tests.failed > 0,
        None => !run.lost && ENDS_OF_FAILURES.contains(&run.exit),
    };
    let passed = |run: &RunFacts| {
        run.exit == 0 && run.tests.as_ref().is_some_and(|tests| tests.failed == 0 && tests.passed > 0)
    };
    let of: Vec<TestSelection> = all.iter().map(|run| TestSelection::read(&run.recorded())).collect();
    let stands = |earlier: usize| {
        let is_undone = |later: usize| passed(all[later]) && of[later].covers(&of[earlier]);
        failed(all[earlier])
            && of[earlier].is_unfiltered()
            // Without counts a runner may not have been there at all.
            && (of[earlier].covers(&of[at]) || is_project && all[earlier].tests.is_some())
            && !(0..earlier).any(is_undone)
    };
    (at + 1..all.len()).find(|earlier| stands(*earlier)).map(|earlier| all[earlier])
}

/// What a project's own harness printed denies a claim, and verifies none: anybody can print it.
pub(super) fn by_a_runner(mut verdict: Verdict<'_>) -> Verdict<'_> {
    let own =
        verdict.run.filter(|run| run.tests.as_ref().is_some_and(|tests| tests.runner == Tests::OWN_HARNESS));
    if let (actum_model::ClaimStatus::Verified, Some(run)) = (verdict.status, own) {
        verdict.status = actum_model::ClaimStatus::Unsupported;
        verdict.why = format!("`{}` printed so, but no test runner that is known counted it", run.command);
    }
    verdict
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
    // A newer run that has not ended may end otherwise.
    if let Some(run) = about.first().filter(|run| run.lost && run.exit == 0 && claims_success) {
        let why = format!("`{}` was started since, and how it ended is not recorded", run.command);
        return Verdict::of(actum_model::ClaimStatus::Stale, why).on(run, "cmd", run.command.clone());
    }
    // The newest run of tests that ended badly before it could count.
    if let Some(run) = about.first().filter(|run| run.tests.is_none() && run.exit != 0 && claims_success) {
        let why = match run.lost {
            true => "the newest run of tests was cut off, and how it ended is not known".to_owned(),
            false => format!("the newest run of tests ended with {} and counted nothing", run.exit),
        };
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
    if !command::may_run_tests(&newest.command) && newest_tests.runner != Tests::OWN_HARNESS {
        let why = format!(
            "`{}` is no runner of tests that is known: what it printed may come from anywhere",
            newest.command
        );
        return Verdict::unsupported(why).on(newest, &piece(newest_tests), counted(newest_tests));
    }
    let first = against(newest, newest_tests, claimed, scope.text);
    if scope.when == When::Before && with_counts.len() > 1 {
        return earlier(claimed, &with_counts, scope.text);
    }
    if scope.bound || with_counts.len() == 1 {
        return first;
    }
    let found = among((claimed, scope.text), &with_counts, first);
    // A sum of several runners' counts is nobody's count.
    let is_of_one = with_counts.iter().all(|(_, tests)| tests.runner == newest_tests.runner);
    if found.status == actum_model::ClaimStatus::Contradicted && claimed_numbers(claimed) && !is_of_one {
        let why = "several runners counted tests, and none of them so many";
        return Verdict::unsupported(why).on(newest, &piece(newest_tests), counted(newest_tests));
    }
    found
}

/// What is told of an earlier run: one of those before the newest has to say so.
fn earlier<'e>(claimed: &TestCounts, runs: &[(&'e RunFacts, &'e Tests)], text: &str) -> Verdict<'e> {
    let verdicts = || runs[1..].iter().rev().map(|(run, tests)| against(run, tests, claimed, text));
    let is = |status| move |verdict: &Verdict<'e>| verdict.status == status;
    let verified = verdicts().find(is(actum_model::ClaimStatus::Verified));
    // `2 failures before` leaves open how many passed.
    let settled = verified
        .or_else(|| verdicts().find(|verdict| verdict.status != actum_model::ClaimStatus::Contradicted));
    settled
        .or_else(|| verdicts().next())
        .unwrap_or_else(|| Verdict::unsupported("no earlier run is in scope"))
}

/// Several runs of tests: the newest decides, but for a part of the tests that ran after all of them.
fn among<'e>(
    (claimed, text): (&TestCounts, &str),
    runs: &[(&'e RunFacts, &'e Tests)],
    first: Verdict<'e>,
) -> Verdict<'e> {
    let (newest, newest_tests) = runs[0];
    let others = runs[1..].iter().filter(|(run, _)| run.command != newest.command);
    let larger = others.clone().find(|(_, tests)| tests.total > newest_tests.total).copied();
    let is_verified = first.status == actum_model::ClaimStatus::Verified;
    if let (true, Some((_, tests)), TestsVerdict::AllPass | TestsVerdict::Pass) =
        (is_verified, larger, claimed.verdict)
    {
        let says_how_many = claimed.passed.is_some() || claimed.total.is_some();
        if tests.failed > 0 && (!says_how_many || claimed.verdict == TestsVerdict::AllPass) {
            return Verdict::ambiguous(format!(
                "the newest run covers {} tests, an earlier one of {} had {} failures",
                newest_tests.total, tests.total, tests.failed
            ))
            .note(WIDER_FAILED)
            .on(newest, &piece(newest_tests), counted(newest_tests));
        }
    }
    if is_verified {
        return first;
    }
    for (run, tests) in runs.iter().skip(1) {
        let other = against(run, tests, claimed, text);
        let is_again = |(later, _): &&(&RunFacts, &Tests)| later.command == run.command;
        let is_superseded =
            runs.iter().take_while(|(later, _)| later.run != run.run).any(|one| is_again(&one));
        if other.status != actum_model::ClaimStatus::Verified
            || is_superseded && run.command != newest.command
        {
            continue;
        }
        // Counts with their failures are those of one run, whatever else ran.
        if claimed.failed.is_some_and(|failed| failed > 0) && claimed.passed.is_some() && !is_superseded {
            return other;
        }
        if run.command == newest.command {
            let note = format!("equals an earlier run, actum:{}", run.run);
            return first.note(note);
        }
        let later_hold = runs
            .iter()
            .take_while(|(later, _)| later.run != run.run)
            .all(|(later, tests)| later.exit == 0 && tests.failed == 0);
        let is_part = tests.total > newest_tests.total
            || TestSelection::read(&run.recorded()).covers(&TestSelection::read(&newest.recorded()))
                && tests.total == newest_tests.total;
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
    // `5 passed` of a larger run that had failures too: not the whole of it, and not made up.
    let is_half = |verdict: &Verdict<'e>| verdict.status == actum_model::ClaimStatus::Unsupported;
    let is_last = |at: usize| !runs[..at].iter().any(|(later, _)| later.command == runs[at].0.command);
    let others =
        (1..runs.len()).filter(|at| is_last(*at)).map(|at| against(runs[at].0, runs[at].1, claimed, text));
    if let Some(half) = others.into_iter().find(is_half) {
        return half;
    }
    first
}

pub(super) fn claims_success(claimed: &TestCounts) -> bool {
    matches!(claimed.verdict, TestsVerdict::Pass | TestsVerdict::AllPass)
        || claimed.failed == Some(0)
        || (claimed.passed.is_some() && claimed.passed == claimed.total)
}

/// Whether success is said apart from the counts: `the suite passes (1/2)`, and not `1 of 2 tests pass`.
fn states_success(claimed: &TestCounts, text: &str) -> bool {
    static SUCCESS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"\b(?:tests?|specs?|suites?|pytest|jest|vitest|mocha|unittest)\b[^;\d]{0,45}?",
            r"\b(?:pass|passes|passed|passing|green|succeeds?|succeeded|successful|ok)\b"
        ))
    });
    static LIMITS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\b(?:except|apart from|other than|but|most|some|partly|partially|only|not)\b")
    });
    let lower = text.to_lowercase();
    if LIMITS.is_match(lower.as_bytes()) {
        return false;
    }
    let is_bare = |place: regex::bytes::Match<'_>| {
        let before = lower[..place.start()].split_whitespace().rev().take(2);
        before.into_iter().all(|word| !word.contains(|c: char| c.is_ascii_digit()))
    };
    claimed.verdict == TestsVerdict::AllPass
        || claimed.verdict == TestsVerdict::Pass && SUCCESS.find_iter(lower.as_bytes()).any(is_bare)
}

fn claimed_numbers(claimed: &TestCounts) -> bool {
    claimed.passed.is_some() || claimed.total.is_some() || claimed.skipped.is_some()
}

/// One run's counts against the claimed ones. The text says which tests are meant.
pub(super) fn against<'e>(
    run: &'e RunFacts,
    tests: &'e Tests,
    claimed: &TestCounts,
    text: &str,
) -> Verdict<'e> {
    let on = |verdict: Verdict<'e>| verdict.on(run, &piece(tests), counted(tests));
    let mut wrong: Vec<String> = Vec::new();
    let mut hold = |what: &str, told: Option<u64>, seen: u64| {
        if let Some(told) = told.filter(|told| *told != seen) {
            wrong.push(format!("{seen} {what}, not {told}"));
        }
    };
    hold("passed", claimed.passed, tests.passed);
    hold("failed", claimed.failed, tests.failed);
    // Some tell what is still to be written, or is marked to fail, with the skipped.
    let apart = [claimed.skipped, claimed.expected_failures, claimed.todo];
    let sum: u64 = apart.iter().flatten().sum();
    if apart.iter().flatten().count() != 1 || sum != tests.skipped + tests.expected_failures + tests.todo {
        hold("were skipped", claimed.skipped, tests.skipped);
        hold("failed as expected", claimed.expected_failures, tests.expected_failures);
        hold("are still to be written", claimed.todo, tests.todo);
    }
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
    if tells_failures && tests.failed > 0 && states_success(claimed, text) {
        return on(Verdict::contradicted(format!("{} of {} failed", tests.failed, tests.total)));
    }
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
    // Who does not say which tests, or how many, speaks of the project, and of more than what somebody chose.
    let has_all = || TestSelection::read(&run.recorded()).is_all_of(text);
    let is_count = claimed.passed.is_some() || claimed.total.is_some();
    if (claimed.verdict == TestsVerdict::AllPass || !is_count) && !has_all() {
        return on(Verdict::unsupported(format!("`{}` chose some of the tests", run.command)));
    }
    success(tests, claimed, on)
}

fn success<'e>(tests: &Tests, claimed: &TestCounts, on: impl Fn(Verdict<'e>) -> Verdict<'e>) -> Verdict<'e> {
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
    let verdict =
        if tests.runner == Tests::OWN_HARNESS { verdict.note("by no runner that is known") } else { verdict };
    let verdict = if tests.skipped > 0 && claimed.skipped.is_none() {
        verdict.note(format!("{} skipped", tests.skipped))
    } else {
        verdict
    };
    on(verdict)
}

/// Runs of the file, the kind or the runner that the words name.
fn chosen<'e>(runs: Vec<&'e RunFacts>, which: &str) -> Result<Vec<&'e RunFacts>, String> {
    let is_runner = PROGRAMS.test_runners.contains(which);
    let name = which.rsplit('/').next().unwrap_or(which);
    let fits = |run: &&RunFacts| {
        let command = run.command.to_lowercase();
        let suites = run.tests.iter().flat_map(|tests| &tests.suites);
        let only_suite = run.tests.as_ref().is_some_and(|tests| tests.suites.len() == 1);
        match is_runner {
            true => {
                // `npm run test` is `npm test`.
                command.replace(" run ", " ").contains(which)
                    || run.tests.as_ref().is_some_and(|tests| tests.runner.eq_ignore_ascii_case(which))
            }
            false => {
                command.contains(name)
                    || (only_suite && suites.into_iter().any(|suite| suite.to_lowercase().contains(name)))
            }
        }
    };
    let chosen: Vec<&RunFacts> = runs.iter().copied().filter(|run| fits(run)).collect();
    if chosen.is_empty() {
        return Err(format!("no recorded run of tests is one of {which}"));
    }
    Ok(chosen)
}
