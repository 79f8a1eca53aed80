//! Finds sockets of the machine in folders that a program is shown as they are. A mount does not stop `connect`: whatever
//! such a socket leads to lies outside the sandbox, so each one found is hidden.

use actum_model::Grant;
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags};
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Entries that are looked at in all: some 30 ms where they have to be read from disk once.
const MOST_ENTRIES: usize = 50_000;
/// More than any project has. Each one is a mount.
const MOST_SOCKETS: usize = 256;

/// The sockets below `folders`, and those of the folders that hold too much to be searched. What `grants` name beside the
/// folders of the user (`searched`) was granted for its sockets.
pub(crate) fn sockets(
    folders: &[PathBuf],
    grants: &[Grant],
    searched: &[PathBuf],
) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut left = MOST_ENTRIES;
    let (mut found, mut unsearched) = (Vec::new(), Vec::new());
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        if !search(folder, &mut left, &mut found) {
            unsearched.push(folder.clone());
        }
    }
    let is_meant = |socket: &PathBuf| {
        grants.iter().any(|grant| {
            let (Grant::Read(path) | Grant::Write(path)) = grant;
            let is_users = searched.contains(path);
            path == socket || (!is_users && socket.parent() == Some(path.as_path()))
        })
    };
    found.retain(|socket| !is_meant(socket));
    (found, unsearched)
}

/// Nearest folders first; links are not followed. False where something was left out.
fn search(top: &Path, left: &mut usize, found: &mut Vec<PathBuf>) -> bool {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut ahead = VecDeque::from([top.to_path_buf()]);
    let mut is_whole = true;
    while let Some(path) = ahead.pop_front() {
        // What the caller cannot read, its program cannot either; nor is there a name for what lies too deep.
        let Ok(folder) = rustix::fs::openat(CWD, &path, flags, Mode::empty()) else { continue };
        let Ok(entries) = Dir::read_from(&folder) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let Some(rest) = left.checked_sub(1) else { return false };
            *left = rest;
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                kind = kind_of(&folder, entry.file_name());
            }
            let below = || path.join(OsStr::from_bytes(name));
            if kind.is_dir() {
                ahead.push_back(below());
            } else if kind.is_socket() && found.len() < MOST_SOCKETS {
                found.push(below());
            } else if kind.is_socket() {
                is_whole = false;
            }
        }
    }
    is_whole
}

fn kind_of(folder: &rustix::fd::OwnedFd, name: &std::ffi::CStr) -> FileType {
    rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn sockets_are_found_wherever_they_lie_but_not_behind_links() {
        let top = tempfile::tempdir().unwrap();
        let deep = top.path().join("a/b/c");
        std::fs::create_dir_all(&deep).unwrap();
        let (near, far) = (top.path().join("near"), deep.join("far"));
        let _open = [&near, &far].map(|path| UnixListener::bind(path).unwrap());
        std::os::unix::fs::symlink(&deep, top.path().join("link")).unwrap();
        let folders = [top.path().to_path_buf()];
        assert_eq!(sockets(&folders, &[], &folders), (vec![near.clone(), far.clone()], Vec::new()));
        // A folder that a part of ours granted for its socket.
        let grants = [Grant::Read(folders[0].clone()), Grant::Read(deep)];
        assert_eq!(sockets(&folders, &grants, &folders).0, [near]);
    }

    #[test]
    fn a_search_that_is_given_up_says_so() {
        let top = tempfile::tempdir().unwrap();
        for name in ["x", "y", "z"] {
            std::fs::write(top.path().join(name), "").unwrap();
        }
        assert!(search(top.path(), &mut 3, &mut Vec::new()));
        assert!(!search(top.path(), &mut 2, &mut Vec::new()));
    }
}
