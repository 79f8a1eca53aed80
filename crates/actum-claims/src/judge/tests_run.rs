//! Tests: counts that a runner's parser produced, exit 0, no failures, the claimed total.

use super::scope::{Scope, line};
use super::verdict::Verdict;
use crate::command;
use crate::evidence::RunFacts;
use actum_model::{Counted, TestCounts, TestOutcome, Tests, TestsVerdict, When};

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

fn counted(tests: &Tests) -> String {
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
    let verdict = weigh(scope, claimed).considered(considered);
    // What a run that is named counted stays what it counted.
    let is_named = scope.bound || leads(claimed, scope.text);
    let is_of_then =
        scope.when == When::Before || is_named && verdict.status == actum_model::ClaimStatus::Contradicted;
    if is_of_then { verdict.ageless() } else { verdict }
}

/// `cargo test -> 6 passed; 0 failed`: a runner and what it printed, as a label.
fn leads(claimed: &TestCounts, text: &str) -> bool {
    let lower = text.to_lowercase();
    let rest = claimed.which.as_deref().and_then(|which| lower.strip_prefix(which));
    let is_label = rest.is_some_and(|rest| rest.starts_with(':') || rest.trim_start().starts_with("->"));
    is_label && claimed.passed.is_some() && claimed.failed.is_some()
}

fn weigh<'e>(scope: &Scope<'e>, claimed: &TestCounts) -> Verdict<'e> {
    let about: Vec<&RunFacts> = scope
        .runs
        .iter()
        .copied()
        .filter(|run| run.tests.is_some() || command::runs_tests(&run.command))
        .collect();
    if let Some(verdict) = claimed.which.as_deref().and_then(|name| so_many(scope, name, claimed)) {
        return verdict;
    }
    let about: Vec<&RunFacts> = match &claimed.which {
        Some(which) => match chosen(elsewhere(scope, about, which), which) {
            Ok(runs) => runs,
            Err(why) => return Verdict::unsupported(why),
        },
        None if scope.bound => about,
        None => of_module(about, scope.text),
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
    if scope.when == When::Before && with_counts.len() > 1 {
        return earlier(claimed, &with_counts);
    }
    if scope.bound || with_counts.len() == 1 {
        return first;
    }
    among(claimed, &with_counts, first)
}

/// `the cron tests`: runs of the file or module that is called so, where every newer run names one of its own.
fn of_module<'e>(about: Vec<&'e RunFacts>, text: &str) -> Vec<&'e RunFacts> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let said =
        words.windows(2).filter(|pair| ["tests", "specs", "suite"].contains(&pair[1])).map(|pair| pair[0]);
    let said: Vec<&str> = said.filter(|word| word.len() > 2).collect();
    let modules = |run: &RunFacts| -> Vec<String> {
        command::words(&run.command.to_lowercase()).iter().filter_map(|word| module(word)).collect()
    };
    let newer = about.iter().take_while(|run| !modules(run).is_empty());
    let mut of_it = newer.filter(|run| modules(run).iter().any(|one| said.contains(&one.as_str())));
    match of_it.next() {
        Some(run) => vec![*run],
        None => about,
    }
}

/// What a file or a module of tests is called after: `cron` of `tests/test_cron.py`, `cart` of `cart.test.js`.
fn module(word: &str) -> Option<String> {
    let file = word.rsplit('/').next().unwrap_or(word);
    let stem = file.split('.').next().unwrap_or(file);
    let named = stem.strip_prefix("test_").or_else(|| stem.strip_suffix("_test")).or_else(|| {
        let rest = file.strip_prefix(stem)?;
        (rest.starts_with(".test.") || rest.starts_with(".spec.")).then_some(stem)
    })?;
    (!named.is_empty() && !word.contains("::")).then(|| named.to_owned())
}

/// What is told of an earlier run: one of those before the newest has to say so.
fn earlier<'e>(claimed: &TestCounts, runs: &[(&'e RunFacts, &'e Tests)]) -> Verdict<'e> {
    let verdicts = || runs[1..].iter().rev().map(|(run, tests)| against(run, tests, claimed));
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
    // `5 passed` of a larger run that had failures too: not the whole of it, and not made up.
    let is_half = |verdict: &Verdict<'e>| verdict.status == actum_model::ClaimStatus::Unsupported;
    let is_last = |at: usize| !runs[..at].iter().any(|(later, _)| later.command == runs[at].0.command);
    let others = (1..runs.len()).filter(|at| is_last(*at)).map(|at| against(runs[at].0, runs[at].1, claimed));
    others.into_iter().find(is_half).unwrap_or(first)
}

/// `all 4 test_parse cases`: how many tests bear a name.
fn so_many<'e>(scope: &Scope<'e>, name: &str, claimed: &TestCounts) -> Option<Verdict<'e>> {
    let told = claimed.total.filter(|_| claimed.passed.is_none() && claimed.failed.is_none())?;
    let with_counts = scope.runs.iter().filter_map(|run| Some((*run, run.tests.as_ref()?)));
    let mut seen = with_counts.map(|(run, tests)| (run, tests, Seen::of(run, tests, name)));
    let (run, tests, seen) = seen.find(|(_, _, seen)| seen.count() > 0)?;
    let (count, failed) = (seen.count() as u64, seen.failed.len());
    let why = format!("the runner named {count} tests of this name, and {failed} of them failed");
    let holds = match claimed.verdict {
        TestsVerdict::Pass | TestsVerdict::AllPass => seen.passed.len() as u64 == told,
        TestsVerdict::Fail => failed as u64 == told,
        TestsVerdict::Unsaid => true,
    };
    let verdict = match (count == told, holds) {
        (true, true) => Verdict::verified(why),
        (false, true) => Verdict::unsupported(why),
        (_, false) => Verdict::contradicted(why),
    };
    Some(verdict.on(run, &piece(tests), count.to_string()))
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

/// A sentence may name two suites, and be bound to the other one: then this one is looked for among all runs.
fn elsewhere<'e>(scope: &Scope<'e>, runs: Vec<&'e RunFacts>, which: &str) -> Vec<&'e RunFacts> {
    let name = which.rsplit('/').next().unwrap_or(which);
    let has = |run: &&RunFacts| run.tests.is_some() && run.command.to_lowercase().contains(name);
    if runs.iter().any(has) || !name.contains("test") {
        return runs;
    }
    let others: Vec<&RunFacts> = scope.evidence.runs.iter().filter(has).collect();
    if others.is_empty() { runs } else { others }
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
    let chosen: Vec<&RunFacts> = runs.iter().copied().filter(|run| fits(run)).collect();
    // A name like `test_login` may be that of a test: then it chooses no run.
    if chosen.is_empty() && which.starts_with("test_") && !which.contains('.') {
        return Ok(runs);
    }
    if chosen.is_empty() {
        return Err(format!("no recorded run of tests is one of {which}"));
    }
    Ok(chosen)
}

/// What a run says about the tests that bear a name.
#[derive(Default)]
struct Seen<'e> {
    failed: Vec<&'e str>,
    passed: Vec<&'e str>,
    skipped: Vec<&'e str>,
    expected: Vec<&'e str>,
}

impl<'e> Seen<'e> {
    fn of(run: &'e RunFacts, tests: &'e Tests, name: &str) -> Self {
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

    fn count(&self) -> usize {
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
            || seen.strip_suffix(&told).is_some_and(|before| before.ends_with("> "))
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
    one_test(scope, name, outcome).considered(scope.looked_at())
}

fn one_test<'e>(scope: &Scope<'e>, name: &str, outcome: TestOutcome) -> Verdict<'e> {
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
            [(became, full), ..] => return among_several(run, tests, &seen, (*became, full), outcome),
        }
    }
    unknown(scope, name, outcome)
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

/// Several tests bear the name: with other parameters, or in other files.
fn among_several<'e>(
    run: &'e RunFacts,
    tests: &Tests,
    seen: &Seen<'e>,
    (became, full): (TestOutcome, &str),
    told: TestOutcome,
) -> Verdict<'e> {
    let base = |name: &str| name.split('[').next().unwrap_or(name).to_owned();
    let lists = [&seen.failed, &seen.passed, &seen.skipped, &seen.expected];
    let is_one = lists.iter().flat_map(|list| list.iter()).all(|one| base(one) == base(full));
    match (is_one, became, told) {
        // With some of its parameters it fails: then it fails.
        (true, TestOutcome::Failed, TestOutcome::Failed | TestOutcome::Passed) => {
            of_outcome(run, tests, became, full, told)
        }
        (_, _, _) => Verdict::ambiguous("several tests bear this name, and not all of them ended so").on(
            run,
            &piece(tests),
            format!("{} with this name", seen.count()),
        ),
    }
}

/// No runner named it: perhaps it is a file or a module, perhaps no test at all.
fn unknown<'e>(scope: &Scope<'e>, name: &str, outcome: TestOutcome) -> Verdict<'e> {
    let is_part = |run: &&&RunFacts| {
        let is_it = |word: &String| {
            let file = word.rsplit('/').next().unwrap_or(word);
            file == name || file.split('.').any(|part| part == name)
        };
        run.tests.is_some() && command::words(&run.command).iter().any(is_it)
    };
    let module = scope.runs.iter().find(is_part).and_then(|run| Some((*run, run.tests.as_ref()?)));
    if let Some((run, tests)) = module.filter(|_| !name.contains(' ')) {
        let verdict = match outcome {
            TestOutcome::Passed => TestsVerdict::Pass,
            TestOutcome::Failed => TestsVerdict::Fail,
            TestOutcome::Skipped | TestOutcome::ExpectedFailure => TestsVerdict::Unsaid,
        };
        return against(run, tests, &TestCounts { verdict, ..TestCounts::default() });
    }
    let text = scope.text.to_lowercase();
    let speaks_of_tests = ["test", "spec", "suite", "fixture", "::"].iter().any(|word| text.contains(word));
    let is_ticked = !scope.text.starts_with(|c: char| c.is_alphanumeric() || "`\"'(*".contains(c));
    if speaks_of_tests || (outcome == TestOutcome::Passed && !is_ticked) {
        return Verdict::unsupported(format!("no runner named {name} in what it printed"));
    }
    let why = format!("no runner named {name}: it may be no test");
    Verdict::of(actum_model::ClaimStatus::Unverifiable, why)
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
