//! What counts as evidence: test results, claims, git state, resumed tasks.

use crate::record::git;
use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::Value;
use std::path::Path;

/// A workspace with one commit, and nothing that differs from it.
fn repository() -> Option<World> {
    let world = World::new(Caller::Ordinary)?;
    let folder = world.workspace();
    world.make_file(&folder.join("code.py"), "print(1)\n");
    world.make_file(&folder.join("src/part.py"), "print(2)\n");
    world.make_file(&folder.join(".gitignore"), "__pycache__/\n");
    git(&world, &folder, &["init", "-q"])?;
    git(&world, &folder, &["add", "-A"])?;
    git(&world, &folder, &["commit", "-qm", "first"])?;
    Some(world)
}

/// What the record of a run says about the repository; in place, so that git is always asked.
fn dirty(world: &World) -> Value {
    let done = world.run(&["true"]).flag("--in-place").go().expect(0);
    assert_eq!(done.code(), 0);
    let record = world.actum_with(&["evidence", "last"]).go().expect(0);
    let record: Value = serde_json::from_slice(&record.stdout).unwrap();
    record["git"]["dirty"].clone()
}

#[test]
fn flags_of_the_index_do_not_make_a_changed_file_clean() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let Some(world) = repository() else { return };
        assert_eq!(dirty(&world), false, "{flag}");
        git(&world, &world.workspace(), &["update-index", flag, "code.py"]);
        world.make_file(&world.workspace().join("code.py"), "print(9)\n");
        assert_eq!(dirty(&world), true, "{flag}");
    }
}

/// The index remembers times and sizes: a file that has them again looks unchanged without being read.
#[test]
fn a_file_of_the_same_size_and_time_is_read_again() {
    let Some(world) = repository() else { return };
    let folder = world.workspace();
    git(&world, &folder, &["config", "core.trustctime", "false"]);
    git(&world, &folder, &["config", "core.checkStat", "minimal"]);
    let file = folder.join("code.py");
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
    let set_time = || std::fs::File::options().write(true).open(&file).unwrap().set_modified(before).unwrap();
    set_time();
    git(&world, &folder, &["update-index", "--refresh"]);
    world.make_file(&file, "print(9)\n");
    set_time();
    assert_eq!(dirty(&world), true);
}

#[test]
fn what_a_repository_hides_from_git_status_is_dirty() {
    type Hide = fn(&World, &Path);
    let ways: [(&str, Hide); 6] = [
        ("exclude", |world, folder| world.make_file(&folder.join(".git/info/exclude"), "new.py\n")),
        ("excludesFile", |world, folder| {
            world.make_file(&folder.join(".git/ignored"), "new.py\n");
            git(world, folder, &["config", "core.excludesFile", ".git/ignored"]);
        }),
        ("showUntrackedFiles", |world, folder| {
            git(world, folder, &["config", "status.showUntrackedFiles", "no"]);
        }),
        ("worktree", |world, folder| {
            world.make_file(&world.path("home/clean/code.py"), "print(1)\n");
            world.make_file(&world.path("home/clean/src/part.py"), "print(2)\n");
            world.make_file(&world.path("home/clean/.gitignore"), "__pycache__/\n");
            let clean = world.path("home/clean");
            git(world, folder, &["config", "core.worktree", clean.to_str().unwrap()]);
        }),
        ("own .gitignore", |world, folder| world.make_file(&folder.join("src/.gitignore"), "*\n")),
        ("monitor", |world, folder| {
            world.make_program(&folder.join(".git/monitor"), "#!/bin/sh\nprintf 'token\\0'\n");
            git(world, folder, &["config", "core.fsmonitor", ".git/monitor"]);
        }),
    ];
    for (name, hide) in ways {
        let Some(world) = repository() else { return };
        let folder = world.workspace();
        hide(&world, &folder);
        let new = if name == "own .gitignore" { "src/new.py" } else { "new.py" };
        world.make_file(&folder.join(new), "print(3)\n");
        assert_eq!(dirty(&world), true, "{name}");
    }
}

/// A filter that gives the committed text for whatever a file holds.
#[test]
fn a_clean_filter_does_not_make_a_changed_file_clean() {
    let Some(world) = repository() else { return };
    let folder = world.workspace();
    git(&world, &folder, &["config", "filter.same.clean", "echo 'print(1)'"]);
    world.make_file(&folder.join(".git/info/attributes"), "code.py filter=same\n");
    world.make_file(&folder.join("code.py"), "print(9)\n");
    assert_eq!(dirty(&world), true);
}

#[test]
fn a_changed_submodule_is_dirty() {
    let Some(world) = repository() else { return };
    let (folder, other) = (world.workspace(), world.path("home/other"));
    world.make_file(&other.join("lib.py"), "print(1)\n");
    git(&world, &other, &["init", "-q"]);
    git(&world, &other, &["add", "-A"]);
    git(&world, &other, &["commit", "-qm", "first"]);
    git(&world, &folder, &["submodule", "--quiet", "add", other.to_str().unwrap(), "lib"]);
    git(&world, &folder, &["commit", "-qam", "second"]);
    assert_eq!(dirty(&world), false);
    git(&world, &folder, &["config", "submodule.lib.ignore", "all"]);
    git(&world, &folder.join("lib"), &["update-index", "--assume-unchanged", "lib.py"]);
    world.make_file(&folder.join("lib/lib.py"), "print(9)\n");
    assert_eq!(dirty(&world), true);
}

/// Anybody can make a bundle that agrees with itself.
#[test]
fn a_bundle_of_an_unknown_signer_is_not_verified() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.run(&["echo", "12 passed"]).go().expect(0);
    let bundle = world.workspace().join("run.actum.tar");
    let name = bundle.to_str().unwrap();
    world.actum_with(&["bundle", "last", "--output", name]).go().expect(0);
    world.actum_with(&["verify", name]).go().expect(0);
    let stranger = |words: &[&str]| -> Done {
        let keys = world.path("home/stranger");
        world.actum_with(words).variable("ACTUM_KEYS", keys).variable("ACTUM_STORE", "/nowhere").go()
    };
    let unknown = stranger(&["verify", name]).expect(5);
    assert!(unknown.out().contains("signer unknown"), "{unknown}");
    stranger(&["verify", name, "--json"]).expect(5);
    // The flag that asked for this is gone.
    assert_eq!(stranger(&["verify", name, "--strict"]).code(), 125);
}

/// A copy of a store whose keys are not known here.
#[test]
fn a_store_of_an_unknown_signer_is_not_verified() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let store = world.path("home/kept");
    world.run(&["echo", "12 passed"]).variable("ACTUM_STORE", &store).go().expect(0);
    world.actum_with(&["verify"]).variable("ACTUM_STORE", &store).go().expect(0);
    let stranger = world.path("home/stranger");
    for words in [&["verify"][..], &["verify", "last"], &["verify", store.to_str().unwrap()]] {
        let asked = world.actum_with(words).variable("ACTUM_STORE", &store);
        let done = asked.variable("ACTUM_KEYS", &stranger).go();
        assert_eq!(done.code(), 5, "{words:?} {done}");
    }
}

/// The status of the one claim that a text makes, and why.
fn claimed(world: &World, text: &str) -> (String, Value) {
    let path = world.workspace().join("message.md");
    world.make_file(&path, text);
    let done = world.actum_with(&["claims", "message.md", "--json"]).go();
    let told: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"));
    (told["status"].as_str().unwrap().to_owned(), told)
}

const SUITE: &str =
    "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n    def test_b(self): pass\n";
const PRINTED: &str = "Ran 2 tests in 0.001s\\n\\nOK\\n";

/// The same words by the runner itself, and by everything else that can print them.
#[test]
fn only_what_a_runner_printed_itself_is_a_test_result() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    world.make_file(&folder.join("test_a.py"), SUITE);
    world.make_file(&folder.join("log"), &PRINTED.replace("\\n", "\n"));
    world.make_file(&folder.join("Makefile"), &format!("test:\n\t@printf '{PRINTED}'\n"));
    world.make_file(
        &folder.join("package.json"),
        &format!("{{\"scripts\":{{\"test\":\"printf '{PRINTED}'\"}}}}").replace("\\n", "\\\\n"),
    );
    world.make_program(&folder.join("pytest"), &format!("#!/bin/sh\nprintf '{PRINTED}'\n"));
    world.make_file(&folder.join("fake.py"), &format!("print('''{}''')\n", PRINTED.replace("\\n", "\n")));
    let print = format!("printf '{PRINTED}'");
    for line in [
        format!("echo; {print} >&2"),
        format!("python3 -m unittest >/dev/null 2>&1; {print}"),
        format!("pytest() {{ {print}; }}; pytest"),
        "cat log".to_owned(),
        "make test".to_owned(),
        "npm test".to_owned(),
        "./pytest".to_owned(),
        "PATH=.:$PATH pytest".to_owned(),
        "python3 fake.py".to_owned(),
        "python3 -m unittest 2>&1 | sed s/x/y/".to_owned(),
        "bash -c 'cat log'".to_owned(),
    ] {
        let done = world.run::<&str>(&[]).flags(&["--shell"]).flag("--").flag(&line).of_source().go();
        assert!(done.report.is_some(), "{done}");
        assert_eq!(done.told("/analysis/tests"), &Value::Null, "{line}: {done}");
        let (status, told) = claimed(&world, "Both tests pass: 2 passed.");
        assert_ne!(status, "verified", "{line}: {told:#}");
    }
    let code = world.code("python", &format!("print('''{}''')", PRINTED.replace("\\n", "\n"))).go().expect(0);
    assert_eq!(code.told("/analysis/tests"), &Value::Null, "{code}");
}

#[test]
fn a_module_that_shadows_the_runner_prints_no_test_result() {
    for file in ["unittest.py", "unittest/__main__.py", "argparse.py"] {
        let Some(world) = World::new(Caller::Ordinary) else { return };
        let folder = world.workspace();
        world.make_file(&folder.join("test_a.py"), SUITE);
        if file.starts_with("unittest/") {
            world.make_file(&folder.join("unittest/__init__.py"), "");
        }
        let print = format!("import sys\nsys.stderr.write('{PRINTED}')\nsys.exit(0)\n");
        world.make_file(&folder.join(file), &print);
        let done = world.run(&["python3", "-m", "unittest"]).go();
        assert_eq!(done.told("/analysis/tests"), &Value::Null, "{file}: {done}");
        let (status, told) = claimed(&world, "Both tests pass: 2 passed.");
        assert_ne!(status, "verified", "{file}: {told:#}");
    }
}

#[test]
fn ordinary_lines_still_are_test_results() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    world.make_file(&folder.join("sub/test_a.py"), SUITE);
    world
        .make_file(&folder.join("Makefile"), ".PHONY: test\ntest:\n\tcd sub && python3 -m unittest test_a\n");
    world.make_file(&folder.join("sub/test_b.py"), &format!("{SUITE}unittest.main()\n"));
    for line in [
        "cd sub && python3 -m unittest test_a 2>&1 | tail -5",
        "cd sub; timeout 60 env CI=1 python3 -m unittest -v test_a || true",
        "export CI=1; cd sub && python3 -m unittest test_a; echo \"exit: $?\"",
        "make -s test",
        "cd sub && python3 test_b.py",
    ] {
        let done =
            world.run::<&str>(&[]).flags(&["--shell"]).flag("--").flag(line).of_source().go().expect(0);
        assert!(
            done.told("/analysis/tests/passed").as_u64().is_some_and(|passed| passed >= 2),
            "{line}: {done}"
        );
        let is_code = line.contains("test_b");
        assert_eq!(done.told("/analysis/tests/runner") == "its own harness", is_code, "{line}: {done}");
    }
    let file = world.source("sub/test_b.py", &[]).go().expect(0);
    assert_eq!(file.told("/analysis/tests/passed"), 2, "{file}");
}

#[test]
fn an_echo_is_no_run_of_the_tests_and_no_metric() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for line in ["echo running pytest", "echo accuracy: 0.99", "printf 'accuracy: 0.99\\n'"] {
        let done =
            world.run::<&str>(&[]).flags(&["--shell"]).flag("--").flag(line).of_source().go().expect(0);
        assert!(done.told("/analysis/metrics").as_array().is_none_or(Vec::is_empty), "{done}");
    }
    world.run(&["sh", "-c", "true; echo accuracy: 0.99"]).go().expect(0);
    for text in ["I ran the tests.", "I ran pytest.", "Accuracy is 0.99.", "The accuracy is 99 %."] {
        let (status, told) = claimed(&world, text);
        assert_eq!(status, "unsupported", "{text}: {told:#}");
    }
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.make_file(&world.workspace().join("evaluate.py"), "print('accuracy:', 99 / 100)\n");
    world.source("evaluate.py", &[]).go().expect(0);
    assert_eq!(claimed(&world, "Accuracy is 0.99.").0, "verified", "a program found it out");
}

/// Statements that are carried out by other words than statements.
#[test]
fn statements_in_other_words_are_asked_about() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for statement in [
        "SELECT 'drop table t' \\gexec\n",
        "DO $$ BEGIN EXECUTE 'drop ' || 'table t'; END $$;\n",
        "\\set q 'drop table t'\n:q;\n",
        "\\i other.sql\n",
        "SELECT query_to_xml('delete from t', true, true, '');\n",
        "SELECT \"query_to_xml\"('delete from t', true, true, '');\n",
        "\\o |sh\nSELECT 1;\n",
        "SELECT * FROM dblink('x', 'drop table t') AS a(b int);\n",
    ] {
        world.make_file(&world.workspace().join("q.sql"), statement);
        assert!(!operations(&world).is_empty(), "{statement}");
    }
    world.make_file(&world.workspace().join("q.sql"), "\\timing on\nSELECT a::int, :'b' FROM t;\n");
    assert_eq!(operations(&world), Vec::<Value>::new());
}

/// What a run of the statements is asked about.
fn operations(world: &World) -> Vec<Value> {
    let done = world.source("q.sql", &[]).flags(&["--approval", "always"]).go().expect(120);
    done.told("/request/risk/operations").as_array().cloned().unwrap_or_default()
}

/// A false claim beside more text than can be read in time.
#[test]
fn a_long_line_beside_a_false_claim_does_not_pass_the_stop_hook() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let stop = |message: &str| -> Done {
        let event = serde_json::json!({ "cwd": world.workspace(), "last_assistant_message": message });
        world.actum_with(&["hook", "stop", "--agent", "claude"]).stdin(event.to_string().as_bytes()).go()
    };
    for long in ["src/a.py ", "and, ", "`a` "] {
        let done = stop(&format!("All 12 tests pass.\n{}", long.repeat((140 << 10) / long.len()))).expect(2);
        assert!(done.err().contains("All 12 tests pass"), "{done}");
        // Behind the long line, on it, and where only contradictions block.
        let done = stop(&format!("{} All 12 tests pass.", long.repeat((140 << 10) / long.len()))).expect(2);
        assert!(done.err().contains("not judged"), "{done}");
    }
    world.make_file(&world.path("home/.config/actum/config.toml"), "[hook]\nblock = \"contradicted\"\n");
    stop(&format!("{} All 12 tests pass.", "word ".repeat(28 << 10))).expect(2);
}

/// What a project has redacted does not change what is counted.
#[test]
fn redaction_does_not_change_what_is_counted() {
    let failing = format!("{SUITE}    def test_c(self): self.fail()\n");
    let files: [(&str, &str); 3] = [
        (".env", "API_SECRET_TOKEN=\"FAILED (failures=1)\"\n"),
        ("actum.toml", "[redact]\npatterns = [\"FAILED .failures=1.\"]\n"),
        ("actum.toml", "[redact]\npatterns = [\"Ran [0-9]+ tests\", \"FAILED [^ ]*\"]\n"),
    ];
    for (name, text) in files {
        let Some(world) = World::new(Caller::Ordinary) else { return };
        world.make_file(&world.workspace().join("test_a.py"), &failing);
        world.make_file(&world.workspace().join(name), text);
        let done = world.run(&["python3", "-m", "unittest"]).go().expect(1);
        assert_eq!(done.told("/analysis/tests/failed"), 1, "{name} {text}: {done}");
        assert_eq!(done.told("/analysis/tests/passed"), 2, "{name} {text}: {done}");
        let (status, told) = claimed(&world, "All 3 tests pass.");
        assert_eq!(status, "contradicted", "{told:#}");
    }
}

/// Lines that print a summary without running a test, by options, variables, settings and files that look harmless.
#[test]
fn what_is_not_understood_is_no_test_result() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    let summary = PRINTED.replace("\\n", "\n");
    let print = format!("import sys\nsys.stderr.write('{PRINTED}')\nsys.exit(0)\n");
    for file in ["fake/unittest.py", "lib/sitecustomize.py", "beside/linecache.py"] {
        world.make_file(&folder.join(file), &print);
    }
    world.make_file(&folder.join("12"), &summary);
    world.make_file(&folder.join("unittest"), &format!("# unittest.main(\n{print}"));
    world.make_file(
        &folder.join("Makefile"),
        "test:\n\texport A='\\\nRan 2 tests in 0.001s\\\nOK\\\n'; python3 -m unittest nothing || true\n",
    );
    world.make_program(&folder.join("tail"), &format!("#!/bin/sh\nprintf '{PRINTED}'\n"));
    world.make_program(&world.path("home/outside/python3"), &format!("#!/bin/sh\nprintf '{PRINTED}'\n"));
    let outside = world.path("home/outside");
    let outside = outside.to_str().unwrap();
    for line in [
        format!("env -vS'printf \"{PRINTED}\"' python3 -m unittest"),
        "env --chd=fake python3 -m unittest".to_owned(),
        "PYTHONPATH=$PWD/lib python3 -m unittest nothing || true".to_owned(),
        "cd beside && python3 -m unittest".to_owned(),
        "python3 -m unittest nothing 2>/dev/null | cat 12; true".to_owned(),
        "python3 -m unittest nothing 2>/dev/null | tail -n 5 12; true".to_owned(),
        "python3 -m unittest nothing 2>/dev/null | cat < 12; true".to_owned(),
        "python3 -m unittest nothing 2>/dev/null | ./tail -5; true".to_owned(),
        "make test".to_owned(),
        "python3 unittest".to_owned(),
        format!("{outside}/python3 -m unittest"),
    ] {
        let done =
            world.run::<&str>(&[]).flags(&["--shell", "--in-place"]).flag("--").flag(&line).of_source().go();
        assert!(done.report.is_some(), "{line}: {done}");
        let tests = done.told("/analysis/tests");
        assert!(tests.is_null() || tests["runner"] == "its own harness", "{line}: {done}");
        let (status, told) = claimed(&world, "Both tests pass: 2 passed.");
        assert_ne!(status, "verified", "{line}: {told:#}");
    }
}

/// What a run is given, and what its line writes, may put another program in the place of the runner.
#[test]
fn variables_and_files_of_a_line_do_not_replace_the_runner() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    world.make_file(&folder.join("test_a.py"), SUITE);
    let fake = "import os, sys\nsys.stderr.write('Ran 12 tests in 0.003s\\n\\nOK\\n')\nos._exit(0)\n";
    for name in ["lib/argparse.py", "fake.py"] {
        world.make_file(&folder.join(name), fake);
    }
    world.make_file(&folder.join("f.sh"), "python3() { command python3 fake.py; }\n");
    let runner = "python3 -m unittest";
    for (variable, line) in [
        (Some("PYTHONPATH=lib"), runner),
        (Some("BASH_ENV=f.sh"), runner),
        (Some("BASH_FUNC_python3%%=() { command python3 fake.py; }"), runner),
        (None, "echo 'import fake' > argparse.py; python3 -m unittest"),
        (None, "echo import fake 2>&1 > signal.py && python3 -m unittest"),
    ] {
        let given = variable.iter().flat_map(|variable| ["--env", variable]);
        world.run(&[line]).flag("--shell").flags(&given.collect::<Vec<_>>()).go();
        let (status, told) = claimed(&world, "All 12 tests pass.");
        assert_ne!(status, "verified", "{variable:?} {line}: {told:#}");
        for name in ["argparse.py", "signal.py"] {
            let _ = std::fs::remove_file(folder.join(name));
        }
    }
}

const FAILING: &str = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.fail()\n    def test_b(self): pass\n";

/// Runs a line of a shell in place, and gives what was counted.
fn tests_of(world: &World, line: &str) -> Value {
    let done =
        world.run::<&str>(&[]).flags(&["--shell", "--in-place"]).flag("--").flag(line).of_source().go();
    assert!(done.report.is_some(), "{line}: {done}");
    done.told("/analysis/tests").clone()
}

/// A summary that passed, behind or before another one that failed.
#[test]
fn several_runners_in_one_line_hide_no_failure() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    world.make_file(&folder.join("test_bad.py"), FAILING);
    world.make_file(&folder.join("sub/test_a.py"), SUITE);
    world.make_file(
        &folder.join("Makefile"),
        "test: bad good\nbad:\n\t-python3 -m unittest\ngood:\n\tcd sub && python3 -m unittest\n",
    );
    let runner = "python3 -m unittest";
    for (line, is_seen) in [
        (format!("{runner}; cd sub && {runner}"), true),
        (format!("cd sub && {runner}; cd .. && {runner}; true"), true),
        (format!("{runner} || {runner} discover -s sub"), true),
        ("make -s test".to_owned(), true),
        (format!("{runner} 2>/dev/null; cd sub && {runner}"), false),
        (format!("{runner} >/dev/null 2>&1; cd sub && {runner}"), false),
    ] {
        let tests = tests_of(&world, &line);
        assert_eq!(tests["failed"], u64::from(is_seen), "{line}: {tests}");
        assert_eq!(tests["runner"], "its own harness", "{line}");
        let (status, told) = claimed(&world, "All tests pass.");
        assert_eq!(status, if is_seen { "contradicted" } else { "unsupported" }, "{line}: {told:#}");
    }
}

/// `tail` and `head` leave out what failed, where a runner reports in parts.
#[test]
fn a_cut_output_hides_no_failure() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    world.make_file(&folder.join("t/a.t"), "print \"1..2\\nok 1\\nnot ok 2\\n\";\n");
    world.make_file(&folder.join("t/b.t"), "print \"1..1\\nok 1\\n\";\n");
    world.make_file(&folder.join("test_a.py"), SUITE);
    for (line, runner) in [
        ("prove -v t | tail -n 12", "its own harness"),
        ("prove -v t/b.t t/a.t | head -n 4", "its own harness"),
        ("prove -v t/b.t", "TAP"),
        ("python3 -m unittest 2>&1 | head -n 9", "its own harness"),
        ("python3 -m unittest 2>&1 | tail -n 4", "unittest"),
    ] {
        let tests = tests_of(&world, line);
        assert_eq!(tests["runner"], runner, "{line}: {tests}");
    }
    if !Path::new("/usr/bin/go").exists() {
        return actum_testkit::skip("there is no go here");
    }
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    let head = "package x\nimport \"testing\"\nfunc TestA(t *testing.T) ";
    world.make_file(&folder.join("go.mod"), "module m\ngo 1.18\n");
    world.make_file(&folder.join("a/a_test.go"), &format!("{head}{{ t.Fail() }}\n"));
    world.make_file(&folder.join("b/b_test.go"), &format!("{head}{{ }}\n"));
    let tests = tests_of(&world, "go test ./... | tail -n 2");
    assert_eq!((&tests["runner"], &tests["failed"]), (&"its own harness".into(), &1.into()), "{tests}");
    let (status, told) = claimed(&world, "All tests pass.");
    assert_eq!(status, "contradicted", "{told:#}");
}

/// Before its first rule `make` reads a line with a tab as one of its own.
#[test]
fn a_makefile_does_not_choose_its_shell_behind_a_tab() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    world.make_file(&folder.join("test_a.py"), FAILING);
    world.make_program(&folder.join("fake"), &format!("#!/bin/sh\nprintf '{PRINTED}'\n"));
    for before in ["\tSHELL = ./fake\n", "# why\n\n\tinclude other.mk\n"] {
        world.make_file(&folder.join("other.mk"), "SHELL = ./fake\n");
        world.make_file(&folder.join("Makefile"), &format!("{before}test:\n\tpython3 -m unittest\n"));
        let tests = tests_of(&world, "make -s test");
        assert_eq!(tests, Value::Null, "{before:?}");
        let (status, told) = claimed(&world, "Both tests pass: 2 passed.");
        assert_ne!(status, "verified", "{before:?}: {told:#}");
    }
}

/// `cd link/..` leads back for a shell, and elsewhere for the file system.
#[test]
fn a_link_does_not_move_the_tests_to_another_folder() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    world.make_file(&folder.join("deep/test_a.py"), SUITE);
    world.make_folder(&folder.join("deep/dir"));
    std::os::unix::fs::symlink("deep/dir", folder.join("link")).unwrap();
    let print = format!("import sys\nsys.stderr.write('{PRINTED}')\nsys.exit(0)\n");
    world.make_file(&folder.join("unittest.py"), &print);
    for line in ["cd link/.. && python3 -m unittest", "cd link; cd ..; python3 -m unittest"] {
        let tests = tests_of(&world, line);
        assert_eq!(tests, Value::Null, "{line}");
        let (status, told) = claimed(&world, "Both tests pass: 2 passed.");
        assert_ne!(status, "verified", "{line}: {told:#}");
    }
}

/// The same for the path of a program: the file system starts another one than its text names.
#[test]
fn a_link_does_not_choose_another_environment() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    world.make_file(&folder.join("test_a.py"), SUITE);
    world.make_folder(&folder.join("deep/dir"));
    std::os::unix::fs::symlink("deep/dir", folder.join("link")).unwrap();
    world.make_file(&folder.join(".venv/pyvenv.cfg"), "home = /usr/bin\n");
    world.make_folder(&folder.join(".venv/bin"));
    std::os::unix::fs::symlink("/usr/bin/python3", folder.join(".venv/bin/python3")).unwrap();
    world.make_program(
        &folder.join("deep/.venv/bin/python3"),
        &format!("#!/bin/sh\nprintf '{PRINTED}' >&2\n"),
    );
    for (line, runner) in
        [("deep/../.venv/bin/python3 -m unittest", "unittest"), ("link/../.venv/bin/python3 -m unittest", "")]
    {
        let tests = tests_of(&world, line);
        assert_eq!(tests["runner"].as_str().unwrap_or_default(), runner, "{line}: {tests}");
    }
}

/// A command of an agent that starts Actum again with variables of its own.
#[test]
fn variables_of_whoever_starts_actum_do_not_replace_the_runner() {
    let fake = format!("printf '{PRINTED}' >&2");
    for inherited in ["", "function", "path", "startup"] {
        let Some(world) = World::new(Caller::Ordinary) else { return };
        world.make_file(&world.workspace().join("test_a.py"), SUITE);
        let evil = world.path("home/evil");
        world.make_program(&evil.join("python3"), &format!("#!/bin/sh\n{fake}\n"));
        world.make_file(&evil.join("start.sh"), &format!("python3() {{ {fake}; }}\n"));
        let line = "python3 -m unittest";
        let event = serde_json::json!({
            "cwd": world.workspace(), "tool_name": "Bash", "tool_input": { "command": line }
        });
        let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "claude"]);
        let hook = hook.stdin(event.to_string().as_bytes()).go().expect(0);
        let answer: Value = serde_json::from_slice(&hook.stdout).unwrap();
        let routed = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
        let before = match inherited {
            "function" => format!("exec env 'BASH_FUNC_python3%%=() {{ {}; }}'", fake.replace('\'', "\"")),
            "path" => format!("exec env PATH={}:\"$PATH\"", evil.display()),
            "startup" => format!("exec env BASH_ENV={}/start.sh", evil.display()),
            _ => "exec env".to_owned(),
        };
        let ran = world.actum_with(&[]).shell(&format!("{before} {routed}")).go();
        assert!(ran.err().contains("Ran 2 tests"), "{inherited}: {ran}");
        let (status, told) = claimed(&world, "Both tests pass: 2 passed.");
        let expected = if inherited.is_empty() { "verified" } else { "unsupported" };
        assert_eq!(status, expected, "{inherited}: {told:#}");
    }
}

/// A folder is no place of programs because it is on `PATH`.
#[test]
fn a_program_on_path_is_not_installed_by_that() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.make_file(&world.workspace().join("test_a.py"), SUITE);
    let evil = world.path("home/evil");
    world.make_program(&evil.join("python3"), &format!("#!/bin/sh\nprintf '{PRINTED}' >&2\n"));
    let evil = evil.to_str().unwrap();
    let run = world.run(&["python3 -m unittest"]).flags(&["--shell", "--no-prepare", "--read", evil]);
    let done = run.variable("PATH", format!("{evil}:/usr/bin:/bin")).go();
    assert_eq!(done.told("/analysis/tests"), &Value::Null, "{done}");
    let (status, told) = claimed(&world, "Both tests pass: 2 passed.");
    assert_ne!(status, "verified", "{told:#}");
}
