//! Programs in the sandbox that want their run unrecorded, their limits unenforced, or code to run after them.

use crate::world::{Caller, Walls, World};
use std::time::Duration;

/// Hard links make the changes larger than the limit: they are dropped, and everything else about the run is recorded.
#[test]
fn a_run_whose_changes_are_too_large_is_recorded() {
    let program = "import os\nprint('it ran', flush=True)\nopen('b', 'wb').write(b'x' * (4 << 20))\n\
        for i in range(20): os.link('b', 'l%d' % i)\n";
    for world in World::each() {
        let run = world.python(program).flags(&["--limit", "disk=32MiB"]);
        let done = run.go().expect(123);
        assert_eq!(done.told("/result/ending/how"), "exited", "{done}");
        assert!(done.err().contains("exceed the limit `disk`"), "{done}");
        assert!(!world.workspace().join("b").exists(), "{done}");
        let again = world.run(&["true"]).say(&["logs", "last"]);
        assert_eq!(again.out(), "it ran\n", "{again}");
    }
}

/// A process that is ending cannot be read for a moment; many of them are no sign of hidden writes.
#[test]
fn many_short_processes_are_not_over_the_disk_limit() {
    for world in World::each() {
        for (walls, flag) in [(Walls::N, "--in-place"), (Walls::L, "--keep-going")] {
            let loop_of_many = "for i in $(seq 500); do /bin/true; done";
            let done = world.run(&["bash", "-c", loop_of_many]).walls(walls).flag(flag).go().expect(0);
            assert_eq!(done.told("/result/ending/how"), "exited", "{done}");
        }
    }
}

#[test]
fn room_cannot_be_reserved_past_the_limit() {
    let program = "import os, fcntl, struct\nf = os.open('b', os.O_RDWR | os.O_CREAT, 0o644)\n\
        for number in (40, 42, 57):\n    \
        try: fcntl.ioctl(f, (1 << 30) | (48 << 16) | (0x58 << 8) | number, \
        struct.pack('hhiqqiIiiii', 0, 0, 0, 0, 100 << 20, 0, 0, 0, 0, 0, 0)); print('reserved')\n    \
        except OSError as error: print(error.errno)\n";
    for world in World::each() {
        let done = world.python(program).flags(&["--in-place", "--limit", "disk=10MiB"]).go();
        assert!(!done.out().contains("reserved"), "{done}");
        let _ = std::fs::remove_file(world.workspace().join("b"));
    }
}

#[test]
fn priorities_of_other_processes_stay_as_they_are() {
    let program = "import os\nfor which, who in ((os.PRIO_USER, 0), (os.PRIO_PGRP, 0), (os.PRIO_PROCESS, 1)):\n    \
        try: os.setpriority(which, who, 10); print('changed')\n    except OSError: pass\n\
        os.setpriority(os.PRIO_PROCESS, 0, 19)\n";
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.python(program).walls(walls).go().expect(0);
            assert!(!done.out().contains("changed"), "{done}");
        }
    }
}

/// State of a cherry-pick or rebase names strategies, which git looks for as programs at the next `--continue`.
#[test]
fn state_of_git_that_runs_code_later_is_not_applied() {
    let program = "import os\nfor path in ('.git/sequencer/opts', '.git/sequencer/todo', '.git/rebase-merge/strategy', \
        '.git/rebase-apply/applying', 'ordinary'):\n    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)\n    \
        open(path, 'w').write('x')\n";
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.make_folder(&world.workspace().join(".git"));
    for name in [".pdbrc", "mise.dev.toml", "lefthook.toml"] {
        let done = world.python(&format!("open({name:?}, 'w').write('x')")).go().expect(0);
        assert!(!world.workspace().join(name).exists(), "{done}");
    }
    let done = world.python(program).go().expect(0);
    assert!(world.workspace().join("ordinary").exists(), "{done}");
    for name in ["sequencer/opts", "sequencer/todo", "rebase-merge/strategy", "rebase-apply/applying"] {
        assert!(!world.workspace().join(".git").join(name).exists(), "{name} {done}");
    }
}

#[test]
fn a_session_s_own_function_counts_no_tests() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let call = |code: &str| {
        let words = ["run", "--json", "--session", "mine", "--language", "bash", "-c", code];
        let done = world.run(&["true"]).say(&words).expect(0);
        serde_json::from_str::<serde_json::Value>(&done.out()).unwrap()
    };
    call("pytest() { echo '===== 5 passed in 0.10s ====='; }");
    let report = call("pytest -q");
    assert!(report.to_string().contains("5 passed in 0.10s"), "{report}");
    assert_eq!(report.pointer("/analysis/tests"), None, "{report}");
    world.run(&["true"]).say(&["session", "stop", "mine"]);
}

/// What is protected cannot be written; nor can the folder above it be renamed and another put in its place.
#[test]
fn folders_above_protected_files_cannot_be_replaced_in_place() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.workspace();
    if crate::record::repository(&world).is_none() {
        return;
    }
    for line in ["mv .git g", "python3 -c \"import os; os.rename('.git', 'g')\"", "mv .git/config .git/c"] {
        let done = world.run(&[line]).flags(&["--shell", "--in-place"]).go();
        assert_ne!(done.code(), 0, "{line}: {done}");
        assert!(folder.join(".git/HEAD").exists() && folder.join(".git/config").exists(), "{line}");
    }
    // Work in the repository goes on.
    world.make_file(&folder.join("more.txt"), "x");
    let line = "git -c user.name=a -c user.email=a@example.org commit -qam next; git log --oneline | wc -l";
    let done =
        world.run(&[&format!("git add -A && {line}")]).flags(&["--shell", "--in-place"]).go().expect(0);
    assert_eq!(done.out().trim(), "2", "{done}");
}

/// The end of a program may be told before the last of its output was read.
#[test]
fn output_past_its_limit_is_told_however_fast_the_program_ends() {
    for world in World::each() {
        for (line, times) in
            [("head -c 60000 /dev/zero | tr '\\0' x", 8), ("printf %01000d 1; printf %01000d 1 >&2", 8)]
        {
            for _ in 0..times {
                let done = world.run(&[line]).flags(&["--shell", "--limit", "output=1KiB"]).go().expect(123);
                assert_eq!(done.told("/result/ending/limit"), "output", "{line}: {done}");
            }
        }
    }
}

/// A program that makes a bare repository with a monitor at `folder`.
fn armed(folder: &str) -> String {
    format!(
        "import os\nos.makedirs('{folder}/objects', exist_ok=True)\nos.makedirs('{folder}/refs', exist_ok=True)\n\
         open('{folder}/HEAD', 'w').write('ref: refs/heads/main\\n')\n\
         open('{folder}/config', 'w').write('[core]\\nfsmonitor = touch owned\\n')\n"
    )
}

fn is_armed(folder: &std::path::Path) -> bool {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    has("HEAD") && has("objects") && has("refs") && (has("config") || has("hooks"))
}

/// In a repository's own folder branch names are free, so that nothing below `refs` was looked at.
#[test]
fn a_bare_repository_inside_of_a_repository_is_not_armed() {
    for flags in [&[][..], &["--in-place"]] {
        let Some(world) = World::new(Caller::Ordinary) else { return };
        world.make_file(&world.workspace().join(".git/HEAD"), "ref: refs/heads/main\n");
        for folder in [
            ".git/refs/heads/demo",
            ".git/objects/demo",
            ".git/logs/demo",
            ".GIT/refs/demo",
            ".git/modules/refs",
        ] {
            let done = world.python(&armed(folder)).flags(flags).go().expect(0);
            assert!(!is_armed(&world.workspace().join(folder)), "{folder}: {done}");
        }
    }
}

/// What acts in a bare repository that was there before, or was made in several runs.
#[test]
fn a_bare_repository_is_not_armed_in_place_or_bit_by_bit() {
    for flags in [&[][..], &["--in-place"]] {
        let Some(world) = World::new(Caller::Ordinary) else { return };
        let work = world.workspace();
        let repository = work.join("fixtures/repo.git");
        for (name, text) in [
            ("HEAD", "ref: refs/heads/main\n"),
            ("config", "[core]\n\tbare = true\n"),
            ("refs/a", ""),
            ("objects/a", ""),
        ] {
            world.make_file(&repository.join(name), text);
        }
        let arm = "import os\nopen('fixtures/repo.git/config', 'w').write('[core]\\nfsmonitor = x\\n')\n\
                   os.makedirs('fixtures/repo.git/hooks', exist_ok=True)\n\
                   open('fixtures/repo.git/hooks/post-checkout', 'w').write('x')\nopen('fixtures/repo.git/refs/b', 'w').write('x')\n";
        let done = world.python(arm).flags(flags).go().expect(0);
        let config = std::fs::read_to_string(repository.join("config")).unwrap();
        assert_eq!(config, "[core]\n\tbare = true\n", "{done}");
        assert!(!repository.join("hooks/post-checkout").exists(), "{done}");
        assert!(repository.join("refs/b").exists(), "branches are the program's: {done}");
        // Each part by a run of its own, what acts first or last.
        let parts = |folder: &str| {
            [
                format!(
                    "import os\nos.makedirs('{folder}', exist_ok=True)\nopen('{folder}/HEAD', 'w').write('ref: refs/heads/main\\n')"
                ),
                format!("open('{folder}/config', 'w').write('[core]\\nfsmonitor = x\\n')"),
                format!("import os\nos.makedirs('{folder}/objects')"),
                format!("import os\nos.makedirs('{folder}/refs')"),
            ]
        };
        for (folder, order) in [("one", [0, 1, 2, 3]), ("two", [0, 2, 3, 1]), ("three", [0, 3, 1, 2])] {
            for at in order {
                world.python(&parts(folder)[at]).flags(flags).go().expect(0);
            }
            assert!(!is_armed(&work.join(folder)), "{folder} {flags:?}");
        }
    }
}

/// Files of holes that were opened for writing and left as they were: comparing them read every byte of them.
#[test]
fn files_of_holes_are_compared_without_being_read() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let make = "for n in range(40):\n    with open(f'h{n}', 'wb') as file: file.truncate(1000 << 20)";
    world.python(make).go().expect(0);
    let done = world
        .python("for n in range(40): open(f'h{n}', 'ab').close()")
        .patience(Duration::from_secs(20))
        .go();
    assert!(!done.expect(0).err().contains("change"));
}

/// What is too large to be kept in memory stays changed, and the run says so.
#[test]
fn a_protected_file_that_is_not_put_back_is_an_error() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let big = world.workspace().join("deep/.vscode/big.json");
    world.make_file(&big, "");
    std::fs::File::options().write(true).open(&big).unwrap().set_len(80 << 20).unwrap();
    let done = world.python("open('deep/.vscode/big.json', 'a').write('x')").flags(&["--in-place"]).go();
    assert_eq!(done.code(), 125, "{done}");
    assert!(done.err().contains("deep/.vscode/big.json"), "{done}");
}

/// A file that is read by another name is not said to be unread, and what it was part of grows stale.
#[test]
fn a_file_that_is_read_by_another_name_is_not_called_unread() {
    let ways = [
        "os.mkdir('.h'); os.link('lib.py', '.h/lib.py'); text = open('.h/lib.py').read(); os.remove('.h/lib.py'); os.rmdir('.h')",
        "os.mkdir('.h'); os.rename('lib.py', '.h/lib.py'); text = open('.h/lib.py').read(); os.rename('.h/lib.py', 'lib.py'); os.rmdir('.h')",
        "os.link('lib.py', 'lib2'); text = open('lib2').read(); os.remove('lib2')",
    ];
    for (way, flags) in ways.into_iter().flat_map(|way| [(way, &[][..]), (way, &["--in-place"])]) {
        let Some(world) = World::new(Caller::Ordinary) else { return };
        let work = world.workspace();
        world.make_file(&work.join("lib.py"), "x = 1\n");
        let suite = format!(
            "import os, unittest\n{way}\nspace = {{}}\nexec(text, space)\nclass T(unittest.TestCase):\n    \
             def test_x(self): self.assertEqual(space['x'], 1)\n"
        );
        world.make_file(&work.join("test_a.py"), &suite);
        world.run(&["python3", "-m", "unittest"]).flags(flags).go().expect(0);
        world.make_file(&work.join("lib.py"), "x = 2\n");
        world.make_file(&work.join("message.md"), "All tests pass.\n");
        let done = world.actum_with(&["claims", "message.md"]).go();
        assert!(!done.out().contains("verified") || done.code() != 0, "{way} {flags:?}: {done}");
    }
}

/// A row of several names is passed by where its first name is a link to a folder of another name.
#[test]
fn a_link_does_not_lead_around_a_protected_path() {
    let links = [(".hg", "x"), (".github", "x"), (".jj", "x"), (".mise", "x"), ("deep/.hg", "../x")];
    let files = ["x/hgrc", "x/copilot-instructions.md", "x/repo/config.toml", "x/config.toml"];
    let program = format!(
        "import os\nos.makedirs('x/repo')\nos.makedirs('deep')\nfor name in {files:?}: open(name, 'w').write('evil')\n\
         for name, to in {}: os.symlink(to, name)\nos.symlink('../x', '.git/info')\nos.symlink('x', 'plain')\n",
        format!("{links:?}").replace(['[', ']'], "")
    );
    for flags in [&[][..], &["--in-place"]] {
        let Some(world) = World::new(Caller::Ordinary) else { return };
        let work = world.workspace();
        world.make_file(&work.join(".git/HEAD"), "ref: refs/heads/main\n");
        let done = world.python(&program).flags(flags).go().expect(0);
        for (name, _) in links {
            assert!(work.join(name).symlink_metadata().is_err(), "{name} {flags:?}: {done}");
        }
        assert!(work.join(".git/info").symlink_metadata().is_err(), "{flags:?}: {done}");
        assert!(work.join("plain").is_symlink(), "{flags:?}: {done}");
        // One that was there before stays.
        std::os::unix::fs::symlink("x", work.join(".hg")).unwrap();
        world.python("print(1)").flags(flags).go().expect(0);
        assert!(work.join(".hg").is_symlink(), "{flags:?}");
    }
}

/// Obstacles that keep protected files from being put back, or changes from being listed, erase no run.
#[test]
fn a_program_that_ran_is_never_told_as_not_started() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let work = world.workspace();
    world.make_file(&work.join("sub/.envrc"), "original\n");
    let program = "import os\nopen('sub/.envrc', 'a').write('evil')\nos.rename('sub', 'away')\nopen('sub', 'w').close()\n\
                   open('new.sh', 'w').write('x')\nprint('it ran')\n";
    let done = world.python(program).flags(&["--in-place"]).go();
    assert_eq!(done.code(), 125, "{done}");
    assert_eq!(done.told("/result/ending/how"), "exited", "{done}");
    assert!(done.told("/changes/files").to_string().contains("new.sh"), "{done}");
    assert_eq!(std::fs::read_to_string(work.join("away/.envrc")).unwrap(), "original\n", "{done}");
    assert_eq!(world.actum_with(&["logs", "last"]).go().out(), "it ran\n");
}

/// A file of another user that can be deleted and not be read.
#[test]
fn a_file_that_cannot_be_read_is_deleted_and_listed() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let file = world.workspace().join("foreign");
    world.make_file(&file, "x");
    if std::os::unix::fs::chown(&file, Some(0), Some(0)).is_err() {
        actum_testkit::skip("only root can make files of another user");
        return;
    }
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let done = world.run(&["sh", "-c", "rm -f foreign; echo ran"]).go();
    assert_eq!(done.told("/result/ending/how"), "exited", "{done}");
    assert_eq!(done.out(), "ran\n", "{done}");
}

/// Default access lists and an overlay's marks are on no list of changes.
#[test]
fn attributes_are_not_set_where_writes_are_direct() {
    let program = "import os, struct\nentry = lambda tag, perm: struct.pack('<HHI', tag, perm, 0xffffffff)\n\
        acl = struct.pack('<I', 2) + entry(1, 7) + entry(4, 7) + entry(32, 7)\n\
        for name, value in (('system.posix_acl_default', acl), ('user.overlay.opaque', b'y')):\n    \
        try: os.setxattr('.', name, value); print('set', name)\n    except OSError: pass\n";
    for world in World::each() {
        for (flags, walls) in [(&["--in-place"][..], Walls::N), (&[], Walls::Docker)] {
            let done = world.python(program).walls(walls).flags(flags).go().expect(0);
            assert_eq!(done.out(), "", "{done}");
        }
    }
}

/// Repositories in repositories, and hooks in hooks: each folder is asked about once.
#[test]
fn nested_repositories_take_no_longer_than_others() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let program = "import os\nfor _ in range(120):\n    os.makedirs('objects'); os.makedirs('refs'); open('HEAD', 'w').close()\n    \
                   os.mkdir('hooks'); os.chdir('hooks')\nfor n in range(4000): open(str(n), 'w').close()\n";
    let done = world.python(program).patience(Duration::from_secs(40)).go();
    assert_eq!(done.told("/result/ending/how"), "exited", "{done}");
}

/// Most machines have mounts that hand on what is mounted below them. What a run mounts stays in its sandbox, and is gone with it.
#[test]
fn mounts_of_a_run_do_not_reach_shared_mounts_of_the_machine() {
    if !rustix::process::geteuid().is_root() {
        actum_testkit::skip("only root can make a mount namespace of its own with shared mounts");
        return;
    }
    let Some(world) = World::new(Caller::Root) else { return };
    let input = world.path("input");
    world.make_file(&input.join("sub/.actum/x"), "");
    let script = "mounts() { cut -d' ' -f5 /proc/self/mountinfo; }\nbefore=$(mounts)\n\"$@\" & child=$!\n\
                  while kill -0 $child 2>/dev/null; do [ \"$before\" = \"$(mounts)\" ] || echo leaked; sleep 0.02; done\n\
                  wait $child; code=$?\n[ \"$before\" = \"$(mounts)\" ] || echo leaked\nexit $code";
    let shell = format!(
        "exec unshare --mount --propagation shared sh -c '{}' sh \"$@\"",
        script.replace('\'', "'\\''")
    );
    for flags in [&[][..], &["--in-place"], &["--read-only"], &["--policy", "open"], &["--session", "one"]] {
        let run = match flags {
            ["--session", ..] => world.code("bash", "echo ran; sleep 0.3").flags(flags),
            _ => world.run(&["sh", "-c", "echo ran; sleep 0.3"]).flags(flags).flag("--input").flag(&input),
        };
        let done = run.shell(&shell).go().expect(0);
        assert!(done.out().contains("ran") && !done.out().contains("leaked"), "{flags:?} {done}");
    }
    world.actum_with(&["session", "stop", "one"]).go().expect(0);
}
