//! What is expected of a run: told before it where it cannot hold, judged after it, and never a reason to hang or to crash.

use crate::run::Done;
use crate::world::{Caller, Walls, World};
use serde_json::Value;
use std::time::Duration;

/// The words of the first check that did not hold, or nothing.
fn broken(done: &Done) -> String {
    let checks = done.told("/validation/checks").as_array().cloned().unwrap_or_default();
    let first = checks.iter().find(|check| check["held"] == false);
    first.map_or_else(String::new, |check| {
        let undecided = check["undecided"].as_str().map_or_else(String::new, |why| format!(" ({why})"));
        format!("{}: {}{undecided}", check["name"].as_str().unwrap(), check["found"].as_str().unwrap())
    })
}

const WRITES: &str = r#"
import json, struct, sys
open("table.csv", "w").write("id,share\n1,0.25\n2,0.75\n")
open("ragged.csv", "w").write("a,b\n1,2\n3\n")
json.dump({"n": 3, "scores": [0.1, 0.2]}, open("out.json", "w"))
png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", 640, 480) + b"\x08\x02\x00\x00\x00"
open("plot.png", "wb").write(png)
print("loss: 0.5")
print("loss: 0.25")
print("done", file=sys.stderr)
"#;

#[test]
fn what_came_out_is_held_against_what_was_expected() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.make_file(&world.workspace().join("w.py"), WRITES);
    world.make_file(&world.workspace().join("old.txt"), "old");
    world.make_file(&world.workspace().join("s.json"), r#"{"properties": {"n": {"maximum": 2}}}"#);
    for (expectation, found) in [
        ("exit=0", ""),
        ("stdout=loss: 0.5\nloss: 0.25", ""),
        ("stdout=loss: 0.5\nloss: 0.35", "stdout: a difference in line 2, byte 9"),
        ("stdout-contains=0.25", ""),
        ("stderr-matches=^done$", ""),
        ("stdout-json={}", "stdout-json: it is not JSON: line 1, column 1"),
        ("file=out.json", ""),
        ("file=none.json", "file:none.json: no such file"),
        ("absent=old.txt", "absent:old.txt: a file of 3B, which existed before the run"),
        ("size:table.csv=..10", "size:table.csv: 23B"),
        ("json:out.json={\"scores\": [0.1, 0.2], \"n\": 3}", ""),
        (
            "json:out.json={\"scores\": [0.1, 0.3], \"n\": 3}",
            "json:out.json: 0.2 instead of 0.3 at /scores/1",
        ),
        ("schema:out.json=s.json", "schema:out.json: 1 violation"),
        ("columns:table.csv=id,share", ""),
        ("rows:table.csv=3..", "rows:table.csv: 2 rows"),
        ("rows:ragged.csv=2", "rows:ragged.csv: line 3 has 1 fields, but the first line has 2"),
        ("image:plot.png=640x480", ""),
        ("parquet:plot.png=a", "parquet:plot.png: it is not a Parquet file"),
        ("sum:table.csv#share=1", ""),
        ("number:table.csv#share=0..0.5", "number:table.csv#share: 0.75 among 2 numbers"),
        ("last:stdout#loss=0.25", ""),
        ("metric:loss=..0.1", "last:metric#loss: 0.25"),
        ("monotone:metric#loss=down", ""),
        ("number:out.json#/scores/*=0..1", ""),
        ("finite=stdout", ""),
        ("duration=..30s", ""),
        ("memory=..1KiB", ""),
    ] {
        let done = world.source("w.py", &[]).flags(&["--expect", expectation]).go();
        let (told, is_memory) = (broken(&done), expectation.starts_with("memory"));
        match is_memory {
            true => assert!(told.starts_with("memory: "), "{done}"),
            false => assert_eq!(told, found, "{expectation} {done}"),
        }
        let code = if told.is_empty() { 0 } else { 121 };
        let done = done.expect(code);
        let state = if code == 0 { "applied" } else { "kept" };
        // The first that held left them there: the same bytes again are no change.
        let is_one_of = [state, "nothing"].contains(&done.told("/changes/state").as_str().unwrap());
        assert!(is_one_of, "{expectation} {done}");
        for name in ["table.csv", "ragged.csv", "out.json", "plot.png"] {
            let _ = std::fs::remove_file(world.workspace().join(name));
        }
    }
}

#[test]
fn a_check_that_does_not_hold_keeps_changes_apart_and_is_on_the_record() {
    for world in World::each() {
        let made = world.workspace().join("made");
        let done = world
            .run(&["sh", "-c", "echo x > made; echo secret''-output"])
            .flags(&["--expect", "stdout=other", "--junit", "j.xml"])
            .go()
            .expect(121);
        assert!(!made.exists(), "{done}");
        assert_eq!(done.told("/changes/state"), "kept", "{done}");
        assert_eq!(
            (done.told("/outcome"), done.told("/exit_code")),
            (&"failure".into(), &121.into()),
            "{done}"
        );
        assert_eq!((done.told("/result/success"), done.told("/result/exit_code")), (&true.into(), &0.into()));
        let check = done.told("/validation/checks/0");
        assert_eq!(check["origin"], "the command line", "{done}");
        assert!(check["anchor"].as_str().unwrap().ends_with("#stdout:L1-L1"), "{check}");
        assert_eq!(check["quote"], "`secret-output`", "{check}");
        assert!(done.err().contains("stdout failed"), "{done}");
        let junit = std::fs::read_to_string(world.workspace().join("j.xml")).unwrap();
        assert!(junit.contains("classname=\"actum.check\"") && junit.contains("failures=\"1\""), "{junit}");
        let record = world.run::<&str>(&[]).say(&["show", "last", "--record"]);
        assert!(!record.out().contains("secret-output"), "{record}");
        world.run::<&str>(&[]).say(&["apply", "last"]).expect(0);
        assert!(made.exists());
        std::fs::remove_file(&made).unwrap();
    }
}

#[test]
fn a_code_that_was_expected_is_no_failure() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let exits = |code: &str, expected: &str| {
        world
            .run(&["sh", "-c", &format!("echo x > made; exit {code}")])
            .flags(&["--expect-exit", expected])
            .go()
    };
    let done = exits("3", "3").expect(3);
    assert_eq!(
        (done.told("/outcome"), done.told("/changes/state")),
        (&"success".into(), &"applied".into()),
        "{done}"
    );
    assert_eq!(exits("0", "3").expect(121).told("/outcome"), "failure");
    assert_eq!(exits("4", "3").expect(4).told("/validation/checks/0/found"), "exit code 4");
    let killed = world.run(&["sh", "-c", "kill -9 $$"]).flags(&["--expect-exit", "0"]).go().expect(137);
    assert_eq!(killed.told("/validation/checks/0/found"), "killed by signal 9");
}

#[test]
fn a_run_that_must_not_change_anything_and_does_ends_with_121() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for walls in [Walls::N, Walls::L] {
        world.run(&["true"]).walls(walls).flag("--read-only").go().expect(0);
    }
    let done = world.run(&["touch", "x"]).flag("--read-only").go().expect(121);
    assert_eq!(broken(&done), "nothing changed: 1 change, discarded");
    world.make_file(&world.workspace().join("m.py"), "x = 1\n");
    // What Python keeps for itself beside a module is no change of the program's.
    world.python("import sys; sys.path.insert(0, '.'); import m").flag("--read-only").go().expect(0);
}

#[test]
fn expectations_are_found_where_they_are_written() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let write = |name: &str, text: &str| world.make_file(&world.workspace().join(name), text);
    write("p.py", "print('hello')\n");
    write("p.expect.toml", "stdout = \"hello\"\n");
    write("actum.toml", "[expect]\nexit = 0\n[expect.of.\"p.py\"]\nstderr = \"\"\n");
    write(
        "a.md",
        "---\ntitle: a: b\nexpect:\n  stdout-contains: nothing\n---\n\n```bash\necho something\n```\n",
    );
    let origins = |done: &Done| {
        let checks = done.told("/validation/checks").as_array().cloned().unwrap_or_default();
        checks.iter().map(|check| check["origin"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let done = world.source("p.py", &[]).go().expect(0);
    assert_eq!(origins(&done), ["actum.toml", "actum.toml", "p.expect.toml"], "{done}");
    let done = world.source("a.md", &[]).go().expect(121);
    assert_eq!(origins(&done), ["actum.toml", "the front matter of a.md"], "{done}");
    let done = world.source("a.md", &[]).flag("--no-expectations").go().expect(0);
    assert_eq!(origins(&done), Vec::<String>::new());
    let refused = world.source("p.py", &[]).flags(&["--expect", "stdout=bye"]).go().expect(125);
    let told = refused.err();
    assert!(told.contains("the command line") && told.contains("p.expect.toml"), "{told}");
    assert!(refused.out().is_empty(), "nothing ran: {refused}");
}

#[test]
fn what_cannot_be_expected_is_refused_before_the_run() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.make_file(&world.workspace().join("bad.json"), "{\"type\": 3}");
    world.make_file(&world.workspace().join("bad.toml"), "exit = \n");
    for (flags, words) in [
        (["--expect", "exits=0"], "`exits` is not a kind of expectation"),
        (["--expect", "rows:a=5..2"], "the range ends before it begins"),
        (["--expect", "file=../x"], "relative to the workspace"),
        (["--expect", "schema:a=bad.json"], "bad.json is not a valid JSON Schema"),
        (["--expect", "schema:a=none.json"], "read the schema none.json"),
        (["--expectations", "bad.toml"], "cannot parse the expectations from bad.toml"),
        (["--cases", "bad.json"], "read cases from bad.json"),
        (["--cases", "none"], "none"),
    ] {
        let done = world.run(&["sh", "-c", "echo ran"]).flags(&flags).go().expect(125);
        assert!(done.err().contains(words) && done.out().is_empty(), "{done}");
    }
    let both = ["--expect", "stdout=a", "--expect", "stdout=b"];
    let done = world.run(&["echo", "a"]).flags(&both).go().expect(125);
    assert!(done.err().contains("contradict each other") && done.err().contains("hint:"), "{done}");
}

/// A file that nobody can read in time or memory is a check that could not be made.
#[test]
fn what_a_program_wrote_harms_nobody_who_reads_it() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let hostile = r#"
open("deep.json", "w").write("[" * 3000000)
open("wide.csv", "w").write("," * 3000000 + "\n" + "\n" * 100)
open("large.json", "wb").truncate(65 << 20)
open("cut.parquet", "wb").write(b"PAR1" + b"\xff" * 60 + b"\xff\xff\xff\x7fPAR1")
import os
os.symlink("/etc/passwd", "link.json")
os.mkfifo("pipe.json")
"#;
    let flags: Vec<&str> = ["deep.json", "wide.csv", "large.json", "cut.parquet", "link.json", "pipe.json"]
        .iter()
        .flat_map(|name| match *name {
            "deep.json" => ["--expect", "json:deep.json=1"],
            "wide.csv" => ["--expect", "rows:wide.csv=5"],
            "large.json" => ["--expect", "json:large.json=1"],
            "cut.parquet" => ["--expect", "rows:cut.parquet=5"],
            "link.json" => ["--expect", "json:link.json=1"],
            _ => ["--expect", "json:pipe.json=1"],
        })
        .collect();
    let done = world.python(hostile).flags(&flags).go().expect(121);
    let found: Vec<&str> =
        (0..6).map(|at| done.told(&format!("/validation/checks/{at}/found")).as_str().unwrap()).collect();
    assert!(found[0].starts_with("it is not JSON"), "{done}");
    assert!(found[1].contains("rows"), "{done}");
    assert!(
        done.told("/validation/checks/2/undecided").as_str().unwrap().contains("at most 64MiB"),
        "{done}"
    );
    assert_eq!(found[3], "its footer is too long");
    assert_eq!(found[4], "a link, which is not followed");
    assert_eq!(found[5], "something that is not a file");
}

/// A reader that would not come to an end, or take all memory, is ended: the report comes, says which check could not be made
/// and why, and the others are made.
#[test]
fn a_reader_that_hangs_or_eats_memory_is_told_and_the_rest_is_judged() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    // Each step of depth is tried in both ways, each of which is tried in both ways.
    let doubling = r##"{"$defs":{"n":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/n"},"minItems":2},{"type":"array","items":{"$ref":"#/$defs/n"},"minItems":2}]}},"$ref":"#/$defs/n"}"##;
    world.make_file(&world.workspace().join("doubling.json"), doubling);
    let program = "open('deep.json', 'w').write('[' * 100 + '1' + ']' * 100)\nopen('small.csv', 'w').write('a\\n1\\n2\\n')\nprint('a' * 20_000_000)";
    let flags = [
        ["--expect", "schema:deep.json=doubling.json"],
        ["--expect", "stdout-matches=(a{0,30}){40}b"],
        ["--expect", "rows:small.csv=2"],
        ["--expect", "stdout-contains=aaa"],
    ];
    let run = world.python(program).flags(&flags.concat()).flags(&["--limit", "output=64MiB", "--quiet"]);
    let done = run.patience(Duration::from_secs(120)).go().expect(121);
    assert!(done.took < Duration::from_secs(60), "{:?}", done.took);
    let check = |at: usize, what: &str| done.told(&format!("/validation/checks/{at}/{what}")).clone();
    assert!(check(0, "undecided").as_str().unwrap().starts_with("its parser "), "{}", check(0, "undecided"));
    // A fast machine may come to an end.
    let second = check(1, "undecided");
    assert!(second.is_null() || second.as_str().unwrap().starts_with("its parser "), "{second}");
    let held: Vec<Value> = (0..4).map(|at| check(at, "held")).collect();
    assert_eq!(held, [false, false, true, true].map(Value::from));
    assert!(!world.workspace().join("small.csv").exists(), "nothing is applied");
}

/// What would keep our own process busy before the run is refused.
#[test]
fn a_pattern_that_is_too_large_is_refused_before_anything_runs() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let large = "{\"pattern\": \"(?:a{999}){99}b\"}";
    world.make_file(&world.workspace().join("large.json"), large);
    world.make_file(
        &world.workspace().join("many.json"),
        &format!("{{\"allOf\": [{}true]}}", format!("{large},").repeat(30_000)),
    );
    for flag in ["stdout-matches=(a{0,200}){300}b", "schema:a=large.json", "schema:a=many.json"] {
        let done = world.run(&["echo", "ran"]).flags(&["--expect", flag]).go().expect(125);
        assert!(done.out().is_empty() && done.took < Duration::from_secs(10), "{flag}: {done}");
    }
}

#[test]
fn a_program_is_run_on_every_case() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let double = "import sys\nn = int(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read())\nopen('junk', 'w').write('x')\n\
                  print(n * 2)\nsys.exit(3 if n < 0 else 0)\n";
    world.make_file(&world.workspace().join("double.py"), double);
    let cases = |text: &str| {
        world.make_file(&world.workspace().join("c.csv"), text);
        world.source("double.py", &[]).flags(&["--cases", "c.csv", "--junit", "j.xml"]).go()
    };
    let done = cases("name,stdin,args,stdout,exit\none,1,,2,\ntwo,,2,4,\nminus,-1,,-2,3\n").expect(0);
    assert_eq!(done.told("/validation/cases").as_array().unwrap().len(), 3, "{done}");
    assert_eq!(
        (done.told("/changes/state"), world.workspace().join("junk").exists()),
        (&"discarded".into(), false)
    );
    let done = cases("name,stdin,stdout\none,1,2\ntwo,2,5\nthree,3,6\n").expect(121);
    let held: Vec<bool> =
        (0..3).map(|at| done.told(&format!("/validation/cases/{at}/held")).as_bool().unwrap()).collect();
    assert_eq!(held, [true, false, true], "{done}");
    assert!(done.err().contains("2 passed, 1 failed") && done.err().contains("✗ two"), "{done}");
    let junit = std::fs::read_to_string(world.workspace().join("j.xml")).unwrap();
    assert_eq!(junit.matches("classname=\"actum.case\"").count(), 3, "{junit}");
    for (name, text) in [("a.in", "4\n"), ("a.out", "8\n"), ("b.args", "5\n"), ("b.out", "10\n")] {
        world.make_file(&world.workspace().join("cases").join(name), text);
    }
    let done = world.run(&["python3", "double.py"]).flags(&["--cases", "cases"]).go().expect(0);
    assert!(done.err().contains("2 passed, 0 failed"), "{done}");
}

/// Each takes a tenth of a second at least; one after the other they would take longer than all at once may.
/// What would not be judged is refused before anything runs, rather than passed over.
#[test]
fn what_a_session_or_a_case_leaves_is_not_expected_in_vain() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let refused = |run: crate::run::Run<'_>, words: &str| {
        let done = run.go().expect(125);
        assert!(done.err().contains(words) && done.err().contains("hint: "), "{done}");
        assert!(done.out().is_empty(), "{done}");
    };
    let call = || world.code("python", "print(1)").flags(&["--session", "s"]);
    let of_a_call = "cannot be used with --session";
    for flags in [["--expect", "stdout=1"], ["--expect-exit", "0"], ["--expect", "file=x"]] {
        refused(call().flags(&flags), of_a_call);
    }
    world.make_file(&world.workspace().join("actum.toml"), "[expect]\nstdout = \"2\"\n");
    refused(call(), of_a_call);
    call().flag("--no-expectations").go().expect(0);
    world.actum_with(&["session", "stop", "s"]).without_report().go().expect(0);
    std::fs::remove_file(world.workspace().join("actum.toml")).unwrap();
    world.make_file(&world.workspace().join("c.toml"), "[[case]]\nstdout = \"1\"\n");
    refused(call().flags(&["--cases", "c.toml"]), of_a_call);

    for (key, name) in
        [("file = \"out\"", "out"), ("metric.loss = \"0..1\"", "loss"), ("rows.\"a.csv\" = \"2\"", "a.csv")]
    {
        world.make_file(&world.workspace().join("c.toml"), &format!("[[case]]\nname = \"one\"\n{key}\n"));
        let run = world.run(&["sh", "-c", "echo loss: 0.5; touch out"]).flags(&["--cases", "c.toml"]);
        refused(run, "files written by cases are discarded");
        assert!(!world.workspace().join("out").exists(), "{name}");
    }
    world.make_file(
        &world.workspace().join("c.toml"),
        "[[case]]\nlast.\"stdout#loss\" = \"0..1\"\nduration = \"..1m\"\n",
    );
    world.run(&["sh", "-c", "echo loss: 0.5"]).flags(&["--cases", "c.toml"]).go().expect(0);
}

#[test]
fn cases_have_what_they_need_and_share_nothing() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let rows: String =
        (0..12).map(|number| format!("{{\"args\": [\"{number}\"], \"stdout\": \"{number}\"}}\n")).collect();
    world.make_file(&world.workspace().join("c.jsonl"), &rows);
    let alone = "test -e mark && exit 9; touch mark; echo $1";
    let done = world.run(&["sh", "-c", alone, "sh"]).flags(&["--cases", "c.jsonl"]).go().expect(0);
    assert!(done.err().contains("12 passed, 0 failed"), "{done}");
    let names: Vec<&str> =
        (0..12).map(|at| done.told(&format!("/validation/cases/{at}/name")).as_str().unwrap()).collect();
    assert_eq!(names[..3], ["1", "2", "3"], "in the order of the table");
}

#[test]
fn where_nothing_is_expected_there_is_advice_and_no_other_code() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let odd = "print('loss: nan')\nopen('t.csv', 'w').write('a,b\\n1,nan\\n2\\n')\nopen('o.json', 'w').write('{')\n\
               if False:\n    open('never.txt', 'w').write('x')\n";
    world.make_file(&world.workspace().join("odd.py"), odd);
    let done = world.source("odd.py", &[]).go().expect(0);
    let advice = done.told("/validation/advice").as_array().cloned().unwrap_or_default();
    let about: Vec<&str> = advice.iter().map(|one| one["about"].as_str().unwrap()).collect();
    assert_eq!(about, ["stdout", "never.txt", "o.json", "t.csv", "t.csv"], "{done}");
    assert_eq!(
        (done.told("/changes/state"), done.told("/outcome")),
        (&"applied".into(), &"success".into()),
        "{done}"
    );
    assert!(done.err().contains("advice"), "{done}");
    world.make_file(&world.workspace().join("silent.py"), "def main():\n    print('x')\n");
    let done = world.source("silent.py", &[]).go().expect(0);
    assert_eq!(
        done.told("/validation/advice/0/says"),
        "the program printed nothing, although its code prints",
        "{done}"
    );
    let plain = world.code("python", "print(1)").go().expect(0);
    assert_eq!(plain.told("/validation/advice"), &serde_json::Value::Null, "{plain}");
    // Whoever expects something is told about that, and nothing else.
    let done = world.source("odd.py", &[]).flags(&["--expect", "exit=0"]).go().expect(0);
    assert_eq!(done.told("/validation/advice"), &serde_json::Value::Null, "{done}");
}
