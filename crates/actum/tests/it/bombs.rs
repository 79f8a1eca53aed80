//! Programs that use too much: each ends by its limit, the report says which, and nothing of it stays.

use crate::leftovers::Leftovers;
use crate::run::Done;
use crate::world::{Caller, Walls, World};

struct Bomb {
    limit: &'static str,
    value: &'static str,
    /// In the unit of the report.
    max: f64,
    program: &'static str,
    code: i32,
}

const MIB: f64 = (1 << 20) as f64;

/// All of them stop by themselves long before they would hurt a machine whose walls do not hold.
const BOMBS: &[Bomb] = &[
    Bomb {
        limit: "processes",
        value: "32",
        max: 32.0,
        // Doubles twelve times; then one goes on alone, because where an ordinary user has no namespace the kernel counts
        // what else this user runs, and may refuse for a while.
        program: "import os, time\nfirst, end = os.getpid(), time.time() + 20\nfor n in range(12):\n    \
                  try: os.fork()\n    except OSError: pass\nleft = 100\nwhile time.time() < end:\n    \
                  time.sleep(0.05)\n    if os.getpid() == first and left:\n        try:\n            \
                  left -= 1\n            if os.fork() == 0: left = 0\n        except OSError: left += 1",
        code: 123,
    },
    Bomb {
        limit: "memory",
        value: "128MiB",
        max: 128.0 * MIB,
        program: "kept = []\nfor n in range(1024): kept.append(b'x' * (1 << 20))\n",
        code: 123,
    },
    // Many processes of which none is too large alone.
    Bomb {
        limit: "memory",
        value: "160MiB",
        max: 160.0 * MIB,
        program: "import os, time\nfor n in range(10):\n    if os.fork() == 0:\n        \
                  kept = [b'%d' % m * (1 << 19) for m in range(10, 40)]\n        time.sleep(20)\n        os._exit(0)\n\
                  time.sleep(20)",
        code: 123,
    },
    Bomb {
        limit: "disk",
        value: "16MiB",
        max: 16.0 * MIB,
        program: "import time\nfor n in range(256):\n    with open(f'filler-{n}', 'wb') as out: out.write(b'x' * (1 << 20))\n\
                  time.sleep(5)",
        code: 123,
    },
    Bomb {
        limit: "output",
        value: "8MiB",
        max: 8.0 * MIB,
        program: "import os\npiece = b'x' * (1 << 16)\nfor n in range(1 << 14): os.write(1, piece)",
        code: 123,
    },
    Bomb { limit: "cpu", value: "1s", max: 1.0, program: "while True: pass", code: 123 },
    Bomb { limit: "wall", value: "700ms", max: 0.7, program: "import time; time.sleep(30)", code: 124 },
    // A program that will not hear the polite signals.
    Bomb {
        limit: "wall",
        value: "700ms",
        max: 0.7,
        program: "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n    \
                  except (OSError, ValueError): pass\nwhile True: signal.pause()",
        code: 124,
    },
];

fn throw_all(caller: Caller, walls: Walls) {
    let Some(world) = World::new(caller) else { return };
    let mut failed = Vec::new();
    for bomb in BOMBS {
        let before = Leftovers::before(&world);
        let limit = format!("{}={}", bomb.limit, bomb.value);
        // Given last, so that a bomb for the wall has its own.
        let flags = ["--limit", "wall=25s", "--limit", &limit];
        let done = world.python(bomb.program).walls(walls).flags(&flags).go();
        before.check(&done.marker);
        failed.extend(complaint(bomb, &done).map(|why| format!("{limit}: {why}{done}\n")));
        // Where there is no layer, the filler's files are in the workspace itself.
        std::fs::remove_dir_all(world.workspace()).unwrap();
        world.make_folder(&world.workspace());
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What is not as it should be.
fn complaint(bomb: &Bomb, done: &Done) -> Option<String> {
    let number = |pointer: &str| {
        let value = done.told(pointer);
        value.as_f64().or_else(|| value.as_object()?.values().next()?.as_f64()).unwrap_or(-1.0)
    };
    let (how, limit) = match bomb.limit {
        "wall" => ("timed-out", None),
        "memory" => ("out-of-memory", None),
        other => ("over-limit", Some(other)),
    };
    if done.code() != bomb.code || done.told("/result/ending/how") != how {
        return Some("it did not end by its limit".to_owned());
    }
    if limit.is_some_and(|limit| done.told("/result/ending/limit") != limit) {
        return Some("another limit is named".to_owned());
    }
    if number("/result/ending/max") != bomb.max || number("/result/ending/used") < bomb.max * 0.9 {
        return Some(format!("max {} used {}", number("/result/ending/max"), number("/result/ending/used")));
    }
    let stopped = number("/resources/stopped_within");
    if !(0.0..0.5).contains(&stopped) {
        return Some(format!("stopped within {stopped} s"));
    }
    let named = format!("limit {}={} reached", bomb.limit, bomb.value);
    (!done.err().contains(&named)).then(|| format!("the summary does not say: {named}"))
}

#[test]
fn as_root_with_namespaces() {
    throw_all(Caller::Root, Walls::N);
}

#[test]
fn as_root_without_namespaces() {
    throw_all(Caller::Root, Walls::L);
}

#[test]
fn as_root_in_a_container() {
    throw_all(Caller::Root, Walls::Docker);
}

#[test]
fn as_an_ordinary_user_with_namespaces() {
    throw_all(Caller::Ordinary, Walls::N);
}

#[test]
fn as_an_ordinary_user_without_namespaces() {
    throw_all(Caller::Ordinary, Walls::L);
}

#[test]
fn as_an_ordinary_user_in_a_container() {
    throw_all(Caller::Ordinary, Walls::Docker);
}

/// A program that ends well takes what it started with it, whoever holds its output.
#[test]
fn a_daemon_that_holds_the_output_ends_with_its_program() {
    let program = "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        \
                   time.sleep(60)\n    os._exit(0)\nos.wait()\nprint('done')";
    for world in World::each() {
        for walls in Walls::ALL {
            let before = Leftovers::before(&world);
            let done = world.python(program).walls(walls).go().expect(0);
            assert_eq!(done.out(), "done\n", "{done}");
            before.check(&done.marker);
        }
    }
}

#[test]
fn one_file_is_not_longer_than_allowed() {
    for world in World::each() {
        for walls in Walls::ALL {
            let program = "exec dd if=/dev/zero of=long bs=65536 count=1024 status=none";
            let done = world.run(&["sh", "-c", program]).walls(walls).flags(&["--limit", "file-size=1MiB"]);
            let done = done.go().expect(123);
            assert_eq!(done.told("/result/ending/limit"), "file-size", "{done}");
        }
    }
}

/// The supervisor holds no more of a gigabyte than one piece of it.
#[test]
fn a_flood_of_output_does_not_grow_the_supervisor() {
    let program = "import os\npiece = b'x' * (1 << 16)\nfor n in range(1 << 14): os.write(1, piece)";
    for world in World::each() {
        let run = world.python(program).flags(&["--limit", "output=2GiB"]);
        let done = run.shell("exec \"$@\" > /dev/null").go().expect(0);
        assert_eq!(done.told("/resources/output"), 1_u64 << 30, "{done}");
        let small = world.python("import time\ntime.sleep(0.2)").go().expect(0);
        let grown = done.resident.saturating_sub(small.resident);
        assert!(small.resident > 0 && grown < 32 << 20, "{} bytes more, {done}", grown);
    }
}

/// Above what is kept in memory a layer lies on disk, and goes with the run.
#[test]
fn a_large_layer_lies_on_disk_and_goes_with_the_run() {
    for world in World::each() {
        for (program, code) in [("open('made', 'w').write('x')", 0), ("open('lost', 'w').write('x'); 1/0", 1)]
        {
            let before = Leftovers::before(&world);
            let done = world.python(program).flags(&["--limit", "disk=2GiB"]).go().expect(code);
            assert_eq!(done.told("/confinement/workspace"), "overlay-on-disk", "{done}");
            before.check(&done.marker);
        }
        assert_eq!(std::fs::read(world.workspace().join("made")).unwrap(), b"x");
        assert!(!world.workspace().join("lost").exists());
    }
}
