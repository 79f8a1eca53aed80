//! Removes a tree of any depth with neither recursion nor a descriptor for each level.

use super::folder::{Folder, Purpose};
use super::place::with_free_name;
use super::reach::Entry;
use rustix::fs::{AtFlags, RenameFlags, renameat_with, unlinkat};
use rustix::io::{Errno, Result};

/// Removes `name` from a folder, with everything in it. Links are removed, not followed; what is gone already counts
/// as removed.
///
/// A folder that is not empty is flattened: the folders in it are moved beside it under names of ours and emptied
/// in turn. So a chain of ten thousand folders costs as many renames, and no path is longer than one name.
pub(super) fn remove(folder: &Folder, name: &[u8]) -> Result<()> {
    let mut pending = vec![name.to_vec()];
    while let Some(name) = pending.pop() {
        match unlinkat(folder, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
            Err(Errno::ISDIR) => {}
            Err(error) => return Err(error),
        }
        if let Some(entry) = folder.entry(&name)? {
            empty(folder, entry, &mut pending)?;
            unlinkat(folder, &name, AtFlags::REMOVEDIR)?;
        }
    }
    Ok(())
}

fn empty(folder: &Folder, entry: Entry, pending: &mut Vec<Vec<u8>>) -> Result<()> {
    let emptied = Folder::lend(entry, Purpose::Write)?;
    let names = emptied.names()?.collect::<Result<Vec<_>>>()?;
    for name in names {
        match unlinkat(&emptied, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
            Err(Errno::ISDIR) => {}
            Err(error) => return Err(error),
        }
        let Some(entry) = emptied.entry(&name)? else { continue };
        // Moving a folder writes its `..`, for which it has to be writable.
        let _lent = Folder::lend(entry, Purpose::Write)?;
        let (moved, ()) =
            with_free_name(|free| renameat_with(&emptied, &name, folder, free, RenameFlags::NOREPLACE))?;
        pending.push(moved.into_bytes());
    }
    Ok(())
}
