//! Where a run keeps its changes.

use super::{Placer, SettleError};
use crate::digest;
use actum_model::{Became, Bytes, Change, KeptChange, KeptChanges, Node, Standing};
use actum_sandbox::changes::{self, ApplyRules, Depth, is_keepable};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The folder of a run, and of the store around it.
#[derive(Debug, Clone)]
pub struct Keeping {
    /// The run's own. Made when there is something to keep, if it is not there.
    pub folder: PathBuf,
    /// What the store keeps for all runs: the lock, and the markers of what is being applied.
    pub store: PathBuf,
    /// Who places; absent: we do it ourselves, and placing waits for the next start when we are killed.
    pub placer: Option<Placer>,
}

/// A tree of contents in a run's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShelfName {
    Changes,
    Undo,
}

/// Which folder changes belong to.
#[derive(Debug, Clone)]
pub(crate) struct Belonging {
    pub(crate) path: PathBuf,
    pub(crate) inode: u64,
    pub(crate) owner: Option<(u32, u32)>,
}

impl Keeping {
    /// The list of a run's changes.
    pub fn read(&self) -> Result<KeptChanges, SettleError> {
        let path = self.folder.join(LIST);
        let text = match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(SettleError::None),
            text => text.map_err(|source| SettleError::Read { path: path.clone(), source })?,
        };
        serde_json::from_slice(&text).map_err(|source| SettleError::NotUnderstood { path, source })
    }

    /// The bytes of a change, before and after, as far as they are still somewhere: each side is kept or stands in the
    /// workspace. What stands there and is no longer what was listed is not told as if it were.
    pub fn sides(&self, list: &KeptChanges, kept: &KeptChange, max: Bytes) -> Sides {
        let (path, change) = (&kept.change.path, &kept.change);
        let on_shelf = |name| changes::read_file(self.open_shelf(name).ok()?.as_fd(), path, max);
        let in_workspace = |expected: &Standing| {
            let workspace = Belonging::of(list).open().ok()?;
            let one = Change::between(path, expected.clone(), Standing::default());
            let rebased = changes::rebase(workspace.as_fd(), &[one], Depth::Whole).ok()?;
            let is_it = expected.node == Node::File && rebased.conflicts.is_empty();
            is_it.then(|| changes::read_file(workspace.as_fd(), path, max)).flatten()
        };
        match kept.became {
            Became::Kept | Became::Undone => {
                Sides { old: in_workspace(&change.before), new: on_shelf(ShelfName::Changes) }
            }
            Became::Applied => Sides { old: on_shelf(ShelfName::Undo), new: in_workspace(&change.after) },
            Became::Direct => Sides { old: None, new: in_workspace(&change.after) },
            Became::Discarded => Sides { old: in_workspace(&change.before), new: None },
        }
    }

    /// Keeps what an upper layer holds, or nothing of it.
    pub(crate) fn keep(
        &self,
        layer: BorrowedFd<'_>,
        changes: &[Change],
        rules: &ApplyRules,
    ) -> Result<(), SettleError> {
        let is_content = |change: &&Change| change.after.node == Node::File && is_keepable(change);
        if !changes.iter().any(|change| is_content(&change)) {
            return Ok(());
        }
        let shelf = self.shelf(ShelfName::Changes)?;
        changes::keep(layer, shelf.as_fd(), changes, rules).map_err(|source| {
            self.clear(ShelfName::Changes);
            SettleError::Keep { folder: self.folder.clone(), source }
        })
    }

    /// Holds the contents on the shelf of changes against their digests.
    pub(super) fn check_changes(&self, list: &[Change]) -> Result<(), SettleError> {
        let contents = list.iter().filter(|change| change.after.node == Node::File);
        for (change, expected) in contents.filter_map(|change| Some((change, change.after.sha256?))) {
            let shelf = self.open_shelf(ShelfName::Changes)?;
            let path = self.shelf_path(ShelfName::Changes).join(OsString::from_vec(change.path.clone()));
            let failed = |source| SettleError::Read { path: path.clone(), source };
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            let file = rustix::fs::openat2(&shelf, change.path.as_slice(), flags, Mode::empty(), resolve)
                .map_err(|error| failed(error.into()))?;
            let mut hash = Sha256::new();
            std::io::copy(&mut std::fs::File::from(file), &mut Hashing(&mut hash)).map_err(failed)?;
            if digest::finish(hash) != expected {
                return Err(SettleError::Spoiled { path: change.path.clone() });
            }
        }
        Ok(())
    }

    pub(crate) fn write(&self, kept: &KeptChanges) -> Result<(), SettleError> {
        self.write_file(LIST, kept, Flush::No)
    }

    /// Opens a shelf, made where it is not there.
    pub(super) fn shelf(&self, name: ShelfName) -> Result<OwnedFd, SettleError> {
        let path = self.shelf_path(name);
        make_folder(&path).map_err(|source| SettleError::Write { path, source })?;
        self.open_shelf(name)
    }

    fn open_shelf(&self, name: ShelfName) -> Result<OwnedFd, SettleError> {
        let path = self.shelf_path(name);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::open(&path, flags, Mode::empty())
            .map_err(|error| SettleError::Read { path, source: error.into() })
    }

    /// Removes a shelf on which nothing lies that counts. What cannot be removed is only in nobody's way.
    pub(super) fn clear(&self, name: ShelfName) {
        let _ = std::fs::remove_dir_all(self.shelf_path(name));
    }

    /// Writes a file of the run's folder in one step.
    pub(super) fn write_file(
        &self,
        name: &str,
        value: &impl serde::Serialize,
        flush: Flush,
    ) -> Result<(), SettleError> {
        let path = self.folder.join(name);
        let failed = |source| SettleError::Write { path: path.clone(), source };
        let bytes = serde_json::to_vec(value).map_err(|error| failed(error.into()))?;
        make_folder(&self.folder).map_err(failed)?;
        let draft = self.folder.join(format!("{name}.new"));
        let written = write_whole(&draft, &bytes, flush).and_then(|()| std::fs::rename(&draft, &path));
        if written.is_err() {
            // The error is the one to tell.
            let _ = std::fs::remove_file(&draft);
        }
        written.map_err(failed)
    }

    fn shelf_path(&self, name: ShelfName) -> PathBuf {
        self.folder.join(match name {
            ShelfName::Changes => "changes",
            ShelfName::Undo => "undo",
        })
    }
}

/// What stood in a file and what stands in it. Absent: there is none, or it is no longer known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    pub old: Option<Vec<u8>>,
    pub new: Option<Vec<u8>>,
}

impl ShelfName {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Changes => Self::Undo,
            Self::Undo => Self::Changes,
        }
    }
}

impl Belonging {
    /// A list for it with nothing in it yet.
    pub(crate) fn bare_list(&self) -> KeptChanges {
        KeptChanges {
            v: KeptChanges::VERSION,
            workspace: self.path.as_os_str().as_bytes().to_vec(),
            inode: self.inode,
            owner: self.owner,
            cut: false,
            changes: Vec::new(),
            conflicts: Vec::new(),
        }
    }

    pub(super) fn of(kept: &KeptChanges) -> Self {
        let path = PathBuf::from(OsString::from_vec(kept.workspace.clone()));
        Self { path, inode: kept.inode, owner: kept.owner }
    }

    /// Opens the folder, if it is still the one.
    pub(super) fn open(&self) -> Result<OwnedFd, SettleError> {
        let failed = |error: rustix::io::Errno| SettleError::Workspace {
            path: self.path.clone(),
            source: error.into(),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(&self.path, flags, Mode::empty()).map_err(failed)?;
        let stat = rustix::fs::fstat(folder.as_fd()).map_err(failed)?;
        if stat.st_ino == self.inode {
            Ok(folder)
        } else {
            Err(SettleError::Replaced { path: self.path.clone() })
        }
    }
}

/// Whether what was written has to survive a power cut before we go on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flush {
    No,
    Yes,
}

const LIST: &str = "changes.json";

/// What is written into it is hashed.
struct Hashing<'a>(&'a mut Sha256);

impl std::io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Open to nobody else: what a program wrote is its user's business.
pub(super) fn make_folder(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).recursive(true).create(path)
}

fn write_whole(path: &Path, bytes: &[u8], flush: Flush) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    if flush == Flush::Yes { file.sync_all() } else { Ok(()) }
}
