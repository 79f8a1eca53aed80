//! A journal or a list that this user's Actum did not write is never carried out.

use super::trees::{Scene, key, picture, write};
use crate::settle::keeping::{Belonging, Identity, ShelfName};
use crate::settle::{Insist, SettleError, recover};
use actum_model::{KeptChanges, SealKey, SealKind, unverified_body};
use std::fs;
use std::path::Path;

/// Plants a journal beside a scene's own files, with its marker; gives what recovery says.
fn planted(scene: &Scene, bytes: &[u8]) -> Vec<String> {
    let (store, folder) = (&scene.keeping.store, &scene.keeping.folder);
    fs::create_dir_all(store.join("applying")).unwrap();
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("applying.json"), bytes).unwrap();
    std::os::unix::fs::symlink(folder, store.join("applying").join(folder.file_name().unwrap())).unwrap();
    let told: Vec<String> =
        recover(store, &key).iter().map(|pending| format!("{:?}", pending.error)).collect();
    assert!(recover(store, &key).is_empty(), "it is told once");
    assert!(!folder.join("applying.json").exists() && !store.join("applying").exists());
    told
}

fn with_changes() -> Scene {
    let scene = Scene::new();
    write(scene.work("a"), "old");
    write(scene.layer("a"), "new");
    scene
}

#[test]
fn a_planted_journal_is_set_aside() {
    let elsewhere = Scene::new();
    write(elsewhere.work("mine"), "mine");
    let workspace: Vec<String> =
        elsewhere.work("").as_os_str().as_encoded_bytes().iter().map(ToString::to_string).collect();
    let plain = format!(
        "{{\"v\":2,\"heading\":\"forward\",\"towards\":\"applied\",\"workspace\":[{}],\"inode\":1,\"changes\":[]}}",
        workspace.join(",")
    );
    let strangers = SealKey::new([9; SealKey::LENGTH]);
    let about = "01923456-789a-7fff-bfff-ffffffffffff";
    for bytes in [
        plain.as_bytes().to_vec(),
        strangers.seal(SealKind::Journal, about, plain.as_bytes()).unwrap(),
        // Sealed by us, for another run or as something else.
        key().seal(SealKind::Journal, "another-run", plain.as_bytes()).unwrap(),
        key().seal(SealKind::Changes, about, plain.as_bytes()).unwrap(),
        Vec::new(),
    ] {
        let scene = with_changes();
        scene.keep();
        let before = picture(&scene.work(""));
        let told = planted(&scene, &bytes);
        assert!(told.len() == 1 && told[0].contains("Forged"), "{told:?}");
        assert_eq!(picture(&scene.work("")), before);
        // And what the run itself kept can still be applied.
        scene.apply(&[], Insist::No).unwrap();
    }
}

#[test]
fn a_journal_that_is_a_link_or_a_pipe_is_set_aside() {
    for make in
        [(|path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()) as fn(&Path), |path| {
            rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap()
        }]
    {
        let scene = with_changes();
        scene.keep();
        let journal = scene.keeping.folder.join("applying.json");
        make(&journal);
        fs::create_dir_all(scene.keeping.store.join("applying")).unwrap();
        fs::write(scene.keeping.store.join("applying").join(scene.keeping.folder.file_name().unwrap()), "")
            .unwrap();
        assert_eq!(recover(&scene.keeping.store, &key).len(), 1);
        assert!(recover(&scene.keeping.store, &key).is_empty());
        scene.apply(&[], Insist::No).unwrap();
    }
}

#[test]
fn without_the_key_a_journal_stays_until_it_is_back() {
    let scene = with_changes();
    scene.run();
    let journal = scene.keeping.folder.join("applying.json");
    let told = {
        fs::create_dir_all(scene.keeping.store.join("applying")).unwrap();
        fs::write(&journal, key().seal(SealKind::Journal, "x", b"{}").unwrap()).unwrap();
        fs::write(scene.keeping.store.join("applying").join(scene.keeping.folder.file_name().unwrap()), "")
            .unwrap();
        recover(&scene.keeping.store, &|| SealKey::unusable("gone"))
    };
    assert_eq!(told.len(), 1);
    assert!(journal.exists());
}

#[test]
fn an_altered_list_is_neither_applied_nor_undone_but_can_be_discarded() {
    let scene = with_changes();
    scene.keep();
    let path = scene.keeping.folder.join("changes.json");
    let sealed = fs::read(&path).unwrap();
    for altered in [unverified_body(&sealed).to_vec(), [&sealed[..sealed.len() - 1], b" }"].concat()] {
        fs::write(&path, altered).unwrap();
        for done in [
            crate::settle::apply(&scene.keeping, &[], Insist::Yes),
            crate::settle::undo(&scene.keeping, Insist::Yes),
        ] {
            assert!(matches!(done, Err(SettleError::Forged { .. })), "{done:?}");
        }
    }
    assert!(scene.keeping.read().is_ok(), "it can be looked at");
    assert_eq!(crate::settle::discard(&scene.keeping).unwrap(), 1);
    assert!(!path.exists() && scene.keeping.shelf(ShelfName::Changes).is_ok());
    assert!(matches!(scene.keeping.read(), Err(SettleError::None)));
}

#[test]
fn a_folder_is_told_by_device_inode_and_birth() {
    let here = Identity { device: Some(1), inode: 7, born: Some(5) };
    for (found, is_same) in [
        (here, true),
        (Identity { device: Some(2), born: Some(6), ..here }, false),
        (Identity { device: Some(2), born: None, ..here }, false),
        (Identity { born: Some(6), ..here }, false),
        (Identity { inode: 8, ..here }, false),
        // Mounted anew with another number.
        (Identity { device: Some(2), ..here }, true),
        (Identity { born: None, ..here }, true),
    ] {
        assert_eq!(here.is_same(&found, 9), is_same, "{found:?}");
    }
    // Made since the machine was started: nothing has another number by now.
    assert!(!here.is_same(&Identity { device: Some(2), ..here }, 4) && here.is_same(&here, 4));
    let unknown = Identity { device: None, inode: 7, born: None };
    assert!(!unknown.is_same(&here, 9) && !unknown.is_same(&unknown, 9), "an inode alone says nothing");
}

#[test]
fn a_workspace_behind_a_link_is_not_the_workspace() {
    let scene = with_changes();
    let kept: KeptChanges = scene.keep();
    let moved = scene.path("moved");
    fs::rename(scene.path("work"), &moved).unwrap();
    std::os::unix::fs::symlink(&moved, scene.path("work")).unwrap();
    assert!(matches!(Belonging::of(&kept).open(), Err(SettleError::Replaced { .. })));
    fs::remove_file(scene.path("work")).unwrap();
    fs::create_dir(scene.path("work")).unwrap();
    assert!(matches!(Belonging::of(&kept).open(), Err(SettleError::Replaced { .. })));
    fs::remove_dir(scene.path("work")).unwrap();
    fs::rename(&moved, scene.path("work")).unwrap();
    assert!(Belonging::of(&kept).open().is_ok());
}
