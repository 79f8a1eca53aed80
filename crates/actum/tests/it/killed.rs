//! Killed at any moment: no child survives, the workspace has none of the changes or all of them, the next run works.

use crate::leftovers::{kill, marked};
use crate::run::within;
use crate::world::World;
use rustix::process::Signal;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// With those of the other caller that makes 50.
const MOMENTS: u64 = 25;
const FILES: usize = 200;

/// Two hundred new files, one rewritten, one gone, one that becomes a folder.
const PROGRAM: &str = "i=0; while [ $i -lt 197 ]; do echo new > file$i; i=$((i+1)); done; \
                       echo new > modified; rm deleted; rm turned; mkdir turned; echo new > turned/in";

#[derive(Debug, PartialEq, Eq)]
enum Found {
    Untouched,
    All,
    Part(usize),
}

fn plant(world: &World) {
    for entry in fs::read_dir(world.workspace()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }
    for name in ["modified", "deleted", "turned"] {
        world.make_file(&world.workspace().join(name), "old");
    }
}

fn found(workspace: &Path) -> Found {
    let is_new = |name: &str| fs::read_to_string(workspace.join(name)).is_ok_and(|text| text == "new\n");
    let mut done = (0..197).filter(|number| is_new(&format!("file{number}"))).count();
    done += usize::from(is_new("modified")) + usize::from(!workspace.join("deleted").exists());
    done += usize::from(is_new("turned/in"));
    let old = |name: &str| fs::read_to_string(workspace.join(name)).is_ok_and(|text| text == "old");
    let names = fs::read_dir(workspace).unwrap().count();
    match done {
        0 if names == 3 && old("modified") && old("deleted") && old("turned") => Found::Untouched,
        FILES if names == FILES - 1 => Found::All,
        part => Found::Part(part),
    }
}

/// Everything of a run: the program by its marker, ours by the path of the binary.
fn living(world: &World, marker: &str) -> Vec<i32> {
    let mut living = marked(marker);
    living.extend(marked(world.actum().to_str().unwrap()));
    living.extend(marked(world.path("home/.local/share/actum").to_str().unwrap()));
    living
}

/// xorshift64*: other moments each time would be other tests; the machine adds enough chance.
fn random(seed: u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for _ in 0..3 {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
    }
    state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33
}

#[test]
fn killed_at_random_moments_it_is_all_or_nothing() {
    for world in World::each() {
        plant(&world);
        let whole = world.run(&["sh", "-c", PROGRAM]).go().expect(0);
        assert_eq!(found(&world.workspace()), Found::All, "{whole}");
        let (mut untouched, mut all) = (0, 0);
        for moment in 0..MOMENTS {
            plant(&world);
            let mut going = world.run(&["sh", "-c", PROGRAM]).start();
            let begun = Instant::now();
            let marker = going.marker.clone();
            let runs = world.path("home/.local/share/actum");
            let until = whole.took.mul_f64(random(moment) as f64 % 1000.0 / 1000.0);
            // Every third moment is just before placing or while it goes on, which chance alone seldom meets. Both are
            // short, so they are looked for without a pause.
            let sign = match moment % 6 {
                0 => Some(world.workspace().join("file0")),
                3 => Some(runs.join("applying")),
                _ => None,
            };
            while match &sign {
                Some(sign) => !sign.exists() && going.child.try_wait().unwrap().is_none(),
                None => begun.elapsed() < until,
            } {
                std::hint::spin_loop();
            }
            kill(going.child.id() as i32, Signal::KILL);
            // Sometimes all of ours goes at once, as in a power cut that spares the disk.
            let everything = moment % 4 == 3 || moment % 12 == 0;
            if everything {
                living(&world, &marker).into_iter().for_each(|pid| kill(pid, Signal::KILL));
            }
            going.finish();
            let gone = within(Duration::from_secs(10), || living(&world, &marker).is_empty());
            assert!(gone, "moment {moment}: {:?} still live", living(&world, &marker));
            let after_kill = found(&world.workspace());
            assert!(everything || !matches!(after_kill, Found::Part(_)), "moment {moment}: {after_kill:?}");
            world.run(&["true"]).go().expect(0);
            match found(&world.workspace()) {
                Found::Untouched => untouched += 1,
                Found::All => all += 1,
                Found::Part(part) => panic!("moment {moment}: {part} of {FILES} after the next run"),
            }
            assert!(!runs.join("applying").exists(), "moment {moment}: something is still pending");
        }
        assert!(untouched > 0 && all > 0, "{untouched} untouched, {all} whole: the moments are badly chosen");
    }
}
