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

fn status(world: &World, text: &str) -> (String, Value, i32) {
    let done = claims(world, text, &["--json"]);
    let told: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"));
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
        ("Processed 1,500 samples.", "verified", "1500"),
        ("Processed 1,600 samples.", "contradicted", "1500"),
        ("Wrote 1,000 rows to `out/rows.csv`.", "verified", "1000"),
        ("Wrote 2,000 rows to `out/rows.csv`.", "contradicted", "1000"),
        ("It ran on CPU.", "verified", "cpu"),
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
