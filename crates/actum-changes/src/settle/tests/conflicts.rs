//! The workspace changed since: nothing is done, and it is said what.

use super::trees::{Scene, mode, open, picture, told, write};
use crate::settle::{Insist, SettleError, Settled, apply, discard, undo};
use actum_model::Clash;
use rustix::fd::AsFd;
use std::fs;
use std::os::unix::fs::symlink;

/// A run that does one of each, over a workspace that has one of each.
fn scene() -> Scene {
    let scene = Scene::new();
    for path in ["modified", "deleted", "gone/a", "gone/b/c", "becomes-folder", "becomes-file/x", "linked"] {
        write(scene.work(path), path);
    }
    for path in ["created", "modified", "folder/in", "becomes-folder/in", "becomes-file"] {
        write(scene.layer(path), &format!("new {path}"));
    }
    for path in ["deleted", "gone"] {
        scene.delete(path);
    }
    symlink("modified", scene.layer("linked")).unwrap();
    scene
}

#[test]
fn what_others_did_meanwhile_is_told_and_nothing_is_touched() {
    type Deed = fn(&Scene);
    let table: [(&str, Deed, &[&str]); 12] = [
        ("nothing", |_| {}, &[]),
        ("chmod", |scene| mode(&scene.work("modified"), 0o755), &[]),
        ("the same by hand", |scene| write(scene.work("created"), "new created"), &[]),
        ("deleted by hand", |scene| fs::remove_file(scene.work("deleted")).unwrap(), &[]),
        ("edited", |scene| write(scene.work("modified"), "edited!!"), &["modified: it was changed"]),
        ("removed", |scene| fs::remove_file(scene.work("modified")).unwrap(), &["modified: it was removed"]),
        ("edited what goes", |scene| write(scene.work("deleted"), "other"), &["deleted: it was changed"]),
        (
            "put in the way",
            |scene| write(scene.work("created"), "x"),
            &["created: something else was created at this path"],
        ),
        (
            "added to what goes",
            |scene| write(scene.work("gone/b/d"), "x"),
            &["gone/b/d: something else was created at this path"],
        ),
        (
            "added to what becomes a file",
            |scene| write(scene.work("becomes-file/y"), "x"),
            &["becomes-file/y: something else was created at this path"],
        ),
        (
            "a file where a folder comes",
            |scene| write(scene.work("folder"), "x"),
            &["folder: something else was created at this path"],
        ),
        (
            "a link where a folder was",
            |scene| {
                fs::remove_dir_all(scene.work("gone")).unwrap();
                symlink("/etc", scene.work("gone")).unwrap();
            },
            &[
                "gone: it was changed",
                "gone/a: a parent of its path is a link or a file",
                "gone/b: a parent of its path is a link or a file",
                "gone/b/c: a parent of its path is a link or a file",
            ],
        ),
    ];
    for (name, deed, expected) in table {
        let scene = scene();
        scene.keep();
        deed(&scene);
        let before = picture(&scene.work(""));
        let applied = scene.apply(&[], Insist::No);
        match expected.is_empty() {
            true => assert!(applied.is_ok(), "{name}: {applied:?}"),
            false => {
                assert_eq!(applied.unwrap_err(), expected, "{name}");
                assert_eq!(picture(&scene.work("")), before, "{name}: nothing is done");
                assert!(scene.became().iter().all(|told| told.ends_with("kept")), "{name}");
            }
        }
    }
}

#[test]
fn insisting_applies_and_can_be_undone() {
    let scene = scene();
    scene.keep();
    write(scene.work("modified"), "edited by hand");
    write(scene.work("created"), "by hand");
    write(scene.work("gone/b/d"), "by hand");
    write(scene.work("becomes-file/y"), "by hand");
    let before = picture(&scene.work(""));
    assert!(scene.apply(&[], Insist::No).is_err());
    scene.apply(&[], Insist::Yes).unwrap();
    let after = picture(&scene.work(""));
    assert!(after["created"].ends_with("new created") && !after.contains_key("gone"));
    assert!(after["becomes-file"].ends_with("new becomes-file"));
    scene.undo(Insist::No).unwrap();
    assert_eq!(picture(&scene.work("")), before);
    // And on: what was undone can be applied again.
    scene.apply(&[], Insist::No).unwrap();
    assert_eq!(picture(&scene.work("")), after);
}

#[test]
fn undoing_is_refused_when_somebody_worked_on() {
    let scene = scene();
    assert_eq!(told(scene.run()), Ok(14));
    write(scene.work("created"), "worked on");
    write(scene.work("folder/mine"), "mine");
    let before = picture(&scene.work(""));
    let conflicts = ["created: it was changed", "folder/mine: something else was created at this path"];
    assert_eq!(scene.undo(Insist::No).unwrap_err(), conflicts);
    assert_eq!(picture(&scene.work("")), before);
    scene.undo(Insist::Yes).unwrap();
    assert!(!scene.work("created").exists() && !scene.work("folder").exists());
    assert_eq!(fs::read_to_string(scene.work("gone/b/c")).unwrap(), "gone/b/c");
    scene.apply(&[], Insist::No).unwrap();
    assert_eq!(picture(&scene.work("")), before, "what was insisted away comes back");
}

#[test]
fn a_link_in_the_way_is_never_followed_even_when_asked() {
    let scene = Scene::new();
    write(scene.work("d/old"), "old");
    write(scene.layer("d/new"), "new");
    scene.keep();
    let outside = scene.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir_all(scene.work("d")).unwrap();
    symlink(&outside, scene.work("d")).unwrap();
    for insist in [Insist::No, Insist::Yes] {
        assert_eq!(
            scene.apply(&[], insist).unwrap_err(),
            ["d/new: a parent of its path is a link or a file"]
        );
    }
    assert!(picture(&outside).is_empty());
    // What is gone is made again when asked.
    fs::remove_file(scene.work("d")).unwrap();
    assert_eq!(scene.apply(&[], Insist::No).unwrap_err(), ["d: it was removed"]);
    scene.apply(&[], Insist::Yes).unwrap();
    assert_eq!(fs::read_to_string(scene.work("d/new")).unwrap(), "new");
}

#[test]
fn another_folder_at_the_path_is_not_the_workspace() {
    let scene = scene();
    scene.keep();
    fs::rename(scene.work(""), scene.path("moved")).unwrap();
    fs::create_dir(scene.path("work")).unwrap();
    assert!(matches!(apply(&scene.keeping, &[], Insist::Yes), Err(SettleError::Replaced { .. })));
    assert!(picture(&scene.path("work")).is_empty());
    assert_eq!(discard(&scene.keeping).unwrap(), 14);
}

#[test]
fn doing_it_twice_says_so() {
    let scene = scene();
    assert!(matches!(undo(&scene.keeping, Insist::No), Err(SettleError::None)));
    scene.keep();
    assert!(matches!(undo(&scene.keeping, Insist::No), Err(SettleError::NeverApplied)));
    scene.apply(&[], Insist::No).unwrap();
    assert!(matches!(apply(&scene.keeping, &[], Insist::No), Err(SettleError::AlreadyApplied)));
    assert!(matches!(discard(&scene.keeping), Err(SettleError::InWorkspace)));
    scene.undo(Insist::No).unwrap();
    assert!(matches!(undo(&scene.keeping, Insist::No), Err(SettleError::AlreadyUndone)));
    assert_eq!(discard(&scene.keeping).unwrap(), 14);
    assert!(!scene.keeping.folder.join("changes").exists());
    assert!(matches!(discard(&scene.keeping), Err(SettleError::AlreadyDiscarded)));
    assert!(matches!(apply(&scene.keeping, &[], Insist::No), Err(SettleError::NotKept)));
}

#[test]
fn named_paths_are_applied_one_by_one_and_withheld_ones_only_so() {
    let scene = Scene::new();
    fs::create_dir(scene.work(".git")).unwrap();
    for path in ["a", "d/b", "d/c", ".git/hooks/pre-commit"] {
        write(scene.layer(path), path);
    }
    symlink("/etc/passwd", scene.layer("out")).unwrap();
    scene.keep();
    assert_eq!(scene.apply(&["d/b"], Insist::No), Ok(2));
    assert!(scene.work("d/b").exists() && !scene.work("a").exists() && !scene.work("d/c").exists());
    assert_eq!(scene.apply(&[], Insist::No), Ok(2));
    assert!(scene.work("a").exists() && scene.work("d/c").exists() && !scene.work(".git/hooks").exists());
    assert!(matches!(apply(&scene.keeping, &[], Insist::Yes), Err(SettleError::AlreadyApplied)));
    let named = |path: &str| apply(&scene.keeping, &[path.as_bytes().to_vec()], Insist::Yes);
    assert!(matches!(named("out"), Err(SettleError::Withheld { .. })));
    assert!(matches!(named("nowhere"), Err(SettleError::Unknown { .. })));
    assert!(matches!(named("a"), Err(SettleError::AlreadyApplied)));
    assert_eq!(named(".git/hooks").unwrap(), Settled::Done(2));
    assert_eq!(fs::read_to_string(scene.work(".git/hooks/pre-commit")).unwrap(), ".git/hooks/pre-commit");
    scene.undo(Insist::No).unwrap();
    assert_eq!(picture(&scene.work("")).into_keys().collect::<Vec<_>>(), [".git"]);
}

#[test]
fn a_fifo_in_the_way_stays() {
    let scene = Scene::new();
    write(scene.layer("pipe"), "new");
    scene.keep();
    rustix::fs::mknodat(
        open(&scene.work("")).as_fd(),
        "pipe",
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let settled = apply(&scene.keeping, &[], Insist::Yes).unwrap();
    let Settled::Conflicts(conflicts) = settled else { panic!("{settled:?}") };
    assert_eq!(conflicts[0].why, Clash::Special);
}
