//! What was run is found again: listed, shown, read while it goes on and after its end, compared; also where nobody can
//! write, and when something was lost or is no longer what was kept.

use crate::leftovers::{end_marked, marked};
use crate::run::{Done, within};
use crate::terminal::Terminal;
use crate::world::{Caller, World};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

fn ask(world: &World, words: &[&str]) -> Done {
    world.actum_with(words).go()
}

fn json(world: &World, words: &[&str]) -> Value {
    let done = ask(world, words).expect(0);
    serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"))
}

fn store(world: &World) -> PathBuf {
    world.path("home/.local/share/actum")
}

fn commands(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|run| run["command"].as_str().unwrap()).collect()
}

#[test]
fn runs_are_listed_newest_first_and_by_what_is_asked() {
    for world in World::each() {
        assert_eq!(ask(&world, &["ls"]).expect(0).out(), "");
        assert_eq!(json(&world, &["ls", "--json"]), serde_json::json!([]));
        let deep = world.workspace().join("deep");
        world.make_folder(&deep);
        world.run(&["true"]).flags(&["--label", "nightly", "--label", "a b"]).go().expect(0);
        world.run(&["sh", "-c", "exit 3"]).folder(&deep).go().expect(3);
        world.code("python", "print(1)").flags(&["--label", "nightly"]).go().expect(0);
        let all = ["python3 -c 'print(1)'", "sh -c 'exit 3'", "true"];
        let path = deep.to_str().unwrap();
        for (words, expected) in [
            (&[][..], &all[..]),
            (&["--limit", "1"], &all[..1]),
            (&["--outcome", "failure,running"], &all[1..2]),
            (&["--outcome", "success"], &[all[0], all[2]]),
            (&["--language", "python"], &all[..1]),
            (&["--label", "nightly", "--label", "a b"], &all[2..]),
            (&["--path", path], &all[1..2]),
            (&["--path", "."], &all[..]),
            (&["--grep", "exit"], &all[1..2]),
            (&["--since", "1h", "--until", "2999-01-01"], &all[..]),
            (&["--until", "2001-01-01T00:00:00+02:00"], &[]),
            (&["--outcome", "lost"], &[]),
        ] {
            let words: Vec<&str> = ["list", "--json"].iter().chain(words).copied().collect();
            assert_eq!(commands(&json(&world, &words)), expected, "{words:?}");
        }
        let list = ask(&world, &["ls", "--limit", "2"]).expect(0);
        assert!(list.out().lines().count() == 2 && list.out().contains("✗ failure"), "{list}");
        assert!(list.err().contains("and 1 more"), "{list}");
        for (words, said) in [
            (&["ls", "--since", "yesterday"][..], "2026-11-15T10:30:00Z"),
            (&["ls", "--outcome", "great"], "possible values"),
            (&["ls", "--label", ""], "not a label"),
        ] {
            let done = ask(&world, words).expect(125);
            assert!(done.err().contains(said), "{done}");
        }
    }
}

#[test]
fn a_run_is_shown_with_what_the_ledger_proves() {
    for world in World::each() {
        let done = world.code("python", "print(6*7)").go().expect(0);
        let run = done.told("/run").as_str().unwrap();
        let report = json(&world, &["show", "last", "--json"]);
        actum_testkit::assert_valid_report(&report);
        assert_eq!(&report, done.report.as_ref().unwrap(), "the same as when it ended");
        assert_eq!(report.pointer("/evidence/level"), Some(&"E2".into()));
        let record = ask(&world, &["show", run, "--record"]).expect(0);
        let digest: String =
            Sha256::digest(&record.stdout).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(report.pointer("/evidence/record"), Some(&digest.into()));
        let account = ask(&world, &["show"]).expect(0).out();
        assert!(account.contains("E2 signed by a key that the program could not reach · entry"), "{account}");

        // A key that nobody here has or trusts proves nothing more than that it stands in the log.
        let keys = world.path("home/.config/actum/keys");
        std::fs::rename(&keys, keys.with_extension("away")).unwrap();
        let report = json(&world, &["show", "--json"]);
        assert_eq!(report.pointer("/evidence/level"), Some(&"E1".into()));
        assert!(
            report.pointer("/evidence/signer").is_none() && report.pointer("/evidence/unsigned").is_some()
        );
        let account = ask(&world, &["show"]).expect(0).out();
        assert!(
            account.contains("E1 hash-linked")
                && account.contains("unsigned: the checkpoint that covers it is not signed by a known key"),
            "{account}"
        );
    }
}

#[test]
fn without_walls_a_signature_says_less() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.run(&["true"]).flags(&["--tier", "none", "--policy", "open"]).go().expect(0);
    assert_eq!(json(&world, &["show", "--json"]).pointer("/evidence/level"), Some(&"E1".into()));
}

/// A program that says something, waits until it is let go on, and says much more.
const IN_TWO_PARTS: &str = "echo first; echo odd >&2; while ! test -e go; do sleep 0.02; done; seq 200000; echo last >&2; printf end";

#[test]
fn output_is_followed_over_the_end_of_a_run() {
    for world in World::each() {
        let go_on = world.workspace().join("go");
        let going = world.run(&["sh", "-c", IN_TWO_PARTS]).flag("--in-place").start();
        let is_there = || commands(&json(&world, &["ls", "--json", "--outcome", "running"])).len() == 1;
        assert!(within(PATIENCE, is_there), "it never ran");
        let mut follower = world.actum_with(&["logs", "last", "--follow"]).start();
        let mut searcher = world
            .actum_with(&["logs", "--follow", "--stream", "stdout", "--grep", "^(first|99.?|end)$"])
            .start();
        follower.until_said("first\n");
        searcher.until_said("1:first\n");
        let shown = ask(&world, &["show"]).expect(0).out();
        assert!(shown.contains("is still running") && shown.contains("sh -c"), "{shown}");
        assert!(ask(&world, &["timeline"]).expect(0).out().contains("still running"));
        assert_eq!(ask(&world, &["evidence", "last#stdout:L1"]).expect(0).out(), "first\n");
        world.make_file(&go_on, "");
        let done = going.finish().expect(0);
        let followed = follower.finish().expect(0);
        assert!(followed.stdout == done.stdout, "{} of {} bytes", followed.stdout.len(), done.stdout.len());
        assert_eq!(followed.err(), "odd\nlast\n");
        let found = searcher.finish().expect(0).out();
        assert!(
            found.starts_with("1:first\n100:99\n991:990\n") && found.ends_with("1000:999\n200002:end\n"),
            "{found}"
        );
        let again = ask(&world, &["logs", "last", "--follow"]).expect(0);
        assert!(again.stdout == done.stdout && again.err() == "odd\nlast\n");
        std::fs::remove_file(go_on).unwrap();
    }
}

#[test]
fn the_last_lines_and_those_that_match() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let program = "import sys,time\nfor n in range(5):\n    print('out', n, flush=True); time.sleep(0.01)\n    \
                   print('err', n, file=sys.stderr, flush=True); time.sleep(0.01)\nprint('open', end='')";
    world.python(program).go().expect(0);
    for (words, out, err) in [
        (&["--tail", "3"][..], "out 4\nopen", "err 4\n"),
        (&["--tail", "0"], "", ""),
        (&["--tail", "2", "--stream", "stderr"], "err 3\nerr 4\n", ""),
        (&["--grep", "[34]$"], "stdout:4:out 3\nstderr:4:err 3\nstdout:5:out 4\nstderr:5:err 4\n", ""),
        (&["--grep", "^o", "--stream", "stdout", "--tail", "2"], "5:out 4\n6:open\n", ""),
    ] {
        let words: Vec<&str> = ["logs", "last"].iter().chain(words).copied().collect();
        let done = ask(&world, &words).expect(0);
        assert_eq!((done.out().as_str(), done.err().as_str()), (out, err), "{words:?}");
    }
    assert_eq!(ask(&world, &["logs", "--grep", "nothing like it"]).expect(1).out(), "");
    assert!(ask(&world, &["logs", "--grep", "("]).expect(125).err().contains("unclosed group"));
    // A reader that goes away is told nothing, and tells nothing.
    world.run(&["seq", "500000"]).go().expect(0);
    let done = world.actum_with(&["logs"]).shell("\"$@\" | head -1").go().expect(0);
    assert_eq!((done.out().as_str(), done.err().as_str()), ("1\n", ""));
}

#[test]
fn a_run_whose_process_is_gone_is_told_as_lost() {
    for world in World::each() {
        let mut going = world.run(&["sh", "-c", "echo begun; sleep 600"]).start();
        going.until_said("begun");
        let marker = going.marker.clone();
        let is_kept = || ask(&world, &["logs"]).out() == "begun\n";
        assert!(within(PATIENCE, is_kept), "what it printed was never kept");
        going.child.kill().unwrap();
        going.child.wait().unwrap();
        end_marked(&marker);
        assert!(within(PATIENCE, || marked(&marker).is_empty()));
        // Both before and after somebody wrote it down.
        for _ in 0..2 {
            let is_lost = || commands(&json(&world, &["ls", "--json", "--outcome", "lost"])).len() == 1;
            assert!(within(PATIENCE, is_lost), "it is not told as lost");
            let run =
                json(&world, &["ls", "--json", "--outcome", "lost"])[0]["run"].as_str().unwrap().to_owned();
            assert_eq!(json(&world, &["show", &run, "--json"])["outcome"], "lost");
            let logs = ask(&world, &["logs", &run, "--follow"]).expect(0);
            assert_eq!(logs.out(), "begun\n");
            assert!(logs.err().contains("was lost"), "{logs}");
            assert!(
                ask(&world, &["timeline", &run]).expect(0).out().contains("lost: its end was not recorded")
            );
            assert!(
                ask(&world, &["show", &run, "--record"])
                    .expect(125)
                    .err()
                    .contains("still running, or was lost")
            );
            world.run(&["true"]).go().expect(0);
        }
    }
}

#[test]
fn a_store_that_nobody_can_write_is_read() {
    fn make(path: &Path, writable: u32) {
        let found = path.symlink_metadata().unwrap();
        let mode = found.permissions().mode() & !0o222 | writable;
        if found.is_dir() {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
            std::fs::read_dir(path).unwrap().for_each(|entry| make(&entry.unwrap().path(), writable));
        } else {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        }
    }
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.run(&["sh", "-c", "echo one; echo x > made; exit 1"]).go().expect(1);
    make(&store(&world), 0);
    for (words, code) in [
        (&["ls"][..], 0),
        (&["ls", "--json", "--all"], 0),
        (&["show"], 0),
        (&["logs"], 0),
        (&["logs", "--follow"], 0),
        (&["timeline"], 0),
        (&["evidence", "last#file/made"], 0),
        (&["diff", "last", "last"], 0),
    ] {
        ask(&world, words).expect(code);
    }
    make(&store(&world), 0o200);
}

#[test]
fn contents_that_are_not_what_was_kept_are_not_shown() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let done = world.python("import os; os.write(1, os.urandom(300_000))").go().expect(0);
    assert_eq!(ask(&world, &["logs"]).expect(0).stdout.len(), 300_000);
    let name = done.told("/result/streams/stdout/sha256").as_str().unwrap();
    let blob = store(&world).join("blobs").join(&name[..2]).join(name);
    let mut bytes = std::fs::read(&blob).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&blob, bytes).unwrap();
    for words in
        [&["logs"][..], &["logs", "--tail", "1"], &["evidence", "last#stdout"], &["logs", "--follow"]]
    {
        let done = ask(&world, words).expect(125);
        assert!(done.stdout.is_empty() && done.err().contains("hint: `actum verify`"), "{done}");
    }
    std::fs::remove_file(&blob).unwrap();
    assert!(ask(&world, &["logs"]).expect(125).stdout.is_empty());
}

#[test]
fn two_runs_are_compared() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let same = || world.run(&["sh", "-c", "echo one; echo two"]).go().expect(0);
    let (one, other) = (same(), same());
    let id = |done: &Done| done.told("/run").as_str().unwrap().to_owned();
    ask(&world, &["diff", &id(&one), &id(&other)]).expect(0);
    let program = "echo one; echo 2; echo x > made; exit 4";
    let third = world.run(&["sh", "-c", program]).flags(&["--limit", "memory=1GiB"]).go().expect(4);
    let done = ask(&world, &["diff", &id(&one), &id(&third), "--json"]).expect(1);
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(told["same"], false);
    let whats: Vec<&str> =
        told["differences"].as_array().unwrap().iter().map(|one| one["what"].as_str().unwrap()).collect();
    for what in ["command", "source", "limit memory", "outcome", "exit code", "output made", "stdout"] {
        assert!(whats.contains(&what), "{what}: {whats:?}");
    }
    assert!(!whats.contains(&"stderr") && !whats.contains(&"folder"), "{whats:?}");
    let text = ask(&world, &["diff", &id(&one), "last"]).expect(1).out();
    assert!(text.contains("\n-two\n+2\n") && text.contains("0 → 4  (+4)"), "{text}");
    ask(&world, &["diff", "last", "nothing-like-it"]).expect(125);
    let metrics = ["accuracy: 0.91", "accuracy: 0.93"]
        .map(|line| world.python(&format!("print({line:?})")).go().expect(0));
    let told = ask(&world, &["diff", &id(&metrics[0]), &id(&metrics[1])]).expect(1).out();
    assert!(told.contains("0.91 → 0.93  (+0.02)"), "{told}");
}

#[test]
fn what_happened_is_told_in_order() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world
        .make_file(&world.workspace().join("a.md"), "```sh\necho one\n```\n\n```python\nprint('two')\n```\n");
    world.source("a.md", &[]).go().expect(0);
    let told = json(&world, &["timeline", "--json"]);
    let told = told.as_array().unwrap();
    let events: Vec<&str> = told.iter().map(|one| one["event"].as_str().unwrap()).collect();
    let expected = [
        "attempt-started",
        "printed",
        "attempt-ended",
        "attempt-started",
        "printed",
        "attempt-ended",
        "settled",
        "ended",
        "sealed",
    ];
    let mut once = events.clone();
    once.dedup();
    assert_eq!(once, expected, "{told:?}");
    let times: Vec<f64> = told.iter().map(|one| one["after"].as_f64().unwrap()).collect();
    assert!(times.windows(2).all(|two| two[0] <= two[1]), "{times:?}");
    assert!(told.iter().any(|one| one["text"] == "two"), "{told:?}");
    // More pieces than anybody reads are counted, unless all are asked for.
    let program = "import sys\nfor n in range(400):\n    sys.stdout.write('o'); sys.stdout.flush(); sys.stderr.write('e'); sys.stderr.flush()";
    world.python(program).go().expect(0);
    let short = json(&world, &["timeline", "--json"]).as_array().unwrap().len();
    let whole = json(&world, &["timeline", "--json", "--all"]);
    let bytes: u64 = whole.as_array().unwrap().iter().filter_map(|one| one["bytes"].as_u64()).sum();
    assert!(short <= 210 && bytes == 800, "{short} {bytes}");
}

#[test]
fn on_a_terminal_nothing_that_was_printed_is_obeyed() {
    for world in World::each() {
        let Some(terminal) = Terminal::open(&world) else { return };
        let evil = r"\x1b]52;c;c2VjcmV0\x07\x1b]2;title\x07end";
        world
            .python(&format!("import sys; sys.stdout.write('{evil}')"))
            .flags(&["--label", "evil"])
            .go()
            .expect(0);
        let actum = world.actum();
        let say = |words: &str| {
            terminal.type_in(&world, &format!("clear; {} {words}; echo do''ne", actum.display()))
        };
        for words in
            ["logs", "logs --grep end", "timeline", "evidence last#stdout", "ls", "diff last last", "show"]
        {
            say(words);
            terminal.until_shown(&world, "done");
        }
        let kept = terminal.tmux(&world, &["show-buffer"]);
        assert!(!String::from_utf8_lossy(&kept.stdout).contains("secret"), "the clipboard was written");
        let title = terminal.tmux(&world, &["display-message", "-p", "#{pane_title}"]);
        assert_ne!(String::from_utf8_lossy(&title.stdout).trim(), "title");
        terminal.close(&world);
    }
}
