//! Layers on disk: how much they hold, and taking them away.

use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::path::Path;
use std::rc::Rc;

/// What a tree holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Bytes in blocks, folders included.
    pub(crate) bytes: u64,
    /// False where a folder could not be read: there may be more in it.
    pub(crate) is_complete: bool,
}

/// Paths longer than this are not resolved in one go: the folder they lead to becomes a place to start from. Half of what
/// the kernel takes, so that one more name always fits.
const LONGEST_PATH: usize = 2048;

/// A folder to look into: its path below one that is open.
type Ahead = (Rc<OwnedFd>, Vec<u8>);

/// What lies below `top`. Links are not followed. One folder is open at a time, and one more for each stretch of a path that
/// is too long for the kernel.
pub(crate) fn usage(top: BorrowedFd<'_>) -> Usage {
    let mut usage = Usage { bytes: 0, is_complete: true };
    let Ok(top) = top.try_clone_to_owned() else { return Usage { is_complete: false, ..usage } };
    let mut ahead: Vec<Ahead> = vec![(Rc::new(top), b".".to_vec())];
    while let Some((base, path)) = ahead.pop() {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = match rustix::fs::openat(&*base, path.as_slice(), flags, Mode::empty()) {
            Ok(folder) => Rc::new(folder),
            Err(error) => {
                usage.is_complete &= is_gone(error);
                continue;
            }
        };
        let is_long = path.len() > LONGEST_PATH;
        let below = |name: &[u8]| match is_long {
            true => (Rc::clone(&folder), name.to_vec()),
            false => (Rc::clone(&base), [path.as_slice(), b"/", name].concat()),
        };
        match look_into(&folder) {
            Ok((bytes, folders)) => {
                usage.bytes += bytes;
                ahead.extend(folders.iter().map(|name| below(name)));
            }
            Err(error) => usage.is_complete &= is_gone(error),
        }
    }
    usage
}

/// It was removed or replaced since it was listed.
fn is_gone(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
}

/// The bytes of what lies directly in a folder, and the names of the folders among it.
fn look_into(folder: &OwnedFd) -> Result<(u64, Vec<Vec<u8>>), Errno> {
    const BLOCK: u64 = 512;
    let (mut bytes, mut folders) = (0, Vec::new());
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_bytes() == b"." || name.to_bytes() == b".." {
            continue;
        }
        let stat = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(error) if is_gone(error) => continue,
            // A folder that may be listed but not entered.
            Err(error) => return Err(error),
        };
        bytes += stat.st_blocks as u64 * BLOCK;
        if FileType::from_raw_mode(stat.st_mode).is_dir() {
            folders.push(name.to_bytes().to_vec());
        }
    }
    Ok((bytes, folders))
}

/// Removes a folder with everything in it: by descriptor, however deep it is and whatever its modes are. What cannot be
/// removed is left.
pub fn remove(folder: &Path) {
    let _ = actum_gate::own::remove_tree(folder);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::AsFd;

    fn open(path: &Path) -> OwnedFd {
        rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap()
    }

    #[test]
    fn a_file_behind_a_path_too_long_for_the_kernel_counts() {
        let top = tempfile::tempdir().unwrap();
        let before = usage(open(top.path()).as_fd()).bytes;
        let mut folder = open(top.path());
        for _ in 0..60 {
            let name = "d".repeat(200);
            rustix::fs::mkdirat(&folder, name.as_str(), Mode::RWXU).unwrap();
            folder = rustix::fs::openat(&folder, name.as_str(), OFlags::RDONLY, Mode::empty()).unwrap();
        }
        let file = rustix::fs::openat(&folder, "far", OFlags::WRONLY | OFlags::CREATE, Mode::RWXU).unwrap();
        rustix::io::write(&file, &[7; 100_000]).unwrap();
        rustix::fs::fsync(&file).unwrap();
        let after = usage(open(top.path()).as_fd());
        assert!(after.is_complete && after.bytes >= before + 100_000, "{after:?}");
        remove(&top.path().join("d".repeat(200)));
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_not_taken_for_empty() {
        use std::os::unix::fs::PermissionsExt;
        if rustix::process::geteuid().is_root() {
            // Root reads everything.
            return;
        }
        let top = tempfile::tempdir().unwrap();
        let closed = top.path().join("closed");
        std::fs::create_dir(&closed).unwrap();
        for mode in [0o000, 0o300, 0o400] {
            std::fs::write(closed.join("file"), "x").unwrap();
            std::fs::set_permissions(&closed, PermissionsExt::from_mode(mode)).unwrap();
            assert!(!usage(open(top.path()).as_fd()).is_complete, "{mode:o}");
            std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o700)).unwrap();
        }
        assert!(usage(open(top.path()).as_fd()).is_complete);
    }
}
