//! Opening in two steps: first a descriptor that only names the file (`O_PATH`), then, once its kind is known, the file itself.
//!
//! Opening a FIFO blocks until somebody writes, and opening a device can act (a watchdog, a tape). `O_PATH` does neither.

use crate::Bound;
use crate::error::GateError;
use crate::facts::{Facts, Kind};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path};

/// `openat2` answers EAGAIN when a folder on the way is renamed meanwhile; an attacker can do that all day.
const TRIES: usize = 64;

/// A name below `root`, which nothing on the way leaves.
pub(crate) fn beneath(root: BorrowedFd<'_>, name: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let name = if name.as_os_str().is_empty() { Path::new(".") } else { name };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..TRIES {
        match rustix::fs::openat2(root, name, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // An old kernel, or a container's filter that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => return beneath_by_steps(root, name, flags),
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}

/// The same without `openat2`: one component at a time, and no links at all.
pub(crate) fn beneath_by_steps(root: BorrowedFd<'_>, name: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let step = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut parts: Vec<&OsStr> = Vec::new();
    for component in name.components() {
        match component {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
        }
    }
    let Some((last, above)) = parts.split_last() else {
        return rustix::fs::openat(root, ".", flags | OFlags::CLOEXEC, Mode::empty());
    };
    let mut folder = rustix::fs::openat(root, ".", step | OFlags::DIRECTORY, Mode::empty())?;
    for part in above {
        let next = rustix::fs::openat(&folder, *part, step, Mode::empty())?;
        refuse_link(&next)?;
        folder = next;
    }
    let opened =
        rustix::fs::openat(&folder, *last, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    if !flags.contains(OFlags::NOFOLLOW) {
        refuse_link(&opened)?;
    }
    Ok(opened)
}

fn refuse_link(opened: &OwnedFd) -> Result<(), Errno> {
    let stat = rustix::fs::fstat(opened)?;
    if Kind::from_mode(stat.st_mode) == Kind::Link { Err(Errno::LOOP) } else { Ok(()) }
}

/// What an opened file is.
pub(crate) fn facts(opened: BorrowedFd<'_>, path: &Path) -> Result<Facts, GateError> {
    let stat = rustix::fs::fstat(opened).map_err(|error| GateError::from_errno(path, error))?;
    Ok(Facts::from_stat(&stat))
}

/// The file that an `O_PATH` descriptor names, opened for reading. Only for regular files and folders.
pub(crate) fn reopen(named: &OwnedFd, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let link = format!("/proc/self/fd/{}", named.as_raw_fd());
    rustix::fs::open(link, flags, Mode::empty())
}

/// A regular file behind an `O_PATH` descriptor.
pub(crate) fn regular(named: &OwnedFd, path: &Path) -> Result<(File, Facts), GateError> {
    let facts = facts(named.as_fd(), path)?;
    if facts.kind != Kind::File {
        return Err(GateError::NotRegular { path: path.to_path_buf(), kind: facts.kind });
    }
    let file = reopen(named, OFlags::empty()).map_err(|error| GateError::from_errno(path, error))?;
    Ok((File::from(file), facts))
}

/// Everything in a file, or an error where that is more than `most`.
pub(crate) fn read_all(file: impl Read, size: u64, most: Bound, path: &Path) -> Result<Vec<u8>, GateError> {
    let too_large = || GateError::TooLarge { path: path.to_path_buf(), most: most.0 };
    if size > most.0 {
        return Err(too_large());
    }
    // The size is a hint: the file can grow while it is read.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    let read = file.take(most.0.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|source| GateError::Read { path: path.to_path_buf(), source })?;
    if bytes.len() as u64 > most.0 { Err(too_large()) } else { Ok(bytes) }
}

/// Whether a name in an opened folder is there, and what it is; links are not followed.
pub(crate) fn facts_at(folder: BorrowedFd<'_>, name: &OsStr) -> Result<Facts, Errno> {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| Facts::from_stat(&stat))
}
