//! Puts protected paths back after a run that wrote directly into the workspace.

use super::folder::{Folder, Purpose};
use super::listing::node_of;
use super::place::{Attributes, Draft, Owner, make_folder};
use super::reach::{Entry, PERMISSIONS};
use super::snapshot::{Content, Kept, Stamp};
use super::standing::{Depth, standing};
use super::walk::{Mounted, Step, walk};
use super::{ChangesError, Protection, Snapshot, bare, copy, remove};
use actum_model::byte_path::{fits, split};
use actum_model::{Change, Node, Standing, Withheld};
use rustix::fs::{AtFlags, FileType, StatxFlags, statx};
use rustix::io::{Errno, Result};
use std::collections::{BTreeSet, HashMap};
use std::os::fd::{AsFd, BorrowedFd};

/// What happened to protected paths, told as the changes that the program had made.
#[derive(Debug, Default)]
pub struct Restored {
    /// Undone. A new folder is listed once, for everything in it.
    pub put_back: Vec<Change>,
    /// Not undone; somebody has to look.
    pub lost: Vec<Lost>,
}

/// A change of a protected path that stays.
#[derive(Debug)]
pub struct Lost {
    pub change: Change,
    /// What stood in the way, for example another thing where a folder of its path was: that may be a result, and is
    /// not removed. Absent when the contents were too large to have been kept ([`ChangesError::NotKept`]).
    pub cause: Option<ChangesError>,
}

impl Snapshot {
    /// Undoes changes of protected paths: rewrites what was modified or deleted, removes what was created. The
    /// program and all its children must have ended.
    ///
    /// One path that cannot be put back does not keep the others from it, and there is no bound on entries: a program
    /// must not be able to shield a change by an obstacle or by a million others.
    ///
    /// `stores` are stores that were made meanwhile, as in [`SnapshotRules`](super::SnapshotRules).
    pub fn restore_protected(
        &self,
        workspace: BorrowedFd<'_>,
        stores: &BTreeSet<(u64, u64)>,
    ) -> std::result::Result<Restored, ChangesError> {
        self.recognise(workspace)?;
        let mut restored = Restored::default();
        if self.rules.protection == Protection::Lifted {
            return Ok(restored);
        }
        let mut found = self.find_protected(workspace, stores)?;
        found.created.sort_by(|(one, _), (other, _)| one.path.cmp(&other.path));
        // What was moved may be the only copy: it goes when it is back in its place.
        let kept: HashMap<u64, &Kept> = self.kept.values().map(|kept| (kept.stamp.inode, kept)).collect();
        let (moved, created): (Vec<_>, Vec<_>) = found.created.into_iter().partition(|(change, inode)| {
            kept.get(inode).is_some_and(|kept| was_born_before(workspace, &change.path, kept))
        });
        for (change, _) in created {
            restored.remove(workspace, change);
        }
        let mut homeless = HashMap::new();
        for (path, kept) in &self.kept {
            let change = match found.present.remove(path) {
                Some(None) => continue,
                Some(Some(change)) => change,
                None => protected(path, kept.before(), Standing::default()),
            };
            let done = self.put_back(workspace, path, kept);
            if !matches!(done, Ok(true)) {
                homeless.insert(kept.stamp.inode, kept);
            }
            restored.note(change, "restore", done);
        }
        for (change, inode) in moved {
            let stays = homeless.get(&inode).is_some_and(|kept| {
                matches!(kept.content, Content::File(_))
                    && self.put_back(workspace, &change.path, kept).is_ok_and(|done| done)
            });
            if !stays {
                restored.remove(workspace, change);
            }
        }
        Ok(restored)
    }

    fn find_protected(
        &self,
        workspace: BorrowedFd<'_>,
        stores: &BTreeSet<(u64, u64)>,
    ) -> std::result::Result<Found, ChangesError> {
        let mut found = Found::default();
        let mut shapes = bare::Shapes::of(workspace);
        walk(workspace, b"", Mounted::Skipped, &mut |path, entry| {
            let is_new_store = stores.contains(&(entry.stat.st_dev, entry.stat.st_ino));
            if is_new_store || self.rules.is_skipped(path, entry) {
                return Ok(Step::Over);
            }
            let refused = |source| ChangesError::refused("compare", path)(source);
            let into = if fits(path, self.rules.max_depth) { Step::Into } else { Step::Over };
            if bare::completes(workspace, path, &|path| self.is_new(path)) {
                let after = standing(entry, Depth::Glance).map_err(refused)?;
                found.created.push((protected(path, Standing::default(), after), entry.stat.st_ino));
                return Ok(Step::Over);
            }
            let is_link = entry.kind() == FileType::Symlink;
            let acts = self.is_new(path)
                && (shapes.acts(path) || is_link && self.rules.guard.is_link_protected(path));
            if !acts && !self.kept.contains_key(path) && !self.rules.guard.is_protected(path) {
                return Ok(into);
            }
            let node = node_of(entry).map_err(refused)?;
            let Some(kept) = self.kept.get(path) else {
                // A repository that the program made stays; what acts in it does not.
                if !acts && !self.rules.guard.protected_as(path, &node) {
                    return Ok(into);
                }
                let after = standing(entry, Depth::Glance).map_err(refused)?;
                found.created.push((protected(path, Standing::default(), after), entry.stat.st_ino));
                return Ok(Step::Over);
            };
            let same = kept.is_same(entry).map_err(refused)?;
            let after = standing(entry, Depth::Glance).map_err(refused)?;
            let change = (!same).then(|| protected(path, kept.before(), after));
            found.present.insert(path.to_vec(), change);
            Ok(into)
        })?;
        Ok(found)
    }

    /// Whether a path was surely not there before.
    fn is_new(&self, path: &[u8]) -> bool {
        !self.truncated && !self.stamps.contains_key(path)
    }

    /// Says whether it could be put back.
    fn put_back(&self, workspace: BorrowedFd<'_>, path: &[u8], kept: &Kept) -> Result<bool> {
        let owner = rustix::process::geteuid().is_root().then_some(kept.owner);
        let (parent, name) = split(path);
        if matches!(kept.content, Content::Unknown) {
            return Ok(false);
        }
        self.make_parents(workspace, parent, owner)?;
        let folder = Folder::open(workspace, parent, Purpose::Write)?;
        let mode = kept.stamp.mode & 0o7777;
        match &kept.content {
            Content::File(bytes) => {
                let (draft, file) = Draft::file(&folder)?;
                copy::write(file.as_fd(), bytes)?;
                draft
                    .finish(file.as_fd(), &Attributes { owner, mode: mode & PERMISSIONS, modified: None })?;
                replace(&folder, draft, name)?;
            }
            Content::Link(target) => replace(&folder, Draft::link(&folder, target, owner)?, name)?,
            Content::Folder => {
                make_folder(&folder, name, owner)?;
                Folder::open(folder.as_fd(), name, Purpose::Read)?.set_mode(mode)?;
            }
            Content::Unknown => return Ok(false),
        }
        Ok(true)
    }

    /// Makes the folders above a deleted path again, with the modes they had. Fails where something else stands.
    fn make_parents(&self, workspace: BorrowedFd<'_>, path: &[u8], owner: Option<Owner>) -> Result<()> {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let ends = ends.chain((!path.is_empty()).then_some(path.len()));
        for path in ends.map(|end| &path[..end]) {
            let (parent, name) = split(path);
            let folder = Folder::open(workspace, parent, Purpose::Write)?;
            match folder.entry(name)? {
                Some(entry) if entry.is_folder() => {}
                Some(_) => return Err(Errno::NOTDIR),
                None => {
                    make_folder(&folder, name, owner)?;
                    let mode = self.stamps.get(path).map_or(0o755, |stamp| stamp.mode & 0o7777);
                    Folder::open(folder.as_fd(), name, Purpose::Read)?.set_mode(mode)?;
                }
            }
        }
        Ok(())
    }
}

impl Restored {
    fn remove(&mut self, workspace: BorrowedFd<'_>, change: Change) {
        let (parent, name) = split(&change.path);
        let folder = Folder::open(workspace, parent, Purpose::Write);
        let removed = folder.and_then(|folder| remove::remove(&folder, name)).map(|()| true);
        self.note(change, "remove", removed);
    }

    fn note(&mut self, change: Change, doing: &'static str, done: Result<bool>) {
        match done {
            Ok(true) => self.put_back.push(change),
            Ok(false) => self.lost.push(Lost { change, cause: None }),
            Err(source) => {
                let cause = Some(ChangesError::refused(doing, &change.path)(source));
                self.lost.push(Lost { change, cause });
            }
        }
    }
}

/// Protected paths that are there now.
#[derive(Default)]
struct Found {
    /// Each with its inode.
    created: Vec<(Change, u64)>,
    /// For each that was there before, how it changed.
    present: HashMap<Vec<u8>, Option<Change>>,
}

impl Kept {
    fn before(&self) -> Standing {
        let standing = self.stamp.standing();
        match &self.content {
            Content::Link(target) => Standing { node: Node::Link { target: target.clone() }, ..standing },
            Content::File(_) | Content::Folder | Content::Unknown => standing,
        }
    }

    /// By contents where they are known: a file rewritten with the same bytes needs no repair.
    fn is_same(&self, now: &Entry) -> Result<bool> {
        let stamp = Stamp::of(now);
        let is_alike = self.stamp.mode == stamp.mode;
        match &self.content {
            Content::Folder => Ok(is_alike),
            Content::Link(target) => Ok(now.kind() == FileType::Symlink && now.target()? == *target),
            Content::Unknown => Ok(self.stamp.is_same(&stamp)),
            Content::File(bytes) if !is_alike || now.stat.st_size as usize != bytes.len() => Ok(false),
            Content::File(bytes) => {
                let mut current = vec![0; bytes.len()];
                let length = copy::read_full(now.open()?.as_fd(), &mut current, 0)?;
                Ok(length == bytes.len() && current == *bytes)
            }
        }
    }
}

/// Whether an entry is older than what was known of a kept one: else it only has the number of one that is gone.
fn was_born_before(workspace: BorrowedFd<'_>, path: &[u8], kept: &Kept) -> bool {
    let (parent, name) = split(path);
    let Ok(folder) = Folder::open(workspace, parent, Purpose::Read) else { return false };
    let asked = statx(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BTIME);
    let born =
        asked.ok().filter(|found| StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME));
    born.is_some_and(|found| {
        (found.stx_btime.tv_sec, i64::from(found.stx_btime.tv_nsec)) <= kept.stamp.changed
    })
}

/// Gives a draft its name, even where the program put a folder with contents.
fn replace(folder: &Folder, draft: Draft<'_>, name: &[u8]) -> Result<()> {
    if folder.entry(name)?.is_some_and(|entry| entry.is_folder()) {
        remove::remove(folder, name)?;
    }
    draft.publish(name)
}

fn protected(path: &[u8], before: Standing, after: Standing) -> Change {
    Change { withheld: Some(Withheld::Protected), ..Change::between(path, before, after) }
}
