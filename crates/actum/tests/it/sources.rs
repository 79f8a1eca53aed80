//! Sources that are none, and every form in which code comes.

use crate::world::{Caller, World};
use std::os::unix::fs::PermissionsExt;

#[test]
fn what_is_no_source_is_told_in_one_message() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let place = |name: &str| world.workspace().join(name);
    let bytes = |name: &str, bytes: &[u8]| {
        world.make_file(&place(name), "");
        std::fs::write(place(name), bytes).unwrap();
    };
    bytes("empty.py", b"");
    bytes("nul.py", b"print(1)\0\n");
    bytes("latin.rb", b"puts '\xff\xfe'\n");
    bytes("guess", b"hello\n");
    bytes("either", b"x = 1\n");
    bytes("shebang", b"#!/no/such/interpreter\n");
    bytes("closed.py", b"print(1)\n");
    std::fs::set_permissions(place("closed.py"), PermissionsExt::from_mode(0o000)).unwrap();
    std::fs::File::create(place("large.py")).unwrap().set_len(100 << 20).unwrap();
    world.make_folder(&place("folder.py"));
    bytes("none.md", b"# Nothing here\n\n```text\nx\n```\n");
    for (name, code) in [
        ("empty.py", 125),
        ("nul.py", 125),
        ("latin.rb", 125),
        ("guess", 125),
        ("either", 125),
        ("shebang", 127),
        ("closed.py", 125),
        ("large.py", 125),
        ("folder.py", 125),
        ("none.md", 125),
        ("gone.py", 125),
    ] {
        let done = world.source(name, &[]).go().expect(code);
        let (said, rest) = done.err().split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert!(said.starts_with("actum: "), "{done}");
        assert!(rest.starts_with("hint: ") && rest.lines().count() == 1, "{done}");
        assert!(!done.err().contains("panicked") && done.out().is_empty(), "{done}");
    }
}

#[test]
fn code_comes_in_every_form() {
    for world in World::each() {
        world.make_file(&world.workspace().join("x.py"), "import sys\nprint('file', sys.argv[1:])\n");
        assert_eq!(world.source("x.py", &["-v", "--", "b"]).go().expect(0).out(), "file ['-v', '--', 'b']\n");
        assert_eq!(world.code("python", "print('code')").go().expect(0).out(), "code\n");
        let shell = world.run(&["echo a | tr a b"]).flag("--shell");
        assert_eq!(shell.go().expect(0).out(), "b\n");
        let stdin = world.actum_with(&["run", "-l", "python", "-", "one"]);
        let piped = stdin.shell("echo 'import sys; print(sys.argv[1])' | \"$@\"");
        assert_eq!(piped.go().expect(0).out(), "one\n");
        let closed = world.actum_with(&["run", "-l", "python", "-"]).shell("\"$@\" <&-").go().expect(125);
        assert!(closed.err().starts_with("actum: "), "{closed}");
        let answer = "```python\nopen('a', 'w').write('1')\n```\n\n```bash\ncat a; echo 2 > b\n```\n";
        world.make_file(&world.workspace().join("answer.md"), answer);
        let done = world.source("answer.md", &[]).go().expect(0);
        assert_eq!(done.out(), "1", "{done}");
        assert_eq!(done.told("/steps").as_array().unwrap().len(), 2, "{done}");
        assert_eq!(done.told("/changes/created"), 2, "{done}");
        assert!(world.workspace().join("a").exists() && world.workspace().join("b").exists());
    }
}

/// A run is one transaction, whatever the number of its programs.
#[test]
fn an_answer_that_fails_in_the_middle_changes_nothing() {
    for world in World::each() {
        let answer = "```bash\necho 1 > a\n```\n\n```bash\ncat a; exit 7\n```\n\n```bash\necho 3 > c\n```\n";
        world.make_file(&world.workspace().join("answer.md"), answer);
        let done = world.source("answer.md", &[]).go().expect(7);
        assert_eq!(done.out(), "1\n", "{done}");
        assert!(!world.workspace().join("a").exists(), "{done}");
        assert_eq!(done.told("/changes/state"), "kept", "{done}");
        assert_eq!(done.told("/steps/2/outcome"), "skipped", "{done}");
        let done = world.source("answer.md", &[]).flag("--keep-going").go().expect(7);
        assert_eq!(done.told("/steps/2/outcome"), "success", "{done}");
        assert_eq!(done.told("/changes/created"), 2, "{done}");
        assert!(!world.workspace().join("c").exists(), "{done}");
    }
}

#[test]
fn what_was_printed_can_be_had_again() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let program = "import sys\nsys.stdout.buffer.write(bytes(range(256)) * 4000)\nsys.stdout.flush()\nsys.stderr.write('after\\n')\n";
    let done = world.python(program).go().expect(0);
    let again = world.actum_with(&["logs", "last", "--stream", "stdout"]).go().expect(0);
    assert!(again.stdout == done.stdout, "not the same bytes");
    let both = world.actum_with(&["logs", "last"]).go().expect(0);
    assert!(both.stdout == done.stdout && both.err() == "after\n");
    assert!(world.actum_with(&["show", "last"]).go().expect(0).out().contains("exited 0"));
    // A reader that leaves ends a run as it ends any program.
    let gone = world.run(&["yes"]).shell("\"$@\" | head -n 1").go();
    assert_eq!(gone.out(), "y\n", "{gone}");
}
