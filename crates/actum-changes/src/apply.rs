//! Carries collected changes into the workspace, from an upper layer or from a shelf.
//!
//! The order makes every replacement possible: deletions from the deepest up, then folders from the top down (open
//! to us alone, so that a read-only folder does not shut out its own contents), then files and links, each in one
//! step, and last the modes of folders. The workspace may be written by others meanwhile; a link that turns up in a
//! path is an error, never followed.
//!
//! From a shelf the same list can be carried over again after an interruption: what is gone is deleted, what is no
//! longer on the shelf was placed, and folders, links and modes are set to what they are already.

use super::folder::{Folder, Purpose};
use super::keep::{check_paths, check_total, listed};
use super::place::{Attributes, Draft, make_folder};
use super::reach::PERMISSIONS;
use super::shelf::Shelf;
use super::{ChangesError, copy};
use actum_model::byte_path::{ancestors, split};
use actum_model::{Bytes, Change, ChangeKind, Node};
use rustix::fs::{AtFlags, Timespec, unlinkat};
use rustix::io::Errno;
use std::collections::HashSet;
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

/// Called with the path before each step. Ours does nothing; a test's may end it all there.
pub type Pace<'a> = &'a mut dyn FnMut(&[u8]);

/// What to do about a step that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// Stop there and tell.
    Stop,
    /// Do all the other steps, then tell the first failure: for putting back, where every path that can be saved counts.
    GoOn,
}

/// Applies what is not withheld. `changes` are those of [`collect`](super::collect), sorted, for the same upper
/// folder. Stops at the first error, which says what had been done; nothing half-written stays behind.
pub fn apply(
    upper: BorrowedFd<'_>,
    workspace: BorrowedFd<'_>,
    changes: &[Change],
    rules: &ApplyRules,
) -> Result<Applied, ChangesError> {
    let from = From::Layer(upper, rules);
    Application::new(from, workspace, rules.owner, OnError::Stop).carry(changes, &mut |_| {})
}

/// Places what is not withheld from a shelf. `changes` are sorted; doing it again goes on where it stopped.
pub fn place(
    shelf: BorrowedFd<'_>,
    workspace: BorrowedFd<'_>,
    changes: &[Change],
    rules: &PlaceRules,
    pace: Pace<'_>,
) -> Result<Applied, ChangesError> {
    let from = From::Shelf(Shelf(shelf));
    Application::new(from, workspace, rules.owner, rules.on_error).carry(changes, pace)
}

/// How changes are placed.
#[derive(Clone, Copy, Debug)]
pub struct PlaceRules {
    /// As in [`ApplyRules`], for folders and links; files have theirs already.
    pub owner: Option<(u32, u32)>,
    pub on_error: OnError,
}

/// Where contents come from.
enum From<'a> {
    Layer(BorrowedFd<'a>, &'a ApplyRules),
    Shelf(Shelf<'a>),
}

struct Application<'a> {
    from: From<'a>,
    workspace: BorrowedFd<'a>,
    owner: Option<(u32, u32)>,
    on_error: OnError,
    applied: Applied,
    failed: Option<ChangesError>,
}

impl<'a> Application<'a> {
    fn new(from: From<'a>, workspace: BorrowedFd<'a>, owner: Option<(u32, u32)>, on_error: OnError) -> Self {
        Self { from, workspace, owner, on_error, applied: Applied::default(), failed: None }
    }

    fn carry(mut self, changes: &[Change], pace: Pace<'_>) -> Result<Applied, ChangesError> {
        check_paths(changes)?;
        let done = self.all(changes, pace);
        match done.err().or(self.failed) {
            None => Ok(self.applied),
            Some(source) => Err(ChangesError::Stopped { applied: self.applied, source: Box::new(source) }),
        }
    }

    fn all(&mut self, changes: &[Change], pace: Pace<'_>) -> Result<(), ChangesError> {
        let wanted: Vec<&Change> = changes.iter().filter(|change| change.withheld.is_none()).collect();
        self.applied.withheld = (changes.len() - wanted.len()) as u64;
        if let From::Layer(upper, rules) = self.from {
            let files = wanted.iter().filter(|change| change.after.node == Node::File);
            check_total(upper, files.copied(), rules)?;
        }
        let replaced = replaced_folders(&wanted);
        for change in wanted.iter().rev().filter(|change| change.after.node == Node::Nothing) {
            pace(&change.path);
            let deleted = self.delete(&change.path, &replaced);
            self.note(change.kind, deleted)?;
        }
        for change in wanted.iter().filter(|change| change.after.node == Node::Folder) {
            pace(&change.path);
            let made = self.folder(&change.path);
            self.settle(made)?;
        }
        for change in &wanted {
            pace(&change.path);
            let placed = match &change.after.node {
                Node::File => self.file(change),
                Node::Link { target } => self.link(&change.path, target),
                // Special nodes are never applied, whatever the list says.
                Node::Folder | Node::Nothing | Node::Fifo | Node::Socket | Node::Device => continue,
            };
            self.note(change.kind, placed)?;
        }
        for change in wanted.iter().rev().filter(|change| change.after.node == Node::Folder) {
            pace(&change.path);
            let set = self.folder_mode(change);
            self.note(change.kind, set)?;
        }
        Ok(())
    }

    fn note(&mut self, kind: ChangeKind, done: Result<(), ChangesError>) -> Result<(), ChangesError> {
        if done.is_ok() {
            self.applied.count(kind);
        }
        self.settle(done)
    }

    fn settle(&mut self, done: Result<(), ChangesError>) -> Result<(), ChangesError> {
        match (done, self.on_error) {
            (Err(error), OnError::GoOn) => {
                self.failed.get_or_insert(error);
                Ok(())
            }
            (done, OnError::Stop | OnError::GoOn) => done,
        }
    }

    /// What is gone already counts as deleted.
    fn delete(&self, path: &[u8], replaced: &HashSet<&[u8]>) -> Result<(), ChangesError> {
        let (parent, name) = split(path);
        let folder = match Folder::open(self.workspace, parent, Purpose::Write) {
            Err(Errno::NOENT) => return Ok(()),
            // Carried over again: what takes the place of the folder stands there already.
            Err(Errno::NOTDIR | Errno::LOOP) if ancestors(path).any(|above| replaced.contains(above)) => {
                return Ok(());
            }
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
            .and_then(|parent| make_folder(&parent, name, self.owner))
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
        match &self.from {
            From::Layer(upper, rules) => self.file_from_layer(*upper, change, rules),
            From::Shelf(shelf) => self.file_from_shelf(*shelf, change),
        }
    }

    fn file_from_layer(
        &self,
        upper: BorrowedFd<'_>,
        change: &Change,
        rules: &ApplyRules,
    ) -> Result<(), ChangesError> {
        let refused = |source| ChangesError::refused("write", &change.path)(source);
        let source = listed(upper, change, rules)?;
        let length = source.stat.st_size as u64;
        let from = source.open().map_err(refused)?;
        let (parent, name) = split(&change.path);
        let folder = Folder::open(self.workspace, parent, Purpose::Write).map_err(refused)?;
        let (draft, to) = Draft::file(&folder).map_err(refused)?;
        copy::copy(from.as_fd(), to.as_fd(), length).map_err(refused)?;
        let (mode, owner) = (change.after.mode.unwrap_or(0o600) & PERMISSIONS, self.owner);
        // Tools that rebuild by time see the order in which the program wrote.
        let (tv_sec, tv_nsec) = (source.stat.st_mtime, source.stat.st_mtime_nsec as _);
        let modified = Some(Timespec { tv_sec, tv_nsec });
        draft.finish(to.as_fd(), &Attributes { owner, mode, modified }).map_err(refused)?;
        draft.publish(name).map_err(refused)
    }

    /// What is not on the shelf has been placed before.
    fn file_from_shelf(&self, shelf: Shelf<'_>, change: &Change) -> Result<(), ChangesError> {
        let Some(waiting) = shelf.find(&change.path)? else { return Ok(()) };
        let (parent, _) = split(&change.path);
        Folder::open(self.workspace, parent, Purpose::Write)
            .and_then(|folder| shelf.place(&change.path, &waiting, &folder))
            .map_err(ChangesError::refused("write", &change.path))
    }

    fn link(&self, path: &[u8], target: &[u8]) -> Result<(), ChangesError> {
        let refused = |source| ChangesError::refused("link", path)(source);
        let (parent, name) = split(path);
        let folder = Folder::open(self.workspace, parent, Purpose::Write).map_err(refused)?;
        let draft = Draft::link(&folder, target, self.owner).map_err(refused)?;
        draft.publish(name).map_err(refused)
    }
}

/// The paths at which a file or link takes the place of a folder.
fn replaced_folders<'a>(wanted: &[&'a Change]) -> HashSet<&'a [u8]> {
    let is_replaced = |change: &&&Change| {
        change.before.node == Node::Folder && !matches!(change.after.node, Node::Folder | Node::Nothing)
    };
    wanted.iter().filter(is_replaced).map(|change| change.path.as_slice()).collect()
}
