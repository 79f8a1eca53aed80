//! Tier L: what the program did directly to the workspace is listed, and protected paths are put back.

use super::scripts::{plant, script};
use super::trees::{mode, open, picture, tell, write};
use crate::{ChangesError, Protection, Snapshot, SnapshotRules};
use actum_model::{Bytes, Change, ChangeKind, path_text};
use actum_sandbox::Guard;
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use std::collections::BTreeMap;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

struct Workspace {
    home: TempDir,
    snapshot: Snapshot,
}

impl Workspace {
    fn with(rules: &SnapshotRules) -> Self {
        let home = tempfile::tempdir().unwrap();
        for path in
            [".git/config", ".git/hooks/pre-commit", ".git/HEAD", "sub/.vscode/tasks.json", "a", "b", "c/d"]
        {
            write(home.path().join(path), path);
        }
        mode(&home.path().join(".git/hooks/pre-commit"), 0o755);
        symlink("a", home.path().join("AGENTS.md")).unwrap();
        let snapshot = Snapshot::take(open(home.path()).as_fd(), rules).unwrap();
        Self { home, snapshot }
    }

    fn new() -> Self {
        Self::with(&SnapshotRules::default())
    }

    fn at(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    fn root(&self) -> OwnedFd {
        open(self.home.path())
    }

    fn told(&self) -> Vec<String> {
        tell(&self.snapshot.compare(self.root().as_fd()).unwrap().changes)
    }

    fn restore(&self) -> (Vec<String>, Vec<String>) {
        let restored = self.snapshot.restore_protected(self.root().as_fd(), &Default::default()).unwrap();
        let lost: Vec<Change> = restored.lost.into_iter().map(|lost| lost.change).collect();
        (tell(&restored.put_back), tell(&lost))
    }
}

#[test]
fn nothing_done_is_nothing_listed() {
    let workspace = Workspace::new();
    assert!(workspace.told().is_empty());
    assert_eq!(workspace.restore(), (vec![], vec![]));
}

#[test]
fn changes_are_listed_even_when_the_time_of_writing_is_forged() {
    let workspace = Workspace::new();
    let written = fs::metadata(workspace.at("a")).unwrap().modified().unwrap();
    fs::write(workspace.at("a"), "A").unwrap();
    fs::File::options().write(true).open(workspace.at("a")).unwrap().set_modified(written).unwrap();
    fs::remove_file(workspace.at("b")).unwrap();
    fs::remove_dir_all(workspace.at("c")).unwrap();
    write(workspace.at("c"), "now a file");
    write(workspace.at("new/f"), "");
    assert_eq!(workspace.told(), ["~ a", "- b", "+ c", "- c/d", "+ new", "+ new/f"]);
}

#[test]
fn every_difference_is_listed_and_protection_undone() {
    for seed in 1..=25 {
        let home = tempfile::tempdir().unwrap();
        plant(home.path());
        let before = picture(home.path());
        let snapshot = Snapshot::take(open(home.path()).as_fd(), &SnapshotRules::default()).unwrap();
        let script = script(seed);
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(home.path()).stderr(Stdio::null()).status().unwrap();
        let after = picture(home.path());
        let listed = snapshot.compare(open(home.path()).as_fd()).unwrap().changes;
        let listed: BTreeMap<String, bool> = listed
            .iter()
            .map(|change| (path_text(&change.path), change.kind == ChangeKind::Deleted))
            .collect();
        for path in before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)) {
            assert_eq!(listed.get(path), Some(&!after.contains_key(path)), "seed {seed}: {path}\n{script}");
        }
        let restored = snapshot.restore_protected(open(home.path()).as_fd(), &Default::default()).unwrap();
        let lost: Vec<String> = restored.lost.iter().map(|lost| path_text(&lost.change.path)).collect();
        // A moved repository keeps its folder; only what acts in it goes back.
        let protected = |path: &&String| {
            Guard::default().is_protected(path.as_bytes()) && !path.ends_with("/.git") && !lost.contains(path)
        };
        let now = picture(home.path());
        for path in before.keys().chain(now.keys()).filter(protected) {
            assert_eq!(before.get(path), now.get(path), "seed {seed}: {path}\n{script}");
        }
        let _ = Command::new("chmod").args(["-R", "u+rwx"]).arg(home.path()).status();
    }
}

#[test]
fn protected_paths_are_put_back_and_others_stay() {
    let workspace = Workspace::new();
    let before = picture(workspace.home.path());
    fs::write(workspace.at(".git/config"), "evil").unwrap();
    fs::write(workspace.at(".git/HEAD"), ".git/HEAD").unwrap();
    fs::remove_dir_all(workspace.at("sub")).unwrap();
    fs::remove_file(workspace.at("AGENTS.md")).unwrap();
    fs::write(workspace.at("AGENTS.md"), "obey me").unwrap();
    write(workspace.at(".git/hooks/post-checkout"), "evil");
    write(workspace.at("x/.claude/deep/er/settings.json"), "evil");
    mode(&workspace.at(".git/hooks/pre-commit"), 0o700);
    let (put_back, lost) = workspace.restore();
    let expected = [
        "+ .git/hooks/post-checkout (protected)",
        "+ x/.claude (protected)",
        "~ .git/config (protected)",
        "~ .git/hooks/pre-commit (protected)",
        "~ AGENTS.md (protected)",
        "- sub/.vscode (protected)",
        "- sub/.vscode/tasks.json (protected)",
    ];
    assert_eq!((put_back, lost), (expected.map(str::to_owned).to_vec(), vec![]));
    fs::remove_dir(workspace.at("x")).unwrap();
    assert_eq!(picture(workspace.home.path()), before);
}

#[test]
fn hooks_behind_a_link_and_a_redirected_repository_are_put_back() {
    for path in [".git/hooks", ".git"] {
        let workspace = Workspace::new();
        let outside = tempfile::tempdir().unwrap();
        fs::create_dir(outside.path().join("hooks")).unwrap();
        fs::rename(workspace.at(path), workspace.at("moved")).unwrap();
        symlink(outside.path(), workspace.at(path)).unwrap();
        let (_, lost) = workspace.restore();
        assert!(lost.is_empty(), "{lost:?}");
        assert!(fs::symlink_metadata(workspace.at(path)).unwrap().is_dir());
        assert_eq!(
            fs::read_to_string(workspace.at(".git/hooks/pre-commit")).unwrap(),
            ".git/hooks/pre-commit"
        );
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(outside.path().join("hooks")).unwrap().count(), 0);
    }
}

#[test]
fn a_link_in_place_of_an_ordinary_folder_is_not_followed() {
    let workspace = Workspace::new();
    let outside = tempfile::tempdir().unwrap();
    fs::remove_dir_all(workspace.at("sub")).unwrap();
    symlink(outside.path(), workspace.at("sub")).unwrap();
    let (put_back, lost) = workspace.restore();
    assert!(put_back.is_empty());
    assert_eq!(lost, ["- sub/.vscode (protected)", "- sub/.vscode/tasks.json (protected)"]);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn what_was_too_large_to_keep_is_said_to_be_lost() {
    let workspace = Workspace::with(&SnapshotRules { max_kept: Bytes(0), ..SnapshotRules::default() });
    fs::write(workspace.at(".git/config"), "evil").unwrap();
    assert_eq!(workspace.restore(), (vec![], vec!["~ .git/config (protected)".to_owned()]));
}

#[test]
fn lifted_protection_puts_nothing_back() {
    let rules = SnapshotRules { protection: Protection::Lifted, ..SnapshotRules::default() };
    let workspace = Workspace::with(&rules);
    fs::write(workspace.at(".git/config"), "wanted").unwrap();
    assert_eq!(workspace.told(), ["~ .git/config"]);
    assert_eq!(workspace.restore(), (vec![], vec![]));
}

#[test]
fn a_cut_snapshot_claims_nothing_about_what_it_does_not_know() {
    let workspace = Workspace::with(&SnapshotRules { max_entries: 3, ..SnapshotRules::default() });
    let collected = workspace.snapshot.compare(workspace.root().as_fd()).unwrap();
    assert!(collected.truncated && collected.changes.is_empty());
    write(workspace.at(".envrc"), "evil");
    assert_eq!(workspace.restore().0, ["+ .envrc (protected)"]);
}

#[test]
fn another_folder_at_the_same_path_is_not_the_workspace() {
    let workspace = Workspace::new();
    let other = tempfile::tempdir().unwrap();
    let error = workspace.snapshot.compare(open(other.path()).as_fd()).unwrap_err();
    assert!(matches!(error, ChangesError::RootReplaced));
    assert!(workspace.snapshot.restore_protected(open(other.path()).as_fd(), &Default::default()).is_err());
}

#[test]
fn a_deep_tree_in_a_protected_folder_is_removed_whole() {
    let workspace = Workspace::new();
    let mut folder = open(&workspace.at(".git/hooks"));
    for _ in 0..1000 {
        mkdirat(&folder, "d", Mode::RWXU).unwrap();
        folder = openat(&folder, "d", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    }
    assert_eq!(workspace.restore(), (vec!["+ .git/hooks/d (protected)".to_owned()], vec![]));
    assert!(workspace.told().is_empty());
}

#[test]
fn one_obstacle_does_not_shield_the_rest() {
    let workspace = Workspace::new();
    fs::remove_dir_all(workspace.at("sub")).unwrap();
    fs::write(workspace.at("sub"), "in the way").unwrap();
    fs::write(workspace.at(".git/config"), "evil").unwrap();
    write(workspace.at("z/.envrc"), "evil");
    let (put_back, lost) = workspace.restore();
    assert_eq!(put_back, ["+ z/.envrc (protected)", "~ .git/config (protected)"]);
    assert_eq!(lost.len(), 2);
}

/// The store of a project below is written by others while the program runs, and may be made or moved meanwhile.
#[test]
fn stores_of_projects_below_are_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let at = |path: &str| home.path().join(path);
    for folder in ["a/.actum/runs", "b", "c/.actum"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    fs::write(at("a/.actum/id"), "a").unwrap();
    let rules = SnapshotRules {
        stores: crate::identities([at("a/.actum").as_path(), at("gone").as_path()]),
        ..SnapshotRules::default()
    };
    let snapshot = Snapshot::take(open(home.path()).as_fd(), &rules).unwrap();
    fs::create_dir_all(at("a/.actum/runs/1")).unwrap();
    fs::write(at("a/.actum/id"), "another").unwrap();
    fs::rename(at("a"), at("moved")).unwrap();
    fs::create_dir_all(at("b/.actum/runs")).unwrap();
    // Not known to be a store: what the program puts there goes.
    fs::write(at("c/.actum/planted"), "x").unwrap();
    let made = crate::identities([at("b/.actum").as_path()]);
    let restored = snapshot.restore_protected(open(home.path()).as_fd(), &made).unwrap();
    let paths: Vec<String> =
        restored.put_back.iter().map(|change| String::from_utf8_lossy(&change.path).into_owned()).collect();
    assert_eq!(paths, ["c/.actum/planted"]);
    assert!(at("moved/.actum/runs/1").is_dir() && at("b/.actum/runs").is_dir());
    assert_eq!(fs::read_to_string(at("moved/.actum/id")).unwrap(), "another");
}

fn beside(folder: &std::path::Path, register: &std::path::Path) -> Snapshot {
    let rules = SnapshotRules::default();
    Snapshot::take_beside_others(open(folder).as_fd(), folder, &rules, register).unwrap()
}

#[test]
fn a_run_beside_another_puts_back_what_stood_before_the_first() {
    let (home, layers) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let register = layers.path().join("direct");
    let (root, below) = (home.path().to_path_buf(), home.path().join("sub"));
    write(root.join("sub/.envrc"), "good");
    let restore = |snapshot: &Snapshot, folder: &std::path::Path| {
        snapshot.restore_protected(open(folder).as_fd(), &Default::default()).unwrap();
    };
    let text = |path: &str| fs::read_to_string(root.join(path)).ok();
    for (first, second) in [(&root, &root), (&root, &below), (&below, &root)] {
        let one = beside(first, &register);
        write(root.join("sub/.envrc"), "evil");
        write(root.join("sub/.bashrc"), "evil");
        let other = beside(second, &register);
        restore(&one, first);
        drop(one);
        assert_eq!(text("sub/.envrc").as_deref(), Some("good"));
        restore(&other, second);
        assert_eq!((text("sub/.envrc").as_deref(), text("sub/.bashrc")), (Some("good"), None));
    }
    // Nobody is left: what stands there now is what counts.
    write(root.join("sub/.envrc"), "edited");
    let alone = beside(&root, &register);
    restore(&alone, &root);
    assert_eq!(text("sub/.envrc").as_deref(), Some("edited"));
    drop(alone);
    assert!(!register.exists(), "nothing is left");
}
