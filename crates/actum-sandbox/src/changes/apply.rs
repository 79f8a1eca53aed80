//! Carries collected changes from an upper layer into the workspace.
//!
//! The order makes every replacement possible: deletions from the deepest up, then folders from the top down (open
//! to us alone, so that a read-only folder does not shut out its own contents), then files and links, each in one
//! step, and last the modes of folders. The workspace may be written by others meanwhile; a link that turns up in a
//! path is an error, never followed.

use super::folder::{Folder, Purpose};
use super::path::{is_plain, split};
use super::place::{Attributes, Draft, make_folder};
use super::reach::{Entry, PERMISSIONS};
use super::{ChangesError, copy};
use actum_model::{Bytes, Change, ChangeKind, Node};
use rustix::fs::{AtFlags, FileType, Timespec, unlinkat};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd};

/// How changes are applied.
#[derive(Clone, Debug)]
pub struct ApplyRules {
    /// The user and group that own what is created; absent: whoever we are. Only root can give files away.
    pub owner: Option<(u32, u32)>,
    /// A file that is longer by now is refused; the same bound as in [`CollectRules`](super::CollectRules).
    pub max_file: Bytes,
    /// The most that all files together may take; a file with many names is written once for each. Absent: no bound.
    pub max_total: Option<Bytes>,
}

impl Default for ApplyRules {
    fn default() -> Self {
        Self { owner: None, max_file: super::CollectRules::default().max_file, max_total: None }
    }
}

/// What was done. Withheld changes are counted and left alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    pub created: u64,
    pub modified: u64,
    pub deleted: u64,
    pub withheld: u64,
}

impl Applied {
    /// The number of changes that are in the workspace now.
    pub fn total(&self) -> u64 {
        self.created + self.modified + self.deleted
    }

    fn count(&mut self, kind: ChangeKind) {
        match kind {
            ChangeKind::Created => self.created += 1,
            ChangeKind::Modified => self.modified += 1,
            ChangeKind::Deleted => self.deleted += 1,
        }
    }
}

/// Applies what is not withheld. `changes` are those of [`collect`](super::collect), sorted, for the same upper
/// folder. Stops at the first error, which says what had been done; nothing half-written stays behind.
pub fn apply(
    upper: BorrowedFd<'_>,
    workspace: BorrowedFd<'_>,
    changes: &[Change],
    rules: &ApplyRules,
) -> Result<Applied, ChangesError> {
    if let Some(change) = changes.iter().find(|change| !is_plain(&change.path)) {
        return Err(ChangesError::BadPath { path: change.path.clone() });
    }
    let mut application = Application { upper, workspace, rules, applied: Applied::default() };
    match application.all(changes) {
        Ok(()) => Ok(application.applied),
        Err(source) => Err(ChangesError::Stopped { applied: application.applied, source: Box::new(source) }),
    }
}

struct Application<'a> {
    upper: BorrowedFd<'a>,
    workspace: BorrowedFd<'a>,
    rules: &'a ApplyRules,
    applied: Applied,
}

impl Application<'_> {
    fn all(&mut self, changes: &[Change]) -> Result<(), ChangesError> {
        let wanted: Vec<&Change> = changes.iter().filter(|change| change.withheld.is_none()).collect();
        self.applied.withheld = (changes.len() - wanted.len()) as u64;
        self.check_total(&wanted)?;
        for change in wanted.iter().rev().filter(|change| change.after.node == Node::Nothing) {
            self.delete(&change.path)?;
            self.applied.count(change.kind);
        }
        for change in wanted.iter().filter(|change| change.after.node == Node::Folder) {
            self.folder(&change.path)?;
        }
        for change in &wanted {
            match &change.after.node {
                Node::File => self.file(change)?,
                Node::Link { target } => self.link(&change.path, target)?,
                // Special nodes are never applied, whatever the list says.
                Node::Folder | Node::Nothing | Node::Fifo | Node::Socket | Node::Device => continue,
            }
            self.applied.count(change.kind);
        }
        for change in wanted.iter().rev().filter(|change| change.after.node == Node::Folder) {
            self.folder_mode(change)?;
            self.applied.count(change.kind);
        }
        Ok(())
    }

    /// Before anything is written: what fits into the layer once may not fit into the workspace name by name.
    fn check_total(&self, wanted: &[&Change]) -> Result<(), ChangesError> {
        const BLOCK: u64 = 512;
        let Some(max) = self.rules.max_total else { return Ok(()) };
        let mut total = 0_u64;
        for change in wanted.iter().filter(|change| change.after.node == Node::File) {
            total = total.saturating_add(self.source(change)?.stat.st_blocks as u64 * BLOCK);
            if total > max.0 {
                return Err(ChangesError::refused("write", &change.path)(Errno::DQUOT));
            }
        }
        Ok(())
    }

    /// What is gone already counts as deleted.
    fn delete(&self, path: &[u8]) -> Result<(), ChangesError> {
        let (parent, name) = split(path);
        let folder = match Folder::open(self.workspace, parent, Purpose::Write) {
            Err(Errno::NOENT) => return Ok(()),
            folder => folder.map_err(ChangesError::refused("delete", path))?,
        };
        let deleted = match unlinkat(&folder, name, AtFlags::empty()) {
            Err(Errno::ISDIR) => unlinkat(&folder, name, AtFlags::REMOVEDIR),
            deleted => deleted,
        };
        match deleted {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(ChangesError::refused("delete", path)(error)),
        }
    }

    fn folder(&self, path: &[u8]) -> Result<(), ChangesError> {
        let (parent, name) = split(path);
        Folder::open(self.workspace, parent, Purpose::Write)
            .and_then(|parent| make_folder(&parent, name, self.rules.owner))
            .map(|_made| ())
            .map_err(ChangesError::refused("create", path))
    }

    /// The special bits of a folder that was there before (or that a shared parent hands down) are not the program's.
    fn folder_mode(&self, change: &Change) -> Result<(), ChangesError> {
        let Some(mode) = change.after.mode else { return Ok(()) };
        let set = |folder: Folder| {
            let special = folder.own_mode() & !PERMISSIONS;
            folder.set_mode(mode & PERMISSIONS | special)
        };
        let opened = Folder::open(self.workspace, &change.path, Purpose::Read);
        opened.and_then(set).map_err(ChangesError::refused("set the permissions of", &change.path))
    }

    fn file(&self, change: &Change) -> Result<(), ChangesError> {
        let refused = |source| ChangesError::refused("write", &change.path)(source);
        let source = self.source(change)?;
        let length = source.stat.st_size as u64;
        let from = source.open().map_err(refused)?;
        let (parent, name) = split(&change.path);
        let folder = Folder::open(self.workspace, parent, Purpose::Write).map_err(refused)?;
        let (draft, to) = Draft::file(&folder).map_err(refused)?;
        copy::copy(from.as_fd(), to.as_fd(), length).map_err(refused)?;
        let (mode, owner) = (change.after.mode.unwrap_or(0o600) & PERMISSIONS, self.rules.owner);
        // Tools that rebuild by time see the order in which the program wrote.
        let (tv_sec, tv_nsec) = (source.stat.st_mtime, source.stat.st_mtime_nsec as _);
        let modified = Some(Timespec { tv_sec, tv_nsec });
        draft.finish(to.as_fd(), &Attributes { owner, mode, modified }).map_err(refused)?;
        draft.publish(name).map_err(refused)
    }

    /// The file in the upper layer, if it is still the one that was listed.
    fn source(&self, change: &Change) -> Result<Entry, ChangesError> {
        let (parent, name) = split(&change.path);
        let found = Folder::open(self.upper, parent, Purpose::Read).and_then(|folder| folder.entry(name));
        let found = found.map_err(ChangesError::refused("read", &change.path))?;
        let is_listed = |entry: &Entry| {
            let length = Bytes(entry.stat.st_size as u64);
            entry.kind() == FileType::RegularFile
                && change.after.size == Some(length)
                && length <= self.rules.max_file
        };
        found.filter(is_listed).ok_or_else(|| ChangesError::NotAsListed { path: change.path.clone() })
    }

    fn link(&self, path: &[u8], target: &[u8]) -> Result<(), ChangesError> {
        let refused = |source| ChangesError::refused("link", path)(source);
        let (parent, name) = split(path);
        let folder = Folder::open(self.workspace, parent, Purpose::Write).map_err(refused)?;
        let draft = Draft::link(&folder, target, self.rules.owner).map_err(refused)?;
        draft.publish(name).map_err(refused)
    }
}
