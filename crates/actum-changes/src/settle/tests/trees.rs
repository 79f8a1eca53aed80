//! A workspace, a layer over it, and a store; and trees told as text, so that two can be compared.

use crate::settle::keeping::{Belonging, Identity};
use crate::settle::{Insist, Keeping, Settled, apply_listed, recover};
use crate::{ApplyRules, CollectRules, Protection, collect, is_keepable};
use actum_model::{Became, Bytes, Change, Conflict, KeptChange, KeptChanges, SealKey, path_text};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{fs, io};
use tempfile::TempDir;

/// The key of all scenes.
pub(super) fn key() -> SealKey {
    SealKey::new([5; SealKey::LENGTH])
}

pub(super) struct Scene {
    pub(super) home: TempDir,
    pub(super) keeping: Keeping,
}

impl Scene {
    pub(super) fn new() -> Self {
        Self::in_folder(Path::new("/tmp"))
    }

    /// The workspace in another file system than the store, where this machine has one to write in.
    pub(super) fn across() -> Option<Self> {
        let shared_memory = Path::new("/dev/shm");
        let devices =
            [Path::new("/tmp"), shared_memory].map(|path| fs::metadata(path).map(|found| found.dev()));
        match devices {
            [Ok(one), Ok(other)] if one != other => {
                let scene = Self::new();
                let elsewhere = tempfile::tempdir_in(shared_memory).unwrap().keep();
                fs::remove_dir(scene.path("work")).unwrap();
                symlink(&elsewhere, scene.path("work")).unwrap();
                Some(scene)
            }
            _ => None,
        }
    }

    fn in_folder(folder: &Path) -> Self {
        let home = tempfile::tempdir_in(folder).unwrap();
        for name in ["work", "layer"] {
            fs::create_dir(home.path().join(name)).unwrap();
        }
        let store = home.path().join("store");
        let folder = store.join("runs/01923456-789a-7fff-bfff-ffffffffffff");
        let keeping = Keeping { folder, store, placer: None, seal: key(), keys: PathBuf::new() };
        Self { home, keeping }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(super) fn work(&self, path: &str) -> PathBuf {
        self.path("work").canonicalize().unwrap().join(path)
    }

    /// Puts a file into the layer, as a program would have.
    pub(super) fn layer(&self, path: &str) -> PathBuf {
        let path = self.path("layer").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    pub(super) fn delete(&self, path: &str) {
        mknodat(CWD, self.layer(path), FileType::CharacterDevice, Mode::empty(), 0).unwrap();
    }

    /// Keeps what the layer changes, as a run does.
    pub(super) fn keep(&self) -> KeptChanges {
        self.keep_with(Protection::Withheld)
    }

    pub(super) fn keep_with(&self, protection: Protection) -> KeptChanges {
        let kept = self.listed(&CollectRules { protection, ..CollectRules::default() });
        let listed: Vec<Change> = kept.changes.iter().map(|kept| kept.change.clone()).collect();
        let layer = open(&self.path("layer"));
        self.keeping.keep(layer.as_fd(), &listed, &ApplyRules::default()).unwrap();
        self.keeping.write(&kept).unwrap();
        kept
    }

    /// What the layer changes.
    pub(super) fn listed(&self, rules: &CollectRules) -> KeptChanges {
        let (layer, work) = (open(&self.path("layer")), open(&self.work("")));
        let listed = collect(layer.as_fd(), work.as_fd(), rules).unwrap();
        let became = |change: &Change| if is_keepable(change) { Became::Kept } else { Became::Discarded };
        let kept = |change: Change| KeptChange { became: became(&change), change };
        let identity = Identity::of(work.as_fd()).unwrap();
        let belonging = Belonging { path: self.work(""), identity, owner: None };
        KeptChanges { changes: listed.changes.into_iter().map(kept).collect(), ..belonging.bare_list() }
    }

    /// Keeps and applies, as a run that ended well does.
    pub(super) fn run(&self) -> Settled {
        let work = open(&self.work(""));
        apply_listed(&self.keeping, &self.keep(), Bytes::gib(1), work.as_fd()).unwrap()
    }

    pub(super) fn apply(&self, names: &[&str], insist: Insist) -> Result<usize, Vec<String>> {
        let names: Vec<Vec<u8>> = names.iter().map(|name| name.as_bytes().to_vec()).collect();
        told(crate::settle::apply(&self.keeping, &names, insist).unwrap())
    }

    pub(super) fn undo(&self, insist: Insist) -> Result<usize, Vec<String>> {
        told(crate::settle::undo(&self.keeping, insist).unwrap())
    }

    pub(super) fn recover(&self) {
        let pending = recover(&self.keeping.store, &key);
        assert!(pending.is_empty(), "{pending:?}");
        assert!(!self.keeping.store.join("applying").exists(), "the markers go with the last one");
        assert!(!self.keeping.folder.join("applying.json").exists());
        assert!(picture(&self.work("")).keys().all(|path| !path.contains(".actum-tmp-")));
    }

    pub(super) fn became(&self) -> Vec<String> {
        let told = |kept: &KeptChange| format!("{} {}", path_text(&kept.change.path), kept.became.word());
        self.keeping.read().unwrap().changes.iter().map(told).collect()
    }
}

impl Drop for Scene {
    /// A workspace elsewhere is behind a link.
    fn drop(&mut self) {
        if let Ok(elsewhere) = fs::read_link(self.path("work")) {
            let _ = fs::remove_dir_all(elsewhere);
        }
    }
}

/// The number of changes, or `path: reason` for each conflict.
pub(super) fn told(settled: Settled) -> Result<usize, Vec<String>> {
    let told = |conflict: &Conflict| format!("{}: {}", path_text(&conflict.path), conflict.why.words());
    match settled {
        Settled::Done(count) => Ok(count),
        Settled::Conflicts(conflicts) => Err(conflicts.iter().map(told).collect()),
    }
}

pub(super) fn open(path: &Path) -> OwnedFd {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap()
}

pub(super) fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(super) fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Every path with its type, mode, and content or target.
pub(super) fn picture(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    draw(root, root, &mut found).unwrap();
    found
}

fn draw(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let shown = path_text(path.strip_prefix(root).unwrap().as_os_str().as_bytes());
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.is_symlink() {
            found.insert(shown, format!("link to {}", fs::read_link(&path)?.display()));
            continue;
        }
        let content = if metadata.is_file() { path_text(&fs::read(&path)?) } else { String::new() };
        found.insert(shown, format!("{:o} {content}", metadata.mode()));
        if metadata.is_dir() {
            draw(root, &path, found)?;
        }
    }
    Ok(())
}
