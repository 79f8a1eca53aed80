//! Visits everything beneath a folder, without recursion and with one folder open at a time.

use super::ChangesError;
use super::folder::{Folder, Purpose};
use super::reach::Entry;
use actum_model::byte_path::join;
use rustix::io::Errno;
use std::os::fd::BorrowedFd;

/// What to do after an entry was visited.
pub(super) enum Step {
    /// Enter it if it is a folder.
    Into,
    /// Do not enter it.
    Over,
    /// End the walk.
    Stop,
}

/// What to do about a folder on which another file system is mounted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mounted {
    /// Fail: the walk has to be complete.
    Refused,
    /// Leave it out.
    Skipped,
}

/// Called with the path and the handle of each entry.
type Visit<'a> = dyn FnMut(&[u8], &Entry) -> Result<Step, ChangesError> + 'a;

/// Visits what lies beneath `start` (itself not), folders before their contents, otherwise in no order. What vanishes
/// between being named and being opened is not visited.
pub(super) fn walk(
    root: BorrowedFd<'_>,
    start: &[u8],
    mounted: Mounted,
    visit: &mut Visit<'_>,
) -> Result<(), ChangesError> {
    let mut pending = vec![start.to_vec()];
    while let Some(path) = pending.pop() {
        let folder = match Folder::open(root, &path, Purpose::Read) {
            Err(Errno::NOENT) => continue,
            folder => folder.map_err(ChangesError::refused("open", &path))?,
        };
        for name in folder.names().map_err(ChangesError::refused("list", &path))? {
            let name = name.map_err(ChangesError::refused("list", &path))?;
            let path = join(&path, &name);
            let entry = match folder.entry(&name) {
                Err(Errno::XDEV) if mounted == Mounted::Skipped => continue,
                entry => entry.map_err(ChangesError::refused("open", &path))?,
            };
            let Some(entry) = entry else { continue };
            match visit(&path, &entry)? {
                Step::Into if entry.is_folder() => pending.push(path),
                Step::Into | Step::Over => {}
                Step::Stop => return Ok(()),
            }
        }
    }
    Ok(())
}
