//! Folders in a hostile tree, usable for a purpose even when the program closed them to its own user.

use super::reach::{Entry, open_handle, set_mode};
use rustix::fs::{Dir, Mode, OFlags, Stat, openat};
use rustix::io::{Errno, Result, fcntl_dupfd_cloexec};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// What will be done in a folder; decides which bits have to be lent.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    /// List it and open what is in it.
    Read = 0o500,
    /// Add, replace and remove names in it.
    Write = 0o700,
}

/// A folder that can be used for its purpose until it is dropped.
pub(super) struct Folder {
    entry: Entry,
    /// The mode to give back.
    lent: Option<u32>,
}

impl Folder {
    /// The folder `path` beneath `root` (empty: the root itself). Fails with `LOOP` or `NOTDIR` when a link or a file
    /// stands in the path or at its end.
    pub(super) fn open(root: BorrowedFd<'_>, path: &[u8], purpose: Purpose) -> Result<Self> {
        match open_handle(root, path, OFlags::DIRECTORY) {
            Ok(handle) => Self::lend(Entry::of(handle)?, purpose),
            Err(Errno::ACCESS) => Self::open_by_steps(root, path, purpose),
            Err(error) => Err(error),
        }
    }

    /// Uses an entry as a folder.
    pub(super) fn lend(entry: Entry, purpose: Purpose) -> Result<Self> {
        let (mode, needed) = (entry.stat.st_mode & 0o7777, purpose as u32);
        let lacks = mode & needed != needed;
        // Root is not asked for permissions, so there is nothing to lend and no mode to disturb.
        if !lacks || rustix::process::geteuid().is_root() || !entry.is_ours() {
            return Ok(Self { entry, lent: None });
        }
        set_mode(entry.as_fd(), mode | needed)?;
        Ok(Self { entry, lent: Some(mode) })
    }

    /// The names in it, in no order.
    pub(super) fn names(&self) -> Result<Names> {
        Ok(Names(Dir::new(self.reading()?)?))
    }

    /// A descriptor that lists, and reads extended attributes, which a handle does not.
    pub(super) fn reading(&self) -> Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(&self.entry, ".", flags, Mode::empty())
    }

    /// What stands at `name` in it.
    pub(super) fn entry(&self, name: &[u8]) -> Result<Option<Entry>> {
        Entry::find(self.as_fd(), name)
    }

    /// The permissions it has when nothing is lent, special bits included.
    pub(super) fn own_mode(&self) -> u32 {
        self.entry.stat.st_mode & 0o7777
    }

    pub(super) fn stat(&self) -> &Stat {
        &self.entry.stat
    }

    /// Changes its permissions for good.
    pub(super) fn set_mode(mut self, mode: u32) -> Result<()> {
        self.lent = None;
        set_mode(self.as_fd(), mode)
    }

    /// A folder on the way may be closed to its owner: open each, lend, take one step, give back.
    fn open_by_steps(root: BorrowedFd<'_>, path: &[u8], purpose: Purpose) -> Result<Self> {
        let mut folder = Self::open_root(root)?;
        for name in path.split(|byte| *byte == b'/') {
            let entry = folder.entry(name)?.ok_or(Errno::NOENT)?;
            if !entry.is_folder() {
                return Err(Errno::NOTDIR);
            }
            folder = Self::lend(entry, purpose)?;
        }
        Ok(folder)
    }

    /// A handle to the root itself needs no permission in it, so this cannot come back here for `ACCESS`.
    fn open_root(root: BorrowedFd<'_>) -> Result<Self> {
        Self::lend(Entry::of(fcntl_dupfd_cloexec(root, 0)?)?, Purpose::Read)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.entry.as_fd()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(mode) = self.lent {
            // Nothing can be done if it fails: the folder stays open to its owner, and only to its owner.
            let _ = set_mode(self.as_fd(), mode);
        }
    }
}

/// The names in a folder, without `.` and `..`.
pub(super) struct Names(Dir);

impl Iterator for Names {
    type Item = Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.0.next()? {
                Ok(entry) if matches!(entry.file_name().to_bytes(), b"." | b"..") => {}
                Ok(entry) => return Some(Ok(entry.file_name().to_bytes().to_vec())),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
