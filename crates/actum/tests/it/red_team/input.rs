//! Files and text from a workspace: links, devices, FIFOs, sizes, terminal sequences.

use crate::run::Done;
use crate::terminal::Terminal;
use crate::world::{Caller, World};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Sets the title, clears the screen, and an eight-bit sequence that some terminals obey too.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}8m";
/// The same as JSON, TOML and YAML write it.
const ESCAPED: &str = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b8m";

/// Nothing that a terminal obeys, and the text is shown all the same.
#[track_caller]
fn assert_harmless(done: &Done) {
    for (name, text) in [("stderr", done.err()), ("stdout", done.out())] {
        let control = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
        assert_eq!(control, None, "{name} of {done}");
    }
}

fn make_fifo(world: &World, path: &Path) {
    world.make_folder(path.parent().unwrap());
    assert!(Command::new("mkfifo").args(["-m", "666"]).arg(path).status().unwrap().success());
}

/// Short enough to notice that somebody waits for a writer who never comes.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn errors_about_project_files_control_no_terminal() {
    for world in World::each() {
        let work = world.workspace();
        let file = |name: &str, text: String| world.make_file(&work.join(name), &text);
        file("a.md", format!("---\nexpect:\n  \"{ESCAPED}\": 1\n---\n```python\nprint(1)\n```\n"));
        file("b.md", format!("---\nexpect:\n  exit: {HOSTILE}\n---\n```python\nprint(1)\n```\n"));
        file("c", format!("#!/usr/bin/env no{HOSTILE}\nx\n"));
        file(
            "d.ipynb",
            format!(
                "{{\"cells\": [], \"nbformat\": 4, \"metadata\": {{\"kernelspec\": {{\"name\": \"{ESCAPED}\", \"language\": \"{ESCAPED}\"}}}}}}"
            ),
        );
        file("e.py", "print(1)\n".to_owned());
        file("e.expect.toml", format!("\"{ESCAPED}\" = 1\n"));
        for name in ["a.md", "b.md", "c", "d.ipynb", "e.py"] {
            let done = world.source(name, &[]).go();
            assert_ne!(done.code(), 0, "{done}");
            assert_harmless(&done);
        }
        for text in [
            format!("\"{ESCAPED}\" = 1\n"),
            "[redact]\npatterns = [\"(\\u001b]0;x\\u0007\"]\n".to_owned(),
            format!("[policy]\nprofile = \"{ESCAPED}\"\n"),
            format!("[language.\"{ESCAPED}\"]\nextensions = [\"{ESCAPED}\"]\nrun = []\n"),
        ] {
            file("actum.toml", text);
            let done = world.run(&["true"]).go();
            assert_ne!(done.code(), 0, "{done}");
            assert_harmless(&done);
        }
    }
}

#[test]
fn names_ids_and_arguments_control_no_terminal() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let work = world.workspace();
    let task = |id: &str| {
        format!(
            "[{{\"id\": \"{id}\", \"task_id\": \"{id}\", \"action\": \"{id}\", \"status\": \"completed\", \"agent_responses\": {{\"{id}\": \"{id}\"}}}}]"
        )
    };
    world.make_file(&work.join("tasks.json"), &task(ESCAPED));
    world.make_file(&work.join("broken.json"), &format!("[{{\"id\": \"{ESCAPED}\""));
    for words in [
        &["tasks", "tasks.json", "--dry-run"][..],
        &["tasks", "tasks.json", "--agent", HOSTILE],
        &["tasks", "broken.json"],
        &["run", HOSTILE],
        &["run", "--limit", HOSTILE, "--", "true"],
        &["run", "--input", HOSTILE, "--", "true"],
        &["show", HOSTILE],
        &["verify", HOSTILE],
        &[HOSTILE],
        &["run", "--policy", HOSTILE, "--", "true"],
        &["claims", HOSTILE],
        &["session", "stop", HOSTILE],
    ] {
        let done = world.run(&["true"]).say(words);
        assert_harmless(&done);
    }
}

#[test]
fn a_program_cannot_write_to_the_terminal_that_is_its_stdin() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let Some(terminal) = Terminal::open(&world) else { return };
    let program = "import os\nfor way in (lambda: 0, lambda: os.open('/proc/self/fd/0', os.O_WRONLY), \
        lambda: os.open('/dev/stdin', os.O_RDWR)):\n    try: os.write(way(), b'\\x1b]52;c;c2VjcmV0\\x07')\n    \
        except OSError: pass\nprint('tri' + 'ed', input())\n";
    world.make_file(&world.workspace().join("write.py"), program);
    terminal.type_in(&world, &format!("{} run --stdin - -- python3 write.py", world.actum().display()));
    terminal.type_in(&world, "typed");
    terminal.until_shown(&world, "tried typed");
    let kept = terminal.tmux(&world, &["show-buffer"]);
    assert!(!String::from_utf8_lossy(&kept.stdout).contains("secret"), "the clipboard was written");
    terminal.close(&world);
}

/// Editors and agents start programs with a socket as stdin: whoever is at its other end must not hear the program.
#[test]
fn a_program_cannot_answer_the_socket_that_is_its_stdin() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let host = "import socket, subprocess, sys\nours, theirs = socket.socketpair()\n\
        child = subprocess.Popen(sys.argv[1:], stdin=theirs)\ntheirs.close()\nours.send(b'hello\\n')\n\
        ours.shutdown(socket.SHUT_WR)\nchild.wait()\nours.settimeout(5)\nprint('heard', ours.recv(100))\n";
    let inside = "import os\nprint(input())\ntry: os.write(0, b'reached')\nexcept OSError: pass\n";
    world.make_file(&world.workspace().join("inside.py"), inside);
    let shell = format!("exec python3 -c '{}' \"$@\"", host.replace('\'', "'\\''"));
    let run = world.run(&["python3", "inside.py"]).flags(&["--stdin", "-"]).shell(&shell);
    let done = run.go().expect(0);
    assert!(done.out().contains("hello\n") && done.out().contains("heard b''"), "{done}");
}

#[test]
fn a_link_in_the_workspace_chooses_no_grant() {
    let look = "import os\nfor top, _, names in os.walk('/'):\n    for name in names:\n        \
        if name == 'id_test': print('found')\nimport sys\nprint(sys.stdin.read())";
    for world in World::each() {
        let (work, keys) = (world.workspace(), world.path("home/.ssh"));
        world.make_file(&keys.join("id_test"), "PRIVATE KEY\n");
        world.make_folder(&work.join("deep"));
        symlink(&keys, work.join("data")).unwrap();
        symlink("../../home/.ssh", work.join("deep/again")).unwrap();
        symlink("data/id_test", work.join("numbers.csv")).unwrap();
        symlink(world.path("home"), work.join("out")).unwrap();
        for flags in [
            &["--input", "data"][..],
            &["--input", "deep/again/id_test"],
            &["--input", "deep/../data"],
            &["--write", "out/.ssh"],
            &["--stdin", "numbers.csv"],
            &["--stdin", "deep/again/id_test"],
        ] {
            let done = world.python(look).flags(flags).go();
            assert!(!done.out().contains("found") && !done.out().contains("PRIVATE"), "{flags:?} {done}");
            assert_eq!(done.code(), 125, "{flags:?} {done}");
            assert!(done.err().contains("a link from the workspace"), "{flags:?} {done}");
        }
        // Links that stay inside, and a place that the user names by itself, are granted as ever.
        symlink("deep", work.join("inside")).unwrap();
        world.make_file(&world.path("other/file"), "granted\n");
        symlink(world.path("other"), world.path("alias")).unwrap();
        world.run(&["true"]).flags(&["--input", "inside"]).go().expect(0);
        let alias = world.path("alias");
        let done =
            world.run(&["cat", world.path("other/file").to_str().unwrap()]).flag("--input").flag(alias);
        assert_eq!(done.go().expect(0).out(), "granted\n");
    }
}

/// The file of a program is shown to it, and cases are handed to it: a link of the repository would choose which.
#[test]
fn a_link_in_the_workspace_chooses_neither_program_nor_cases() {
    for world in World::each() {
        let (work, home) = (world.workspace(), world.path("home/private"));
        world.make_file(&home.join("deploy.sh"), "TOKEN=hunter2\ncat \"$0\"\n");
        world.make_file(&home.join("cases.toml"), "[[case]]\nname = \"a\"\nstdin = \"hunter2\"\n");
        world.make_file(&home.join("cases/a.in"), "hunter2\n");
        world.make_file(&home.join("cases/a.out"), "x\n");
        world.make_file(&work.join("echo.py"), "print(input())\n");
        symlink(home.join("deploy.sh"), work.join("run.sh")).unwrap();
        symlink(&home, work.join("scripts")).unwrap();
        symlink(home.join("cases.toml"), work.join("cases.toml")).unwrap();
        symlink(home.join("cases"), work.join("cases")).unwrap();
        let sources =
            [&["run.sh"][..], &["scripts/deploy.sh"], &["run.sh", "--session", "one"]].map(|words| {
                let mut run = world.source(words[0], &[]);
                for flag in &words[1..] {
                    run = run.flag(flag);
                }
                run
            });
        let cases = ["cases.toml", "cases", "scripts/cases.toml"]
            .map(|name| world.source("echo.py", &[]).flags(&["--cases", name]));
        for run in sources.into_iter().chain(cases) {
            let done = run.go();
            assert_eq!(done.code(), 125, "{done}");
            assert!(!done.out().contains("hunter2") && !done.err().contains("hunter2"), "{done}");
            assert!(done.err().contains("a link from the workspace"), "{done}");
        }
        // Named by itself, or by a link that stays inside, a file is run as ever.
        let outside = home.join("deploy.sh");
        assert!(world.source(outside.to_str().unwrap(), &[]).go().expect(0).out().contains("hunter2"));
        symlink("echo.py", work.join("alias.py")).unwrap();
        world.source("alias.py", &[]).stdin(b"fine\n").go().expect(0);
    }
}

#[test]
fn a_fifo_in_a_project_is_not_waited_for() {
    for world in World::each() {
        for name in [
            ".env",
            "actum.toml",
            "requirements.txt",
            "pyproject.toml",
            "package.json",
            "main.expect.toml",
            "main.py.expect.toml",
            ".python-version",
            "setup.py",
            "test_main.py",
            ".git",
            "uv.lock",
            ".npmrc",
        ] {
            let work = world.path(&format!("work/{}", name.replace('.', "_")));
            make_fifo(&world, &work.join(name));
            world.make_file(&work.join("main.py"), "print('ran')\n");
            world.source("main.py", &[]).folder(&work).patience(PATIENCE).go();
            world.run(&["python3", "-m", "unittest"]).folder(&work).patience(PATIENCE).go();
        }
        let work = world.workspace();
        for name in ["main.py", "answer.md", "notes.ipynb", "main.c"] {
            make_fifo(&world, &work.join(name));
            let done = world.source(name, &[]).patience(PATIENCE).go();
            assert_ne!(done.code(), 0, "{done}");
        }
        world.make_file(&work.join("schema.md"), "---\nexpect:\n  schema: {stdout: answer.md}\n---\n");
        world.source("schema.md", &[]).patience(PATIENCE).go();
        world.run(&["sh", "main.c"]).flags(&["--approval", "always"]).patience(PATIENCE).go();
    }
}

/// Schemas, expectations and front matter name files; what is outside the workspace is not read, and no word of it is shown.
#[test]
fn expectations_read_nothing_outside_the_workspace() {
    for world in World::each() {
        let (work, secret) = (world.workspace(), world.path("home/secret.json"));
        world.make_file(&secret, "{\"type\": \"hunter2-secret\"}\n");
        symlink(&secret, work.join("linked.json")).unwrap();
        symlink(world.path("home"), work.join("folder")).unwrap();
        let absolute = secret.to_str().unwrap().to_owned();
        for name in [absolute.as_str(), "../home/secret.json", "linked.json", "folder/secret.json"] {
            let table = format!("[file.\"out.json\"]\nschema = \"{name}\"\n");
            world.make_file(
                &work.join("main.expect.toml"),
                &format!("schema = {{ \"out.json\" = \"{name}\" }}\n"),
            );
            world.make_file(&work.join("main.py"), "open('out.json', 'w').write('1')\n");
            let done = world.source("main.py", &[]).go();
            assert!(!done.err().contains("hunter2"), "{name} {table} {done}");
            assert_eq!(done.code(), 125, "{name} {done}");
            let front = format!(
                "---\nexpect:\n  schema:\n    out.json: {name}\n---\n```python\nopen('out.json','w').write('1')\n```\n"
            );
            world.make_file(&work.join("answer.md"), &front);
            let done = world.source("answer.md", &[]).go();
            assert!(!done.err().contains("hunter2"), "{name} {done}");
            assert_eq!(done.code(), 125, "{name} {done}");
        }
        symlink(&secret, work.join("other.expect.toml")).unwrap();
        world.make_file(&work.join("other.py"), "print(1)\n");
        let done = world.source("other.py", &[]).go();
        assert!(!done.err().contains("hunter2"), "{done}");
    }
}
