//! Programs that go for the account of themselves: the report, the listing, the counting, the reader.

use crate::world::{Walls, World};

#[test]
fn a_program_cannot_put_its_own_report_in_place() {
    let forge = "import os\nif os.path.exists('report.json'): os.remove('report.json')\n\
                 open('report.json', 'w').write('{\"forged\":true}')";
    for world in World::each() {
        for walls in Walls::ALL {
            let report = world.workspace().join("report.json");
            world.python(forge).without_report().walls(walls).flag("--report").flag(&report).go().expect(0);
            let text = std::fs::read_to_string(&report).unwrap();
            let report: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(report["confinement"].is_object() && report["forged"].is_null(), "{text}");
        }
    }
}

/// In the layer a file with many names is one; in the workspace it would be many.
#[test]
fn names_do_not_multiply_past_the_limit_on_disk() {
    let links =
        "import os\nopen('h', 'wb').write(os.urandom(4 << 20))\nfor n in range(50): os.link('h', f'h{n}')";
    for world in World::each() {
        let done = world.python(links).flags(&["--limit", "disk=20MiB"]).go();
        assert_eq!(done.code(), 123, "{done}");
        assert_eq!(std::fs::read_dir(world.workspace()).unwrap().count(), 0, "{done}");
    }
}

#[test]
fn protected_files_are_put_back_whatever_else_fails() {
    let closed = "open('.git/config', 'w').write('evil')\nimport os; os.chmod('.', 0)";
    let spoken = "open('.git/config', 'w').write('evil'); print('hi')";
    for world in World::each() {
        let config = world.workspace().join(".git/config");
        world.make_folder(&world.workspace().join(".git"));
        world.make_file(&config, "good");
        for walls in [Walls::L, Walls::Docker] {
            let done = world.python(closed).walls(walls).go();
            assert_eq!(std::fs::read_to_string(&config).unwrap(), "good", "{done}");
            let done = world.python(spoken).walls(walls).shell("exec \"$@\" >/dev/full").go();
            assert_eq!(std::fs::read_to_string(&config).unwrap(), "good", "{done}");
        }
    }
}

/// Limits go on being watched while nobody takes our output.
#[test]
fn a_reader_that_does_not_read_does_not_stop_the_clock() {
    for world in World::each() {
        for walls in [Walls::N, Walls::Docker] {
            let run = world.run(&["sh", "-c", "yes & while :; do :; done"]).walls(walls);
            let done = run.flags(&["--limit", "wall=1s"]).shell("{ \"$@\"; echo $? >&2; } | sleep 8").go();
            assert!(done.err().ends_with("124\n"), "{done}");
            assert!(done.told("/resources/wall").as_f64().unwrap() < 6.0, "{done}");
        }
    }
}

/// A name that is no text, and memory that is shared, are counted like any other.
#[test]
fn memory_is_counted_whatever_the_program_calls_itself() {
    let renamed = "import ctypes, time\nctypes.CDLL(None).prctl(15, b'\\xff\\xfe')\nx = bytearray(180 << 20); time.sleep(20)";
    let shared = "import mmap, time\nm = mmap.mmap(-1, 180 << 20)\n\
                  for n in range(0, 180 << 20, 4096): m[n] = 1\ntime.sleep(20)";
    for world in World::each() {
        for program in [renamed, shared] {
            let done = world.python(program).flags(&["--limit", "memory=128MiB"]).go().expect(123);
            assert_eq!(done.told("/result/ending/how"), "out-of-memory", "{done}");
        }
    }
}
