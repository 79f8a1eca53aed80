//! A program whose time is over is asked first, gets its grace, and is then ended with everything it started.

use crate::leftovers::{kill, marked};
use crate::run::{Done, Going, within};
use crate::world::{Walls, World};
use rustix::process::Signal;
use std::time::Duration;

/// Prints when it is asked to stop, and ends with its own code.
const ANSWERS: &str = "trap 'echo caught TERM; exit 7' TERM; trap 'echo caught INT; exit 8' INT; echo started; \
                       while :; do sleep 0.02; done";
/// Hears nothing, and neither does what it started, in a session of its own too.
const DEAF: &str = "import os, signal, time\nfor s in (signal.SIGTERM, signal.SIGINT): signal.signal(s, signal.SIG_IGN)\n\
                    if os.fork() == 0:\n    os.setsid()\n    os.fork()\nelse:\n    print('started', flush=True)\ntime.sleep(600)";

/// What else could be left is looked at where runs are interrupted.
fn nothing_lives(done: &Done) {
    assert!(within(Duration::from_secs(5), || marked(&done.marker).is_empty()), "{done}");
}

fn seconds(done: &Done, pointer: &str) -> f64 {
    done.told(pointer).as_f64().unwrap_or_else(|| panic!("{pointer} is not told: {done}"))
}

fn is_stopped(done: &Done, signal: u64, by_itself: bool) {
    assert_eq!(done.told("/resources/stopped/signal"), signal, "{done}");
    assert_eq!(done.told("/resources/stopped/by_itself"), by_itself, "{done}");
    assert!(seconds(done, "/resources/stopped_within") < 0.5, "{done}");
    // Also a run that was stopped tells what it used; on a busy machine init may not get that far when it has to kill.
    if by_itself || done.told("/resources/cpu_user").is_number() {
        assert!(used(done) > 0.0, "{done}");
    }
}

fn used(done: &Done) -> f64 {
    seconds(done, "/resources/cpu_user") + seconds(done, "/resources/cpu_system")
}

#[test]
fn a_timeout_asks_and_the_answer_is_captured() {
    for world in World::each() {
        for walls in Walls::ALL {
            let run = world.run(&["bash", "-c", ANSWERS]).walls(walls);
            let done = run.flags(&["--limit", "wall=2s", "--grace", "20s"]).go().expect(124);
            assert_eq!(done.told("/result/ending/how"), "timed-out", "{done}");
            assert!(done.out().ends_with("caught TERM\n"), "{done}");
            is_stopped(&done, 15, true);
            assert!(done.took < Duration::from_secs(10), "{done}");
            nothing_lives(&done);
        }
    }
}

#[test]
fn a_cancel_asks_and_the_answer_is_captured() {
    for world in World::each() {
        for walls in Walls::ALL {
            let mut going =
                world.run(&["bash", "-c", ANSWERS]).walls(walls).flags(&["--grace", "20s"]).start();
            going.until_said("started");
            kill(going.child.id() as i32, Signal::TERM);
            let done = going.finish().expect(130);
            assert_eq!(done.told("/result/ending/how"), "cancelled", "{done}");
            assert!(done.out().ends_with("caught TERM\n"), "{done}");
            is_stopped(&done, 15, true);
        }
    }
}

/// A program that catches only one of the two is asked by that one; Python catches INT by itself.
#[test]
fn a_program_is_asked_by_the_signal_that_it_catches() {
    let caught =
        "import time\nprint('started', flush=True)\ntry: time.sleep(60)\nfinally: print('tidied up')";
    let deaf_to_term = "trap 'echo caught INT; exit 8' INT; echo started; while :; do sleep 0.02; done";
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.python(caught).walls(walls).flags(&["--limit", "wall=2s"]).go().expect(124);
            assert!(done.out().ends_with("tidied up\n"), "{done}");
            is_stopped(&done, 2, true);
            let run = world.run(&["bash", "-c", deaf_to_term]).walls(walls);
            let done = run.flags(&["--limit", "wall=2s", "--grace", "20s"]).go().expect(124);
            assert!(done.out().ends_with("caught INT\n"), "{done}");
            is_stopped(&done, 2, true);
        }
    }
}

#[test]
fn who_does_not_answer_is_killed_with_everything_after_the_grace() {
    for world in World::each() {
        for walls in Walls::ALL {
            let run = world.python(DEAF).walls(walls);
            let done = run.flags(&["--limit", "wall=2s", "--grace", "300ms"]).go().expect(124);
            is_stopped(&done, 15, false);
            let grace = seconds(&done, "/resources/stopped/within");
            assert!((0.3..3.0).contains(&grace), "{done}");
            nothing_lives(&done);
        }
    }
}

fn deaf(world: &World, walls: Walls) -> Going {
    let mut going = world.python(DEAF).walls(walls).flags(&["--grace", "25s"]).start();
    going.until_said("started");
    kill(going.child.id() as i32, Signal::INT);
    going
}

#[test]
fn asked_twice_it_stops_at_once() {
    for world in World::each() {
        for walls in Walls::ALL {
            for second in [Signal::INT, Signal::TERM] {
                let going = deaf(&world, walls);
                // The first has been taken when nothing waits for this process any more.
                let supervisor = going.child.id();
                assert!(within(Duration::from_secs(10), || !is_pending(supervisor)));
                assert!(!marked(&going.marker).is_empty(), "the first wish did not leave it its grace");
                kill(supervisor as i32, second);
                let done = going.finish().expect(130);
                is_stopped(&done, 2, false);
                assert!(done.took < Duration::from_secs(15), "{done}");
                nothing_lives(&done);
            }
        }
    }
}

/// Whether a signal waits for the whole process.
fn is_pending(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let shared = status.lines().find_map(|line| line.strip_prefix("ShdPnd:")).unwrap_or_default();
    shared.trim().chars().any(|digit| digit != '0')
}

#[test]
fn without_grace_nobody_is_asked() {
    for world in World::each() {
        let run = world.run(&["bash", "-c", ANSWERS]).flags(&["--limit", "wall=2s", "--grace", "0"]);
        let done = run.go().expect(124);
        assert!(done.told("/resources/stopped").is_null(), "{done}");
        assert_eq!(done.out(), "started\n", "{done}");
    }
}

#[test]
fn a_limit_that_is_met_in_the_grace_ends_it() {
    for world in World::each() {
        let floods = "trap 'while :; do echo 0123456789012345678901234567890123456789; done' TERM; \
                      while :; do sleep 0.02; done";
        let run = world.run(&["bash", "-c", floods]).flags(&["--limit", "output=1MiB", "--limit", "wall=2s"]);
        let done = run.flags(&["--grace", "25s"]).go().expect(124);
        assert_eq!(done.told("/result/ending/how"), "timed-out", "{done}");
        assert_eq!(done.told("/resources/stopped/by_itself"), false, "{done}");
        assert!(done.took < Duration::from_secs(15), "{done}");
    }
}

#[test]
fn what_was_read_written_and_started_is_told() {
    let program = "import subprocess\nfor _ in range(5): subprocess.run(['true'])\n\
                   open('/dev/null', 'wb').write(open('/dev/zero', 'rb').read(3_000_000))";
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.python(program).walls(walls).go().expect(0);
            for pointer in ["/resources/traffic/read", "/resources/traffic/written"] {
                let bytes = seconds(&done, pointer);
                assert!((3e6..6e6).contains(&bytes), "{pointer} {bytes} {done}");
            }
            let started = done.told("/resources/processes_started").as_u64();
            match walls {
                // The interpreter may be found by a script that starts programs of its own.
                Walls::N => assert!(started.is_some_and(|count| (6..200).contains(&count)), "{done}"),
                Walls::L | Walls::Docker => assert_eq!(started, None, "{done}"),
            }
        }
    }
}

#[test]
fn a_run_of_more_than_a_second_has_a_curve() {
    let program =
        "import time\nkept = bytearray(60_000_000)\nend = time.time() + 1.4\nwhile time.time() < end: pass";
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.python(program).walls(walls).go().expect(0);
            let curve = done.told("/resources/curve").as_array().unwrap_or_else(|| panic!("{done}"));
            let last = &curve[curve.len() - 1];
            assert!((3..=30).contains(&curve.len()), "{done}");
            assert!(
                last["at"].as_f64().unwrap() > 1.0 && last["cpu"].as_f64().unwrap() > 0.02,
                "{last} {done}"
            );
            // The last look may fall into the end.
            let most = curve.iter().filter_map(|point| point["memory"].as_f64()).fold(0.0, f64::max);
            assert!((50e6..500e6).contains(&most), "{done}");
            assert!((1..20).contains(&last["processes"].as_u64().unwrap()), "{last} {done}");
            let short = world.run(&["true"]).walls(walls).go().expect(0);
            assert!(short.told("/resources/curve").is_null(), "{short}");
        }
    }
}
