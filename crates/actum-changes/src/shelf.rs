//! A plain tree of our own in which contents wait: under the paths that they have in the workspace.
//!
//! Only files lie in it, in folders that are open to us alone; kinds, targets and the modes of folders are in the list
//! of changes. So a shelf can be looked through and removed with ordinary tools. Nobody else writes in it, but it is
//! reached like every other tree: beneath its root, never by a link.
//!
//! A file waits with the owner, mode and time that it will have. **Placing it takes it away**: what is no longer on the
//! shelf has been placed, and that is how an interrupted placing is gone on with.

use super::folder::{Folder, Purpose};
use super::place::{Attributes, Draft};
use super::reach::{Entry, handle_path};
use super::{ChangesError, copy};
use actum_model::Digest;
use actum_model::byte_path::split;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, Timespec, linkat, mkdirat, openat, renameat, unlinkat,
};
use rustix::io::{Errno, Result};
use std::os::fd::{AsFd, BorrowedFd};

/// A shelf, by its root.
#[derive(Clone, Copy)]
pub(super) struct Shelf<'a>(pub(super) BorrowedFd<'a>);

impl Shelf<'_> {
    /// What waits for a path, if it has not been taken.
    pub(super) fn find(self, path: &[u8]) -> std::result::Result<Option<Entry>, ChangesError> {
        match Entry::find(self.0, path) {
            // A file lies where a folder of the path would be, so nothing lies at the path.
            Err(Errno::NOTDIR) => Ok(None),
            found => found.map_err(ChangesError::refused("find the stored copy of", path)),
        }
    }

    /// Copies a file onto the shelf.
    pub(super) fn copy(self, path: &[u8], from: &Entry, attributes: &Attributes) -> Result<()> {
        let (folder, name) = self.vacate(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&folder, name, flags, Mode::RUSR | Mode::WUSR)?;
        copy::copy(from.open()?.as_fd(), file.as_fd(), from.stat.st_size as u64)?;
        attributes.give(file.as_fd())
    }

    /// Keeps a file by a second name for it, which costs nothing and loses nothing, or else by a copy. Says how many
    /// bytes were copied. A file whose contents cannot be checked later is copied: others may have names for it too, and write it
    /// while it lies here.
    pub(super) fn save(self, path: &[u8], from: &Entry, digest: Option<&Digest>) -> Result<u64> {
        if digest.is_none() {
            self.copy(path, from, &Attributes::of(from))?;
            return Ok(from.stat.st_size as u64);
        }
        let (folder, name) = self.vacate(path)?;
        match linkat(CWD, handle_path(from.as_fd()), &folder, name, AtFlags::SYMLINK_FOLLOW) {
            Ok(()) => return Ok(0),
            // Another file system, one without hard links, a file of somebody else's, or too many names.
            Err(Errno::XDEV | Errno::PERM | Errno::MLINK | Errno::OPNOTSUPP | Errno::ACCESS) => {}
            Err(error) => return Err(error),
        }
        self.copy(path, from, &Attributes::of(from))?;
        Ok(from.stat.st_size as u64)
    }

    /// Puts what waits for a path at its name in a folder of the workspace, in one step, and takes it off the shelf.
    pub(super) fn place(self, path: &[u8], waiting: &Entry, folder: &Folder) -> Result<()> {
        let (parent, name) = split(path);
        let shelf = Folder::open(self.0, parent, Purpose::Write)?;
        let there = folder.entry(name)?;
        let is_itself = there.is_some_and(|there| there.is_same_inode(waiting));
        // A rename between two names of one file does nothing at all, and would leave it on the shelf.
        if is_itself {
            return unlinkat(&shelf, name, AtFlags::empty());
        }
        if may_move(waiting, folder) {
            match renameat(&shelf, name, folder, name) {
                Err(Errno::ISDIR) => {
                    unlinkat(folder, name, AtFlags::REMOVEDIR)?;
                    return renameat(&shelf, name, folder, name);
                }
                Err(Errno::XDEV) => {}
                moved => return moved,
            }
        }
        let (draft, file) = Draft::file(folder)?;
        copy::copy(waiting.open()?.as_fd(), file.as_fd(), waiting.stat.st_size as u64)?;
        draft.finish(file.as_fd(), &Attributes::of(waiting))?;
        draft.publish(name)?;
        unlinkat(&shelf, name, AtFlags::empty())
    }

    /// The folder for a path, made where it is not there, without the file that an interrupted attempt left at the
    /// name. Another path's contents are never in the way of it: one tree holds what stood in one workspace.
    fn vacate(self, path: &[u8]) -> Result<(Folder, &[u8])> {
        let (parent, name) = split(path);
        let folder = match Folder::open(self.0, parent, Purpose::Write) {
            Err(Errno::NOENT) => self.make_parents(parent)?,
            folder => folder?,
        };
        match unlinkat(&folder, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok((folder, name)),
            Err(error) => Err(error),
        }
    }

    fn make_parents(self, path: &[u8]) -> Result<Folder> {
        let mut folder = Folder::open(self.0, b"", Purpose::Write)?;
        for name in path.split(|byte| *byte == b'/') {
            match mkdirat(&folder, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
            folder = Folder::open(folder.as_fd(), name, Purpose::Write)?;
        }
        Ok(folder)
    }
}

/// A folder that hands its group down to what is made in it is written by copying: what is moved keeps its own.
fn may_move(waiting: &Entry, folder: &Folder) -> bool {
    const HANDS_DOWN: u32 = 0o2000;
    waiting.stat.st_dev == folder.stat().st_dev && folder.own_mode() & HANDS_DOWN == 0
}

impl Attributes {
    /// Those of a file that has already what it should have.
    fn of(file: &Entry) -> Self {
        let stat = &file.stat;
        let owner = rustix::process::geteuid().is_root().then_some((stat.st_uid, stat.st_gid));
        let modified = Some(Timespec { tv_sec: stat.st_mtime, tv_nsec: stat.st_mtime_nsec as _ });
        Self { owner, mode: stat.st_mode & 0o7777, modified }
    }
}

/// Whether this can lie on a shelf.
pub(super) fn is_file(entry: &Entry) -> bool {
    entry.kind() == FileType::RegularFile
}
