//! Evidence that an agent made up, or narrowed until it agreed: none of it verifies a claim.

use actum_claims::{Evidence, PrintedLine, RunFacts, check};
use actum_model::{ClaimStatus, Counted, Metric, MetricSource, Stream, Tests, Witness};

/// Runs, newest first.
fn evidence(runs: Vec<RunFacts>) -> Evidence {
    let name = |(at, run): (usize, RunFacts)| RunFacts {
        run: format!("0199aa00-0000-7000-8000-{:012}", at + 1),
        ..run
    };
    Evidence { runs: runs.into_iter().enumerate().map(name).collect(), ..Evidence::default() }
}

fn ran(command: &str, exit: i32) -> RunFacts {
    RunFacts { command: command.to_owned(), exit, ..RunFacts::default() }
}

fn reported(run: RunFacts) -> RunFacts {
    RunFacts { witness: Witness::Observed, ..run }
}

fn printed(run: RunFacts, text: &str) -> RunFacts {
    let line = |(at, text): (usize, &str)| PrintedLine {
        stream: "stdout".to_owned(),
        number: at as u64 + 1,
        text: text.to_owned(),
    };
    RunFacts { printed: text.lines().enumerate().map(line).collect(), ..run }
}

/// A run of tests with its counts of passed and failed ones.
fn tested(command: &str, passed: u64, failed: u64) -> RunFacts {
    let tests = Tests {
        runner: runner(command).to_owned(),
        counted: Counted::Tests,
        passed,
        failed,
        skipped: 0,
        expected_failures: 0,
        todo: 0,
        total: passed + failed,
        duration: None,
        failed_names: Vec::new(),
        failed_names_left_out: 0,
        suites: Vec::new(),
        stream: Stream::Stdout,
        lines: [1, 2],
    };
    RunFacts { tests: Some(tests), ..ran(command, i32::from(failed > 0)) }
}

fn runner(command: &str) -> &str {
    ["pytest", "unittest", "cargo test", "go test"]
        .into_iter()
        .find(|name| command.contains(name))
        .unwrap_or("jest")
}

#[track_caller]
fn assert_status(runs: &[RunFacts], claim: &str, expected: ClaimStatus) {
    let found = check(claim, &evidence(runs.to_vec()));
    let commands: Vec<&str> = runs.iter().map(|run| run.command.as_str()).collect();
    assert_eq!(found.status, expected, "{claim} {commands:?}: {found:?}");
}

#[test]
fn a_run_that_only_the_agent_reported_verifies_nothing() {
    let accuracy = printed(ran("python train.py", 0), "accuracy: 0.97");
    let metric = Metric {
        name: "accuracy".to_owned(),
        value: 0.97,
        literal: "0.97".to_owned(),
        step: None,
        source: MetricSource::Text(Stream::Stdout),
        line: 1,
    };
    let with_metric = RunFacts { metrics: vec![metric], ..accuracy };
    for (run, claim) in [
        (with_metric, "The accuracy is 0.97."),
        (ran("./deploy.sh --prod", 0), "I ran `./deploy.sh --prod` and it succeeded."),
        (ran("./deploy.sh --prod", 3), "`./deploy.sh --prod` exited with code 3."),
        (ran("ruff check .", 0), "`ruff check .` is clean."),
        (ran("mypy src", 0), "`mypy src` reports no errors."),
        (tested("pytest -q", 12, 0), "All 12 tests pass."),
    ] {
        assert_status(std::slice::from_ref(&run), claim, ClaimStatus::Verified);
        assert_status(&[reported(run.clone())], claim, ClaimStatus::Unsupported);
        // Another run of the same that Actum executed verifies it.
        assert_status(&[reported(run.clone()), run], claim, ClaimStatus::Verified);
    }
}

#[test]
fn a_reported_run_still_contradicts_and_undoes_no_failure() {
    assert_status(
        &[reported(ran("mypy src", 1))],
        "`mypy src` reports no errors.",
        ClaimStatus::Contradicted,
    );
    assert_status(&[reported(tested("pytest", 10, 2))], "All tests pass.", ClaimStatus::Contradicted);
    let claim = "All 12 tests pass.";
    assert_status(
        &[reported(tested("pytest", 12, 0)), tested("pytest", 10, 2)],
        claim,
        ClaimStatus::Contradicted,
    );
}

/// However the report is read, what Actum saw stays.
#[test]
fn a_report_makes_no_verdict_better() {
    let failed = tested("pytest -q", 0, 1);
    let harness = printed(ran("pytest -q", 0), "1 passed in 0.12s").with_own_counts();
    for report in
        [reported(tested("pytest -q", 1, 0)), reported(harness), reported(tested("make test", 9, 0))]
    {
        for claim in ["All tests pass.", "The tests pass.", "No tests fail."] {
            assert_status(&[report.clone(), failed.clone()], claim, ClaimStatus::Contradicted);
        }
    }
    let clean = [reported(ran("ruff check .", 0)), ran("ruff check .", 1)];
    assert_status(&clean, "Ruff is clean.", ClaimStatus::Contradicted);
}

fn within(folder: &str, run: RunFacts) -> RunFacts {
    RunFacts { folder: folder.to_owned(), ..run }
}

#[test]
fn a_part_of_the_tests_is_not_all_of_them() {
    for (command, passed) in [
        ("python3 -m unittest test_a.T.test_b", 1),
        ("python3 -m unittest test_a.T.test_b test_a.T.test_b", 2),
        ("pytest test_z.py", 2),
        ("pytest --ignore-glob='*_a.py'", 2),
        ("pytest -k good", 2),
        ("pytest --lf", 2),
        ("pytest --option-of-a-plugin", 2),
    ] {
        for claim in ["All tests pass.".to_owned(), format!("All {passed} tests pass.")] {
            assert_status(&[tested(command, passed, 0)], &claim, ClaimStatus::Unsupported);
            let runner = if command.contains("unittest") { "python3 -m unittest" } else { "pytest" };
            let runs = [tested(command, passed, 0), tested(runner, 2, 1)];
            assert_status(&runs, &claim, ClaimStatus::Ambiguous);
        }
    }
    // What was chosen is named.
    let chosen = tested("pytest tests/test_cron.py", 2, 0);
    assert_status(&[chosen], "All 2 tests in `tests/test_cron.py` pass.", ClaimStatus::Verified);
}

#[test]
fn tests_of_another_folder_undo_no_failure() {
    let failed = within("/w", tested("python3 -m unittest", 1, 1));
    let good = [
        within("/w", tested("cd good && python3 -m unittest", 2, 0)),
        within("/w", tested("python3 -m unittest discover -s good", 2, 0)),
        within("/w/good", tested("python3 -m unittest", 2, 0)),
        within("/w/good", tested("python3 -m unittest -v", 2, 0)),
        within("/w", tested("sh -c 'cd good; python3 -m unittest'", 2, 0)),
    ];
    for run in good {
        let bound = "`python3 -m unittest`: all tests pass.";
        let found = check(bound, &evidence(vec![run.clone(), failed.clone()]));
        assert_ne!(found.status, ClaimStatus::Verified, "{}: {found:?}", run.command);
        for claim in ["All tests pass.", "All 2 tests pass."] {
            assert_status(&[run.clone(), failed.clone()], claim, ClaimStatus::Ambiguous);
            let again = within("/w", tested("python3 -m unittest", 2, 0));
            assert_status(&[again, run.clone(), failed.clone()], claim, ClaimStatus::Verified);
        }
        // Where it started is the project, where nothing else is known.
        let is_whole = run.folder == "/w/good";
        let expected = if is_whole { ClaimStatus::Verified } else { ClaimStatus::Unsupported };
        assert_status(&[run], "All 2 tests pass.", expected);
    }
    // The folder that is named is another one than that of the failure.
    let runs = [within("/w/web", tested("pytest", 2, 0)), within("/w/api", tested("pytest", 1, 1))];
    assert_status(&runs[..1], "All 2 tests pass.", ClaimStatus::Verified);
}

/// Every wording of success, after a failure of all tests.
const SUCCESS: [&str; 10] = [
    "All tests pass.",
    "The tests pass.",
    "The test suite passes.",
    "pytest passes.",
    "No tests fail.",
    "0 tests failed.",
    "The whole test suite passed with 0 failures.",
    "I ran the full test suite without failures.",
    "I ran the tests and they passed.",
    "The full suite is green.",
];

#[test]
fn a_failure_of_all_tests_outlives_fewer_tests_by_any_runner() {
    let failed = within("/w", tested("pytest -q", 1, 1));
    let echoed = printed(tested("make test", 1, 0), "pytest -q -k ok\n1 passed, 1 deselected in 0.01s");
    let scripted = printed(tested("npm test", 1, 0), "> x@1.0.0 test\n> pytest -q -k ok\n1 passed");
    let deselected = printed(tested("pytest -q", 1, 0), "1 passed, 1 deselected in 0.01s");
    for run in [
        tested("pytest -q -k ok", 1, 0),
        tested("cd sub; pytest -q", 1, 0),
        tested("python3 -m unittest", 1, 0),
        tested("python3 -m unittest", 3, 0),
        echoed,
        scripted,
        deselected,
    ] {
        let runs = vec![within("/w", run.clone()), failed.clone()];
        for claim in SUCCESS {
            let found = check(claim, &evidence(runs.clone()));
            let sends_back = found.findings.iter().any(|finding| {
                let is_noted = finding.notes.iter().any(|note| {
                    [actum_claims::WIDER_FAILED, actum_claims::NEWEST_FAILED].contains(&note.as_str())
                });
                is_noted || finding.status == ClaimStatus::Contradicted
            });
            assert!(sends_back, "{claim} {}: {found:?}", run.command);
        }
    }
    // A run of as many undoes it.
    let runs = vec![within("/w", tested("pytest -q", 2, 0)), failed];
    for claim in SUCCESS {
        assert_eq!(check(claim, &evidence(runs.clone())).status, ClaimStatus::Verified, "{claim}");
    }
}

#[test]
fn tests_of_a_project_inside_the_project_are_not_all_of_them() {
    let nested = RunFacts { is_nested: true, ..within("/w/sub", tested("pytest -q", 1, 0)) };
    assert_status(std::slice::from_ref(&nested), "All tests pass.", ClaimStatus::Unsupported);
    assert_status(
        &[nested, within("/w", tested("pytest -q", 0, 1))],
        "All tests pass.",
        ClaimStatus::Ambiguous,
    );
}

#[test]
fn no_success_is_verified_while_a_record_is_removed() {
    let mut world = evidence(vec![tested("python3 -m unittest", 1, 0), ran("ruff check .", 0)]);
    let claims = ["All tests pass.", "I ran the tests and they passed.", "Ruff is clean.", "No tests fail."];
    for claim in claims {
        assert_eq!(check(claim, &world).status, ClaimStatus::Verified, "{claim}");
    }
    world.removed.push("0199aa00-0000-7000-8000-00000000000f".to_owned());
    for claim in claims {
        assert_eq!(check(claim, &world).status, ClaimStatus::Unsupported, "{claim}");
    }
}

#[test]
fn success_without_a_named_part_is_that_of_the_project() {
    let beside = |command: &str| {
        let inputs = ["tests/test_a.py", "test_bad.py"].map(|path| (path.to_owned(), String::new()));
        RunFacts { inputs: inputs.into(), ..within("/w", tested(command, 1, 0)) }
    };
    for run in [
        tested("pytest -q -k ok", 1, 0),
        tested("make -s test", 1, 0),
        beside("pytest -q tests"),
        ran("pytest --version", 0),
        ran("pytest --co", 0),
    ] {
        let more = ["I ran the tests.", "I ran the full test suite.", "`pytest` exits with 0."];
        for claim in SUCCESS.into_iter().chain(more) {
            let found = check(claim, &evidence(vec![run.clone()]));
            let verifies = found.findings.iter().any(|finding| finding.status == ClaimStatus::Verified);
            assert!(!verifies, "{claim} {}: {found:?}", run.command);
        }
    }
    // What was chosen is named, or counted.
    let chosen = [tested("pytest -q -k ok", 1, 0)];
    assert_status(&chosen, "`pytest -q -k ok` exits with 0.", ClaimStatus::Verified);
    assert_status(&chosen, "1 passed, 0 failed.", ClaimStatus::Verified);
}

#[test]
fn success_with_its_own_failures_is_contradicted() {
    let runs = [tested("pytest -q", 1, 1)];
    for claim in [
        "The test suite passes (1/2).",
        "All tests pass with 1 failed.",
        "All tests pass (1 passed, 1 failed).",
        "Tests are green: 1 of 2 passed.",
    ] {
        assert_status(&runs, claim, ClaimStatus::Contradicted);
    }
    for claim in ["1 of 2 tests pass.", "1 test passed and 1 failed.", "1 failed, 1 passed."] {
        assert_status(&runs, claim, ClaimStatus::Verified);
    }
}

#[test]
fn a_file_that_is_called_like_a_tool_is_not_the_tool() {
    for (command, claim) in [
        ("./mypy src", "`mypy src` reports no errors."),
        ("./mypy src", "mypy is clean."),
        ("tools/mypy src", "`mypy src` reports no errors."),
        ("bash mypy src", "`mypy src` reports no errors."),
        ("python3 mypy src", "`mypy src` reports no errors."),
        ("bin/ruff check .", "Ruff is clean."),
        ("fake/venv2/bin/ruff check .", "Ruff is clean."),
        ("true ruff check .", "Ruff is clean."),
        ("npx ./eslint .", "ESLint is clean."),
        ("ruff check mypy", "`mypy` reports no errors."),
        ("printf -v PATH fake; mypy src", "`mypy src` reports no errors."),
        ("export BASH_ENV=f.sh; bash -c \"mypy src\"", "`mypy src` reports no errors."),
        ("MYPYPATH=fake mypy src", "`mypy src` reports no errors."),
        ("read PATH < f; ruff check .", "Ruff is clean."),
        ("./cargo build", "The build succeeded."),
    ] {
        assert_status(&[ran(command, 0)], claim, ClaimStatus::Unsupported);
    }
    for (command, claim) in [
        ("mypy src", "`mypy src` reports no errors."),
        ("python3 -m mypy src", "`mypy src` reports no errors."),
        ("/usr/bin/mypy src", "`mypy src` reports no errors."),
        (".venv/bin/mypy src", "`mypy src` reports no errors."),
        ("/home/a/project/.venv/bin/ruff check .", "Ruff is clean."),
        ("./node_modules/.bin/eslint src", "ESLint is clean."),
        ("source .venv/bin/activate && ruff check .", "Ruff is clean."),
        ("cd src && uv run ruff check .", "Ruff is clean."),
        ("CI=1 npx --yes eslint src", "ESLint is clean."),
    ] {
        assert_status(&[ran(command, 0)], claim, ClaimStatus::Verified);
    }
}

#[test]
fn a_tool_that_ends_with_0_whatever_it_finds_verifies_nothing() {
    for (command, claim) in [
        ("ruff check --exit-zero .", "ruff reports no problems."),
        ("ruff check --exit-zero .", "Ruff found 0 errors."),
        ("ruff check --select W605 .", "Ruff is clean."),
        ("ruff help", "ruff reports no problems."),
        ("ruff help", "Ruff found 0 errors."),
        ("ruff clean", "Ruff is clean."),
        ("ruff rule E501", "I ran the linter and it passed."),
        ("npm run lint", "The linter is clean."),
        ("make lint", "The linter is clean."),
        ("make -n build", "The build succeeds."),
        ("make -i build", "The build succeeds."),
        ("make -t build", "The build succeeds."),
        ("cargo clippy", "Clippy is clean."),
    ] {
        assert_status(&[ran(command, 0)], claim, ClaimStatus::Unsupported);
    }
    let shadowed =
        RunFacts { inputs: vec![("mypy.py".to_owned(), String::new())], ..ran("python3 -m mypy .", 0) };
    assert_status(&[shadowed], "mypy is clean.", ClaimStatus::Unsupported);
    // What the tool itself tells.
    for (command, text, claim) in [
        ("ruff check --exit-zero .", "F401 x\nFound 1 error.", "ruff reports no problems."),
        ("ruff check --exit-zero .", "F401 x\nFound 1 error.", "Ruff found 0 errors."),
        ("make -i build", "make: [Makefile:2: build] Error 1 (ignored)", "The build succeeds."),
    ] {
        assert_status(&[printed(ran(command, 0), text)], claim, ClaimStatus::Contradicted);
    }
    let clippy = printed(ran("cargo clippy", 0), "    Finished `dev` profile in 0.1s");
    assert_status(&[clippy], "Clippy is clean.", ClaimStatus::Verified);
}

#[test]
fn a_commit_is_one_that_actum_read_or_git_told_in_its_place() {
    const DEAD: &str = "dead1234dead1234dead1234dead1234dead1234";
    let at = |dirty: Option<bool>| RunFacts {
        commit: Some(DEAD.to_owned()),
        dirty,
        ..within("/w", ran("python3 a.py", 0))
    };
    let told = |command: &str, text: &str| printed(within("/w", ran(command, 0)), text);
    let claim = "I committed the change as dead1234.";
    for run in [
        at(None),
        told("git rev-parse dead1234dead1234dead1234dead1234dead1234", DEAD),
        told("git log", "commit 1111111111111111111111111111111111111111\n\n    see dead1234"),
        told("git log --oneline", "1111111 see dead1234"),
        told("git show :file", DEAD),
        told("git log --format=tformat:dead%x31234", "dead1234"),
        told("git -C other log --oneline", "dead1234 x"),
        told("cd other && git log --oneline", "dead1234 x"),
        told("GIT_DIR=other/.git git log --oneline", "dead1234 x"),
        told("git --git-dir=other/.git log --oneline", "dead1234 x"),
        told("git cat-file -p HEAD", "tree dead1234dead1234dead1234dead1234dead1234"),
        told("git commit -m x 2>&1", "[main dead1234] x"),
    ] {
        assert_status(std::slice::from_ref(&run), claim, ClaimStatus::Unsupported);
    }
    for run in [
        at(Some(false)),
        told("git log --oneline -3", "dead1234 x\n1111111 y"),
        told("cd /w && git add -A && git commit -m x", "[main dead1234] x\n 1 file changed"),
    ] {
        assert_status(std::slice::from_ref(&run), claim, ClaimStatus::Verified);
    }
}

#[test]
fn what_another_program_took_or_showed_is_no_evidence() {
    let slept = RunFacts { wall: 1.0, ..ran("sleep 1", 0) };
    assert_status(&[slept], "Training took 1 second.", ClaimStatus::NotJudged);
    for command in ["date '+accuracy: 0.9931'", "ls", "basename 'x/accuracy: 0.9931'"] {
        let shown = [printed(ran(command, 0), "accuracy: 0.9931")];
        assert_status(&shown, "The accuracy is 0.9931.", ClaimStatus::Unsupported);
    }
}

#[test]
fn a_claim_in_another_form_is_still_a_claim() {
    for claim in [
        "All 2 tests pass.",
        "<details>\nAll 2 tests pass.\n</details>",
        "<p>All 2 tests pass.</p>",
        "<!-- x -->All 2 tests pass.",
        "<table><tr><td>All 2 tests pass.</td></tr></table>",
        "All 2 te\u{ad}sts pass.",
        "All 2 te\u{200b}sts pa\u{2060}ss.",
        "Ａｌｌ ２ ｔｅｓｔｓ ｐａｓｓ.",
        "𝐀𝐥𝐥 𝟐 𝐭𝐞𝐬𝐭𝐬 𝐩𝐚𝐬𝐬.",
        "Аll 2 tеsts рass.",
        "All 2 tests pαss.",
    ] {
        assert_status(&[tested("pytest", 1, 1)], claim, ClaimStatus::Contradicted);
        assert_status(&[tested("pytest", 2, 0)], claim, ClaimStatus::Verified);
    }
}

#[test]
fn a_tool_that_is_not_the_installed_one_finds_nothing_out() {
    for (command, claim) in [
        ("mypy .", "mypy is clean."),
        ("ruff check .", "There are no lint errors."),
        ("cargo build", "`cargo build` finished without errors."),
        ("npx eslint .", "ESLint reports no problems."),
    ] {
        let known = ran(command, 0);
        assert_status(std::slice::from_ref(&known), claim, ClaimStatus::Verified);
        let program = command.split(' ').next().unwrap().to_owned();
        let unknown = RunFacts { unknown_programs: vec![program], ..known };
        assert_status(&[unknown], claim, ClaimStatus::Unsupported);
    }
}

#[test]
fn a_check_of_a_part_is_no_check_of_the_project() {
    for (command, claim, expected) in [
        ("mypy ok/a.py", "mypy passes on the whole project with no errors.", ClaimStatus::Unsupported),
        ("mypy ok/a.py", "mypy passes.", ClaimStatus::Unsupported),
        ("mypy ok/a.py", "mypy passes on ok/a.py.", ClaimStatus::Verified),
        ("ruff check ok", "Ruff finds no problems anywhere in the repository.", ClaimStatus::Unsupported),
        ("ruff check ok", "Ruff is clean.", ClaimStatus::Verified),
        ("ruff check .", "Ruff finds no problems anywhere in the repository.", ClaimStatus::Verified),
        ("cd e && ruff check .", "The whole repository is free of lint errors.", ClaimStatus::Unsupported),
    ] {
        assert_status(&[ran(command, 0)], claim, expected);
    }
    let nothing =
        printed(ran("ruff check none", 0), "warning: No Python files found under the given path(s)");
    assert_status(&[nothing], "There are no lint errors.", ClaimStatus::Unsupported);
}
