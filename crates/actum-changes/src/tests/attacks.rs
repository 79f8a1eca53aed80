//! What a hostile program may leave behind, and what somebody may do to the workspace meanwhile.

use super::trees::{Layers, assert_no_drafts, open, picture, tell, whiteout, write};
use crate::folder::{Folder, Purpose};
use crate::remove::remove;
use crate::{ChangesError, CollectRules};
use actum_model::{Bytes, path_text};
use rustix::fs::{CWD, FileType, Mode, OFlags, RenameFlags, mkdirat, mknodat, openat, renameat_with};
use std::ffi::OsStr;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_link_named_like_an_output_is_not_followed() {
    let layers = Layers::new();
    let secret = layers.home.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    symlink(&secret, layers.upper("report.json")).unwrap();
    symlink("../secret", layers.upper("up")).unwrap();
    // In the workspace: writing to the name must replace the link, not write through it.
    symlink(&secret, layers.lower("out.txt")).unwrap();
    write(layers.upper("out.txt"), "output");
    assert_eq!(layers.told(), ["~ out.txt", "+ report.json (leads out)", "+ up (leads out)"]);
    layers.apply(&layers.collect().changes).unwrap();
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
    assert_eq!(picture(&layers.lower("")).into_keys().collect::<Vec<_>>(), ["out.txt"]);
    assert!(fs::symlink_metadata(layers.lower("out.txt")).unwrap().is_file());
}

#[test]
fn fifos_sockets_and_devices_are_listed_and_never_opened() {
    let layers = Layers::new();
    mknodat(CWD, layers.upper("fifo"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(layers.upper("socket")).unwrap();
    let mut told = vec!["+ fifo (special)", "+ socket (special)"];
    if rustix::process::geteuid().is_root() {
        // The watchdog: opening it would restart the machine some seconds later.
        let watchdog = rustix::fs::makedev(10, 130);
        mknodat(CWD, layers.upper("device"), FileType::CharacterDevice, Mode::RUSR, watchdog).unwrap();
        told.insert(0, "+ device (special)");
    }
    assert_eq!(layers.told(), told);
    assert_eq!(layers.apply(&layers.collect().changes).unwrap().total(), 0);
    assert!(picture(&layers.lower("")).is_empty());
}

#[test]
fn a_sparse_file_of_8_tib_is_not_read() {
    let layers = Layers::new();
    for path in [layers.upper("huge"), layers.lower("huge")] {
        fs::File::create(path).unwrap().set_len(8 << 40).unwrap();
    }
    assert_eq!(layers.told(), ["~ huge (too large)"]);
}

/// A thousand sparse files cost no disk, and reading all of them would take for ever.
#[test]
fn only_so_much_is_read_for_digests_and_many_names_once() {
    let layers = Layers::new();
    for number in 0..3 {
        fs::File::create(layers.upper(&format!("sparse{number}"))).unwrap().set_len(1 << 20).unwrap();
    }
    write(layers.upper("name0"), "one file");
    for number in 1..5 {
        fs::hard_link(layers.upper("name0"), layers.upper(&format!("name{number}"))).unwrap();
    }
    let rules = CollectRules { max_file: Bytes((1 << 20) + 20), ..CollectRules::default() };
    let changes = layers.try_collect(&rules).unwrap().changes;
    let read = |prefix: &[u8]| {
        changes
            .iter()
            .filter(|change| change.path.starts_with(prefix) && change.after.sha256.is_some())
            .count()
    };
    // Five names of eight bytes would be forty.
    assert_eq!((read(b"name"), read(b"sparse")), (5, 1));
    assert!(changes.iter().all(|change| change.withheld.is_none()));
}

#[test]
fn names_are_bytes() {
    let layers = Layers::new();
    let longest = [b'x'; 255];
    let names: [&[u8]; 7] = [b"-rf", b"a\nb", b"\xff\xfe", b" ", b"\x1b[2J", b"...", &longest];
    for name in names {
        fs::write(layers.upper("").join(OsStr::from_bytes(name)), name).unwrap();
    }
    let folder = layers.upper("").join(OsStr::from_bytes(b"d\n\xff"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(OsStr::from_bytes(&longest)), "").unwrap();
    assert_eq!(layers.apply(&layers.collect().changes).unwrap().created, 9);
    assert_eq!(picture(&layers.lower("")), picture(&layers.upper("")));
}

#[test]
fn a_chain_of_ten_thousand_folders_is_listed_down_to_the_bound() {
    let layers = Layers::new();
    // Making folders takes most of the time; root's test is run again as nobody, where more levels than descriptors do.
    deepen(&layers.upper(""), if rustix::process::geteuid().is_root() { 10_000 } else { 1_000 });
    let changes = layers.collect().changes;
    assert_eq!(changes.len(), 256);
    assert!(tell(&changes)[255].ends_with("(too large)"));
    assert_eq!(layers.apply(&changes).unwrap().created, 255);
    flatten(&layers.upper(""));
    flatten(&layers.lower(""));
}

#[test]
fn names_too_long_for_one_path_stop_before_it() {
    let layers = Layers::new();
    let mut folder = open(&layers.upper(""));
    for _ in 0..40 {
        folder = step(&folder, &"n".repeat(250));
    }
    let changes = layers.collect().changes;
    assert!(changes.iter().all(|change| change.path.len() < 4096));
    assert_eq!(changes.last().unwrap().withheld, Some(actum_model::Withheld::TooLarge));
    layers.apply(&changes).unwrap();
    flatten(&layers.upper(""));
}

#[test]
fn a_folder_swapped_for_a_link_is_an_error_that_names_the_path() {
    // The link may stand at the end of the way to a name or anywhere before.
    for folder in ["d", "d/in"] {
        let layers = Layers::new();
        let outside = layers.home.path().join("outside");
        write(outside.join("precious"), "kept");
        write(outside.join("in/precious"), "kept");
        write(layers.lower(&format!("{folder}/precious")), "");
        write(layers.upper(&format!("{folder}/f")), "planted");
        whiteout(layers.upper(&format!("{folder}/precious")));
        let changes = layers.collect().changes;
        let before = picture(&outside);
        fs::remove_dir_all(layers.lower("d")).unwrap();
        symlink(&outside, layers.lower("d")).unwrap();
        for change in changes {
            let ChangesError::Stopped { source, applied } = layers.apply(&[change]).unwrap_err() else {
                panic!()
            };
            assert!(
                matches!(&*source, ChangesError::Diverted { path } if path.starts_with(b"d/")),
                "{source}"
            );
            assert_eq!(applied.total(), 0);
        }
        assert_eq!(picture(&outside), before);
    }
}

#[test]
fn a_parent_that_flickers_between_folder_and_link_lets_nothing_out() {
    let layers = Layers::new();
    let (outside, link) = (layers.home.path().join("outside"), layers.home.path().join("link"));
    fs::create_dir_all(outside.join("in")).unwrap();
    fs::create_dir_all(layers.lower("d/in")).unwrap();
    symlink(&outside, &link).unwrap();
    for number in 0..200 {
        write(layers.upper(&format!("d/in/f{number}")), "planted");
    }
    let (changes, done) = (layers.collect().changes, AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, layers.lower("d"), CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        for _ in 0..20 {
            // Sometimes it gets through and sometimes it is stopped; both are right.
            let _ = layers.apply(&changes);
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(picture(&outside).into_keys().collect::<Vec<_>>(), ["in"]);
}

#[test]
fn an_error_leaves_no_draft_and_says_what_was_done() {
    let layers = Layers::new();
    for name in ["a", "b", "c"] {
        write(layers.upper(name), name);
    }
    let changes = layers.collect().changes;
    write(layers.upper("b"), "grown since");
    let error = layers.apply(&changes).unwrap_err();
    let ChangesError::Stopped { applied, source } = error else { panic!("{error:?}") };
    assert_eq!(applied.created, 1);
    assert!(matches!(&*source, ChangesError::NotAsListed { path } if path == b"b"), "{source}");
    // A folder with contents that appeared meanwhile is not removed for a file.
    write(layers.upper("b"), "b");
    write(layers.lower("b/theirs"), "");
    assert!(layers.apply(&changes).is_err());
    assert_no_drafts(&layers.lower(""));
    assert!(layers.lower("b/theirs").exists());
}

#[test]
fn paths_that_are_not_plain_are_refused() {
    let layers = Layers::new();
    write(layers.upper("a"), "");
    let change = layers.collect().changes.remove(0);
    for path in ["", "/etc/passwd", "../a", "a/../../b", "a//b", "./a", "a\0b"] {
        let changes = [actum_model::Change { path: path.into(), ..change.clone() }];
        let error = layers.apply(&changes).unwrap_err();
        assert!(matches!(error, ChangesError::BadPath { .. }), "{}: {error}", path_text(path.as_bytes()));
    }
}

fn deepen(root: &Path, depth: usize) {
    let mut folder = open(root);
    for _ in 0..depth {
        folder = step(&folder, "d");
    }
}

fn step(folder: &OwnedFd, name: &str) -> OwnedFd {
    mkdirat(folder, name, Mode::RWXU).unwrap();
    openat(folder, name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap()
}

/// Removes what a temporary folder cannot remove by itself: its removal holds each level open.
fn flatten(root: &Path) {
    let folder = Folder::open(open(root).as_fd(), b"", Purpose::Write).unwrap();
    for name in folder.names().unwrap().map(Result::unwrap).collect::<Vec<_>>() {
        remove(&folder, &name).unwrap();
    }
    assert_eq!(folder.names().unwrap().count(), 0);
}
