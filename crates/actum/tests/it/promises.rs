//! What the README promises first: the program's own output and code, confined, and said so.

use crate::leftovers::Leftovers;
use crate::run::contains;
use crate::world::{Walls, World};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn a_program_runs_and_its_code_passes_through() {
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.python("print(6*7)").walls(walls).go().expect(0);
            assert_eq!(done.out(), "42\n", "{done}");
            assert_eq!(done.told("/confinement/tier"), walls.tier(), "{done}");
            for (program, code, how) in [
                ("raise SystemExit(3)", 3, "exited"),
                ("raise SystemExit(255)", 255, "exited"),
                ("import os; os.kill(os.getpid(), 15)", 128 + 15, "signalled"),
                ("import os; os.kill(os.getpid(), 9)", 128 + 9, "signalled"),
                ("import os; os.abort()", 128 + 6, "signalled"),
            ] {
                let done = world.python(program).walls(walls).go().expect(code);
                assert_eq!(done.told("/exit_code"), code, "{done}");
                assert_eq!(done.told("/result/ending/how"), how, "{done}");
            }
        }
    }
}

#[test]
fn the_summary_names_the_tier_and_its_layers() {
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.run(&["true"]).walls(walls).go().expect(0);
            let said = done.err();
            assert_eq!(said.lines().count(), 1, "{done}");
            let tier = format!("tier {} (default)", walls.tier());
            for word in ["✓ actum: exited 0", tier.as_str()] {
                assert!(said.contains(word), "{word} is missing: {done}");
            }
            assert_eq!(said.contains("without user"), walls != Walls::N, "{done}");
            let names: &[&str] = match walls {
                Walls::N => &["user", "mount", "pid", "net", "ipc", "uts", "landlock", "seccomp", "overlay"],
                Walls::L | Walls::Docker => &["landlock", "seccomp", "missing"],
            };
            let verbose = world.run(&["true"]).walls(walls).flag("--verbose").go().expect(0);
            let said = verbose.err();
            for word in names.iter().chain(&["limits", "wall=10m by timer", "stdout"]) {
                assert!(said.contains(word), "{word} is missing: {verbose}");
            }
            let quiet = world.run(&["true"]).walls(walls).flag("--quiet").go().expect(0);
            assert_eq!((quiet.out(), quiet.err()), (String::new(), String::new()), "{quiet}");
        }
    }
}

/// Every byte, NUL and what is no UTF-8 among them, on both streams and apart.
#[test]
fn output_is_passed_on_byte_for_byte() {
    let program = "import sys\nsys.stdout.buffer.write(bytes(range(256)) * 8)\n\
                   sys.stderr.buffer.write(bytes(reversed(range(256))))";
    let stdout: Vec<u8> = (0..8).flat_map(|_| 0..=255).collect();
    let stderr: Vec<u8> = (0..=255).rev().collect();
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.python(program).walls(walls).flag("--quiet").go().expect(0);
            assert_eq!(done.stdout, stdout, "{done}");
            assert_eq!(done.stderr, stderr, "{done}");
        }
    }
}

#[test]
fn much_output_is_passed_on_whole() {
    // A counter in each line, so that a lost, doubled or swapped piece shows.
    let program =
        "import sys\nfor n in range(327680): sys.stdout.write(f'{n:015d}\\n')\nsys.stderr.write('end')";
    let expected: Vec<u8> = (0..327_680).flat_map(|n| format!("{n:015}\n").into_bytes()).collect();
    assert_eq!(expected.len(), 5 << 20);
    for world in World::each() {
        for walls in [Walls::N, Walls::Docker] {
            let done = world.python(program).walls(walls).flag("--quiet").go().expect(0);
            assert!(done.stdout == expected, "{} bytes came", done.stdout.len());
            assert_eq!(done.err(), "end");
            assert_eq!(done.told("/resources/output"), expected.len() + 3, "{done}");
        }
    }
}

#[test]
fn stdin_is_nothing_unless_it_is_given() {
    for world in World::each() {
        for walls in Walls::ALL {
            let read = "import sys; print(repr(sys.stdin.read()))";
            let done = world.python(read).walls(walls).go().expect(0);
            assert_eq!(done.out(), "''\n", "{done}");
            let done = world.python(read).walls(walls).stdin(b"a\nb").go().expect(0);
            assert_eq!(done.out(), "'a\\nb'\n", "{done}");
        }
    }
}

/// A runtime manager in the caller's home, as pyenv makes it: shims that look up what they stand for.
fn a_runtime_works_in(world: &World, home: &Path) {
    let root = home.join(".pyenv");
    let shim = "#!/bin/sh\nexec \"$PYENV_ROOT/libexec/pyenv\" exec \"${0##*/}\" \"$@\"\n";
    let pyenv = "#!/bin/sh\nshift\nname=$1\nshift\nexec \"$PYENV_ROOT/versions/3.99/bin/$name\" \"$@\"\n";
    let interpreter = "#!/bin/sh\necho \"own interpreter: $1\"\ncat \"$2\"\n";
    world.make_program(&root.join("shims/mypython"), shim);
    world.make_program(&root.join("libexec/pyenv"), pyenv);
    world.make_program(&root.join("versions/3.99/bin/mypython"), interpreter);
    let secret = home.join("secret.txt");
    world.make_file(&secret, "the home's own secret");
    std::fs::set_permissions(&secret, PermissionsExt::from_mode(0o644)).unwrap();
    let path = format!("{}:{}", root.join("shims").display(), crate::world::PATH);
    for walls in Walls::ALL {
        let run = world.run(&["mypython".as_ref(), "hello".as_ref(), secret.as_os_str()]);
        let run = run.walls(walls).variable("PATH", &path).variable("PYENV_ROOT", &root);
        let done = run.variable("HOME", home).go().expect(1);
        assert!(done.out().contains("own interpreter: hello"), "{done}");
        assert!(!contains(&done.stdout, "own secret"), "{done}");
        assert_eq!(done.told("/confinement/tier"), walls.tier(), "{done}");
    }
}

/// In a folder of its own below `base`, which not everybody may write.
fn a_runtime_works_below(base: &str) {
    for world in World::each() {
        match tempfile::Builder::new().prefix("actum-it-home-").tempdir_in(base) {
            Ok(home) => {
                std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o755)).unwrap();
                a_runtime_works_in(&world, home.path());
            }
            Err(error) => actum_testkit::skip(&format!("no folder can be made in {base}: {error}")),
        }
    }
}

#[test]
fn a_runtime_in_the_home_works_and_the_home_around_it_does_not_show() {
    a_runtime_works_below("/home");
}

#[test]
fn a_runtime_below_tmp_works() {
    a_runtime_works_below("/tmp");
}

#[test]
fn a_runtime_below_var_tmp_works() {
    a_runtime_works_below("/var/tmp");
}

#[test]
fn an_everyday_run_leaves_nothing_behind() {
    for world in World::each() {
        for walls in Walls::ALL {
            let before = Leftovers::before(&world);
            let done = world.python("open('made', 'w').write('x')").walls(walls).go().expect(0);
            before.check(&done.marker);
        }
    }
}
