//! How anything in a hostile tree is opened: beneath its root, without links, once.
//!
//! An [`Entry`] is a handle that only names an inode (`O_PATH`). What it is gets decided on the handle, and it is
//! opened for reading through the handle, so there is no moment between looking and opening in which it could be
//! swapped, and a FIFO or device is never opened at all.
//!
//! A program may leave its own files without permissions. An ordinary user who owns such a file *lends* itself the
//! missing bits on the handle and gives them back when the [`Reading`] or [`Folder`](super::folder::Folder) is dropped.

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::fs::{chmod, fstat, openat, openat2, readlinkat};
use rustix::io::{Errno, Result};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

const BENEATH: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// The bits that a mode may carry out of a run: set-uid, set-gid and sticky never do.
pub(super) const PERMISSIONS: u32 = 0o777;

/// A handle to something that stands in a tree, with what it was when the handle was made.
pub(super) struct Entry {
    handle: OwnedFd,
    pub(super) stat: Stat,
}

impl Entry {
    pub(super) fn of(handle: OwnedFd) -> Result<Self> {
        Ok(Self { stat: fstat(&handle)?, handle })
    }

    /// The entry `path` beneath `root`; `None` when nothing is there. A link at the end is the entry itself.
    pub(super) fn find(root: BorrowedFd<'_>, path: &[u8]) -> Result<Option<Self>> {
        match open_handle(root, path, OFlags::empty()) {
            Ok(handle) => Self::of(handle).map(Some),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }

    pub(super) fn is_folder(&self) -> bool {
        self.kind() == FileType::Directory
    }

    pub(super) fn mode(&self) -> u32 {
        self.stat.st_mode & PERMISSIONS
    }

    /// Whether reading it would change its mode for a moment, and with it the time of its last change.
    pub(super) fn would_be_lent(&self) -> bool {
        let is_readable = self.stat.st_mode & 0o400 != 0;
        let is_file = self.kind() == FileType::RegularFile;
        is_file && !is_readable && self.is_ours() && !rustix::process::geteuid().is_root()
    }

    /// Opens a regular file for reading.
    pub(super) fn open(&self) -> Result<Reading<'_>> {
        if self.kind() != FileType::RegularFile {
            return Err(Errno::INVAL);
        }
        match self.reopen() {
            Err(Errno::ACCESS) if self.is_ours() => {
                let lent = Lent::to(self, self.stat.st_mode & 0o7777 | 0o400)?;
                Ok(Reading { file: self.reopen()?, _lent: Some(lent) })
            }
            file => Ok(Reading { file: file?, _lent: None }),
        }
    }

    /// The target of a link.
    pub(super) fn target(&self) -> Result<Vec<u8>> {
        Ok(readlinkat(&self.handle, "", Vec::new())?.into_bytes())
    }

    pub(super) fn is_same_inode(&self, other: &Self) -> bool {
        (self.stat.st_dev, self.stat.st_ino) == (other.stat.st_dev, other.stat.st_ino)
    }

    /// Whether it is the same file as before, and nobody changed it in between.
    pub(super) fn is_untouched_since(&self, before: &Self) -> bool {
        let times = |stat: &Stat| (stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime, stat.st_ctime_nsec);
        self.is_same_inode(before)
            && self.stat.st_size == before.stat.st_size
            && times(&self.stat) == times(&before.stat)
    }

    pub(super) fn is_ours(&self) -> bool {
        self.stat.st_uid == rustix::process::geteuid().as_raw()
    }

    /// Through the handle, so it is this very inode. Non-blocking: a lease on the file must not stop us.
    fn reopen(&self) -> Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        openat(CWD, handle_path(self.handle.as_fd()), flags, Mode::empty())
    }
}

impl AsFd for Entry {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// A file open for reading. What was lent is given back when it is dropped, not before: the kernel asks for the
/// permission again when extended attributes are read.
pub(super) struct Reading<'a> {
    file: OwnedFd,
    _lent: Option<Lent<'a>>,
}

impl AsFd for Reading<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Permissions lent on a file until this is dropped.
struct Lent<'a>(&'a Entry);

impl<'a> Lent<'a> {
    fn to(entry: &'a Entry, mode: u32) -> Result<Self> {
        set_mode(entry.as_fd(), mode)?;
        Ok(Self(entry))
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // Nothing can be done if it fails: the file stays readable to its owner, and only to its owner.
        let _ = set_mode(self.0.as_fd(), self.0.stat.st_mode & 0o7777);
    }
}

/// A handle beneath `root`; an empty path is the root itself.
pub(super) fn open_handle(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd> {
    let path = if path.is_empty() { b".".as_slice() } else { path };
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC | flags;
    openat2(root, path, flags, Mode::empty(), BENEATH)
}

/// Changes the mode of what a handle names; `fchmod` refuses handles.
pub(super) fn set_mode(handle: BorrowedFd<'_>, mode: u32) -> Result<()> {
    chmod(handle_path(handle), Mode::from_raw_mode(mode))
}

/// A path that leads to what a handle names, and to nothing else.
pub(super) fn handle_path(handle: BorrowedFd<'_>) -> String {
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}
