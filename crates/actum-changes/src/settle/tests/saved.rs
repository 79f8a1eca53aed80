//! What a run that goes on has written is there when the run is lost, whole or as it was saved before.

use super::trees::{Scene, key, open, write};
use crate::settle::{Insist, Saved, Saver, adopt_saved, has_saved};
use crate::{ApplyRules, CollectRules};
use actum_model::SealKey;
use rustix::fd::AsFd;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn saver(scene: &Scene) -> Saver {
    fs::create_dir_all(&scene.keeping.folder).unwrap();
    Saver::new(&scene.keeping)
}

fn save(scene: &Scene, saver: &mut Saver) -> Saved {
    let going_on = Some(Arc::new(AtomicBool::new(false)));
    let list = scene.listed(&CollectRules { going_on, ..CollectRules::default() });
    saver.save(open(&scene.path("layer")).as_fd(), list, &ApplyRules::default()).unwrap()
}

fn names(scene: &Scene) -> Vec<String> {
    let entries = fs::read_dir(&scene.keeping.folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_was_saved_last_is_applied_when_the_run_is_lost() {
    let scene = Scene::new();
    write(scene.work("gone"), "old");
    write(scene.layer("a/same"), "same");
    write(scene.layer("b"), "one");
    scene.delete("gone");
    let mut saver = saver(&scene);
    assert_eq!(save(&scene, &mut saver), Saved::Anew);
    let inode = |generation: &str, path: &str| {
        fs::metadata(scene.keeping.folder.join(generation).join("changes").join(path)).unwrap().ino()
    };
    let before = inode("saved-1", "a/same");
    assert_eq!(save(&scene, &mut saver), Saved::Alike);
    write(scene.layer("b"), "two");
    write(scene.layer("c"), "");
    assert_eq!(save(&scene, &mut saver), Saved::Anew);
    assert_eq!(names(&scene), ["saved-2"], "one is enough");
    assert_eq!(inode("saved-2", "a/same"), before, "what is alike is not copied");
    // Whatever came later is gone with the layer.
    fs::remove_dir_all(scene.path("layer")).unwrap();

    assert!(has_saved(&scene.keeping.folder));
    assert!(adopt_saved(&scene.keeping).unwrap());
    assert!(!adopt_saved(&scene.keeping).unwrap(), "once");
    assert_eq!(names(&scene), ["changes", "changes.json"]);
    assert_eq!(scene.apply(&[], Insist::No), Ok(5));
    let text = |path| fs::read_to_string(scene.work(path)).unwrap();
    assert_eq!([text("a/same"), text("b"), text("c")], ["same", "two", ""]);
    assert!(!scene.work("gone").exists());
    assert_eq!(scene.undo(Insist::No), Ok(5));
    assert!(scene.work("gone").exists() && !scene.work("a").exists());
}

#[test]
fn what_is_not_whole_is_not_adopted() {
    let scene = Scene::new();
    write(scene.layer("file"), "contents");
    let mut one = saver(&scene);
    save(&scene, &mut one);
    fs::write(scene.keeping.folder.join("saved-1/changes/file"), "contentz").unwrap();
    assert!(!adopt_saved(&scene.keeping).unwrap());
    // An earlier one that is whole will do.
    fs::rename(scene.keeping.folder.join("saved-1"), scene.keeping.folder.join("saved-7")).unwrap();
    save(&scene, &mut saver(&scene));
    assert!(adopt_saved(&scene.keeping).unwrap());
    assert_eq!(scene.apply(&[], Insist::No), Ok(1));
    assert_eq!(fs::read_to_string(scene.work("file")).unwrap(), "contents");
}

#[test]
fn what_another_key_sealed_is_not_adopted() {
    let scene = Scene::new();
    write(scene.layer("file"), "contents");
    let mut forged = scene.keeping.clone();
    forged.seal = SealKey::new([6; SealKey::LENGTH]);
    fs::create_dir_all(&forged.folder).unwrap();
    save(&scene, &mut Saver::new(&forged));
    assert!(!adopt_saved(&scene.keeping).unwrap());
    assert!(scene.keeping.read().is_err());
    assert_ne!(forged.seal.seal(actum_model::SealKind::Changes, "x", b"x").unwrap(), {
        key().seal(actum_model::SealKind::Changes, "x", b"x").unwrap()
    });
}

#[test]
fn adopting_can_be_interrupted() {
    let scene = Scene::new();
    write(scene.layer("file"), "contents");
    save(&scene, &mut saver(&scene));
    let folder = &scene.keeping.folder;
    fs::rename(folder.join("saved-1/changes"), folder.join("changes")).unwrap();
    fs::create_dir(folder.join("saved.next")).unwrap();
    assert!(adopt_saved(&scene.keeping).unwrap());
    assert_eq!(names(&scene), ["changes", "changes.json"]);
    assert_eq!(scene.apply(&[], Insist::No), Ok(1));
}

#[test]
fn a_run_that_was_settled_keeps_its_list() {
    let scene = Scene::new();
    write(scene.layer("file"), "contents");
    let mut one = saver(&scene);
    save(&scene, &mut one);
    write(scene.layer("later"), "x");
    scene.keep();
    assert!(!adopt_saved(&scene.keeping).unwrap());
    assert_eq!(names(&scene), ["changes", "changes.json"]);
    assert_eq!(scene.became(), ["file kept", "later kept"]);
    one.forget();
}

#[test]
fn a_program_that_writes_and_deletes_meanwhile_does_not_stop_it() {
    let scene = Scene::new();
    write(scene.layer("still"), "here");
    fs::create_dir_all(scene.path("layer/busy")).unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let (busy, stop) = (scene.path("layer/busy"), Arc::clone(&over));
    let program = std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            for number in 0..50 {
                fs::create_dir_all(busy.join(format!("d{number}"))).unwrap();
                fs::write(busy.join(format!("d{number}/f")), vec![b'x'; number * 1000]).unwrap();
            }
            for number in 0..50 {
                fs::remove_dir_all(busy.join(format!("d{number}"))).unwrap();
            }
        }
    });
    let mut saver = saver(&scene);
    for _ in 0..50 {
        save(&scene, &mut saver);
    }
    over.store(true, Ordering::Relaxed);
    program.join().unwrap();
    assert!(adopt_saved(&scene.keeping).unwrap());
    scene.apply(&["still"], Insist::No).unwrap();
    assert_eq!(fs::read_to_string(scene.work("still")).unwrap(), "here");
}
