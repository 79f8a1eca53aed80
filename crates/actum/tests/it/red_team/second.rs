//! What a second review reached: programs that work on two runs at once, hide what they hold, or send where nobody looks; another
//! user's names in the way of reports.

use crate::world::{Caller, Walls, World};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::time::Duration;

/// Modes in which a program writes into the workspace itself.
const DIRECT: [(Walls, &str); 2] = [(Walls::N, "--in-place"), (Walls::L, "--keep-going")];

fn text(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[test]
fn datagrams_of_a_pair_reach_no_socket_of_the_machine() {
    for world in World::each() {
        let path = world.path("machine.sock");
        let socket = UnixDatagram::bind(&path).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
        socket.set_nonblocking(true).unwrap();
        let to = path.display();
        for send in [
            format!("a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'x', '{to}')"),
            format!("a, b = socket.socketpair(socket.AF_UNIX, 2 | 0o4000); a.connect('{to}'); a.send(b'x')"),
            format!("a = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'x', '{to}')"),
        ] {
            let program = format!("import socket\ntry:\n    {send}\nexcept OSError as error: print(error)\n");
            for (walls, flag) in
                [(Walls::L, "--keep-going"), (Walls::Docker, "--read-only"), (Walls::L, "--net=full")]
            {
                world.python(&program).walls(walls).flag(flag).go().expect(0);
                assert!(socket.recv(&mut [0; 8]).is_err(), "{send} {walls:?} {flag}");
            }
        }
        // Pairs that talk to each other alone are what programs use.
        let pair = "import socket; a, b = socket.socketpair(); a.send(b'ok'); print(b.recv(2).decode())";
        assert_eq!(world.python(pair).walls(Walls::L).go().expect(0).out(), "ok\n");
    }
}

#[test]
fn two_runs_that_write_directly_plant_nothing_together() {
    let plant = "mkdir -p sub; echo evil > sub/.envrc; echo evil > sub/.bashrc; mkdir -p .vscode; \
        echo evil > .vscode/tasks.json; echo planted; sleep 2";
    for world in World::each() {
        for (walls, flag) in DIRECT {
            world.make_file(&world.workspace().join("sub/.envrc"), "good");
            let mut first = world.run(&["sh", "-c", plant]).walls(walls).flag(flag).start();
            first.until_said("planted");
            let second = world.run(&["sleep", "3"]).walls(walls).flag(flag).start();
            first.finish().expect(0);
            second.finish().expect(0);
            let at = |path: &str| text(&world.workspace().join(path));
            assert_eq!(at("sub/.envrc").as_deref(), Some("good"), "{walls:?}");
            assert_eq!((at("sub/.bashrc"), at(".vscode/tasks.json")), (None, None), "{walls:?}");
        }
    }
}

#[test]
fn a_run_below_or_above_plants_nothing_for_the_other() {
    for world in World::each() {
        let sub = world.workspace().join("sub");
        for (first, second) in [(world.workspace(), sub.clone()), (sub.clone(), world.workspace())] {
            world.make_file(&sub.join(".envrc"), "good");
            let plant = format!("echo evil > {}/.envrc; echo planted; sleep 2", sub.display());
            let run = |folder: &Path, line: &str| {
                let words = ["--workspace", folder.to_str().unwrap(), "--in-place"];
                world.run(&["sh", "-c", line]).flags(&words).start()
            };
            let mut one = run(&first, &plant);
            one.until_said("planted");
            let other = run(&second, "sleep 3");
            one.finish().expect(0);
            other.finish().expect(0);
            assert_eq!(text(&sub.join(".envrc")).as_deref(), Some("good"), "{first:?} {second:?}");
        }
    }
}

#[test]
fn undo_places_nothing_that_was_written_after_it_was_kept() {
    for world in World::each() {
        let work = world.workspace();
        world.make_file(&work.join("sub/kept.txt"), "original");
        std::fs::hard_link(work.join("sub/kept.txt"), work.join("notes.txt")).unwrap();
        world.run(&["sh", "-c", "echo wanted > sub/new; mv sub/new sub/kept.txt"]).go().expect(0);
        // As a program would that writes into the workspace directly.
        std::fs::write(work.join("notes.txt"), "evil").unwrap();
        let done = world.actum_with(&["undo", "last"]).without_report().go().expect(125);
        assert!(done.err().contains("it was changed in the store"), "{done}");
        assert_eq!(text(&work.join("sub/kept.txt")).as_deref(), Some("wanted\n"));
    }
}

/// Its first thread has ended, and shows nothing of what the others hold.
#[test]
fn memory_counts_when_the_first_thread_has_ended() {
    let hold = |map: &str| {
        format!(
            "import ctypes, mmap, threading, time\ndef hold():\n    time.sleep(0.3)\n    {map}\n    \
             for at in range(0, 512 << 20, 4096): held[at] = 1\n    print('held it', flush=True)\n    time.sleep(2)\n    \
             import os; os._exit(0)\nthreading.Thread(target=hold).start()\n\
             ctypes.CDLL(None).syscall(60, 0)\n"
        )
    };
    if let Some(world) = World::new(Caller::Ordinary) {
        for map in [
            "held = mmap.mmap(-1, 512 << 20)",
            "held = mmap.mmap(-1, 512 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)",
        ] {
            for walls in [Walls::N, Walls::L] {
                let program = hold(map);
                let done = world.python(&program).walls(walls).flags(&["--limit", "memory=100MiB"]).go();
                assert!(!done.out().contains("held the lock"), "{map} {walls:?}: {done}");
            }
        }
    }
}

#[test]
fn pages_of_files_are_not_held_where_nobody_counts_them() {
    let program = "import os, resource\nprint(resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] <= 65536)\n\
        r, w = os.pipe()\nf = os.open('file', os.O_RDWR | os.O_CREAT)\nos.write(f, b'x' * 8192)\n\
        for name, call in (('splice', lambda: os.splice(f, w, 1, 0)), ('sendfile', lambda: os.sendfile(w, f, 0, 1))):\n    \
        try: call(); print(name)\n    except (OSError, AttributeError): pass\n\
        import shutil; shutil.copyfile('file', 'copy'); print(os.path.getsize('copy'))\n";
    if let Some(world) = World::new(Caller::Ordinary) {
        for walls in [Walls::N, Walls::L] {
            assert_eq!(world.python(program).walls(walls).go().expect(0).out(), "True\n8192\n", "{walls:?}");
        }
    }
}

#[test]
fn a_process_that_was_not_waited_for_yet_hides_no_writes() {
    let program =
        "import subprocess, time\np = subprocess.Popen(['true'])\ntime.sleep(0.5)\np.wait()\nprint('done')\n";
    for world in World::each() {
        for (walls, flag) in DIRECT {
            assert_eq!(
                world.python(program).walls(walls).flag(flag).go().expect(0).out(),
                "done\n",
                "{walls:?}"
            );
        }
    }
}

#[test]
fn a_store_that_takes_the_place_of_another_is_none() {
    for world in World::each() {
        let below = world.workspace().join("p");
        world.make_folder(&below);
        let store = below.join(".actum");
        let inside = |words: &[&str]| {
            world.actum_with(words).folder(&below).variable("ACTUM_STORE", store.to_str().unwrap())
        };
        inside(&["run", "-q", "--", "sh", "-c", "echo genuine; exit 1"]).without_report().go().expect(1);
        let forge = "mv p .q; mkdir -p p/.actum; echo forged > p/.actum/ledger.db";
        world.run(&["sh", "-c", forge]).flags(&["--in-place", "--approval", "never"]).go();
        assert_ne!(text(&store.join("ledger.db")).as_deref(), Some("forged\n"));
    }
}

#[test]
fn reports_follow_no_link_below_the_devices() {
    let Some(world) = World::new(Caller::Root) else { return };
    let Ok(shared) = tempfile::Builder::new().prefix("actum-it-").tempdir_in("/dev/shm") else { return };
    std::fs::set_permissions(shared.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let victim = world.path("victim");
    world.make_file(&victim, "mine");
    for (flag, name) in [("--report", "r.json"), ("--summary", "s.md"), ("--junit", "j.xml")] {
        let link = shared.path().join(name);
        symlink(&victim, &link).unwrap();
        world.run(&["true"]).flags(&[flag, link.to_str().unwrap()]).without_report().go();
        assert_eq!(text(&victim).as_deref(), Some("mine"), "{flag}");
        let new = world.path("new");
        let link = shared.path().join(format!("new-{name}"));
        symlink(&new, &link).unwrap();
        world.run(&["true"]).flags(&[flag, link.to_str().unwrap()]).without_report().go();
        assert!(!new.exists() || text(&new).is_none(), "{flag}");
    }
    // The names of open streams are links, too.
    let done = world.run(&["true"]).flags(&["-q", "--report", "/dev/stdout"]).without_report().go().expect(0);
    assert!(done.out().contains("\"execution\""), "{done}");
}

#[test]
fn a_report_does_not_wait_for_the_pipe_of_another_user() {
    let Some(world) = World::new(Caller::Root) else { return };
    if World::new(Caller::Ordinary).is_none() {
        return;
    }
    let pipe = world.path("reports/pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o666),
        0,
    )
    .unwrap();
    std::os::unix::fs::chown(&pipe, Some(65534), Some(65534)).unwrap();
    // It has a reader, who does not read.
    let _reader = std::fs::File::options().read(true).write(true).open(&pipe).unwrap();
    for flag in ["--report", "--summary"] {
        let run = world.run(&["true"]).flags(&[flag, pipe.to_str().unwrap()]).without_report();
        run.patience(Duration::from_secs(20)).go().expect(125);
    }
}

#[test]
fn names_that_others_took_keep_no_report_away() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    if let Some(world) = World::new(Caller::Ordinary) {
        let folder = world.path("reports");
        // In a folder where nobody removes what is not theirs.
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o1777)).unwrap();
        std::os::unix::fs::chown(&folder, Some(65534), Some(65534)).unwrap();
        let next = std::process::id();
        for pid in next..next + 3000 {
            let draft = folder.join(format!(".actum-draft-{pid}"));
            std::fs::write(&draft, "").unwrap();
            std::os::unix::fs::chown(&draft, Some(65534), Some(65534)).unwrap();
        }
        let done = world.run(&["true"]).go().expect(0);
        assert_eq!(done.told("/result/ending/how"), "exited", "{done}");
    }
}

#[test]
fn a_task_whose_id_has_a_nul_keeps_no_other_from_running() {
    let task = |id: &str, line: &str| {
        let answer = format!("```bash\\n{line}\\n```");
        format!(
            r#"{{"id":"{id}","action":"run","status":"completed","agent_responses":{{"ops_commander":"{answer}"}}}}"#
        )
    };
    let list = format!(
        r#"{{"task_results":[{},{}]}}"#,
        task(r"1\u0000", "echo one"),
        task("2", "echo two > two.txt")
    );
    for world in World::each() {
        world.make_file(&world.workspace().join("tasks.json"), &list);
        let done = world.actum_with(&["tasks", "tasks.json"]).without_report().go();
        assert_eq!(text(&world.workspace().join("two.txt")).as_deref(), Some("two\n"), "{done}");
    }
}

#[test]
fn a_tool_in_the_place_of_another_verifies_no_check() {
    let Some(world) = World::new(Caller::Root) else { return };
    let path = std::env::var("PATH").unwrap_or_default();
    world.make_program(&world.workspace().join("fake/mypy"), "#!/bin/sh\nexit 0\n");
    let first = format!("{}:{path}", world.workspace().join("fake").display());
    world.run(&["mypy", "."]).variable("PATH", first).go().expect(0);
    for claim in ["mypy is clean.", "`mypy .` reports no errors.", "There are no type errors."] {
        assert_eq!(crate::claims::status(&world, claim).0, "unsupported", "{claim}");
    }
}
