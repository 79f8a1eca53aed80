//! Names below a folder never leave it.

use actum_gate::{Bound, GateError, Kind, Root};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

const CANARY: &str = "outside and secret";

/// A folder `in` beside a file `secret`, and links of every kind in it.
fn arranged() -> (tempfile::TempDir, Root) {
    let top = tempfile::tempdir().unwrap();
    let inside = top.path().join("in");
    fs::create_dir_all(inside.join("deep/er")).unwrap();
    fs::write(top.path().join("secret"), CANARY).unwrap();
    fs::write(inside.join("plain"), "fine").unwrap();
    fs::write(inside.join("deep/er/file"), "deep").unwrap();
    symlink("deep/er/file", inside.join("link-in")).unwrap();
    symlink("../../plain", inside.join("deep/er/link-up")).unwrap();
    symlink("../secret", inside.join("link-out")).unwrap();
    symlink(top.path().join("secret"), inside.join("link-absolute")).unwrap();
    symlink("..", inside.join("folder-out")).unwrap();
    symlink("/proc/self/root", inside.join("magic")).unwrap();
    symlink("round", inside.join("round")).unwrap();
    assert!(Command::new("mkfifo").arg(inside.join("fifo")).status().unwrap().success());
    let root = Root::open(&inside).unwrap();
    (top, root)
}

fn read(root: &Root, name: &str) -> Result<Vec<u8>, GateError> {
    root.read(Path::new(name), Bound::SMALL)
}

#[test]
fn links_inside_are_followed() {
    let (_top, root) = arranged();
    assert_eq!(read(&root, "plain").unwrap(), b"fine");
    assert_eq!(read(&root, "link-in").unwrap(), b"deep");
    assert_eq!(read(&root, "deep/er/link-up").unwrap(), b"fine");
    assert_eq!(read(&root, "deep/../plain").unwrap(), b"fine");
}

#[test]
fn nothing_outside_is_read() {
    let (top, root) = arranged();
    let absolute = top.path().join("secret");
    for name in [
        "link-out",
        "link-absolute",
        "folder-out/secret",
        "../secret",
        "deep/../../secret",
        "magic/etc/passwd",
        "round",
        absolute.to_str().unwrap(),
    ] {
        assert!(
            matches!(read(&root, name), Err(GateError::Outside { .. })),
            "{name}: {:?}",
            read(&root, name)
        );
        assert!(!root.has_file(Path::new(name)) && !root.has_folder(Path::new(name)), "{name}");
    }
    assert!(root.folder(Path::new("folder-out")).is_err());
}

#[test]
fn only_regular_files_are_opened_and_nothing_blocks() {
    let (_top, root) = arranged();
    assert!(matches!(read(&root, "fifo"), Err(GateError::NotRegular { kind: Kind::Fifo, .. })));
    assert!(matches!(read(&root, "deep"), Err(GateError::NotRegular { kind: Kind::Folder, .. })));
    let devices = Root::open(Path::new("/dev")).unwrap();
    assert!(matches!(read(&devices, "zero"), Err(GateError::NotRegular { kind: Kind::Device, .. })));
    assert!(read(&root, "missing").unwrap_err().is_missing());
    assert!(read(&root, "plain/below").unwrap_err().is_missing());
}

#[test]
fn reads_are_bounded_and_never_cut() {
    let (_top, root) = arranged();
    assert!(matches!(root.read(Path::new("plain"), Bound(3)), Err(GateError::TooLarge { most: 3, .. })));
    assert_eq!(root.read(Path::new("plain"), Bound(4)).unwrap(), b"fine");
    // A file that reports no size and has contents all the same.
    let proc = Root::open(Path::new("/proc/self")).unwrap();
    assert!(matches!(proc.read(Path::new("status"), Bound(10)), Err(GateError::TooLarge { .. })));
    assert!(matches!(root.list(Path::new(""), 3), Err(GateError::TooMany { most: 3, .. })));
}

#[test]
fn messages_are_harmless() {
    let (_top, root) = arranged();
    let said = read(&root, "\u{1b}[2J\n").unwrap_err().to_string();
    assert!(said.contains("\\u{1b}[2J\\n does not exist"), "{said}");
}

#[test]
fn walking_stays_inside() {
    let (_top, root) = arranged();
    let mut names: Vec<String> =
        root.walk(100).unwrap().into_iter().map(|one| one.path.to_string_lossy().into_owned()).collect();
    names.sort();
    let expected =
        "deep/er/file deep/er/link-up fifo folder-out link-absolute link-in link-out magic plain round";
    assert_eq!(names.join(" "), expected);
    assert!(matches!(root.walk(3), Err(GateError::TooMany { .. })));
}

/// A folder that is swapped for a link to the outside, over and over, while a name through it is read.
#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nowhere() {
    let top = tempfile::tempdir().unwrap();
    let path = top.path();
    fs::create_dir_all(path.join("in/turn")).unwrap();
    fs::create_dir(path.join("out")).unwrap();
    fs::write(path.join("in/turn/file"), "inside").unwrap();
    fs::write(path.join("out/file"), CANARY).unwrap();
    symlink("../out", path.join("in/link")).unwrap();
    let root = Root::open(&path.join("in")).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                use rustix::fs::{CWD, RenameFlags, renameat_with};
                let (turn, link) = (path.join("in/turn"), path.join("in/link"));
                renameat_with(CWD, &turn, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let mut inside = 0;
        for _ in 0..20_000 {
            if let Ok(bytes) = read(&root, "turn/file") {
                assert_eq!(bytes, b"inside");
                inside += 1;
            }
        }
        done.store(true, Ordering::Relaxed);
        assert!(inside > 0);
    });
}
