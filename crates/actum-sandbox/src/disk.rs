//! How much a folder holds, for layers on disk.

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

/// Bytes in blocks below `folder`, folders included. Links are not followed; what cannot be read counts nothing.
pub(crate) fn usage(folder: BorrowedFd<'_>) -> u64 {
    const BLOCK: u64 = 512;
    let mut sum = 0;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut ahead = Vec::new();
    if let Ok(top) = rustix::fs::openat(folder, ".", flags, Mode::empty()) {
        ahead.push(top);
    }
    while let Some(folder) = ahead.pop() {
        let Ok(entries) = Dir::read_from(&folder) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name.to_bytes() == b"." || name.to_bytes() == b".." {
                continue;
            }
            let Ok(stat) = rustix::fs::statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            sum += stat.st_blocks as u64 * BLOCK;
            // Open folders are bounded: a chain deeper than this is met by the limit on open files first.
            if FileType::from_raw_mode(stat.st_mode).is_dir()
                && let Ok(below) = rustix::fs::openat(folder.as_fd(), name, flags, Mode::empty())
            {
                ahead.push(below);
            }
        }
    }
    sum
}
