//! Where a run keeps its changes.

use super::{Placer, SettleError};
use crate::{self as changes, ApplyRules, Depth, is_keepable};
use actum_model::{
    Became, Bytes, Change, Digest, KeptChange, KeptChanges, Node, SealKey, SealKind, Standing,
    unverified_body,
};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, StatxFlags};
use sha2::{Digest as _, Sha256};
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
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
    /// Authenticates what is kept: a store may lie where a program can write.
    pub seal: SealKey,
    /// The folder that the key is in, for the processes that are started to go on with this.
    pub keys: PathBuf,
}

/// A tree of contents in a run's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShelfName {
    Changes,
    Undo,
}

/// Which folder changes belong to.
#[derive(Debug, Clone)]
pub struct Belonging {
    pub path: PathBuf,
    pub identity: Identity,
    pub owner: Option<(u32, u32)>,
}

/// What tells one folder from every other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    pub(crate) device: Option<u64>,
    pub(crate) inode: u64,
    /// Nanoseconds since 1970, where the file system records it. Nobody can choose it.
    pub(crate) born: Option<i64>,
}

impl Identity {
    pub fn of(folder: BorrowedFd<'_>) -> rustix::io::Result<Self> {
        let stat = rustix::fs::fstat(folder)?;
        let born = rustix::fs::statx(folder, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME).ok();
        let born = born.filter(|found| found.stx_mask & StatxFlags::BTIME.bits() != 0).map(|found| {
            let (seconds, nanoseconds) = (found.stx_btime.tv_sec, found.stx_btime.tv_nsec);
            seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds.into())
        });
        Ok(Self { device: Some(stat.st_dev as u64), inode: stat.st_ino, born })
    }

    /// Whether a folder found later is the same one. The device has to be the same too; some file systems have another
    /// number after a restart, and there the time of creation decides. What was made since the machine was started has been
    /// through none, and two folders can be made in one tick of the clock.
    pub(crate) fn is_same(&self, found: &Self, booted: i64) -> bool {
        let is_born_alike = self.born.is_none() || found.born.is_none() || self.born == found.born;
        let is_certain = self.born.is_some_and(|born| born < booted) && self.born == found.born;
        let is_same_device = self.device.is_some() && self.device == found.device;
        self.inode == found.inode && is_born_alike && (is_same_device || is_certain)
    }
}

impl Keeping {
    /// The list of a run's changes, to be shown. What acts on it uses [`Keeping::read_sealed`].
    pub fn read(&self) -> Result<KeptChanges, SettleError> {
        let (path, text) = self.list_file()?;
        serde_json::from_slice(unverified_body(&text))
            .map_err(|source| SettleError::NotUnderstood { path, source })
    }

    /// The list of a run's changes, if this user's Actum wrote it.
    pub(super) fn read_sealed(&self) -> Result<KeptChanges, SettleError> {
        let (path, text) = self.list_file()?;
        let body = self.seal.open(SealKind::Changes, &self.about(), &text);
        let body = body.map_err(|source| SettleError::Forged { path: path.clone(), source })?;
        serde_json::from_slice(body).map_err(|source| SettleError::NotUnderstood { path, source })
    }

    /// When the list was written.
    pub fn written_at(&self) -> Option<std::time::SystemTime> {
        self.folder.join(LIST).symlink_metadata().ok()?.modified().ok()
    }

    fn list_file(&self) -> Result<(PathBuf, Vec<u8>), SettleError> {
        let path = self.folder.join(LIST);
        match read_plain(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Err(SettleError::None),
            Err(source) => Err(SettleError::Read { path, source }),
            Ok(text) => Ok((path, text)),
        }
    }

    /// What a sealed file of this folder is about: the run.
    pub(super) fn about(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Removes the list and both shelves: for a list that nobody vouches for.
    pub(super) fn forget(&self) -> Result<(), SettleError> {
        let path = self.folder.join(LIST);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != ErrorKind::NotFound => Err(SettleError::Write { path, source }),
            Ok(()) | Err(_) => {
                self.clear(ShelfName::Changes);
                self.clear(ShelfName::Undo);
                Ok(())
            }
        }
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
    pub fn keep(
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

    /// Compares the contents on a shelf with the digests of what is going to be placed.
    pub(super) fn check_shelf(&self, name: ShelfName, list: &[Change]) -> Result<(), SettleError> {
        let contents = list.iter().filter(|change| change.after.node == Node::File);
        for (change, expected) in contents.filter_map(|change| Some((change, change.after.sha256?))) {
            let shelf = self.open_shelf(name)?;
            let path = self.shelf_path(name).join(OsString::from_vec(change.path.clone()));
            let failed = |source| SettleError::Read { path: path.clone(), source };
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            let file = rustix::fs::openat2(&shelf, change.path.as_slice(), flags, Mode::empty(), resolve)
                .map_err(|error| failed(error.into()))?;
            let mut hash = Sha256::new();
            std::io::copy(&mut std::fs::File::from(file), &mut Hashing(&mut hash)).map_err(failed)?;
            if Digest::finish(hash) != expected {
                return Err(SettleError::Spoiled { path: change.path.clone() });
            }
        }
        Ok(())
    }

    pub fn write(&self, kept: &KeptChanges) -> Result<(), SettleError> {
        self.write_file(LIST, (SealKind::Changes, kept), Flush::No)
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
        let _ = actum_gate::own::remove_tree(&self.shelf_path(name));
    }

    /// Writes a file of the run's folder in one step.
    pub(super) fn write_file(
        &self,
        name: &str,
        (kind, value): (SealKind, &impl serde::Serialize),
        flush: Flush,
    ) -> Result<(), SettleError> {
        let path = self.folder.join(name);
        let failed = |source| SettleError::Write { path: path.clone(), source };
        let body = serde_json::to_vec(value).map_err(|error| failed(error.into()))?;
        let sealed = self.seal.seal(kind, &self.about(), &body);
        let bytes = sealed.map_err(|source| SettleError::Unsealed { path: path.clone(), source })?;
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
    pub fn bare_list(&self) -> KeptChanges {
        KeptChanges {
            v: KeptChanges::VERSION,
            workspace: self.path.as_os_str().as_bytes().to_vec(),
            inode: self.identity.inode,
            device: self.identity.device,
            born: self.identity.born,
            owner: self.owner,
            cut: false,
            changes: Vec::new(),
            conflicts: Vec::new(),
        }
    }

    pub(super) fn of(kept: &KeptChanges) -> Self {
        let path = PathBuf::from(OsString::from_vec(kept.workspace.clone()));
        let identity = Identity { device: kept.device, inode: kept.inode, born: kept.born };
        Self { path, identity, owner: kept.owner }
    }

    /// Opens the folder, if it is still the one. Its path was recorded without links, so a link in it is not followed.
    pub(super) fn open(&self) -> Result<OwnedFd, SettleError> {
        let folder = match open_without_links(&self.path) {
            Err(rustix::io::Errno::LOOP) => return Err(SettleError::Replaced { path: self.path.clone() }),
            opened => opened.map_err(|error| self.failed(error))?,
        };
        self.recognise(folder.as_fd())?;
        Ok(folder)
    }

    /// Fails for another folder than the one that the changes belong to.
    pub(super) fn recognise(&self, folder: BorrowedFd<'_>) -> Result<(), SettleError> {
        let found = Identity::of(folder).map_err(|error| self.failed(error))?;
        match self.identity.is_same(&found, crate::clock::booted()) {
            true => Ok(()),
            false => Err(SettleError::Replaced { path: self.path.clone() }),
        }
    }

    fn failed(&self, error: rustix::io::Errno) -> SettleError {
        SettleError::Workspace { path: self.path.clone(), source: error.into() }
    }
}

/// Whether what was written has to survive a power cut before we go on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flush {
    No,
    Yes,
}

pub(super) const LIST: &str = "changes.json";

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

/// Opens a folder by a path that was resolved before. A link in it was put there since, and is an error.
pub fn open_without_links(path: &Path) -> rustix::io::Result<OwnedFd> {
    use rustix::io::Errno;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(CWD, path, flags, Mode::empty(), resolve) {
        // An old kernel, or a container's filter that does not know the call: where it is tells how it was reached.
        Err(Errno::NOSYS | Errno::PERM) => {}
        opened => return opened,
    }
    let folder = rustix::fs::open(path, flags, Mode::empty())?;
    let reached = rustix::fs::readlink(format!("/proc/self/fd/{}", folder.as_raw_fd()), Vec::new())?;
    if Path::new(OsStr::from_bytes(reached.as_bytes())) == path { Ok(folder) } else { Err(Errno::LOOP) }
}

/// More than a list of a million changes takes.
const LONGEST: u64 = 1 << 30;

/// The bytes of a file in a run's folder: a regular file, not a link, and nothing that keeps its reader waiting.
pub(super) fn read_plain(path: &Path) -> std::io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = std::fs::File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return Err(std::io::Error::new(ErrorKind::InvalidData, "it is not a regular file, or too large"));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Open to nobody else: what a program wrote is its user's business.
pub(super) fn make_folder(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).recursive(true).create(path)
}

fn write_whole(path: &Path, bytes: &[u8], flush: Flush) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    // What an interrupted attempt left, or a link that somebody put there, is not written through.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    if flush == Flush::Yes { file.sync_all() } else { Ok(()) }
}
