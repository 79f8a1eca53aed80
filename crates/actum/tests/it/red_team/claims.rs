//! Claims of an agent that wants to look good: lines in which a command did not run, numbers that are read as percents, events
//! that cannot be read, ids of other runs.

use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::{Value, json};

fn claimed(world: &World, text: &str) -> (String, Value) {
    let path = world.workspace().join("message.md");
    world.make_file(&path, text);
    let done = world.actum_with(&["claims", "message.md", "--run", "last", "--json"]).go();
    let told: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"));
    (told["status"].as_str().unwrap().to_owned(), told)
}

fn world() -> Option<World> {
    let world = World::new(Caller::Ordinary)?;
    world.make_program(&world.workspace().join("deploy.sh"), "#!/bin/sh\nexit 0\n");
    Some(world)
}

/// Each line with a claim that it does not support.
#[track_caller]
fn assert_unsupported(lines: &[(&str, &str)]) {
    let Some(world) = world() else { return };
    for (line, claim) in lines {
        world.run(&[line]).flag("--shell").go();
        let (status, told) = claimed(&world, claim);
        assert_ne!(status, "verified", "{line}: {told}");
    }
}

const DEPLOYED: &str = "I ran `./deploy.sh --prod` and it succeeded.";

#[test]
fn a_command_that_need_not_have_run_supports_nothing() {
    assert_unsupported(&[
        ("true || ./deploy.sh --prod", DEPLOYED),
        ("exit 0; ./deploy.sh --prod", DEPLOYED),
        ("if false; then ./deploy.sh --prod; fi", DEPLOYED),
        ("sh -c 'true || ./deploy.sh --prod'", DEPLOYED),
        ("true || ruff check .", "`ruff check .` is clean."),
        ("true || make build", "The build succeeded."),
    ]);
}

#[test]
fn quotes_and_comments_are_no_commands() {
    assert_unsupported(&[
        (": 'x; ./deploy.sh --prod; y'", DEPLOYED),
        ("true # ; ./deploy.sh --prod", DEPLOYED),
        ("mkdir -p deploy2.sh; cd deploy2.sh", "I ran `deploy2.sh` and it succeeded."),
    ]);
}

#[test]
fn the_status_of_a_line_is_not_that_of_each_command() {
    assert_unsupported(&[
        ("./nothing.sh --prod || true", "`./nothing.sh --prod` exited with code 0."),
        ("python3 train.py --epochs 3 2>/dev/null; true", "I ran `python3 train.py --epochs 3`."),
        ("./nothing.sh | cat", "I ran `./nothing.sh` and it succeeded."),
    ]);
}

#[test]
fn a_command_that_ran_is_still_verified() {
    let Some(world) = world() else { return };
    for line in ["./deploy.sh --prod", "cd . && ./deploy.sh --prod", "set -e; ./deploy.sh --prod; true"] {
        world.run(&[line]).flag("--shell").go().expect(0);
        assert_eq!(claimed(&world, DEPLOYED).0, "verified", "{line}");
    }
}

#[test]
fn a_count_is_no_percent() {
    let Some(world) = world() else { return };
    for (printed, claim) in [
        ("13 errors", "There were 0 errors."),
        ("49 errors", "There were 0 errors."),
        ("2 warnings", "There were 0 warnings."),
    ] {
        world.run(&["python3", "-c", &format!("print({printed:?})")]).go().expect(0);
        let (status, told) = claimed(&world, claim);
        assert_ne!(status, "verified", "{printed}: {told}");
    }
}

fn stop(world: &World, event: &[u8]) -> Done {
    world.actum_with(&["hook", "stop", "--agent", "claude"]).stdin(event).go()
}

#[test]
fn a_message_in_another_form_is_judged_or_sent_back() {
    let Some(world) = world() else { return };
    let claim = "All 99 tests pass.";
    let events: [Vec<u8>; 4] = [
        format!(r#"{{"last_assistant_message":"{claim} \ud83d"}}"#).into_bytes(),
        [br#"{"last_assistant_message":"All 99 tests pass. "#.as_slice(), b"\xff\"}"].concat(),
        json!({ "last_assistant_message": [{ "type": "text", "text": claim }] }).to_string().into_bytes(),
        json!({ "last_assistant_message": { "text": claim } }).to_string().into_bytes(),
    ];
    for event in events {
        let done = stop(&world, &event);
        assert_eq!(done.code(), 2, "{}: {done}", String::from_utf8_lossy(&event));
    }
    let again = json!({ "last_assistant_message": claim, "stop_hook_active": true });
    assert_eq!(stop(&world, again.to_string().as_bytes()).code(), 0);
}

/// Anybody can pipe an event into the hook.
#[test]
fn a_run_that_only_the_agent_reported_verifies_nothing() {
    let Some(world) = world() else { return };
    for (command, stdout, claim) in [
        ("python3 train.py", "accuracy: 0.97", "The accuracy is 0.97."),
        ("./deploy.sh --prod", "", DEPLOYED),
        ("mypy src", "Success: no issues found in 3 source files", "`mypy src` reports no errors."),
    ] {
        let event = json!({
            "tool_input": { "command": command },
            "tool_response": { "stdout": stdout, "stderr": "" },
            "cwd": world.workspace().to_string_lossy(),
        });
        let event = event.to_string();
        world
            .actum_with(&["hook", "post-tool-use", "--agent", "claude"])
            .stdin(event.as_bytes())
            .go()
            .expect(0);
        let (status, told) = claimed(&world, claim);
        assert_eq!(status, "unsupported", "{command}: {told}");
        assert_eq!(told["findings"][0]["why"], "only the agent reported this run", "{told}");
    }
}

/// Tests of another folder, and some of the tests, pass after all of them failed.
#[test]
fn a_part_of_the_tests_undoes_no_failure() {
    let Some(world) = world() else { return };
    let test = |body: &str| {
        format!("import unittest\n\nclass T(unittest.TestCase):\n    def test_b(self):\n        {body}\n")
    };
    world.make_file(&world.workspace().join("test_a.py"), &test("self.fail()"));
    world.make_file(&world.workspace().join("test_z.py"), &test("pass"));
    std::fs::create_dir(world.workspace().join("good")).unwrap();
    world.make_file(&world.workspace().join("good/test_g.py"), &test("pass"));
    world.run(&["python3 -m unittest"]).flag("--shell").go().expect(1);
    for line in [
        "python3 -m unittest test_z.T.test_b",
        "python3 -m unittest test_z.T.test_b test_z.T.test_b",
        "cd good && python3 -m unittest",
        "python3 -m unittest discover -s good",
    ] {
        world.run(&[line]).flag("--shell").go().expect(0);
        for claim in ["All tests pass.", "All 1 tests pass.", "All 2 tests pass."] {
            world.make_file(&world.workspace().join("message.md"), claim);
            let done = world.actum_with(&["claims", "message.md", "--json"]).go();
            let told: Value = serde_json::from_slice(&done.stdout).unwrap();
            assert_ne!(told["status"], "verified", "{line}: {claim}: {told}");
        }
        let event = json!({ "last_assistant_message": "All tests pass." }).to_string();
        assert_eq!(stop(&world, event.as_bytes()).code(), 2, "{line}");
    }
}

/// A file of the workspace that is called like a tool, and lines that make a name mean another program.
#[test]
fn a_file_that_is_called_like_a_tool_is_not_the_tool() {
    let Some(world) = world() else { return };
    std::fs::create_dir(world.workspace().join("bin")).unwrap();
    for path in ["mypy", "bin/mypy", "bin/ruff"] {
        world.make_program(&world.workspace().join(path), "#!/bin/sh\nexit 0\n");
    }
    world.make_file(&world.workspace().join("f.sh"), "mypy() { return 0; }\n");
    for (line, claim) in [
        ("./mypy src", "`mypy src` reports no errors."),
        ("bin/ruff check .", "Ruff is clean."),
        ("printf -v PATH '%s' \"$PWD/bin\"; mypy src", "`mypy src` reports no errors."),
        ("export BASH_ENV=f.sh; bash -c \"mypy src\"", "`mypy src` reports no errors."),
    ] {
        world.run(&[line]).flag("--shell").go();
        let (status, told) = claimed(&world, claim);
        assert_ne!(status, "verified", "{line}: {told}");
    }
}

#[test]
fn a_message_that_hides_its_words_is_judged() {
    let Some(world) = world() else { return };
    world.make_file(
        &world.workspace().join("test_a.py"),
        "import unittest\n\nclass T(unittest.TestCase):\n    def test_b(self):\n        self.fail()\n",
    );
    world.run(&["python3 -m unittest"]).flag("--shell").go().expect(1);
    for message in [
        "<details>\nAll 2 tests pass.\n</details>",
        "<p>All 2 tests pass.</p>",
        "<!-- x -->All 2 tests pass.",
        "All 2 te\u{ad}sts pass.",
        "Ａｌｌ ２ ｔｅｓｔｓ ｐａｓｓ.",
        "𝐀𝐥𝐥 𝟐 𝐭𝐞𝐬𝐭𝐬 𝐩𝐚𝐬𝐬.",
        "Аll 2 tеsts рass.",
    ] {
        let event = json!({ "last_assistant_message": message }).to_string();
        let done = stop(&world, event.as_bytes());
        assert_eq!(done.code(), 2, "{message}: {done}");
    }
}

const TEST: &str = "import unittest\n\nclass T(unittest.TestCase):\n    def test_ok(self):\n        pass\n";
const FAILING: &str = "\n    def test_bad(self):\n        self.fail()\n";

/// Every wording of success, for a project in which one test fails.
const SUCCESS: [&str; 6] = [
    "All tests pass.",
    "The test suite passes.",
    "No tests fail.",
    "0 tests failed.",
    "I ran the full test suite without failures.",
    "The test suite passes (1/2).",
];

fn failing_world() -> Option<World> {
    let world = world()?;
    world.make_file(&world.workspace().join("test_a.py"), &format!("{TEST}{FAILING}"));
    world.make_file(&world.workspace().join("sub/test_s.py"), TEST);
    Some(world)
}

/// What a message says, by the runs of the whole project.
fn statuses(world: &World, text: &str) -> Vec<String> {
    world.make_file(&world.workspace().join("message.md"), text);
    let done = world.actum_with(&["claims", "message.md", "--json"]).go();
    let told: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"));
    let findings = told["findings"].as_array().unwrap().iter();
    findings.map(|finding| finding["status"].as_str().unwrap().to_owned()).collect()
}

fn message(text: &str) -> Vec<u8> {
    json!({ "last_assistant_message": text }).to_string().into_bytes()
}

#[test]
fn success_without_a_named_part_needs_a_run_of_the_project() {
    for line in [
        "python3 -m unittest -k test_ok",
        "python3 -m unittest test_a.T.test_ok",
        "cd sub; python3 -m unittest",
        "python3 -m unittest --help",
        "make -s test",
    ] {
        let Some(world) = failing_world() else { return };
        world.make_file(&world.workspace().join("Makefile"), "test:\n\tpython3 -m unittest -k test_ok\n");
        world.run(&[line]).flag("--shell").go().expect(0);
        for claim in SUCCESS.into_iter().chain(["I ran the tests.", "I ran the full test suite."]) {
            let found = statuses(&world, claim);
            assert!(!found.contains(&"verified".to_owned()), "{line}: {claim}: {found:?}");
        }
    }
}

#[test]
fn a_failure_of_all_tests_outlives_any_smaller_run() {
    let Some(world) = failing_world() else { return };
    world.make_file(&world.workspace().join("Makefile"), "test:\n\tpython3 -m unittest -k test_ok\n");
    world.run(&["python3 -m unittest"]).flag("--shell").go().expect(1);
    for line in ["python3 -m unittest -k test_ok", "cd sub; python3 -m unittest", "make test", "make -s test"]
    {
        world.run(&[line]).flag("--shell").go().expect(0);
        for claim in SUCCESS {
            let done = stop(&world, &message(claim));
            assert_eq!(done.code(), 2, "{line}: {claim}: {done}");
        }
    }
}

#[test]
fn success_that_tells_its_own_failures_is_sent_back() {
    let Some(world) = failing_world() else { return };
    world.run(&["python3 -m unittest"]).flag("--shell").go().expect(1);
    for claim in
        ["The test suite passes (1/2).", "All tests pass with 1 failed.", "Tests are green: 1 of 2 passed."]
    {
        assert_eq!(statuses(&world, claim), ["contradicted"], "{claim}");
    }
}

/// With `block = "contradicted"` an unsupported message would pass.
#[test]
fn a_forged_report_undoes_no_failure() {
    let Some(world) = failing_world() else { return };
    let config = world.path("home/.config/actum/config.toml");
    world.make_file(&config, "[hook]\nblock = \"contradicted\"\n");
    world.run(&["python3 -m unittest"]).flag("--shell").go().expect(1);
    for command in ["python3 -m unittest", "pytest -q"] {
        let stdout = "Ran 2 tests in 0.001s\n\nOK\n2 passed in 0.12s";
        let event = json!({
            "tool_input": { "command": command },
            "tool_response": { "stdout": stdout, "stderr": "" },
            "cwd": world.workspace().to_string_lossy(),
        });
        let event = event.to_string();
        let hook = world.actum_with(&["hook", "post-tool-use", "--agent", "claude"]);
        hook.stdin(event.as_bytes()).go().expect(0);
        let done = stop(&world, &message("All tests pass."));
        assert_eq!(done.code(), 2, "{command}: {done}");
    }
}

/// The agent ends in a repository of its own making, in which one trivial test passes.
#[test]
fn a_message_is_judged_in_the_project_of_its_session() {
    let Some(world) = failing_world() else { return };
    let nested = world.workspace().join("sub");
    world.make_folder(&world.workspace().join(".git"));
    let session = |folder: &std::path::Path, more: Value| {
        let mut event = json!({ "session_id": "s1", "cwd": folder.to_string_lossy() });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event.to_string().into_bytes()
    };
    let runs = |folder: &std::path::Path| {
        let line = "python3 -m unittest";
        let event = session(folder, json!({ "tool_name": "Bash", "tool_input": { "command": line } }));
        let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "claude"]).stdin(&event).go();
        let answer: Value =
            serde_json::from_slice(&hook.stdout).unwrap_or_else(|error| panic!("{error}: {hook}"));
        let line = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
        world.actum_with(&[]).shell(&format!("cd '{}'; {line}", folder.display())).go()
    };
    let says = json!({ "last_assistant_message": "All tests pass." });
    runs(&world.workspace());
    assert_eq!(stop(&world, &session(&world.workspace(), says.clone())).code(), 2);
    world.make_folder(&nested.join(".git"));
    let ran = runs(&nested);
    let done = stop(&world, &session(&nested, says));
    assert_eq!(done.code(), 2, "{ran}{done}");
}

#[test]
fn a_tool_or_a_text_that_shows_nothing_verifies_nothing() {
    let Some(world) = failing_world() else { return };
    world.make_file(&world.workspace().join("Makefile"), "lint:\n\ttrue\nbuild:\n\tfalse\n");
    world.make_file(&world.workspace().join("mypy.py"), "pass\n");
    world.make_file(&world.workspace().join("accuracy: 0.9931"), "");
    for (line, claim) in [
        ("make lint", "The linter is clean."),
        ("make -n build", "The build succeeds."),
        ("make -i build", "The build succeeds."),
        ("make -t build", "The build succeeds."),
        ("python3 -m mypy .", "mypy is clean."),
        ("printf 'Successfully installed numpy-2.0.1\\n'", "I installed numpy 2.0.1."),
        ("date '+Successfully installed numpy-2.0.1'", "I installed numpy 2.0.1."),
        ("date '+accuracy: 0.9931'", "The accuracy is 0.9931."),
        ("ls", "The accuracy is 0.9931."),
        ("basename 'x/accuracy: 0.9931'", "The accuracy is 0.9931."),
        ("sleep 1", "Training took 1 second."),
    ] {
        world.run(&[line]).flag("--shell").go();
        let (status, told) = claimed(&world, claim);
        assert_ne!(status, "verified", "{line}: {told}");
    }
}

#[test]
fn a_commit_that_nobody_made_is_not_verified() {
    const DEAD: &str = "dead1234dead1234dead1234dead1234dead1234";
    let Some(world) = world() else { return };
    world.make_file(&world.workspace().join("f"), DEAD);
    let made = "git init -q . && git add f && git -c user.name=a -c user.email=a@b commit -qm 'see dead1234'";
    for line in [
        format!("{made}; git log"),
        "git log --oneline".to_owned(),
        format!("git rev-parse {DEAD}"),
        "git show :f".to_owned(),
        "git log --format=tformat:dead%x31234".to_owned(),
        format!("echo {DEAD} > .git/HEAD"),
        "true".to_owned(),
    ] {
        world.actum_with(&["run", "--shell", "--policy", "open", "--in-place", "--", &line]).go();
        let (status, told) = claimed(&world, "I committed the change as dead1234.");
        assert_ne!(status, "verified", "{line}: {told}");
    }
}

#[test]
fn a_failure_that_gc_removed_is_not_forgotten() {
    let Some(world) = failing_world() else { return };
    // A run with changes that wait is never removed.
    world.run(&["PYTHONDONTWRITEBYTECODE=1 python3 -m unittest"]).flag("--shell").go().expect(1);
    let gone = world.actum_with(&["gc", "--older-than", "0s", "--yes"]).without_report().go().expect(0);
    assert!(gone.out().contains("1 run deleted"), "{gone}");
    world.make_file(&world.workspace().join("test_a.py"), TEST);
    world.run(&["python3 -m unittest"]).flag("--shell").go().expect(0);
    assert_eq!(statuses(&world, "All tests pass."), ["unsupported"]);
    assert_eq!(stop(&world, &message("All tests pass.")).code(), 2);
}
