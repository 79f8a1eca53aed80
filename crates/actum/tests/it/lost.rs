//! A run that is killed while it lasts: what it has written by then comes back.

use crate::leftovers::{kill, marked};
use crate::run::{Done, Going, within};
use crate::world::{Walls, World};
use rustix::process::Signal;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Writes a checkpoint every tenth of a second, as programs do that mean it: beside, then renamed. And a log, which grows.
const CHECKPOINTS: &str = "import itertools, os, time\nos.remove('old')\nprint('started', flush=True)\n\
    for i in itertools.count(1):\n\
    \x20   with open('tmp', 'w') as f: f.write(f'{i} ' * 5000)\n\
    \x20   os.makedirs('ckpt', exist_ok=True)\n    os.rename('tmp', f'ckpt/{i}')\n\
    \x20   open('log', 'a').write(f'{i}\\n')\n    time.sleep(0.1)";

fn say(world: &World, words: &[&str]) -> Done {
    world.run::<&str>(&[]).say(words)
}

/// The shelves of what runs that go on have saved.
fn saved(world: &World) -> Vec<PathBuf> {
    let runs = world.path("home/.local/share/actum/runs");
    let below =
        |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_saved = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("saved-");
    below(runs).flat_map(below).filter(is_saved).map(|path| path.join("changes")).collect()
}

/// The newest checkpoint that was saved.
fn newest(world: &World) -> u64 {
    let names = |shelf: PathBuf| fs::read_dir(shelf.join("ckpt")).into_iter().flatten().flatten();
    let numbers = saved(world).into_iter().flat_map(names);
    numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).max().unwrap_or(0)
}

fn going(world: &World, flags: &[&str]) -> Going {
    world.make_file(&world.workspace().join("old"), "old");
    let mut going = world.python(CHECKPOINTS).flags(flags).start();
    going.until_said("started");
    going
}

/// Kills the supervisor when a checkpoint was saved, and waits until nothing of the run is left. Tells the newest that was saved.
fn lose(world: &World, going: Going) -> u64 {
    assert!(within(Duration::from_secs(60), || newest(world) > 0), "nothing was ever saved");
    let (saved, marker) = (newest(world), going.marker.clone());
    kill(going.child.id() as i32, Signal::KILL);
    going.finish().expect(137);
    assert!(within(Duration::from_secs(10), || marked(&marker).is_empty()));
    saved
}

#[test]
fn killed_while_it_lasts_its_checkpoints_come_back() {
    for world in World::each() {
        // Not announced it is saved from its tenth second on.
        for flags in [&["--keep", "always"][..], &["--keep", "always", "--limit", "disk=2GiB"], &[]] {
            let run = going(&world, flags);
            for words in [&["changes", "last"][..], &["changes", "last", "--json"], &["show", "last"]] {
                let told = say(&world, words).expect(0);
                let all = format!("{}{}", told.out(), told.err()).replace('-', " ");
                assert!(all.contains("unknown yet") && !all.contains("no changes"), "{told}");
            }
            for word in ["apply", "discard", "undo"] {
                let refused = say(&world, &[word, "last"]).expect(125);
                assert!(refused.err().contains("unknown yet"), "{refused}");
            }
            let saved = lose(&world, run);

            assert!(say(&world, &["show", "last"]).expect(0).out().contains("saved · "));
            let listed = say(&world, &["changes", "last"]).expect(0);
            assert!(listed.out().contains("+ ckpt/1 ") && listed.out().contains("- old"), "{listed}");
            assert!(listed.err().contains("the run was lost"), "{listed}");
            assert!(say(&world, &["ls", "--all"]).expect(0).out().contains("lost"));
            say(&world, &["apply", "last"]).expect(0);
            for number in 1..=saved {
                let text = fs::read_to_string(world.workspace().join(format!("ckpt/{number}"))).unwrap();
                assert_eq!(text, format!("{number} ").repeat(5000));
            }
            let log = fs::read_to_string(world.workspace().join("log")).unwrap();
            assert!(log.starts_with("1\n2\n"), "{log}");
            assert!(!world.workspace().join("old").exists());
            say(&world, &["undo", "last"]).expect(0);
            assert!(world.workspace().join("old").exists() && !world.workspace().join("ckpt").exists());
            say(&world, &["discard", "last"]).expect(0);
            assert!(say(&world, &["apply", "last"]).expect(125).err().contains("discarded"));
        }
    }
}

#[test]
fn what_a_lost_run_saved_can_be_discarded_and_is_removed_some_day() {
    for world in World::each() {
        lose(&world, going(&world, &["--keep", "always"]));
        say(&world, &["discard", "last"]).expect(0);
        assert_eq!(saved(&world).len(), 0);
        assert!(!world.workspace().join("ckpt").exists());

        lose(&world, going(&world, &["--keep", "always"]));
        let lost = saved(&world);
        assert_eq!(lost.len(), 1);
        // The next run writes down that it was lost.
        world.run(&["true"]).go().expect(0);
        say(&world, &["gc", "--older-than", "0s", "--yes"]).expect(0);
        assert_eq!(saved(&world).len(), 0, "nobody looked at it");
    }
}

#[test]
fn what_others_wrote_since_is_not_overwritten() {
    for world in World::each() {
        lose(&world, going(&world, &["--keep", "always"]));
        world.make_file(&world.workspace().join("log"), "mine");
        let refused = say(&world, &["apply", "last"]).expect(3);
        assert!(refused.err().contains("log: "), "{refused}");
        assert!(!world.workspace().join("ckpt").exists());
    }
}

#[test]
fn lost_before_anything_was_saved_it_is_not_taken_for_none() {
    for world in World::each() {
        let run = going(&world, &[]);
        let marker = run.marker.clone();
        kill(run.child.id() as i32, Signal::KILL);
        run.finish().expect(137);
        assert!(within(Duration::from_secs(10), || marked(&marker).is_empty()));
        for word in ["changes", "apply", "discard"] {
            let told = say(&world, &[word, "last"]).expect(125);
            assert!(told.err().contains("was lost before anything that it wrote was saved"), "{told}");
        }
        assert!(say(&world, &["show", "last"]).expect(0).out().contains("none were saved"));
    }
}

#[test]
fn a_run_that_ends_in_order_leaves_nothing_of_it() {
    for world in World::each() {
        let program = "echo x > file; sleep 2.5; echo y > other";
        for (flags, code, end) in [(&["--keep", "always"][..], 0, ""), (&["--keep", "always"], 7, "; exit 7")]
        {
            let done = world.run(&["sh", "-c", &format!("{program}{end}")]).flags(flags).go().expect(code);
            assert_eq!(done.told("/changes/state"), "applied", "{done}");
            assert_eq!(saved(&world).len(), 0);
            assert!(world.workspace().join("other").exists());
            say(&world, &["undo", "last"]).expect(0);
        }
    }
}

#[test]
fn changes_are_applied_however_it_ends_where_that_was_asked_for() {
    for world in World::each() {
        for walls in [Walls::N, Walls::Docker] {
            let slow = "echo report > junit.xml; sleep 60";
            let run = |flags: &[&str]| world.run(&["sh", "-c", slow]).walls(walls).flags(flags).go();
            let file = world.workspace().join("junit.xml");
            run(&["--limit", "wall=1s", "--keep", "success"]).expect(124);
            assert_eq!(file.exists(), walls == Walls::Docker, "without a layer it is written directly");
            let _ = fs::remove_file(&file);
            run(&["--limit", "wall=1s", "--keep", "always"]).expect(124);
            assert!(file.exists());
            fs::remove_file(&file).unwrap();
        }
        world.run(&["true"]).flags(&["--keep", "always", "--read-only"]).go().expect(125);
        world.run(&["true"]).flags(&["--keep", "sometimes"]).go().expect(125);
        // A project may not ask for it.
        world.make_file(&world.workspace().join("actum.toml"), "[changes]\nkeep = \"always\"\n");
        let done = world.run(&["sh", "-c", "echo x > made; exit 3"]).go().expect(3);
        assert_eq!(done.told("/changes/state"), "kept", "{done}");
    }
}
