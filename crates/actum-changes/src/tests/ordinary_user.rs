//! An ordinary user is stopped by permissions that root does not notice. As root this runs the other tests again as
//! `nobody`, with few descriptors.

use super::trees::{Layers, mode, picture, whiteout, write};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

#[test]
fn everything_holds_for_an_ordinary_user_too() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    // Reachable even where the folder of the test binary is closed to others.
    let home = tempfile::tempdir().unwrap();
    mode(home.path(), 0o755);
    let binary = home.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &binary).unwrap();
    // 48 descriptors for two tests at a time: what needs one for each level of a tree would run out.
    let limits = ["--nofile=48:48", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let mut command = Command::new("prlimit");
    command.args(limits).arg(&binary).args(["changes::", "--test-threads=2"]).current_dir("/");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn what_has_no_permissions_is_collected_and_applied_with_none() {
    let layers = Layers::new();
    write(layers.lower("closed/deep/old"), "old");
    write(layers.lower("closed/deep/gone"), "gone");
    write(layers.lower("file"), "same");
    write(layers.upper("closed/deep/new"), "new");
    write(layers.upper("file"), "same");
    whiteout(layers.upper("closed/deep/gone"));
    for path in ["closed/deep/new", "closed/deep", "closed", "file"] {
        mode(&layers.upper(path), 0);
    }
    for path in ["closed/deep", "closed", "file"] {
        mode(&layers.lower(path), 0);
    }
    let upper = picture(&layers.upper(""));
    assert_eq!(layers.told(), ["- closed/deep/gone", "+ closed/deep/new"]);
    layers.apply(&layers.collect().changes).unwrap();
    assert_eq!(picture(&layers.upper("")), upper, "modes were not given back");
    let lower = picture(&layers.lower(""));
    assert_eq!(lower["closed"], "40000 ");
    assert_eq!(lower["closed/deep"], "40000 ");
    assert_eq!(lower["closed/deep/new"], "100000 new");
    assert!(!lower.contains_key("closed/deep/gone"));
    assert_eq!(fs::metadata(layers.lower("file")).unwrap().mode() & 0o7777, 0);
}
