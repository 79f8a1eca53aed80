//! What the upper layer means, case by case.

use super::trees::{Layers, mark, mode, open, picture, tell, whiteout, write};
use crate::{ApplyRules, ChangesError, CollectRules, Marks, Protection, apply};
use actum_model::{Bytes, Node};
use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, symlink};

#[test]
fn copies_that_change_nothing_are_no_changes() {
    let layers = Layers::new();
    for (path, content) in [("d/same", "same"), ("d/other", "one"), ("d/longer", "1"), ("d/mode", "m")] {
        write(layers.lower(path), content);
    }
    for (path, content) in [("d/same", "same"), ("d/other", "two"), ("d/longer", "12"), ("d/mode", "m")] {
        write(layers.upper(path), content);
    }
    mode(&layers.upper("d/mode"), 0o755);
    symlink("x", layers.lower("l")).unwrap();
    symlink("x", layers.upper("l")).unwrap();
    assert_eq!(layers.told(), ["~ d/longer", "~ d/mode", "~ d/other"]);
}

#[test]
fn whiteouts_delete_what_was_there_and_everything_in_it() {
    let layers = Layers::new();
    write(layers.lower("f"), "");
    write(layers.lower("d/e/g"), "");
    for path in ["f", "d", "never-existed"] {
        whiteout(layers.upper(path));
    }
    assert_eq!(layers.told(), ["- d", "- d/e", "- d/e/g", "- f"]);
    layers.apply(&layers.collect().changes).unwrap();
    assert!(picture(&layers.lower("")).is_empty());
}

#[test]
fn an_opaque_folder_deletes_what_was_not_made_again_at_any_depth() {
    let layers = Layers::new();
    for path in ["d/a", "d/b", "d/e/c", "d/e/f"] {
        write(layers.lower(path), "x");
    }
    write(layers.upper("d/a"), "x");
    write(layers.upper("d/e/f"), "changed");
    mark(&layers.upper("d"), "user.overlay.opaque", "y");
    assert_eq!(layers.told(), ["- d/b", "- d/e/c", "~ d/e/f"]);
}

#[test]
fn marks_of_the_other_owner_are_not_believed() {
    let layers = Layers::new();
    write(layers.lower("d/a"), "x");
    fs::create_dir(layers.upper("d")).unwrap();
    mark(&layers.upper("d"), "user.overlay.opaque", "y");
    let rules = CollectRules { marks: Marks::Trusted, ..CollectRules::default() };
    assert!(layers.try_collect(&rules).unwrap().changes.is_empty());
    if rustix::process::geteuid().is_root() {
        mark(&layers.upper("d"), "trusted.overlay.opaque", "y");
        assert_eq!(tell(&layers.try_collect(&rules).unwrap().changes), ["- d/a"]);
    }
}

#[test]
fn whiteouts_by_mark_count_only_in_marked_folders() {
    let layers = Layers::new();
    for folder in ["marked", "plain"] {
        write(layers.lower(&format!("{folder}/a")), "x");
        write(layers.upper(&format!("{folder}/a")), "");
        mark(&layers.upper(&format!("{folder}/a")), "user.overlay.whiteout", "");
    }
    mark(&layers.upper("marked"), "user.overlay.opaque", "x");
    assert_eq!(layers.told(), ["- marked/a", "~ plain/a"]);
}

#[test]
fn features_that_should_be_off_are_errors_that_name_them() {
    for (name, folder) in [("user.overlay.redirect", true), ("user.overlay.metacopy", false)] {
        let layers = Layers::new();
        let path = layers.upper("odd");
        if folder {
            fs::create_dir(&path).unwrap()
        } else {
            fs::write(&path, "").unwrap()
        };
        mark(&path, name, "/elsewhere");
        let error = layers.try_collect(&CollectRules::default()).unwrap_err();
        assert!(matches!(&error, ChangesError::UnexpectedMark { mark, .. } if *mark == name), "{error}");
    }
}

#[test]
fn kinds_may_replace_each_other() {
    let layers = Layers::new();
    write(layers.lower("folder-to-file/a/b"), "");
    write(layers.lower("folder-to-link/a"), "");
    write(layers.lower("file-to-folder"), "");
    write(layers.lower("file-to-link"), "");
    symlink("file-to-link", layers.lower("link-to-folder")).unwrap();
    write(layers.upper("folder-to-file"), "now a file");
    symlink("file-to-link", layers.upper("folder-to-link")).unwrap();
    write(layers.upper("file-to-folder/a"), "");
    symlink("file-to-folder", layers.upper("file-to-link")).unwrap();
    write(layers.upper("link-to-folder/a"), "");
    for folder in ["file-to-folder", "link-to-folder"] {
        mark(&layers.upper(folder), "user.overlay.opaque", "y");
    }
    let told = [
        "+ file-to-folder",
        "+ file-to-folder/a",
        "~ file-to-link",
        "+ folder-to-file",
        "- folder-to-file/a",
        "- folder-to-file/a/b",
        "+ folder-to-link",
        "- folder-to-link/a",
        "+ link-to-folder",
        "+ link-to-folder/a",
    ];
    assert_eq!(layers.told(), told);
    let applied = layers.apply(&layers.collect().changes).unwrap();
    assert_eq!((applied.created, applied.modified, applied.deleted), (6, 1, 3));
    assert_eq!(picture(&layers.lower("")), picture(&layers.upper("")));
}

#[test]
fn special_bits_are_stripped_but_a_shared_folder_stays_shared() {
    let layers = Layers::new();
    fs::create_dir(layers.lower("shared")).unwrap();
    mode(&layers.lower("shared"), 0o2755);
    fs::create_dir(layers.upper("shared")).unwrap();
    mode(&layers.upper("shared"), 0o3775);
    write(layers.upper("program"), "");
    mode(&layers.upper("program"), 0o6755);
    let changes = layers.collect().changes;
    assert_eq!(
        changes.iter().map(|change| change.after.mode).collect::<Vec<_>>(),
        [Some(0o755), Some(0o775)]
    );
    layers.apply(&changes).unwrap();
    assert_eq!(fs::metadata(layers.lower("program")).unwrap().mode() & 0o7777, 0o755);
    assert_eq!(fs::metadata(layers.lower("shared")).unwrap().mode() & 0o7777, 0o2775);
}

#[test]
fn bounds_cut_the_list_and_say_so() {
    let layers = Layers::new();
    for number in 0..20 {
        write(layers.upper(&format!("f{number}")), "0123456789");
    }
    let few = CollectRules { max_entries: 10, ..CollectRules::default() };
    let collected = layers.try_collect(&few).unwrap();
    assert!(collected.truncated && collected.changes.len() == 10);
    let small = CollectRules { max_file: Bytes(9), ..CollectRules::default() };
    let collected = layers.try_collect(&small).unwrap();
    assert!(
        !collected.truncated && tell(&collected.changes).iter().all(|told| told.ends_with("(too large)"))
    );
}

#[test]
fn withheld_changes_stay_in_the_upper_layer() {
    let layers = Layers::new();
    write(layers.lower(".git/config"), "mine");
    write(layers.lower("gone/.vscode/tasks.json"), "mine");
    write(layers.lower("gone/a"), "");
    write(layers.upper(".git/config"), "[core] fsmonitor = evil");
    write(layers.upper(".git/hooks/pre-commit"), "evil");
    write(layers.upper(".git/index"), "");
    write(layers.upper("clone/.git/config"), "evil");
    write(layers.upper("clone/.git/HEAD"), "");
    whiteout(layers.upper("gone"));
    symlink("/etc/passwd", layers.upper("passwords")).unwrap();
    let told = [
        "~ .git/config (protected)",
        "+ .git/hooks (protected)",
        "+ .git/hooks/pre-commit (protected)",
        "+ .git/index",
        "+ clone",
        "+ clone/.git",
        "+ clone/.git/HEAD",
        "+ clone/.git/config (protected)",
        "- gone (protected)",
        "- gone/.vscode (protected)",
        "- gone/.vscode/tasks.json (protected)",
        "- gone/a",
        "+ passwords (leads out)",
    ];
    assert_eq!(layers.told(), told);
    assert_eq!(layers.apply(&layers.collect().changes).unwrap().withheld, 8);
    let left: Vec<String> = picture(&layers.lower("")).into_keys().collect();
    let expected = [
        ".git",
        ".git/config",
        ".git/index",
        "clone",
        "clone/.git",
        "clone/.git/HEAD",
        "gone",
        "gone/.vscode",
        "gone/.vscode/tasks.json",
    ];
    assert_eq!(left, expected);
    assert_eq!(fs::read_to_string(layers.lower(".git/config")).unwrap(), "mine");
    let lifted = CollectRules { protection: Protection::Lifted, ..CollectRules::default() };
    let changes = layers.try_collect(&lifted).unwrap().changes;
    assert!(tell(&changes).iter().all(|told| !told.ends_with("(protected)")));
}

#[test]
fn root_gives_files_to_the_owner_of_the_workspace() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let layers = Layers::new();
    write(layers.upper("d/f"), "");
    symlink("f", layers.upper("d/l")).unwrap();
    let rules = ApplyRules { owner: Some((1234, 4321)), ..ApplyRules::default() };
    let (upper, lower) = (open(&layers.upper("")), open(&layers.lower("")));
    apply(upper.as_fd(), lower.as_fd(), &layers.collect().changes, &rules).unwrap();
    for path in ["d", "d/f", "d/l"] {
        let metadata = fs::symlink_metadata(layers.lower(path)).unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), (1234, 4321), "{path}");
    }
}

#[test]
fn holes_stay_holes_and_times_are_carried() {
    let layers = Layers::new();
    let path = layers.upper("sparse");
    fs::write(&path, "begin").unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(64 << 20).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"end", (64 << 20) - 3).unwrap();
    layers.apply(&layers.collect().changes).unwrap();
    assert!(fs::read(layers.lower("sparse")).unwrap() == fs::read(&path).unwrap());
    let (from, to) = (fs::metadata(&path).unwrap(), fs::metadata(layers.lower("sparse")).unwrap());
    assert!(to.blocks() * 512 < 1 << 20, "the copy has {} blocks", to.blocks());
    assert_eq!((from.mtime(), from.mtime_nsec()), (to.mtime(), to.mtime_nsec()));
}

#[test]
fn links_are_recorded_with_their_targets() {
    let layers = Layers::new();
    symlink("some/where", layers.upper("l")).unwrap();
    assert_eq!(layers.collect().changes[0].after.node, Node::Link { target: b"some/where".to_vec() });
}
