//! Claims about runs that really happened: a small suite of tests, a program that tells numbers and writes files.

use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::Value;

const TESTS: &str = "import unittest\nclass T(unittest.TestCase):\n    def test_one(self): self.assertEqual(1 + 1, 2)\n    def test_two(self): self.assertEqual(LIMIT, 3)\nLIMIT = 3\n";
const PROGRAM: &str = "import json, os\nos.makedirs('out', exist_ok=True)\nwith open('out/rows.csv', 'w') as f:\n    f.write('a,b\\n' + '1,2\\n' * 1000)\nprint('Processed 1500 samples')\nprint('accuracy: 0.9312')\nprint('device: cpu')\n";

fn claims(world: &World, text: &str, flags: &[&str]) -> Done {
    let path = world.path("work/message.md");
    world.make_file(&path, text);
    let words: Vec<&str> = ["claims", "message.md"].into_iter().chain(flags.iter().copied()).collect();
    world.actum_with(&words).go()
}

/// The worst status, everything that is told, and the code that goes with it, which is the one that it ended with.
pub fn status(world: &World, text: &str) -> (String, Value, i32) {
    let done = claims(world, text, &["--json"]);
    let told: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"));
    actum_testkit::assert_valid_findings(&told);
    let code = match told["status"].as_str().unwrap() {
        "contradicted" => 3,
        "stale" | "ambiguous" | "unsupported" => 4,
        "invalid record" => 6,
        _ => 0,
    };
    done.expect(code);
    (told["status"].as_str().unwrap().to_owned(), told, code)
}

fn world() -> Option<World> {
    let world = World::new(Caller::Root).or_else(|| World::new(Caller::Ordinary))?;
    world.make_file(&world.path("work/test_small.py"), TESTS);
    world.make_file(&world.path("work/evaluate.py"), PROGRAM);
    Some(world)
}

#[test]
fn true_claims_are_verified_and_false_ones_are_not() {
    let Some(world) = world() else { return };
    assert_eq!(status(&world, "All 2 tests pass.").0, "unsupported", "nothing ran yet");
    world.run(&["python3", "-m", "unittest", "-v", "test_small.py"]).go().expect(0);
    world.source("evaluate.py", &[]).go().expect(0);
    for (text, expected, observed) in [
        ("All 2 tests pass.", "verified", "2 passed"),
        ("I ran `python3 -m unittest -v test_small.py` and both tests pass.", "verified", "2 passed"),
        ("`test_one` passes.", "verified", "passed"),
        ("All 12 tests pass.", "contradicted", "2 passed"),
        ("2 tests failed.", "contradicted", "0 failed"),
        ("Accuracy is 93.1 %.", "verified", "0.9312"),
        ("| Metric | Value |\n|---|---|\n| Accuracy | 95 % |", "contradicted", "0.9312"),
        ("Wrote 1,000 rows to `out/rows.csv`.", "verified", "1000"),
        ("Wrote 2,000 rows to `out/rows.csv`.", "contradicted", "1000"),
    ] {
        let (found, told, _) = status(&world, text);
        assert_eq!(found, expected, "{text}: {told:#}");
        let is_shown =
            |finding: &Value| finding["observed"].as_str().is_some_and(|seen| seen.contains(observed));
        let findings = told["findings"].as_array().unwrap();
        let finding =
            findings.iter().find(|finding| is_shown(finding)).unwrap_or_else(|| panic!("{text}: {told:#}"));
        let anchor = finding["anchor"].as_str().unwrap();
        world.actum_with(&["evidence", anchor]).go().expect(0);
        assert!(finding["level"].as_str().unwrap() >= "E1", "{told:#}");
    }
    for text in
        ["BLEU is 31.2.", "Saved the plot to out/plot.png.", "I ran `cargo test`.", "The build succeeds."]
    {
        assert_eq!(status(&world, text).0, "unsupported", "{text}");
    }
    for text in ["All 12 tests should pass now.", "Run `pytest` to see.", "```\n12 passed\n```"] {
        assert_eq!(status(&world, text).0, "none", "{text}");
    }
    let explained = claims(&world, "Accuracy is 93.1 %.", &["--explain"]).expect(0);
    assert!(explained.out().contains("93.1 % means 93.05 to 93.15"), "{explained}");
    claims(&world, "I fixed the bug.", &[]).expect(0);
    claims(&world, "I fixed the bug.", &["--strict"]).expect(5);
}

#[test]
fn what_changed_since_is_stale() {
    let Some(world) = world() else { return };
    world.source("evaluate.py", &[]).go().expect(0);
    world.run(&["python3", "-m", "unittest", "test_small.py"]).go().expect(0);
    assert_eq!(status(&world, "Accuracy is 93.1 %. All 2 tests pass.").0, "verified");
    world.make_file(&world.path("work/evaluate.py"), &PROGRAM.replace("0.9312", "0.9512"));
    assert_eq!(status(&world, "Accuracy is 93.1 %.").0, "stale");
    assert_eq!(status(&world, "All 2 tests pass.").0, "verified");
    // Longer than before: Python takes a file of the same second and the same length for the one that it has compiled.
    world.make_file(&world.path("work/test_small.py"), &TESTS.replace("LIMIT = 3", "LIMIT = 4  # at most"));
    assert_eq!(status(&world, "All 2 tests pass.").0, "stale");
    world.run(&["python3", "-m", "unittest", "test_small.py"]).go().expect(1);
    assert_eq!(status(&world, "All 2 tests pass.").0, "contradicted");
    assert_eq!(status(&world, "1 of 2 tests fails, 1 passed.").0, "verified");
}

#[test]
fn claims_come_as_data_and_bad_input_is_told() {
    let Some(world) = world() else { return };
    world.source("evaluate.py", &[]).go().expect(0);
    let path = world.path("work/claims.json");
    world.make_file(
        &path,
        r#"{"claims":[{"kind":"metric","name":"accuracy","value":0.931},{"kind":"exit","code":0}]}"#,
    );
    let done = world.actum_with(&["claims", "claims.json", "--json"]).go().expect(0);
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((told["status"].as_str(), told["findings"].as_array().unwrap().len()), (Some("verified"), 2));
    world.make_file(&path, "{\"claims\":[{\"kind\":\"magic\"}]}");
    let done = world.actum_with(&["claims", "claims.json"]).go().expect(125);
    assert!(done.err().contains("hint: "), "{done}");
    let done = world.actum_with(&["claims", "absent.md"]).go().expect(125);
    assert!(done.err().contains("absent.md"), "{done}");
}

const ID: &str = "0123456789abcdef0123456789abcdef";

/// A database as MLflow has one, with these statements besides.
fn database(statements: &str) -> String {
    format!(
        "import sqlite3\nstore = sqlite3.connect('mlflow.db')\nstore.executescript(\"\"\"CREATE TABLE IF NOT EXISTS runs (run_uuid VARCHAR(32) PRIMARY KEY, name TEXT);\nCREATE TABLE IF NOT EXISTS notes (text TEXT);\n{statements}\"\"\")\nstore.close()\nprint('MLflow Run ID: {ID}')\n"
    )
}

/// What is said about the claim that this id is that of a run.
fn of_id(world: &World) -> (String, String) {
    let (status, told, _) = status(world, &format!("The MLflow run ID is `{ID}`."));
    (status, told["findings"][0]["why"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn an_id_that_no_store_knows_is_unsupported_whatever_was_printed_or_written() {
    let pretended = format!(
        "open('mlflow.db', 'w').write('SQLite format 3\\0 CREATE TABLE runs {ID}')\nprint('MLflow Run ID: {ID}')\n"
    );
    let named = format!(
        "import os\nos.makedirs('mlruns/0/{ID}')\nopen('mlruns/0/{ID}/meta.yaml', 'w').write('name: run_id {ID}')\nprint('MLflow Run ID: {ID}')\n"
    );
    for liar in [
        format!("print('MLflow Run ID: {ID}')\n"),
        pretended,
        // A row that speaks of it is no run.
        database(&format!("INSERT INTO notes VALUES ('{ID}');")),
        database(&format!("INSERT INTO runs VALUES ('ffffffffffffffffffffffffffffffff', '{ID}');")),
        named,
    ] {
        let Some(world) = world() else { return };
        world.code("python", &liar).go().expect(0);
        let (status, why) = of_id(&world);
        assert_eq!(status, "unsupported", "{liar}: {why}");
        assert!(why.contains("no tracking store in the workspace knows it"), "{liar}: {why}");
    }
}

#[test]
fn an_id_is_that_of_the_run_that_brought_it_into_the_store() {
    let insert = format!("INSERT INTO runs VALUES ('{ID}', 'one');");
    let Some(world) = world() else { return };
    world.code("python", &database(&insert)).go().expect(0);
    assert_eq!(of_id(&world).0, "verified");
    // Another run changes the store: it was still the first.
    world.code("python", &database("INSERT INTO notes VALUES ('x');")).go().expect(0);
    assert_eq!(of_id(&world).0, "verified");
    let ledger = world.actum_with(&["ls", "--json"]).go();
    assert_eq!(ledger.out().matches("\"command\"").count(), 2, "a question is no run: {ledger}");

    let Some(world) = self::world() else { return };
    let made = std::process::Command::new("python3")
        .args(["-c", &database(&insert)])
        .current_dir(world.workspace())
        .status();
    assert!(made.unwrap().success());
    world.code("python", &database("INSERT INTO notes VALUES ('x');")).go().expect(0);
    let (status, why) = of_id(&world);
    assert_eq!(status, "unsupported", "{why}");
    assert!(why.contains("no recorded run produced it"), "{why}");
}

#[test]
fn the_id_of_a_real_mlflow_is_verified_and_another_is_not() {
    let Some((world, uv)) = crate::tasks::with_wheels("mlflow-") else { return };
    let in_files = "import os\nos.environ['MLFLOW_TRACKING_URI'] = 'file:./mlruns'\nos.environ['MLFLOW_ALLOW_FILE_STORE'] = 'true'\n";
    let tracked = "import mlflow\nwith mlflow.start_run() as run:\n    mlflow.log_metric('loss', 0.25)\n    print('MLflow Run ID:', run.info.run_id)\n";
    for (before, file) in [("", "mlflow.db"), (in_files, "/meta.yaml")] {
        let run = world.code("python", &format!("{before}{tracked}")).variable("ACTUM_UV", &uv);
        let done = run.patience(std::time::Duration::from_secs(400)).go().expect(0);
        let id = done.out().trim().rsplit(' ').next().unwrap().to_owned();
        assert!(actum_model::is_mlflow_id(&id), "{done}");
        let (status, told, _) = status(&world, &format!("MLflow run ID: {id}"));
        assert_eq!(status, "verified", "{told:#}");
        let anchor = told["findings"][0]["anchor"].as_str().unwrap();
        assert!(anchor.contains(file) || file == "/meta.yaml", "{anchor}");
        world.actum_with(&["evidence", anchor]).go().expect(0);
    }
    let (status, told, _) = status(&world, &format!("MLflow run ID: {ID}"));
    assert_ne!(status, "verified", "{told:#}");
}

/// Finds its data by a pattern and by names that it puts together, keeps a result, and asks a database.
const READER: &str = "import glob, json, sqlite3\nwords = sum(len(open(path).read().split()) for path in glob.glob('docs/*.md'))\nscale = json.load(open('con' + 'fig.json'))['scale']\nrows = sqlite3.connect('pairs.db').execute('select count(*) from t').fetchone()[0]\nopen('result.txt', 'w').write(str(words * scale))\nprint(open('result.txt').read())\nprint(f'accuracy: {words * scale / rows}')\n";

fn reader() -> Option<World> {
    let world = World::new(Caller::Root).or_else(|| World::new(Caller::Ordinary))?;
    let file = |path: &str, text: &str| world.make_file(&world.path(path), text);
    file("work/docs/a.md", "three small words");
    file("work/docs/b.md", "one");
    file("work/config.json", "{\"scale\": 1}");
    file("work/result.txt", "of yesterday");
    file("work/unread.csv", "1,2");
    file("work/measure.py", READER);
    let fill = "import sqlite3\nc = sqlite3.connect('pairs.db')\nc.execute('create table t(x)')\nc.executemany('insert into t values(?)', [(n,) for n in range(8)])\nc.commit()\n";
    world.run(&["python3", "-c", fill]).go().expect(0);
    Some(world)
}

#[test]
fn what_a_program_opened_by_itself_makes_its_result_stale_when_it_changes() {
    let Some(world) = reader() else { return };
    let says = "Accuracy is 0.5.";
    world.run(&["python3", "measure.py"]).go().expect(0);
    assert_eq!(status(&world, says).0, "verified", "what it wrote itself is no changed input");
    for (path, text) in [("work/unread.csv", "3,4"), ("work/result.txt", "of another run")] {
        world.make_file(&world.path(path), text);
        assert_eq!(status(&world, says).0, "verified", "{path} was not read");
    }
    for (path, text, told) in [
        ("work/docs/b.md", "two words", "docs/b.md"),
        ("work/config.json", "{\"scale\": 2}", "config.json"),
        ("work/pairs.db", "no database", "pairs.db"),
    ] {
        let path = world.path(path);
        let before = std::fs::read(&path).unwrap();
        world.make_file(&path, text);
        let (found, findings, _) = status(&world, says);
        assert_eq!(found, "stale", "{told}: {findings:#}");
        assert!(findings.to_string().contains(&format!("but {told} changed since")), "{findings:#}");
        std::fs::write(&path, before).unwrap();
        assert_eq!(status(&world, says).0, "verified", "{told} is as it was");
    }
    // The same for a source, and for a program that writes directly.
    world.source("measure.py", &[]).go().expect(0);
    world.actum_with(&["run", "--in-place", "--", "python3", "measure.py"]).go().expect(0);
    assert_eq!(status(&world, says).0, "verified");
    world.make_file(&world.path("work/docs/a.md"), "three other words");
    assert_eq!(status(&world, says).0, "stale");
}

#[test]
fn a_module_that_nothing_imported_is_no_input() {
    let Some(world) = world() else { return };
    let file = |path: &str, text: &str| world.make_file(&world.path(path), text);
    file("work/ring.py", "SIZE = 3\n");
    file("work/throttle.py", "LIMIT = 1\n");
    file("work/test_ringbuf.py", &TESTS.replace("LIMIT = 3", "from ring import SIZE as LIMIT"));
    let says = "2 tests pass.";
    world.run(&["python3", "-m", "unittest", "test_ringbuf"]).go().expect(0);
    assert_eq!(status(&world, says).0, "verified");
    file("work/throttle.py", "LIMIT = 2  # more\n");
    assert_eq!(status(&world, says).0, "verified", "nothing imported it");
    file("work/ring.py", "SIZE = 4  # more\n");
    assert_eq!(status(&world, says).0, "stale");
    // What a shell starts may look at the time of a file and leave it alone: there what was not opened can have had a say, but
    // for a script that nothing which was opened speaks of.
    file("work/ring.py", "SIZE = 3\n");
    world.run(&["sh", "-c", "python3 -m unittest test_ringbuf"]).go().expect(0);
    assert_eq!(status(&world, says).0, "verified");
    file("work/throttle.py", "LIMIT = 3  # more than before\n");
    assert_eq!(status(&world, says).0, "verified");
    file("work/ring.py", "SIZE = 3  # the throttle is elsewhere\n");
    file("work/built.c", "int main(void) { return 0; }\n");
    world.run(&["sh", "-c", "python3 -m unittest test_ringbuf"]).go().expect(0);
    assert_eq!(status(&world, says).0, "verified");
    file("work/throttle.py", "LIMIT = 4\n");
    assert_eq!(status(&world, says).0, "stale", "something that was opened speaks of it");
    file("work/throttle.py", "LIMIT = 3  # more than before\n");
    assert_eq!(status(&world, says).0, "verified");
    file("work/built.c", "int main(void) { return 1; }\n");
    assert_eq!(status(&world, says).0, "stale", "something may have been built from it before");
}
