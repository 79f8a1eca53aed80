//! Claims held against what really happened, at the top: a ledger that somebody changed, a repository, a real pytest with its
//! packages, a device that a program tells.

use crate::claims::status;
use crate::hooks::own_world;
use crate::run::Run;
use crate::world::{PATH, World};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn python(folder: &Path, code: &str) {
    let done = Command::new("python3").args(["-c", code]).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Ways to change the ledger of a run that printed 0.9312, and what is said then.
const CHANGES: &[(&str, &str)] = &[
    // The record says another number.
    (
        "for seq, text in records(): say('UPDATE entry SET bytes = ? WHERE seq = ?', false(text), seq)",
        "does not match its digest",
    ),
    // And its hash goes with it.
    (
        "for seq, text in records(): say('UPDATE entry SET bytes = ?, leaf = ? WHERE seq = ?', false(text), leaf(false(text)), seq)",
        "forked",
    ),
    (
        "for name, text in blobs(): say('UPDATE blob SET bytes = ? WHERE sha256 = ?', false(text), name)",
        "does not match its digest",
    ),
    ("for name, text in blobs(): say('DELETE FROM blob WHERE sha256 = ?', name)", "stdout"),
    // Nobody signed this.
    (
        "for size, note in all('SELECT size, note FROM checkpoint'): say('UPDATE checkpoint SET note = ? WHERE size = ?', note[:-20] + 'AAAA' + note[-16:], size)",
        "a signature that is not valid",
    ),
    // The newest run never was.
    ("say('DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)')", "forked"),
    (
        "say('DELETE FROM entry WHERE seq > 0'); say('DELETE FROM run'); say('DELETE FROM tile'); say('UPDATE store SET size = 1')",
        "the Merkle tree is inconsistent",
    ),
];

const HANDS: &str = "
import hashlib, sqlite3, sys
store = sqlite3.connect('home/.local/share/actum/ledger.db')
def say(*words): global done; done += store.execute(words[0], words[1:]).rowcount
def all(words): return store.execute(words).fetchall()
def false(text): return bytes(text).replace(b'0.9312', b'0.9912')
def leaf(text): return hashlib.sha256(b'\\0' + text).digest()
def records(): return [row for row in all('SELECT seq, bytes FROM entry') if b'0.9312' in bytes(row[1] or b'')]
def blobs(): return [row for row in all('SELECT sha256, bytes FROM blob') if b'0.9312' in bytes(row[1] or b'')]
done = 0
";

#[test]
fn a_ledger_that_was_changed_is_told_whatever_is_claimed() {
    for (change, why) in CHANGES {
        let Some(world) = own_world() else { return };
        world.code("python", "print('accuracy: 0.9312')").go().expect(0);
        let (before, ..) = status(&world, "Accuracy is 93.1 %.");
        assert_eq!(before, "verified");
        python(world.workspace().parent().unwrap(), &format!("{HANDS}{change}\nassert done\nstore.commit()"));
        // True, false, and what no record could speak of.
        for claim in ["Accuracy is 93.1 %.", "Accuracy is 99.1 %.", "All 12 tests pass."] {
            let (found, told, code) = status(&world, claim);
            assert_eq!((found.as_str(), code), ("invalid record", 6), "{change}: {claim}: {told:#}");
            let said = told["findings"][0]["why"].as_str().unwrap();
            assert!(said.contains(why), "{change}: {said}");
        }
    }
}

/// A repository in the workspace, and its newest commit.
fn commit(world: &World, message: &str) -> String {
    let git = |words: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"])
            .args(words)
            .current_dir(world.workspace())
            .env("HOME", world.path("home"))
            .output()
            .unwrap();
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", message]);
    git(&["rev-parse", "HEAD"])
}

#[test]
fn a_commit_is_the_one_that_a_run_was_made_at() {
    let Some(world) = own_world() else { return };
    let file = world.workspace().join("evaluate.py");
    world.make_file(&file, "print('accuracy: 0.5')\n");
    let first = commit(&world, "one");
    world.source("evaluate.py", &[]).go().expect(0);
    world.make_file(&file, "print('accuracy: 0.75')\n");
    let second = commit(&world, "two");
    // Nothing ran at the second.
    for (claim, expected) in [
        (format!("I ran `evaluate.py` at commit {}.", &first[..10]), "verified"),
        (format!("I ran it at commit {second}."), "contradicted"),
        (format!("Committed as {}.", &second[..7]), "unsupported"),
        ("Committed as 1234abc.".to_owned(), "unsupported"),
    ] {
        let (_, told, _) = status(&world, &claim);
        let findings = told["findings"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["kind"] == "commit");
        let finding = finding.unwrap_or_else(|| panic!("{claim}: {told:#}"));
        assert_eq!(finding["status"], expected, "{claim}: {told:#}");
        if expected == "verified" {
            assert_eq!(finding["observed"], first.as_str());
            world.actum_with(&["evidence", finding["anchor"].as_str().unwrap()]).go().expect(0);
        }
    }
    // A short run may end before its commit is read; one that writes directly waits for it.
    world.source("evaluate.py", &[]).flag("--in-place").go().expect(0);
    assert_eq!(status(&world, &format!("Committed as {}.", &second[..7])).0, "verified");
}

#[test]
fn devices_are_not_judged() {
    let Some(world) = own_world() else { return };
    world.code("python", "print('Using device: cpu')").go().expect(0);
    for claim in ["It ran on the CPU.", "It ran on the GPU.", "Ran on cuda:0.", "It ran on an A100."] {
        let (found, told, _) = status(&world, claim);
        assert_eq!(found, "not judged", "{claim}: {told:#}");
    }
}

const CODE: &str = "def add(a, b):\n    return a + b\n";
const TESTS: &str = "from calc import add\n\n\ndef test_small():\n    assert add(1, 2) == 3\n\n\ndef test_large():\n    assert add(1000, 1) == 1001\n\n\ndef test_none():\n    assert add(0, 0) == 0\n";

#[test]
fn a_real_pytest_is_true_false_and_stale() {
    let Some((world, uv)) = crate::tasks::with_wheels("pytest-") else { return };
    world.make_file(&world.workspace().join("calc.py"), CODE);
    world.make_file(&world.workspace().join("test_calc.py"), TESTS);
    let pytest = || -> Run<'_> {
        let run = world.run(&["pytest", "-q"]).variable("ACTUM_UV", &uv).variable("PATH", PATH);
        run.patience(Duration::from_secs(400))
    };
    pytest().go().expect(0);
    for (claim, expected) in [
        ("All 3 tests pass.", "verified"),
        ("I ran `pytest -q`: 3 passed.", "verified"),
        ("All 12 tests pass.", "contradicted"),
        ("2 passed, 1 failed.", "contradicted"),
        // Names of those that passed are not printed.
        ("`test_calc.py::test_large` fails.", "unsupported"),
        ("I installed pytest 9.2.0.", "verified"),
        ("I installed pytest 7.4.0.", "contradicted"),
        ("I installed numpy 2.1.0.", "unsupported"),
    ] {
        let (found, told, _) = status(&world, claim);
        assert_eq!(found, expected, "{claim}: {told:#}");
    }
    // Somebody works on, and says what was true before.
    world.make_file(&world.workspace().join("calc.py"), &CODE.replace("a + b", "a - b  # at most"));
    assert_eq!(status(&world, "All 3 tests pass.").0, "stale");
    pytest().go().expect(1);
    assert_eq!(status(&world, "All 3 tests pass.").0, "contradicted");
    assert_eq!(status(&world, "1 passed, 2 failed.").0, "verified");
}
