//! Puts a file or a link at a name in one step: a reader sees the old one or the new one, never half of it.
//!
//! A [`Draft`] is made under a name of its own in the same folder and renamed when it is complete. One that is
//! dropped before takes its name with it, so an error leaves nothing behind. Nothing is flushed to the disk: that is
//! for the caller, once for everything.

use super::folder::{Folder, Purpose};
use super::reach::Entry;
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT, Uid};
use rustix::fs::{chownat, fchmod, fchown, futimens, mkdirat, openat, renameat, symlinkat, unlinkat};
use rustix::io::{Errno, Result};
use rustix::rand::{GetRandomFlags, getrandom};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// What the names of drafts begin with.
pub(super) const PREFIX: &str = ".actum-tmp-";

/// 8: one name of 64 random bits that is taken is no accident; stop instead of trying for ever.
const MOST_NAMES: u32 = 8;

/// A user and a group, as numbers.
pub(super) type Owner = (u32, u32);

/// What a file gets besides its bytes.
pub(super) struct Attributes {
    pub(super) owner: Option<Owner>,
    pub(super) mode: u32,
    /// When it was last written; absent: now.
    pub(super) modified: Option<Timespec>,
}

impl Attributes {
    /// Gives them to an open file. The owner comes first: changing it clears mode bits.
    pub(super) fn give(&self, file: BorrowedFd<'_>) -> Result<()> {
        if let Some((user, group)) = self.owner {
            fchown(file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))?;
        }
        fchmod(file, Mode::from_raw_mode(self.mode))?;
        let Some(last_modification) = self.modified else { return Ok(()) };
        let last_access = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
        futimens(file, &Timestamps { last_access, last_modification })
    }
}

/// Something complete but not yet under its name.
pub(super) struct Draft<'a> {
    folder: &'a Folder,
    name: String,
}

impl<'a> Draft<'a> {
    /// An empty file, open for writing, that nobody else can open.
    pub(super) fn file(folder: &'a Folder) -> Result<(Self, OwnedFd)> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (name, file) = with_free_name(|name| openat(folder, name, flags, Mode::RUSR | Mode::WUSR))?;
        Ok((Self { folder, name }, file))
    }

    /// A link.
    pub(super) fn link(folder: &'a Folder, target: &[u8], owner: Option<Owner>) -> Result<Self> {
        let (name, ()) = with_free_name(|name| symlinkat(target, folder, name))?;
        let draft = Self { folder, name };
        if let Some(owner) = owner {
            let link = folder.entry(draft.name.as_bytes())?.ok_or(Errno::NOENT)?;
            give_link(&link, owner)?;
        }
        Ok(draft)
    }

    /// Finishes a file through its descriptor.
    pub(super) fn finish(&self, file: BorrowedFd<'_>, attributes: &Attributes) -> Result<()> {
        attributes.give(file)
    }

    /// Gives it its name, in place of a file, a link or an empty folder.
    pub(super) fn publish(mut self, name: &[u8]) -> Result<()> {
        let renamed = match renameat(self.folder, &self.name, self.folder, name) {
            Err(Errno::ISDIR) => {
                unlinkat(self.folder, name, AtFlags::REMOVEDIR)?;
                renameat(self.folder, &self.name, self.folder, name)
            }
            renamed => renamed,
        };
        if renamed.is_ok() {
            self.name.clear();
        }
        renamed
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            // The error that brought us here is the one to tell.
            let _ = unlinkat(self.folder, &self.name, AtFlags::empty());
        }
    }
}

/// Makes a folder that only its owner can enter, in place of a file or link; an existing folder stays. Says whether
/// it was made.
pub(super) fn make_folder(folder: &Folder, name: &[u8], owner: Option<Owner>) -> Result<bool> {
    let made = match mkdirat(folder, name, Mode::RWXU) {
        Err(Errno::EXIST) => match unlinkat(folder, name, AtFlags::empty()) {
            Err(Errno::ISDIR) => return Ok(false),
            unlinked => unlinked.and_then(|()| mkdirat(folder, name, Mode::RWXU)),
        },
        made => made,
    };
    made?;
    if let Some(owner) = owner {
        give_folder(folder, name, owner)?;
    }
    Ok(true)
}

/// Gives away a folder that we made a moment ago. Whoever may write in its parent could have put another folder of
/// ours under its name; one that is empty is no loss.
fn give_folder(parent: &Folder, name: &[u8], (user, group): Owner) -> Result<()> {
    let made = Folder::open(parent.as_fd(), name, Purpose::Read)?;
    refuse_foreign(made.stat())?;
    if made.names()?.next().is_some() {
        return Err(Errno::STALE);
    }
    fchown(made.reading()?, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))
}

/// Gives away a link that we made a moment ago. Somebody who may write in the folder could have put something else
/// under its name, so the handle is looked at first.
fn give_link(link: &Entry, (user, group): Owner) -> Result<()> {
    if link.kind() != FileType::Symlink || link.stat.st_nlink != 1 {
        return Err(Errno::STALE);
    }
    refuse_foreign(&link.stat)?;
    let flags = AtFlags::EMPTY_PATH | AtFlags::SYMLINK_NOFOLLOW;
    chownat(link.as_fd(), "", Some(Uid::from_raw(user)), Some(Gid::from_raw(group)), flags)
}

fn refuse_foreign(stat: &rustix::fs::Stat) -> Result<()> {
    let ours = stat.st_uid == rustix::process::geteuid().as_raw();
    if ours { Ok(()) } else { Err(Errno::STALE) }
}

/// Calls `make` with fresh names until one was free. Nobody can foresee them and take them first; safety does not
/// rest on that, but on `make` refusing a name that exists.
pub(super) fn with_free_name<T>(mut make: impl FnMut(&str) -> Result<T>) -> Result<(String, T)> {
    for _ in 0..MOST_NAMES {
        let mut random = [0; 8];
        // Eight bytes never come short, and the kernel's source never waits once the machine is up.
        getrandom(&mut random, GetRandomFlags::empty())?;
        let name = format!("{PREFIX}{:016x}", u64::from_ne_bytes(random));
        match make(&name) {
            Err(Errno::EXIST) => {}
            made => return made.map(|made| (name, made)),
        }
    }
    Err(Errno::EXIST)
}
