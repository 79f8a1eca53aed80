//! Every anchor that Actum names resolves to the bytes that it names.

use crate::run::{Done, Run};
use crate::world::World;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

const MANY: &str = "import sys\nprint('epoch 1 loss: 0.5')\nprint('accuracy: 0.9312')\nopen('made.txt','w').write('hi')\n\
                    open('odd \\n\\x1b name','w').write('odd')\n\
                    import os; os.symlink('made.txt', 'link'); open('empty', 'w')\nprint('warn', file=sys.stderr)";
const TESTS: &str = "import unittest\nclass T(unittest.TestCase):\n    def test_good(self): pass\n    \
                     def test_bad(self): self.assertEqual(1, 2)\nunittest.main()";

fn runs(world: &World) -> Vec<(&'static str, Run<'_>)> {
    world.make_file(
        &world.workspace().join("answer.md"),
        "```sh\necho one > a\n```\n\n```python\nprint(1/0)\n```\n",
    );
    world.make_file(&world.workspace().join("tests.py"), TESTS);
    vec![
        ("files and metrics", world.code("python", MANY)),
        ("written directly", world.code("python", MANY).flag("--in-place")),
        ("nothing kept", world.code("python", MANY).flag("--read-only")),
        ("a traceback", world.python("def f(): raise ValueError('x')\nf()")),
        ("tests", world.source("tests.py", &[])),
        ("steps", world.source("answer.md", &[])),
        ("bytes that are no text", world.python("import os; os.write(1, bytes(range(256)) * 999)")),
        ("nothing printed", world.run(&["true"])),
        ("not found", world.run(&["no-such-command-anywhere"])),
        ("stopped", world.run(&["sh", "-c", "echo begun; sleep 60"]).flags(&["--timeout", "300ms"])),
    ]
}

fn anchors(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// The bytes, and what programs are told about them.
fn resolve(world: &World, anchor: &str) -> Done {
    let bytes = world.actum_with(&["evidence", anchor]).go();
    let told = world.actum_with(&["evidence", anchor, "--json"]).go();
    assert_eq!(bytes.code(), told.code(), "{bytes}{told}");
    let json: Value = serde_json::from_slice(&told.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    assert_eq!(json["anchor"], anchor, "{told}");
    assert_eq!(json["level"], "E2", "{told}");
    if bytes.code() == 0 {
        let digest: String = Sha256::digest(&bytes.stdout).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(json["sha256"], digest.as_str(), "{told}");
        let bodies = ["value", "text", "base64"].iter().filter(|name| json.get(*name).is_some()).count();
        assert_eq!(bodies, 1, "{told}");
    }
    bytes
}

#[test]
fn every_anchor_of_every_report_resolves() {
    for world in World::each() {
        for (what, run) in runs(&world) {
            let done = run.go();
            let id = done.told("/run").as_str().unwrap_or_else(|| panic!("{what}: {done}")).to_owned();
            let told = anchors(done.told("/evidence_anchors"));
            // A run that never began has no evidence of its own to name.
            assert!(told.len() >= 2 || what == "not found", "{what}: {done}");
            let listed = world.actum_with(&["evidence", &id, "--list", "--json"]).go().expect(0);
            let listed = anchors(&serde_json::from_slice(&listed.stdout).unwrap());
            for anchor in &told {
                assert!(listed.contains(anchor), "{what}: {anchor} is not listed");
            }
            for anchor in &listed {
                let found = resolve(&world, anchor);
                // What was thrown away is known by its digest alone, and that is said.
                let is_gone = what == "nothing kept"
                    && anchor.contains("#file/")
                    && !anchor.ends_with("#file/empty")
                    && !anchor.ends_with("#file/link");
                assert_eq!(found.code(), if is_gone { 4 } else { 0 }, "{what}: {anchor}: {found}");
            }
        }
    }
}

#[test]
fn a_piece_is_exactly_what_it_names() {
    for world in World::each() {
        world
            .python("print('a\\nb\\r\\nc\\n\\nopen', end=''); open('made', 'w').write('x\\n'); open('large', 'w').write('z' * 400_000)")
            .go()
            .expect(0);
        for (piece, bytes) in [
            ("stdout", "a\nb\r\nc\n\nopen"),
            ("stdout:L1", "a\n"),
            ("stdout:L2-L4", "b\r\nc\n\n"),
            ("stdout:L5-L5", "open"),
            ("exit", "0\n"),
            ("file/made", "x\n"),
            ("attempt/1/exit", "0\n"),
        ] {
            let found = world.actum_with(&["evidence", &format!("last#{piece}")]).go().expect(0);
            assert_eq!(found.out(), bytes, "{piece}");
        }
        let record = world.actum_with(&["show", "last", "--record"]).go().expect(0);
        assert_eq!(world.actum_with(&["evidence", "last"]).go().expect(0).stdout, record.stdout);
        for (anchor, said) in [
            ("last#stdout:L5-L6", "stdout has 5 lines"),
            ("last#stderr:L1", "stderr has 0 lines"),
            ("last#file/other", "no read or change"),
            ("last#metric/accuracy", "no such metric"),
            ("last#test/x", "no test of that name"),
            ("last#git", "outside a repository"),
            ("last#attempt/2", "no such attempt"),
            ("last#nonsense", "is not an anchor"),
            ("actum:../x#exit", "is not an anchor"),
            ("ffffffffffff#exit", "no run `ffffffffffff`"),
        ] {
            let refused = world.actum_with(&["evidence", anchor]).go().expect(125);
            assert!(refused.err().contains(said) && refused.err().contains("hint: "), "{anchor}: {refused}");
            assert!(refused.stdout.is_empty(), "{refused}");
        }
        // A file that is no longer what the run left is not shown as if it were.
        let large = world.actum_with(&["evidence", "last#file/large"]).go().expect(0);
        assert_eq!(large.stdout, vec![b'z'; 400_000]);
        std::fs::write(world.workspace().join("large"), "y\n").unwrap();
        std::fs::write(world.workspace().join("made"), "y\n").unwrap();
        let kept = world.actum_with(&["evidence", "last#file/made"]).go().expect(0);
        assert_eq!(kept.out(), "x\n", "what is kept stays");
        let gone = world.actum_with(&["evidence", "last#file/large"]).go().expect(4);
        assert!(gone.stdout.is_empty() && gone.err().contains("only its SHA-256 was recorded"), "{gone}");
    }
}
