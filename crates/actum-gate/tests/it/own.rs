//! Folders and files of our own.

use actum_gate::{GateError, own};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

#[test]
fn a_private_folder_is_made_or_refused() {
    let top = tempfile::tempdir().unwrap();
    let path = top.path().join("a/b");
    drop(own::private_folder(&path).unwrap());
    drop(own::private_folder(&path).unwrap());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).unwrap();
    assert!(matches!(own::private_folder(&path), Err(GateError::Writable { .. })));
    let link = top.path().join("link");
    symlink(top.path().join("a"), &link).unwrap();
    assert!(matches!(own::private_folder(&link), Err(GateError::NotFolder { .. })));
}

#[test]
fn replacing_does_not_follow_links() {
    let top = tempfile::tempdir().unwrap();
    let (other, file) = (top.path().join("other"), top.path().join("file"));
    fs::write(&other, "untouched").unwrap();
    symlink(&other, &file).unwrap();
    own::replace(&file, b"new").unwrap();
    assert_eq!(fs::read_to_string(&other).unwrap(), "untouched");
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    assert_eq!(fs::symlink_metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(top.path()).unwrap().count(), 2);
}

#[test]
fn writing_below_a_folder_follows_no_link_on_the_way() {
    let top = tempfile::tempdir().unwrap();
    let (root, outside) = (top.path().join("root"), top.path().join("outside"));
    fs::create_dir(&root).unwrap();
    fs::create_dir(&outside).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o666);
    let write = |name: &str| own::replace_below(&root, Path::new(name), b"new", mode);
    write("a/b/file").unwrap();
    assert_eq!(fs::read(root.join("a/b/file")).unwrap(), b"new");
    // Its mode stays, whatever the mask is.
    fs::set_permissions(root.join("a/b/file"), PermissionsExt::from_mode(0o664)).unwrap();
    write("a/b/file").unwrap();
    assert_eq!(fs::metadata(root.join("a/b/file")).unwrap().permissions().mode() & 0o777, 0o664);
    symlink(&outside, root.join("folder")).unwrap();
    symlink(outside.join("made"), root.join("file")).unwrap();
    for name in ["folder/made", "file", "../outside/made", "/made", ""] {
        assert!(write(name).is_err(), "{name}");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(fs::read_dir(root.join("a/b")).unwrap().count(), 1, "no draft stays");
}

#[test]
fn trees_of_any_depth_are_removed() {
    let top = tempfile::tempdir().unwrap();
    let tree = top.path().join("tree");
    fs::create_dir(&tree).unwrap();
    // Deeper than a path can name, and than descriptors can be open.
    let mut folder = fs::File::open(&tree).unwrap();
    let name = "n".repeat(200);
    for _ in 0..3000 {
        use rustix::fs::{Mode, OFlags};
        rustix::fs::mkdirat(&folder, &name, Mode::from_raw_mode(0o700)).unwrap();
        folder = rustix::fs::openat(&folder, &name, OFlags::RDONLY, Mode::empty()).unwrap().into();
    }
    drop(folder);
    own::remove_tree(&tree).unwrap();
    assert!(!tree.exists());
    own::remove_tree(&tree).unwrap();
}

#[test]
fn links_are_removed_and_not_followed() {
    let top = tempfile::tempdir().unwrap();
    let (tree, other) = (top.path().join("tree"), top.path().join("other"));
    fs::create_dir_all(tree.join("closed/in")).unwrap();
    fs::create_dir(&other).unwrap();
    fs::write(other.join("kept"), "").unwrap();
    fs::write(tree.join("closed/in/file"), "").unwrap();
    symlink(&other, tree.join("link")).unwrap();
    symlink(&other, tree.join("closed/in/link")).unwrap();
    fs::set_permissions(tree.join("closed/in"), PermissionsExt::from_mode(0o000)).unwrap();
    fs::set_permissions(tree.join("closed"), PermissionsExt::from_mode(0o500)).unwrap();
    own::remove_tree(&tree).unwrap();
    assert!(!tree.exists() && other.join("kept").exists());
    assert!(own::remove_tree(Path::new("..")).is_err());
    let above = fs::File::open(top.path()).unwrap();
    own::remove_at(rustix::fd::AsFd::as_fd(&above), OsStr::new("other")).unwrap();
    assert!(!other.exists());
}
