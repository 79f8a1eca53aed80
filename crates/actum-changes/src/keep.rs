//! Keeps contents apart from the workspace: what a run wrote, and what applying it is going to replace.

use super::apply::ApplyRules;
use super::folder::{Folder, Purpose};
use super::place::{Attributes, PREFIX};
use super::reach::{Entry, PERMISSIONS};
use super::shelf::{Shelf, is_file};
use super::standing::{Depth, standing};
use super::{ChangesError, copy};
use actum_model::byte_path::{is_plain, split};
use actum_model::{Bytes, Change, Node, Standing, Withheld};
use rustix::fs::{AtFlags, Timespec, unlinkat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::os::fd::{AsFd, BorrowedFd};

/// The unit in which files are told how much they take.
const BLOCK: u64 = 512;

/// Whether the contents of a change can be kept, and so be applied, now or when somebody asks for it by name.
pub fn is_keepable(change: &Change) -> bool {
    change.withheld.is_none_or(Withheld::can_be_lifted)
}

/// Copies the new contents of files from an upper layer onto a shelf, with the attributes that they will have in the
/// workspace. The bounds of `rules` are checked before anything is written.
pub fn keep(
    upper: BorrowedFd<'_>,
    shelf: BorrowedFd<'_>,
    changes: &[Change],
    rules: &ApplyRules,
) -> Result<(), ChangesError> {
    let wanted = || changes.iter().filter(|change| change.after.node == Node::File && is_keepable(change));
    check_total(upper, wanted(), rules)?;
    for change in wanted() {
        let source = listed(upper, change, rules)?;
        let attributes = attributes_of(&source, change, rules);
        let kept = Shelf(shelf).copy(&change.path, &source, &attributes);
        kept.map_err(ChangesError::refused("store", &change.path))?;
    }
    Ok(())
}

/// One file of a program that goes on, copied onto a shelf.
pub(super) struct KeptNow {
    /// What was copied.
    pub(super) standing: Standing,
    /// Blocks that the copy may take.
    pub(super) bytes: u64,
    /// Nobody wrote it meanwhile.
    pub(super) is_whole: bool,
}

/// Copies a file as it is now, whatever it was when it was listed. `None`: it is no file any more, or grew shorter meanwhile.
pub(super) fn keep_now(
    upper: BorrowedFd<'_>,
    shelf: BorrowedFd<'_>,
    change: &Change,
    rules: &ApplyRules,
) -> Result<Option<KeptNow>, ChangesError> {
    let path = change.path.as_slice();
    let there = || look(upper, path).ok().flatten().filter(is_file);
    let Some(source) = there().filter(|source| source.stat.st_size as u64 <= rules.max_file.0) else {
        return Ok(None);
    };
    match Shelf(shelf).copy(path, &source, &attributes_of(&source, change, rules)) {
        Err(Errno::IO) => return Ok(None),
        copied => copied.map_err(ChangesError::refused("store", path))?,
    }
    let copy = Shelf(shelf).find(path)?.ok_or_else(|| ChangesError::NotAsListed { path: path.to_vec() })?;
    let copied = standing(&copy, Depth::Whole).map_err(ChangesError::refused("read", path))?;
    let is_whole = there().is_some_and(|now| now.is_untouched_since(&source));
    let standing = Standing { mode: change.after.mode, ..copied };
    Ok(Some(KeptNow { standing, bytes: copy.stat.st_blocks as u64 * BLOCK, is_whole }))
}

/// The attributes that a file will have in the workspace.
fn attributes_of(source: &Entry, change: &Change, rules: &ApplyRules) -> Attributes {
    let (tv_sec, tv_nsec) = (source.stat.st_mtime, source.stat.st_mtime_nsec as _);
    Attributes {
        owner: rules.owner,
        mode: change.after.mode.unwrap_or(0o600) & PERMISSIONS,
        // Tools that rebuild by time see the order in which the program wrote.
        modified: Some(Timespec { tv_sec, tv_nsec }),
    }
}

/// Keeps on a shelf what stands in the workspace where changes are going to be placed. Files of the same file system
/// are kept by a second name; copies of others may take `max_total`.
pub fn save(
    workspace: BorrowedFd<'_>,
    shelf: BorrowedFd<'_>,
    changes: &[Change],
    max_total: Option<Bytes>,
) -> Result<(), ChangesError> {
    check_paths(changes)?;
    let mut copied = 0_u64;
    for change in changes.iter().filter(|change| change.before.node == Node::File) {
        let refused = |source| ChangesError::refused("back up", &change.path)(source);
        let there = look(workspace, &change.path).map_err(refused)?;
        let there = there.filter(|there| is_file(there) && is_of_size(there, &change.before));
        let there = there.ok_or_else(|| ChangesError::NotAsListed { path: change.path.clone() })?;
        copied = copied.saturating_add(
            Shelf(shelf).save(&change.path, &there, change.before.sha256.as_ref()).map_err(refused)?,
        );
        if max_total.is_some_and(|max| copied > max.0) {
            return Err(refused(Errno::DQUOT));
        }
    }
    Ok(())
}

/// Of changes whose placing was interrupted, those that can be in the workspace by now, inverted: what takes them back.
/// A file that still waits on its shelf was not placed, so what stands at its path is not ours to remove.
pub fn placed(shelf: BorrowedFd<'_>, changes: &[Change]) -> Result<Vec<Change>, ChangesError> {
    let mut placed = Vec::new();
    for change in changes {
        if change.after.node != Node::File || Shelf(shelf).find(&change.path)?.is_none() {
            placed.push(change.inverse());
        }
    }
    Ok(placed)
}

/// Puts back on their shelf the files that were placed from it, as far as they are there and not on it already.
pub fn reclaim(
    workspace: BorrowedFd<'_>,
    shelf: BorrowedFd<'_>,
    inverse: &[Change],
) -> Result<(), ChangesError> {
    check_paths(inverse)?;
    for change in inverse.iter().filter(|change| change.before.node == Node::File) {
        let Ok(Some(there)) = look(workspace, &change.path) else { continue };
        if is_file(&there) && is_of_size(&there, &change.before) && Shelf(shelf).find(&change.path)?.is_none()
        {
            let saved = Shelf(shelf).save(&change.path, &there, change.before.sha256.as_ref());
            saved.map_err(ChangesError::refused("store", &change.path))?;
        }
    }
    Ok(())
}

/// The first path, if any, whose new contents are whole neither on the shelf nor in the workspace: a power cut can take
/// what was written without being flushed.
pub fn lost(
    shelf: BorrowedFd<'_>,
    workspace: BorrowedFd<'_>,
    changes: &[Change],
) -> Result<Option<Vec<u8>>, ChangesError> {
    check_paths(changes)?;
    for change in changes.iter().filter(|change| change.after.node == Node::File) {
        let found = match Shelf(shelf).find(&change.path)? {
            None => look(workspace, &change.path).ok().flatten(),
            waiting => waiting,
        };
        let is_whole =
            |entry: &Entry| standing(entry, Depth::Whole).is_ok_and(|now| now.is_alike(&change.after));
        if !found.as_ref().is_some_and(is_whole) {
            return Ok(Some(change.path.clone()));
        }
    }
    Ok(None)
}

/// Removes drafts that a killed placing left in the folders of its changes.
pub fn sweep(workspace: BorrowedFd<'_>, changes: &[Change]) -> Result<(), ChangesError> {
    check_paths(changes)?;
    let folders: BTreeSet<&[u8]> = changes.iter().map(|change| split(&change.path).0).collect();
    for path in folders {
        let Ok(folder) = Folder::open(workspace, path, Purpose::Write) else { continue };
        let names = folder.names().map_err(ChangesError::refused("list", path))?;
        let drafts: Vec<Vec<u8>> =
            names.flatten().filter(|name| name.starts_with(PREFIX.as_bytes())).collect();
        for name in drafts {
            unlinkat(&folder, &name, AtFlags::empty()).map_err(ChangesError::refused("clean up", path))?;
        }
    }
    Ok(())
}

/// The bytes of a file in a hostile tree. `None` for what is no file, is not there or is longer than `max`.
pub fn read_file(root: BorrowedFd<'_>, path: &[u8], max: Bytes) -> Option<Vec<u8>> {
    let entry = look(root, path).ok().flatten().filter(is_file)?;
    let mut bytes = vec![0; usize::try_from(entry.stat.st_size).ok().filter(|size| *size as u64 <= max.0)?];
    let length = copy::read_full(entry.open().ok()?.as_fd(), &mut bytes, 0).ok()?;
    bytes.truncate(length);
    Some(bytes)
}

/// What stands at a path of a hostile tree, its folders opened as far as they are ours.
pub(super) fn look(root: BorrowedFd<'_>, path: &[u8]) -> rustix::io::Result<Option<Entry>> {
    let (parent, name) = split(path);
    match Folder::open(root, parent, Purpose::Read) {
        Err(Errno::NOENT) => Ok(None),
        folder => folder?.entry(name),
    }
}

/// Fails for a list that names anything but paths inside.
pub(super) fn check_paths(changes: &[Change]) -> Result<(), ChangesError> {
    match changes.iter().find(|change| !is_plain(&change.path)) {
        Some(change) => Err(ChangesError::BadPath { path: change.path.clone() }),
        None => Ok(()),
    }
}

fn is_of_size(entry: &Entry, standing: &Standing) -> bool {
    standing.size == Some(Bytes(entry.stat.st_size as u64))
}

/// Before anything is written: what fits into the layer once may not fit elsewhere name by name.
pub(super) fn check_total<'a>(
    upper: BorrowedFd<'_>,
    wanted: impl Iterator<Item = &'a Change>,
    rules: &ApplyRules,
) -> Result<(), ChangesError> {
    let Some(max) = rules.max_total else { return Ok(()) };
    let mut total = 0_u64;
    for change in wanted {
        total = total.saturating_add(listed(upper, change, rules)?.stat.st_blocks as u64 * BLOCK);
        if total > max.0 {
            return Err(ChangesError::refused("write", &change.path)(Errno::DQUOT));
        }
    }
    Ok(())
}

/// The file in the upper layer, if it is still the one that was listed.
pub(super) fn listed(
    upper: BorrowedFd<'_>,
    change: &Change,
    rules: &ApplyRules,
) -> Result<Entry, ChangesError> {
    let found = look(upper, &change.path).map_err(ChangesError::refused("read", &change.path))?;
    let is_listed = |entry: &Entry| {
        let length = Bytes(entry.stat.st_size as u64);
        is_file(entry) && is_of_size(entry, &change.after) && length <= rules.max_file
    };
    found.filter(is_listed).ok_or_else(|| ChangesError::NotAsListed { path: change.path.clone() })
}
