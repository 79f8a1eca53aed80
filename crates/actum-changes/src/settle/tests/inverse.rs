//! *undo(apply(x)) == x*, and the other way round, over random trees.

use super::trees::{Scene, mode, open, picture, write};
use crate::Protection;
use crate::settle::{Insist, apply_listed};
use actum_model::Bytes;
use rustix::fd::AsFd;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

/// xorshift64*: the same trees on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }

    /// Few names and little depth, so that two trees meet.
    fn name(&mut self) -> &'static OsStr {
        let names: [&[u8]; 6] = [b"a", b"b", b"c", b"d\n", b"\xff\xfe", b"with space"];
        OsStr::from_bytes(names[self.below(6) as usize])
    }
}

/// Fills a folder: files, links, folders; some with odd modes.
fn grow(random: &mut Random, folder: &Path, depth: u32) {
    for _ in 0..random.below(5) {
        let path = folder.join(random.name());
        if path.symlink_metadata().is_ok() {
            continue;
        }
        match random.below(5) {
            0 | 1 if depth > 0 => {
                fs::create_dir(&path).unwrap();
                grow(random, &path, depth - 1);
                mode(&path, [0o755, 0o700, 0o555, 0o000][random.below(4) as usize]);
            }
            2 => symlink(["a", "b/c", "d"][random.below(3) as usize], &path).unwrap(),
            _ => {
                fs::write(&path, "x".repeat(random.below(4) as usize)).unwrap();
                mode(&path, [0o644, 0o600, 0o755, 0o000, 0o444][random.below(5) as usize]);
            }
        }
    }
}

/// Whites out, here and there, what the workspace has and the layer has not.
fn prune(random: &mut Random, scene: &Scene) {
    for path in picture(&scene.work("")).into_keys() {
        let plain = path.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'/');
        let above = scene.path("layer").join(&path).parent().unwrap().to_path_buf();
        let free = scene.path("layer").join(&path).symlink_metadata().is_err();
        let shown = scene.work(&path).parent().unwrap().is_dir();
        if plain && free && above.is_dir() && shown && random.below(3) == 0 {
            scene.delete(&path);
        }
    }
}

fn holds(seed: u64, scene: &Scene) {
    let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    grow(random, &scene.work(""), 3);
    grow(random, &scene.path("layer"), 3);
    prune(random, scene);
    let before = picture(&scene.work(""));
    let kept = scene.keep_with(Protection::Lifted);
    if kept.changes.is_empty() {
        return;
    }
    let work = open(&scene.work(""));
    let applied = apply_listed(&scene.keeping, &kept, Bytes::gib(1), work.as_fd());
    applied.unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{kept:#?}"));
    let after = picture(&scene.work(""));
    assert_ne!(before, after, "seed {seed}");
    for _ in 0..2 {
        scene.undo(Insist::No).unwrap_or_else(|conflicts| panic!("seed {seed}: {conflicts:?}\n{kept:#?}"));
        assert_eq!(picture(&scene.work("")), before, "seed {seed}\n{kept:#?}");
        scene.apply(&[], Insist::No).unwrap_or_else(|conflicts| panic!("seed {seed}: {conflicts:?}"));
        assert_eq!(picture(&scene.work("")), after, "seed {seed}");
    }
    scene.recover();
}

#[test]
fn what_was_applied_is_undone_exactly() {
    (1..=80).for_each(|seed| holds(seed, &Scene::new()));
}

#[test]
fn and_so_it_is_across_file_systems() {
    (1..=40).filter_map(|seed| Some((seed, Scene::across()?))).for_each(|(seed, scene)| holds(seed, &scene));
}

#[test]
fn undoing_gives_back_the_very_file_with_all_its_names() {
    let scene = Scene::new();
    write(scene.work("one"), "old");
    fs::hard_link(scene.work("one"), scene.work("other")).unwrap();
    let old = fs::metadata(scene.work("one")).unwrap();
    write(scene.layer("one"), "new");
    scene.run();
    assert_ne!(fs::metadata(scene.work("one")).unwrap().ino(), old.ino());
    assert_eq!(fs::read_to_string(scene.work("other")).unwrap(), "old");
    scene.undo(Insist::No).unwrap();
    let back = fs::metadata(scene.work("one")).unwrap();
    assert_eq!((back.ino(), back.nlink()), (old.ino(), 2));
}

#[test]
fn ten_thousand_files_and_a_deep_tree() {
    let scene = Scene::new();
    for number in 0..10_000 {
        write(scene.layer(&format!("many/{}/{number}", number % 100)), "new");
    }
    write(scene.layer(&format!("{}/leaf", ["deep"; 200].join("/"))), "new");
    let before = picture(&scene.work(""));
    scene.run();
    assert_eq!(picture(&scene.work("")).len(), 10_000 + 101 + 201);
    assert!(!scene.keeping.folder.join("changes").exists(), "nothing waits any more");
    scene.undo(Insist::No).unwrap();
    assert_eq!(picture(&scene.work("")), before);
}

#[test]
fn no_changes_make_nothing() {
    let scene = Scene::new();
    write(scene.work("a"), "a");
    assert!(crate::settle::recover(&scene.keeping.store, &super::trees::key).is_empty());
    assert!(!scene.keeping.store.exists());
}
