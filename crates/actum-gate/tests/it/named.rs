//! Paths that the user typed.

use actum_gate::{Bound, GateError, Resolved, read_named, read_named_or_pipe, read_named_text};
use std::fs;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

#[test]
fn links_are_followed_and_devices_are_not_read() {
    let top = tempfile::tempdir().unwrap();
    fs::write(top.path().join("file"), "text").unwrap();
    symlink(top.path().join("file"), top.path().join("link")).unwrap();
    assert_eq!(read_named(&top.path().join("link"), Bound::SMALL).unwrap(), b"text");
    assert!(matches!(read_named(Path::new("/dev/zero"), Bound::SMALL), Err(GateError::NotRegular { .. })));
    fs::write(top.path().join("bytes"), [0xff]).unwrap();
    let said = read_named_text(&top.path().join("bytes"), Bound::SMALL);
    assert!(matches!(said, Err(GateError::NotText { .. })));
}

#[test]
fn a_pipe_is_read_only_where_a_shell_made_it() {
    let top = tempfile::tempdir().unwrap();
    let named = top.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&named).status().unwrap().success());
    assert!(matches!(read_named(&named, Bound::SMALL), Err(GateError::NotRegular { .. })));
    assert!(matches!(read_named_or_pipe(&named, Bound::SMALL), Err(GateError::NotRegular { .. })));
    let (reader, mut writer) = std::io::pipe().unwrap();
    let descriptor = format!("/dev/fd/{}", reader.as_raw_fd());
    let writer = std::thread::spawn(move || writer.write_all(b"through").unwrap());
    assert_eq!(read_named_or_pipe(Path::new(&descriptor), Bound::SMALL).unwrap(), b"through");
    writer.join().unwrap();
}

#[test]
fn a_path_that_leaves_a_folder_by_a_link_is_told() {
    let top = tempfile::tempdir().unwrap();
    let top = top.path().canonicalize().unwrap();
    let work = top.join("work");
    fs::create_dir_all(work.join("real")).unwrap();
    fs::create_dir_all(top.join("keys/deep")).unwrap();
    symlink("real", work.join("inside")).unwrap();
    symlink("../keys", work.join("data")).unwrap();
    symlink("data/deep", work.join("twice")).unwrap();
    symlink("work", top.join("alias")).unwrap();
    let follow = |name: &str| Resolved::follow(&top.join(name)).unwrap();
    for (name, real, link) in [
        ("work/inside", "work/real", None),
        ("alias/inside", "work/real", None),
        ("keys", "keys", None),
        ("work/../keys", "keys", None),
        ("work/data", "keys", Some("work/data")),
        ("work/data/deep", "keys/deep", Some("work/data")),
        ("alias/real/../data", "keys", Some("work/data")),
        ("work/twice", "keys/deep", Some("work/twice")),
    ] {
        let resolved = follow(name);
        assert_eq!(resolved.path, top.join(name).canonicalize().unwrap(), "{name}");
        assert_eq!(resolved.path, top.join(real), "{name}");
        assert_eq!(resolved.leaves(&work), link.map(|link| top.join(link)).as_deref(), "{name}");
    }
    symlink("round", work.join("round")).unwrap();
    assert!(Resolved::follow(&work.join("round")).is_err());
    assert!(Resolved::follow(&work.join("missing")).unwrap_err().is_missing());
}
