//! Small trees to test with, and how a tree is told as text so that two can be compared.

use crate::{Applied, ApplyRules, ChangesError, CollectRules, Collected, apply, collect};
use actum_model::{Change, ChangeKind, Withheld, path_text};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, openat};
use std::collections::BTreeMap;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A workspace and an upper layer over it.
pub(super) struct Layers {
    pub(super) home: TempDir,
}

impl Layers {
    pub(super) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        for name in ["lower", "upper", "work", "merged"] {
            fs::create_dir(home.path().join(name)).unwrap();
        }
        Self { home }
    }

    pub(super) fn lower(&self, path: &str) -> PathBuf {
        self.home.path().join("lower").join(path)
    }

    pub(super) fn upper(&self, path: &str) -> PathBuf {
        self.home.path().join("upper").join(path)
    }

    pub(super) fn collect(&self) -> Collected {
        self.try_collect(&CollectRules::default()).unwrap()
    }

    pub(super) fn try_collect(&self, rules: &CollectRules) -> Result<Collected, ChangesError> {
        collect(open(&self.upper("")).as_fd(), open(&self.lower("")).as_fd(), rules)
    }

    pub(super) fn apply(&self, changes: &[Change]) -> Result<Applied, ChangesError> {
        apply(open(&self.upper("")).as_fd(), open(&self.lower("")).as_fd(), changes, &ApplyRules::default())
    }

    /// The collected changes in short: `+ path`, `~ path`, `- path`, with the reason for those withheld.
    pub(super) fn told(&self) -> Vec<String> {
        tell(&self.collect().changes)
    }
}

impl Drop for Layers {
    /// Folders without permissions would outlive an ordinary user's test.
    fn drop(&mut self) {
        if !rustix::process::geteuid().is_root() {
            let _ = std::process::Command::new("chmod").args(["-R", "u+rwx"]).arg(self.home.path()).status();
        }
    }
}

pub(super) fn tell(changes: &[Change]) -> Vec<String> {
    changes.iter().map(told).collect()
}

fn told(change: &Change) -> String {
    let sign = match change.kind {
        ChangeKind::Created => '+',
        ChangeKind::Modified => '~',
        ChangeKind::Deleted => '-',
    };
    let reason = match change.withheld {
        None => "",
        Some(Withheld::Protected) => " (protected)",
        Some(Withheld::Special) => " (special)",
        Some(Withheld::LeadsOut) => " (leads out)",
        Some(Withheld::TooLarge) => " (too large)",
    };
    format!("{sign} {}{reason}", path_text(&change.path))
}

pub(super) fn open(path: &Path) -> OwnedFd {
    openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap()
}

/// Writes a file and the folders above it.
pub(super) fn write(path: PathBuf, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

pub(super) fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A whiteout; since Linux 5.8 anybody may make one.
pub(super) fn whiteout(path: PathBuf) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    mknodat(CWD, &path, FileType::CharacterDevice, Mode::empty(), 0).unwrap();
}

pub(super) fn mark(path: &Path, name: &str, value: &str) {
    rustix::fs::setxattr(path, name, value.as_bytes(), rustix::fs::XattrFlags::empty()).unwrap();
}

/// Every path of a tree with its type, mode, and content or target. What is closed to us is opened for the time of
/// looking, so that it works for ordinary users as well.
pub(super) fn picture(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    draw(root, root, &mut found);
    found
}

fn draw(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let shown = path_text(path.strip_prefix(root).unwrap().as_os_str().as_bytes());
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            found.insert(shown, format!("link to {}", path_text(target.as_os_str().as_bytes())));
            continue;
        }
        let closed = !rustix::process::geteuid().is_root() && metadata.mode() & 0o700 != 0o700;
        if closed {
            mode(&path, metadata.mode() & 0o7777 | 0o700);
        }
        let content = if metadata.is_file() { path_text(&fs::read(&path).unwrap()) } else { String::new() };
        found.insert(shown, format!("{:o} {content}", metadata.mode()));
        if metadata.is_dir() {
            draw(root, &path, found);
        }
        if closed {
            mode(&path, metadata.mode() & 0o7777);
        }
    }
}

/// Nothing of ours is left in a tree.
pub(super) fn assert_no_drafts(root: &Path) {
    assert!(picture(root).keys().all(|path| !path.contains(".actum-tmp-")), "a draft was left in {root:?}");
}
