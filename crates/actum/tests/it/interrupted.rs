//! A run that is stopped from outside, politely or not: everything of it goes.

use crate::leftovers::{Leftovers, end_marked, kill, marked, parent};
use crate::run::{Going, within};
use crate::world::{Walls, World};
use rustix::process::Signal;
use std::time::Duration;

/// Says that it is there, with company that another session holds.
const STAYS: &str = "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n\
                     open('written', 'w').write('x')\nprint('started', flush=True)\ntime.sleep(600)";

fn name(pid: i32) -> Option<String> {
    Some(std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?.trim().to_owned())
}

fn started(world: &World, walls: Walls, flags: &[&str]) -> Going {
    let mut going = world.python(STAYS).walls(walls).flags(flags).start();
    going.until_said("started");
    going
}

#[test]
fn asked_to_stop_it_stops_and_says_so() {
    for world in World::each() {
        for walls in Walls::ALL {
            for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
                let before = Leftovers::before(&world);
                let going = started(&world, walls, &[]);
                kill(going.child.id() as i32, signal);
                let done = going.finish().expect(130);
                assert_eq!(done.told("/result/ending/how"), "cancelled", "{done}");
                assert!(done.told("/resources/stopped_within").as_f64().unwrap() < 0.5, "{done}");
                assert!(done.err().contains("actum: cancelled"), "{done}");
                if walls == Walls::N {
                    assert!(!world.workspace().join("written").exists(), "{done}");
                }
                before.check(&done.marker);
            }
        }
    }
}

/// Starts the rest of its words at a terminal of their own, and hangs up once they have said that they started.
const HANGS_UP: &str = r"
import os, pty, sys, time
said, words = sys.argv[1], sys.argv[2:]
out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
child, terminal = pty.fork()
if child == 0:
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.execvp(words[0], words)
while 'started' not in open(said).read():
    time.sleep(0.01)
os.close(terminal)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.stdout.write(open(said).read())
sys.exit(code if code >= 0 else 128 - code)
";

#[test]
fn who_was_told_to_ignore_a_hang_up_goes_on() {
    for world in World::each() {
        let (script, said) = (world.path("home").join("hangs-up.py"), world.path("home").join("said"));
        world.make_file(&script, HANGS_UP);
        for (nohup, code) in [("nohup ", 0), ("", 130)] {
            let program = "echo started; sleep 1; echo went on > file";
            let shell = format!("exec python3 {} {} {nohup}\"$@\"", script.display(), said.display());
            let done = world.run(&["sh", "-c", program]).shell(&shell).go().expect(code);
            let file = world.workspace().join("file");
            assert_eq!(file.exists(), code == 0, "{done}");
            let _ = std::fs::remove_file(file);
        }
    }
}

#[test]
fn when_the_supervisor_is_killed_everything_goes() {
    for world in World::each() {
        for walls in Walls::ALL {
            for flags in [&[][..], &["--limit", "disk=2GiB"]] {
                let before = Leftovers::before(&world);
                let going = started(&world, walls, flags);
                kill(going.child.id() as i32, Signal::KILL);
                let marker = going.marker.clone();
                going.finish().expect(137);
                // What it left for others that write directly is removed by the next one that does.
                if walls != Walls::N {
                    world.run(&["true"]).walls(walls).go().expect(0);
                }
                before.check(&marker);
            }
        }
    }
}

/// The first of the supervisor's children; the other one signs.
fn warden(marker: &str, supervisor: i32) -> i32 {
    let mut children: Vec<i32> =
        marked(marker).into_iter().filter(|pid| parent(*pid) == Some(supervisor)).collect();
    assert_eq!(children.len(), 2, "the warden and the signer: {children:?}");
    children.sort_unstable();
    children[0]
}

/// Nobody is left to tidy up: processes end at once all the same, and the next run takes away what lies about.
#[test]
fn when_supervisor_and_warden_are_killed_everything_goes_by_the_next_run() {
    for world in World::each() {
        for walls in Walls::ALL {
            let before = Leftovers::before(&world);
            let flags = &["--limit", "disk=2GiB"];
            let going = started(&world, walls, flags);
            let marker = going.marker.clone();
            let supervisor = going.child.id() as i32;
            let warden = warden(&marker, supervisor);
            kill(supervisor, Signal::KILL);
            kill(warden, Signal::KILL);
            going.finish().expect(137);
            let gone = within(Duration::from_secs(5), || marked(&marker).is_empty());
            let living = marked(&marker);
            end_marked(&marker);
            assert!(gone, "{:?} {walls:?}: {living:?} still live", world.caller);
            world.run(&["true"]).walls(walls).flags(flags).go().expect(0);
            before.check(&marker);
        }
    }
}

/// The program's side of the warden: killed alone, the run cannot go on, and says so.
#[test]
fn when_the_warden_is_killed_the_run_ends_with_an_error() {
    for world in World::each() {
        for walls in [Walls::N, Walls::Docker] {
            let before = Leftovers::before(&world);
            let going = started(&world, walls, &["--limit", "wall=10s"]);
            let (marker, supervisor) = (going.marker.clone(), going.child.id() as i32);
            kill(warden(&marker, supervisor), Signal::KILL);
            let done = going.finish();
            assert_ne!(done.code(), 0, "{done}");
            assert!(!done.err().contains("panicked"), "{done}");
            world.run(&["true"]).walls(walls).go().expect(0);
            before.check(&marker);
        }
    }
}

/// As the memory killer may do it: the program is nobody's then, and must not hold the run up.
#[test]
fn when_the_sandbox_s_init_is_killed_the_run_ends() {
    for world in World::each() {
        for walls in Walls::ALL {
            let before = Leftovers::before(&world);
            let going = started(&world, walls, &[]);
            let marker = going.marker.clone();
            // Init is the one of ours that has the program as its child.
            let is_ours = |pid: i32| name(pid).as_deref() == Some("actum");
            let programs = marked(&marker).into_iter().filter(|pid| !is_ours(*pid));
            let init = programs.filter_map(parent).find(|pid| is_ours(*pid)).unwrap();
            kill(init, Signal::KILL);
            let done = going.finish();
            assert_ne!(done.code(), 0, "{done}");
            before.check(&marker);
        }
    }
}
