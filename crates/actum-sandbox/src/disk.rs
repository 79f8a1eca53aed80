//! Layers on disk: how much they hold, and taking them away.

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use std::path::Path;

/// Bytes in blocks below `top`, folders included. Links are not followed; what cannot be read counts nothing. One folder
/// is open at a time, however many there are.
pub(crate) fn usage(top: BorrowedFd<'_>) -> u64 {
    const BLOCK: u64 = 512;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut sum = 0;
    let mut ahead: Vec<Vec<u8>> = vec![b".".to_vec()];
    while let Some(path) = ahead.pop() {
        let Ok(folder) = rustix::fs::openat(top, path.as_slice(), flags, Mode::empty()) else { continue };
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
            if FileType::from_raw_mode(stat.st_mode).is_dir() {
                ahead.push([path.as_slice(), b"/", name.to_bytes()].concat());
            }
        }
    }
    sum
}

/// Takes a folder away with everything in it.
pub fn remove(folder: &Path) {
    if std::fs::remove_dir_all(folder).is_err() {
        open_up(folder);
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Folders that nobody may enter cannot be emptied either: the kernel makes one for its own work in each layer, and a
/// program may have made others. Links are not followed.
fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mut ahead = vec![folder.to_path_buf()];
    while let Some(folder) = ahead.pop() {
        let _ = std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700));
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        ahead.extend(
            entries
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
}
