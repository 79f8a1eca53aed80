//! Mounts by descriptor: take a part of a tree, set what may be done with it, put it somewhere.
//!
//! Everything goes through the newer mount calls: a tree is taken detached, changed while nobody can see it, and only
//! then attached. No mount table is parsed and nothing is ever visible half-made.

use crate::sys::{self, MountAttributes};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create,
    fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
};
use std::ffi::CStr;
use std::io;

pub(crate) const READ_ONLY: u64 = libc_attr::RDONLY;
pub(crate) const NO_SET_ID: u64 = libc_attr::NOSUID;
pub(crate) const NO_DEVICES: u64 = libc_attr::NODEV;

/// The kernel's `MS_PRIVATE`.
const PRIVATE: u64 = 1 << 18;

/// The kernel's `MOUNT_ATTR_*`, which have the same value everywhere.
mod libc_attr {
    pub(super) const RDONLY: u64 = 0x1;
    pub(super) const NOSUID: u64 = 0x2;
    pub(super) const NODEV: u64 = 0x4;
}

/// Takes the tree at `path` with everything mounted below it.
pub(crate) fn take(path: &CStr) -> io::Result<OwnedFd> {
    // Recursive, because in a user namespace the mounts below are locked to their parent.
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(CWD, path, flags)?)
}

/// The same for a path that was resolved before. A link in it was put there since, and is not followed: another user who owns
/// a folder above could otherwise choose what is shown.
pub(crate) fn take_resolved(path: &CStr) -> io::Result<OwnedFd> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let named = match rustix::fs::openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve) {
        // An old kernel, or a filter that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => return take(path),
        named => named?,
    };
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    Ok(open_tree(named.as_fd(), c"", flags)?)
}

/// Takes the folder `name` below a folder of this namespace, without what is mounted below it.
pub(crate) fn take_at(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<OwnedFd> {
    Ok(open_tree(folder, name, OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC)?)
}

/// Sets attributes on a whole tree that was taken, and parts it from where it was taken: as a peer of a shared mount of the machine, it
/// would hand on to the machine whatever is mounted on it.
pub(crate) fn set(tree: BorrowedFd<'_>, attributes: u64) -> io::Result<()> {
    let attributes =
        MountAttributes { set: attributes, propagation: PRIVATE, recursive: true, ..Default::default() };
    sys::mount_setattr(tree, attributes)
}

/// Maps owners on a tree that was taken; file systems that cannot do it answer EINVAL.
pub(crate) fn map_owner(tree: BorrowedFd<'_>, mapping: BorrowedFd<'_>) -> io::Result<()> {
    sys::mount_setattr(tree, MountAttributes { mapping: Some(mapping), ..Default::default() })
}

/// Attaches a taken tree or a new file system at `path`, on top of what is there.
pub(crate) fn put(tree: BorrowedFd<'_>, path: &CStr) -> io::Result<()> {
    Ok(move_mount(tree, c"", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

/// One option of a new file system.
pub(crate) enum Setting<'a> {
    Flag(&'a CStr),
    Text(&'a CStr, &'a CStr),
}

/// A new file system, not yet attached. Never set-uid, never devices.
pub(crate) fn create(kind: &CStr, settings: &[Setting<'_>]) -> io::Result<OwnedFd> {
    create_with(kind, settings, MountAttrFlags::MOUNT_ATTR_NODEV)
}

/// A new world of pseudo-terminals, not yet attached: the one file system whose nodes are made to be opened.
pub(crate) fn create_terminals(settings: &[Setting<'_>]) -> io::Result<OwnedFd> {
    create_with(c"devpts", settings, MountAttrFlags::MOUNT_ATTR_NOEXEC)
}

fn create_with(kind: &CStr, settings: &[Setting<'_>], more: MountAttrFlags) -> io::Result<OwnedFd> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for setting in settings {
        match setting {
            Setting::Flag(name) => fsconfig_set_flag(context.as_fd(), *name)?,
            Setting::Text(name, value) => fsconfig_set_string(context.as_fd(), *name, *value)?,
        }
    }
    fsconfig_create(context.as_fd())?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | more;
    Ok(fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}

/// Opens a folder to stand in or to resolve from.
pub(crate) fn folder(path: &CStr) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Makes two new folders below one and opens them.
pub(crate) fn make_two_folders(
    above: BorrowedFd<'_>,
    one: &CStr,
    other: &CStr,
) -> io::Result<(OwnedFd, OwnedFd)> {
    let make = |name: &CStr| -> io::Result<OwnedFd> {
        match rustix::fs::mkdirat(above, name, Mode::from_raw_mode(0o755)) {
            // A layer that is kept from one attempt to the next.
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(rustix::fs::openat(
            above,
            name,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?)
    };
    Ok((make(one)?, make(other)?))
}

/// Makes every folder of an absolute path that is missing.
pub(crate) fn make_folders(path: &CStr) -> io::Result<()> {
    make_folders_below(CWD, path.to_bytes())
}

/// Makes every folder of a path that is missing; a path that is not absolute begins at `base`.
pub(crate) fn make_folders_below(base: BorrowedFd<'_>, path: &[u8]) -> io::Result<()> {
    let make = |path: &[u8]| match rustix::fs::mkdirat(base, path, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        // Above a mount of the machine's own tree nothing can be made, and nothing needs to be.
        Err(Errno::ROFS) => Ok(()),
        Err(error) => Err(error),
    };
    // Most often only the last one is missing.
    match make(path) {
        Err(Errno::NOENT) => {}
        made => return Ok(made?),
    }
    for end in (1..=path.len()).filter(|end| *end == path.len() || path[*end] == b'/') {
        make(&path[..end])?;
    }
    Ok(())
}

/// Makes an empty file to mount a file on, with the folders above it.
pub(crate) fn make_file(path: &CStr) -> io::Result<()> {
    if rustix::fs::access(path, rustix::fs::Access::EXISTS).is_ok() {
        return Ok(());
    }
    if let Some(parent) = parent(path) {
        make_folders(&parent)?;
    }
    match rustix::fs::open(
        path,
        OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC,
        Mode::from_raw_mode(0o644),
    ) {
        Ok(_) | Err(rustix::io::Errno::ROFS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Makes a mount point of the kind that `tree` is.
pub(crate) fn make_point(tree: BorrowedFd<'_>, path: &CStr) -> io::Result<()> {
    let is_folder = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(tree)?.st_mode).is_dir();
    if is_folder { make_folders(path) } else { make_file(path) }
}

/// The folder above an absolute path.
pub(crate) fn parent(path: &CStr) -> Option<std::ffi::CString> {
    let bytes = path.to_bytes();
    let slash = bytes.iter().rposition(|byte| *byte == b'/')?;
    (slash > 0).then(|| std::ffi::CString::new(&bytes[..slash]).expect("a part of a C string has no NUL"))
}
