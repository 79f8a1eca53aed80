//! Remembers a workspace into which the program will write directly (tier L), to tell afterwards what it changed.
//!
//! Of every entry a stamp is kept: inode, length, mode, and the times of its last write and last change. A program
//! can set the first of those times but not the second, so a stamp that is the same means an entry that is the same.
//! Of protected paths, and of what acts in bare repositories, the contents are kept too; `restore` puts them back.

use super::listing::Listing;
use super::reach::{Entry, PERMISSIONS};
use super::standing::Budget;
use super::walk::{Mounted, Step, walk};
use super::withhold::{Before, Protection, judge};
use super::{ChangesError, Collected, bare};
use actum_model::byte_path::fits;
use actum_model::{Bytes, Change, Node, Standing, Withheld};
use actum_sandbox::Guard;
use rustix::fs::{FileType, fstat};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// What a [`Snapshot`] remembers and where it stops.
#[derive(Clone, Debug)]
pub struct SnapshotRules {
    /// Whether protected paths are listed as withheld, and kept to be put back.
    pub protection: Protection,
    /// What is protected in this workspace.
    pub guard: Guard,
    /// Contents of protected files that are kept in memory, in all.
    pub max_kept: Bytes,
    /// Entries that are stamped; what is beyond is not listed.
    pub max_entries: u64,
    /// Names in a path; deeper ones are not looked at.
    pub max_depth: usize,
    /// Paths that are not looked at, with everything below: somebody else writes there.
    pub skipped: Vec<Vec<u8>>,
    /// Folders that are not looked at, wherever they are by now: the stores of other projects, by device and inode.
    /// Others write there meanwhile, and what they wrote is not to be taken back.
    pub stores: BTreeSet<(u64, u64)>,
}

impl SnapshotRules {
    pub(super) fn is_skipped(&self, path: &[u8], entry: &Entry) -> bool {
        self.skipped.iter().any(|skipped| skipped == path)
            || is_ledger(path)
            || !self.stores.is_empty() && self.stores.contains(&(entry.stat.st_dev, entry.stat.st_ino))
    }
}

/// Device and inode of those folders of a list that are there.
pub fn identities<'a>(folders: impl IntoIterator<Item = &'a Path>) -> BTreeSet<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = folders.into_iter().filter_map(|path| path.symlink_metadata().ok());
    found.filter(|found| found.is_dir()).map(|found| (found.dev(), found.ino())).collect()
}

/// The ledger of a project below. Others write it meanwhile, and what it holds is proven by what it holds: putting it back would
/// roll it back.
fn is_ledger(path: &[u8]) -> bool {
    let mut names = path.rsplit(|byte| *byte == b'/');
    let (name, folder) = (names.next().unwrap_or_default(), names.next());
    folder == Some(b".actum") && (name.starts_with(b"ledger.db") || name == b"blobs")
}

impl Default for SnapshotRules {
    fn default() -> Self {
        let (protection, max_kept) = (Protection::Withheld, Bytes::mib(64));
        Self {
            protection,
            guard: Guard::default(),
            max_kept,
            max_entries: 1_000_000,
            max_depth: 256,
            skipped: Vec::new(),
            stores: BTreeSet::new(),
        }
    }
}

/// A workspace as it was before a run.
pub struct Snapshot {
    pub(super) rules: SnapshotRules,
    /// Device and inode of the root.
    root: (u64, u64),
    pub(super) stamps: BTreeMap<Vec<u8>, Stamp>,
    pub(super) kept: BTreeMap<Vec<u8>, Kept>,
    pub(super) truncated: bool,
    /// What other runs that write here meanwhile go by.
    pub(super) registration: Option<super::register::Registration>,
}

/// What tells whether an entry is still the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) inode: u64,
    length: i64,
    pub(super) mode: u32,
    written: (i64, i64),
    pub(super) changed: (i64, i64),
}

/// A protected entry, as far as it can be put back.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) stamp: Stamp,
    pub(super) owner: (u32, u32),
    pub(super) content: Content,
}

#[derive(Serialize, Deserialize)]
pub(super) enum Content {
    File(Vec<u8>),
    Link(Vec<u8>),
    Folder,
    /// Over the bound, or a special file: it can be seen to change but not be put back.
    Unknown,
}

impl Snapshot {
    /// Remembers the workspace. Protected paths are kept even beyond `max_entries`.
    pub fn take(workspace: BorrowedFd<'_>, rules: &SnapshotRules) -> Result<Self, ChangesError> {
        let (stamps, kept) = (BTreeMap::new(), BTreeMap::new());
        let root = identity(workspace)?;
        let mut snapshot =
            Self { rules: rules.clone(), root, stamps, kept, truncated: false, registration: None };
        let mut room = rules.max_kept.0;
        let mut shapes = bare::Shapes::of(workspace);
        walk(workspace, b"", Mounted::Skipped, &mut |path, entry| {
            if rules.is_skipped(path, entry) {
                return Ok(Step::Over);
            }
            let mut is_kept = || {
                let is_link = entry.kind() == FileType::Symlink;
                rules.guard.is_protected(path)
                    || shapes.acts(path)
                    || is_link && rules.guard.is_link_protected(path)
            };
            if rules.protection == Protection::Withheld && is_kept() {
                let kept = keep(entry, &mut room).map_err(ChangesError::refused("back up", path))?;
                snapshot.kept.insert(path.to_vec(), kept);
            }
            if (snapshot.stamps.len() as u64) < rules.max_entries {
                snapshot.stamps.insert(path.to_vec(), Stamp::of(entry));
            } else {
                snapshot.truncated = true;
                // Nothing beyond is kept either.
                if rules.protection == Protection::Lifted {
                    return Ok(Step::Stop);
                }
            }
            Ok(if fits(path, rules.max_depth) { Step::Into } else { Step::Over })
        })?;
        Ok(snapshot)
    }

    /// Whether all of the workspace was looked at.
    pub fn is_whole(&self) -> bool {
        !self.truncated
    }

    /// Lists what changed since, in the same words as [`collect`](super::collect). Only protected paths are marked as
    /// withheld, because only those are put back; everything else is in the workspace already.
    pub fn compare(&self, workspace: BorrowedFd<'_>) -> Result<Collected, ChangesError> {
        self.recognise(workspace)?;
        let mut listing = Listing::new(self.rules.max_entries, self.rules.max_depth);
        let (mut seen, mut budget) = (HashSet::new(), Budget::new(super::CollectRules::default().max_read));
        walk(workspace, b"", Mounted::Skipped, &mut |path, entry| {
            if self.rules.is_skipped(path, entry) {
                return Ok(Step::Over);
            }
            if !listing.count(path) {
                return Ok(Step::Stop);
            }
            seen.insert(path.to_vec());
            let deep = entry.is_folder() && !listing.fits(path);
            if let Some(mut change) = self.changed(path, entry, &mut budget)? {
                change.withheld = change.withheld.or(deep.then_some(Withheld::TooLarge));
                listing.add(change);
            }
            Ok(if deep { Step::Over } else { Step::Into })
        })?;
        if listing.is_full() {
            return Ok(listing.finish());
        }
        for (path, stamp) in self.stamps.iter().filter(|(path, _)| !seen.contains(*path)) {
            listing.deleted(path, stamp.standing(), self.judge(path, &Node::Nothing, Some(stamp)));
        }
        let mut collected = listing.finish();
        collected.truncated |= self.truncated;
        Ok(collected)
    }

    /// Fails when the folder at the workspace's path is another one by now.
    pub(super) fn recognise(&self, workspace: BorrowedFd<'_>) -> Result<(), ChangesError> {
        if identity(workspace)? == self.root { Ok(()) } else { Err(ChangesError::RootReplaced) }
    }

    fn changed(
        &self,
        path: &[u8],
        entry: &Entry,
        budget: &mut Budget,
    ) -> Result<Option<Change>, ChangesError> {
        let before = self.stamps.get(path);
        // Beyond the stamps nothing can be said about what is unknown.
        if before.is_some_and(|stamp| stamp.is_same(&Stamp::of(entry))) || before.is_none() && self.truncated
        {
            return Ok(None);
        }
        let after = budget.standing(entry).map_err(ChangesError::refused("read", path))?;
        let withheld = self.judge(path, &after.node, before);
        let before = before.map(Stamp::standing).unwrap_or_default();
        Ok(Some(Change { withheld, ..Change::between(path, before, after) }))
    }

    fn judge(&self, path: &[u8], node: &Node, before: Option<&Stamp>) -> Option<Withheld> {
        let before = match before {
            None => Before::Nothing,
            Some(stamp) if stamp.is_folder() => Before::Folder,
            Some(_) => Before::Other,
        };
        let judged = judge(path, node, before, (self.rules.protection, &self.rules.guard));
        judged.filter(|reason| *reason == Withheld::Protected)
    }
}

impl Stamp {
    pub(super) fn of(entry: &Entry) -> Self {
        let stat = &entry.stat;
        Self {
            inode: stat.st_ino,
            length: stat.st_size,
            mode: stat.st_mode,
            written: (stat.st_mtime, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime, stat.st_ctime_nsec as i64),
        }
    }

    /// Every name made or removed in a folder changes its times; those names are listed themselves, so of a folder
    /// only the mode counts.
    pub(super) fn is_same(&self, now: &Self) -> bool {
        if self.is_folder() { self.mode == now.mode } else { self == now }
    }

    /// As much as a stamp tells of what stood there: contents and targets were not read. A link is told as an empty
    /// target; nothing is ever put back from it.
    pub(super) fn standing(&self) -> Standing {
        let (size, mode) = (Bytes(self.length as u64), Some(self.mode & PERMISSIONS));
        let kind = |node| Standing { node, mode, ..Standing::default() };
        match FileType::from_raw_mode(self.mode) {
            FileType::RegularFile => Standing { size: Some(size), ..kind(Node::File) },
            FileType::Directory => kind(Node::Folder),
            FileType::Symlink => Standing { mode: None, ..kind(Node::Link { target: Vec::new() }) },
            FileType::Fifo => kind(Node::Fifo),
            FileType::Socket => kind(Node::Socket),
            FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => kind(Node::Device),
        }
    }

    fn is_folder(&self) -> bool {
        FileType::from_raw_mode(self.mode) == FileType::Directory
    }
}

fn identity(workspace: BorrowedFd<'_>) -> Result<(u64, u64), ChangesError> {
    let stat = fstat(workspace).map_err(ChangesError::refused("examine", b""))?;
    Ok((stat.st_dev as u64, stat.st_ino))
}

/// Keeps the contents while there is room.
fn keep(entry: &Entry, room: &mut u64) -> rustix::io::Result<Kept> {
    let content = match entry.kind() {
        FileType::Directory => Content::Folder,
        FileType::Symlink => Content::Link(entry.target()?),
        FileType::RegularFile if entry.stat.st_size as u64 <= *room => {
            let mut bytes = vec![0; entry.stat.st_size as usize];
            let length = super::copy::read_full(entry.open()?.as_fd(), &mut bytes, 0)?;
            bytes.truncate(length);
            *room -= length as u64;
            Content::File(bytes)
        }
        FileType::RegularFile | FileType::Fifo | FileType::Socket | FileType::Unknown => Content::Unknown,
        FileType::CharacterDevice | FileType::BlockDevice => Content::Unknown,
    };
    Ok(Kept { stamp: Stamp::of(entry), owner: (entry.stat.st_uid, entry.stat.st_gid), content })
}
