//! Killed at any step, placing is gone on with; failing at any step, it is put back.

use super::trees::{Scene, key, open, picture, write};
use crate::settle::go_on::{Trust, go_on};
use crate::settle::journal::{Heading, Journal};
use crate::settle::keeping::{Belonging, ShelfName};
use crate::settle::{Insist, Keeping, SettleError, recover};
use crate::{self as changes, Depth};
use actum_model::{Became, Change};
use rustix::fd::AsFd;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::panic::{AssertUnwindSafe, catch_unwind};

type Picture = BTreeMap<String, String>;

fn fill(scene: &Scene) {
    for path in ["kept", "modified", "deleted", "gone/a", "gone/b/c", "becomes-folder", "becomes-link/x"] {
        write(scene.work(path), path);
    }
    for path in ["created", "modified", "n/e/w", "becomes-folder/in"] {
        write(scene.layer(path), &format!("new {path}"));
    }
    scene.delete("deleted");
    scene.delete("gone");
    symlink("kept", scene.layer("becomes-link")).unwrap();
}

/// Everything up to the journal, as `carry` does it, and nothing of what comes after.
fn journalled(scene: &Scene) -> Vec<Change> {
    let kept = scene.keep();
    let list: Vec<Change> = kept.changes.iter().map(|kept| kept.change.clone()).collect();
    let work = open(&scene.work(""));
    let rebased = changes::rebase(work.as_fd(), &list, Depth::Glance).unwrap();
    assert!(rebased.conflicts.is_empty());
    let shelf = scene.keeping.shelf(ShelfName::Undo).unwrap();
    changes::save(work.as_fd(), shelf.as_fd(), &rebased.changes, None).unwrap();
    Journal::new(Became::Applied, &Belonging::of(&kept), rebased.changes).write(&scene.keeping).unwrap();
    list
}

/// What the workspace looks like before and after.
fn expected(scene: &Scene) -> (Picture, Picture) {
    fill(scene);
    let before = picture(&scene.work(""));
    scene.run();
    let after = picture(&scene.work(""));
    (before, after)
}

/// Ends at the given step as a kill would: nothing behind it happens. `false` when there were fewer steps.
fn killed_at(keeping: &Keeping, step: usize) -> bool {
    let mut left = step;
    let mut pace = |_: &[u8]| {
        left = left.checked_sub(1).unwrap_or_else(|| std::panic::resume_unwind(Box::new("killed")));
    };
    catch_unwind(AssertUnwindSafe(|| go_on(keeping, None, Trust::Fresh, &mut pace))).is_err()
}

#[test]
fn killed_at_any_step_it_is_finished_by_the_next() {
    let (before, after) = expected(&Scene::new());
    let scenes: [fn() -> Option<Scene>; 2] = [|| Some(Scene::new()), Scene::across];
    for make in scenes {
        let mut partly = 0;
        for step in 0.. {
            let Some(scene) = make() else { break };
            fill(&scene);
            journalled(&scene);
            let was_killed = killed_at(&scene.keeping, step);
            let now = picture(&scene.work(""));
            partly += usize::from(now != before && now != after);
            if was_killed && step % 3 == 0 {
                // Killed again while it is being recovered.
                killed_at(&scene.keeping, step / 2);
            }
            scene.recover();
            assert_eq!(picture(&scene.work("")), after, "step {step}");
            assert!(scene.became().iter().all(|told| told.ends_with(" applied")), "step {step}");
            scene.undo(Insist::No).unwrap();
            assert_eq!(picture(&scene.work("")), before, "step {step}");
            if !was_killed {
                assert!(step > 15 && partly > 10, "{step} steps, {partly} of them in between");
                break;
            }
        }
    }
}

#[test]
fn killed_before_the_journal_the_workspace_is_as_it_was() {
    let scene = Scene::new();
    fill(&scene);
    let before = picture(&scene.work(""));
    journalled(&scene);
    fs::remove_file(scene.keeping.folder.join("applying.json")).unwrap();
    scene.recover();
    assert_eq!(picture(&scene.work("")), before);
    // What the first attempt left on the shelves is in nobody's way.
    scene.apply(&[], Insist::No).unwrap();
    scene.undo(Insist::No).unwrap();
    assert_eq!(picture(&scene.work("")), before);
}

/// Somebody puts something in the way of one path after the comparison: placing stops there.
#[test]
fn what_fails_on_the_way_is_put_back() {
    for obstacle in ["created", "modified", "n", "becomes-link", "gone"] {
        let scene = Scene::new();
        fill(&scene);
        journalled(&scene);
        let in_the_way = scene.work(obstacle);
        let _ = fs::remove_file(&in_the_way);
        write(in_the_way.join("theirs"), "theirs");
        let before = picture(&scene.work(""));
        match go_on(&scene.keeping, None, Trust::Fresh, &mut |_| {}) {
            // A folder is merged with one that appeared.
            Ok(()) => assert_eq!(obstacle, "n"),
            Err(SettleError::PutBack { source, .. }) => {
                assert!(source.0.contains(obstacle), "{obstacle}: {source}");
                let mut now = picture(&scene.work(""));
                let mut before = before;
                for told in [&mut now, &mut before] {
                    // The file that was removed for the obstacle is not ours to bring back over it.
                    told.retain(|path, _| !path.starts_with(obstacle));
                }
                assert_eq!(now, before, "{obstacle}");
                assert!(scene.became().iter().all(|told| told.ends_with(" kept")), "{obstacle}");
            }
            Err(error) => panic!("{obstacle}: {error:?}"),
        }
        assert!(in_the_way.join("theirs").exists(), "{obstacle}");
        scene.recover();
    }
}

#[test]
fn killed_on_the_way_back_it_is_put_back_by_the_next() {
    for step in 0.. {
        let scene = Scene::new();
        fill(&scene);
        let before = picture(&scene.work(""));
        let list = journalled(&scene);
        // As far as a placing that stops before its last file gets.
        let count = list.len() + 4;
        assert!(killed_at(&scene.keeping, count));
        let journal = Journal::read(&scene.keeping).unwrap().unwrap();
        let shelf = scene.keeping.shelf(ShelfName::Changes).unwrap();
        let inverse = changes::placed(shelf.as_fd(), &journal.changes).unwrap();
        let back = journal.turned_back(inverse);
        assert_eq!(back.heading, Heading::Back);
        back.write(&scene.keeping).unwrap();
        let was_killed = killed_at(&scene.keeping, step);
        scene.recover();
        assert_eq!(picture(&scene.work("")), before, "step {step}");
        scene.apply(&[], Insist::No).unwrap();
        scene.undo(Insist::No).unwrap();
        assert_eq!(picture(&scene.work("")), before, "step {step}");
        if !was_killed {
            assert!(step > 5, "{step} steps");
            break;
        }
    }
}

/// A power cut can leave names without contents.
#[test]
fn contents_that_a_power_cut_took_are_noticed_and_all_is_put_back() {
    for (name, step) in [("created", 0), ("n/e/w", 0), ("modified", 14)] {
        let scene = Scene::new();
        fill(&scene);
        let before = picture(&scene.work(""));
        journalled(&scene);
        killed_at(&scene.keeping, step);
        let waiting = scene.keeping.folder.join("changes").join(name);
        let torn = if waiting.exists() { waiting } else { scene.work(name) };
        fs::write(&torn, "").unwrap();
        assert!(recover(&scene.keeping.store, &key).is_empty());
        assert_eq!(picture(&scene.work("")), before, "{name}");
    }
}

#[test]
fn drafts_of_a_killed_placing_are_swept_away() {
    let scene = Scene::new();
    fill(&scene);
    journalled(&scene);
    write(scene.work(".actum-tmp-0123456789abcdef"), "half");
    scene.recover();
    assert!(!scene.work(".actum-tmp-0123456789abcdef").exists());
}

#[test]
fn a_workspace_that_is_away_keeps_its_journal_and_can_be_given_up() {
    let scene = Scene::new();
    fill(&scene);
    journalled(&scene);
    let away = scene.path("away");
    fs::rename(scene.work(""), &away).unwrap();
    let pending = recover(&scene.keeping.store, &key);
    assert!(matches!(pending[..], [crate::settle::Pending { error: SettleError::Workspace { .. }, .. }]));
    fs::rename(&away, scene.path("work")).unwrap();
    scene.recover();
    assert!(scene.work("created").exists());
}
