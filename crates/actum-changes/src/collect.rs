//! Reads the upper layer of an overlay into the list of what the program changed.
//!
//! The upper layer holds more than changes: folders copied up to hold something, files copied up and left as they
//! were. Each entry is therefore compared with the lower layer, the workspace. Deletions are whiteouts, and
//! everything that an opaque folder hides.

use super::compare::{is_same, is_too_large};
use super::folder::{Folder, Purpose};
use super::listing::{Listing, node_of};
use super::marks::Opacity;
use super::reach::Entry;
use super::standing::{Budget, Depth, standing};
use super::walk::{Mounted, Step, walk};
use super::withhold::{Before, Protection, judge};
use super::{ChangesError, Marks, bare};
use actum_model::byte_path::join;
use actum_model::{Bytes, Change, Clash, Conflict, Node, Withheld};
use actum_sandbox::Guard;
use rustix::fs::{FileType, Timespec};
use std::collections::HashSet;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What [`collect`] lists and where it stops.
#[derive(Clone, Debug)]
pub struct CollectRules {
    /// Whether protected paths are withheld.
    pub protection: Protection,
    /// What is protected in this workspace.
    pub guard: Guard,
    /// Whose marks the overlay was mounted with.
    pub marks: Marks,
    /// Files longer than this, or with more blocks, are listed as [`Withheld::TooLarge`] and not read.
    pub max_file: Bytes,
    /// Entries met before the list is cut off.
    pub max_entries: u64,
    /// Contents of the workspace that are read to tell what stood there before, in all; beyond it digests are absent.
    /// Of what the program wrote as much is read as one file may have.
    pub max_read: Bytes,
    /// When the program began: what changed in the workspace since is a conflict. Absent: nothing is.
    pub began: Option<Timespec>,
    /// Names in a path. A folder at this depth is listed once as [`Withheld::TooLarge`] and not entered.
    pub max_depth: usize,
    /// The program goes on: what vanishes while it is looked at is passed over, and nothing in the workspace is lent
    /// permissions. The look is given up when this becomes true. Absent: the program has ended.
    pub going_on: Option<Arc<AtomicBool>>,
}

impl CollectRules {
    fn judged_by(&self) -> (Protection, &Guard) {
        (self.protection, &self.guard)
    }
}

impl Default for CollectRules {
    fn default() -> Self {
        let (protection, marks) = (Protection::Withheld, Marks::User);
        Self {
            protection,
            guard: Guard::default(),
            marks,
            max_file: Bytes::gib(4),
            max_entries: 1_000_000,
            // 2 GiB: about two seconds of reading.
            max_read: Bytes::gib(2),
            began: None,
            max_depth: 256,
            going_on: None,
        }
    }
}

/// The changes of a run, sorted by the bytes of their paths; at most one for each path.
///
/// A folder that was replaced by a file, or a file by a folder, is listed as created, and what had been in the folder
/// as deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    pub changes: Vec<Change>,
    /// What somebody else did to the same paths while the program ran.
    pub conflicts: Vec<Conflict>,
    /// Whether a bound was met before the end, so that the list is not complete and should not be applied.
    pub truncated: bool,
}

/// Lists what an overlay's upper folder changes in its lower folder, the workspace. The program must have ended, or the rules
/// say that it goes on.
/// Neither folder is altered, except that what is closed to its own user is opened for the time of looking.
pub fn collect(
    upper: BorrowedFd<'_>,
    lower: BorrowedFd<'_>,
    rules: &CollectRules,
) -> Result<Collected, ChangesError> {
    let listing = Listing::new(rules.max_entries, rules.max_depth);
    let root = Pending { path: Vec::new(), behind: Behind::Shown };
    let (written, budget) = (Budget::new(rules.max_file), Budget::new(rules.max_read));
    let pending = vec![root];
    let mut collection =
        Collection { upper, lower, rules, listing, written, budget, compared: rules.max_file.0, pending };
    while let Some(pending) = collection.pending.pop() {
        let looked = collection.folder(pending);
        collection.pass_over(looked)?;
        if collection.listing.is_full() {
            break;
        }
    }
    let mut listing = collection.listing;
    if rules.protection == Protection::Withheld {
        bare::withhold(listing.sorted(), lower);
    }
    Ok(listing.finish())
}

struct Collection<'a> {
    upper: BorrowedFd<'a>,
    lower: BorrowedFd<'a>,
    rules: &'a CollectRules,
    listing: Listing,
    /// For what the program wrote.
    written: Budget,
    /// For what stood there before.
    budget: Budget,
    /// What may still be read to tell files that were copied up from files that were changed.
    compared: u64,
    pending: Vec<Pending>,
}

/// A folder of the upper layer that is still to be read.
struct Pending {
    path: Vec<u8>,
    behind: Behind,
}

/// The lower folder behind an upper one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// There is none.
    Nothing,
    /// Its entries show through.
    Shown,
    /// Its entries are hidden: what was not made again is deleted. Folders beneath an opaque one carry no mark of
    /// their own, so this is handed down.
    Hidden,
}

impl Collection<'_> {
    fn folder(&mut self, Pending { path, behind }: Pending) -> Result<(), ChangesError> {
        let upper = open(self.upper, &path)?;
        let opacity = self.rules.marks.of_folder(&upper, &path)?;
        let behind = match (behind, opacity) {
            (Behind::Shown, Opacity::Opaque) => Behind::Hidden,
            (behind, Opacity::Opaque | Opacity::Clear | Opacity::HoldsWhiteouts) => behind,
        };
        let lower = if behind == Behind::Nothing { None } else { Some(open(self.lower, &path)?) };
        let mut seen = HashSet::new();
        for name in upper.names().map_err(ChangesError::refused("list", &path))? {
            let name = name.map_err(ChangesError::refused("list", &path))?;
            let path = join(&path, &name);
            if !self.listing.count(&path) {
                return Ok(());
            }
            let looked = self.entry((&upper, lower.as_ref()), &name, &path, (behind, opacity));
            self.pass_over(looked)?;
            if behind == Behind::Hidden {
                seen.insert(name);
            }
        }
        match lower {
            Some(lower) if behind == Behind::Hidden => self.hidden(&path, &lower, &seen),
            Some(_) | None => Ok(()),
        }
    }

    /// Looks at one name of a folder.
    fn entry(
        &mut self,
        (upper, lower): (&Folder, Option<&Folder>),
        name: &[u8],
        path: &[u8],
        (behind, opacity): (Behind, Opacity),
    ) -> Result<(), ChangesError> {
        let Some(above) = find(upper, name, path)? else { return Ok(()) };
        let below = lower.map(|lower| find(lower, name, path)).transpose()?.flatten();
        if self.rules.going_on.is_some() && below.as_ref().is_some_and(Entry::would_be_lent) {
            return Ok(());
        }
        match self.is_whiteout(&above, opacity, path)? {
            true => self.deleted(path, below.as_ref()),
            false => self.compare(path, &above, below.as_ref(), behind),
        }
    }

    /// While the program goes on, what it took away or exchanged since it was listed is no error.
    fn pass_over(&self, looked: Result<(), ChangesError>) -> Result<(), ChangesError> {
        let Some(over) = &self.rules.going_on else { return looked };
        if over.load(Ordering::Relaxed) {
            return Err(ChangesError::GivenUp);
        }
        looked.or_else(|error| if error.is_of_a_moving_tree() { Ok(()) } else { Err(error) })
    }

    /// Lists what an opaque folder hides and nobody made again.
    fn hidden(&mut self, path: &[u8], lower: &Folder, seen: &HashSet<Vec<u8>>) -> Result<(), ChangesError> {
        for name in lower.names().map_err(ChangesError::refused("list", path))? {
            let name = name.map_err(ChangesError::refused("list", path))?;
            if self.listing.is_full() {
                return Ok(());
            }
            if !seen.contains(&name) {
                let path = join(path, &name);
                self.deleted(&path, find(lower, &name, &path)?.as_ref())?;
            }
        }
        Ok(())
    }

    fn is_whiteout(&self, entry: &Entry, opacity: Opacity, path: &[u8]) -> Result<bool, ChangesError> {
        match entry.kind() {
            FileType::CharacterDevice => Ok(entry.stat.st_rdev == 0),
            FileType::RegularFile if opacity == Opacity::HoldsWhiteouts && entry.stat.st_size == 0 => {
                let file = entry.open().map_err(ChangesError::refused("open", path))?;
                self.rules.marks.is_whiteout(file.as_fd(), path)
            }
            FileType::RegularFile | FileType::Directory | FileType::Symlink => Ok(false),
            FileType::Fifo | FileType::Socket | FileType::BlockDevice | FileType::Unknown => Ok(false),
        }
    }

    /// Lists the deletion of what stood in the lower layer, with everything in it.
    fn deleted(&mut self, path: &[u8], below: Option<&Entry>) -> Result<(), ChangesError> {
        let Some(below) = below else { return Ok(()) };
        if !self.listing.count(path) {
            return Ok(());
        }
        self.list_deletion(path, below)?;
        if below.is_folder() { self.emptied(path) } else { Ok(()) }
    }

    /// Lists the deletion of everything in a lower folder.
    fn emptied(&mut self, path: &[u8]) -> Result<(), ChangesError> {
        if !self.listing.fits(path) {
            return Ok(());
        }
        let lower = self.lower;
        walk(lower, path, Mounted::Refused, &mut |path, entry| {
            if !self.listing.count(path) {
                return Ok(Step::Stop);
            }
            self.list_deletion(path, entry)?;
            Ok(if self.listing.fits(path) { Step::Into } else { Step::Over })
        })
    }

    fn list_deletion(&mut self, path: &[u8], below: &Entry) -> Result<(), ChangesError> {
        self.check_time(path, below);
        let before = self.budget.standing(below).map_err(ChangesError::refused("read", path))?;
        let withheld = self.judge_deletion(path, below);
        self.listing.deleted(path, before, withheld);
        Ok(())
    }

    /// Notices what somebody else did while the program ran. By the time of the last change, which nobody can set; of
    /// a folder only its names count, and those are entries themselves. Asked before the entry is opened: lending
    /// permissions changes that time.
    fn check_time(&mut self, path: &[u8], below: &Entry) {
        let Some(began) = self.rules.began else { return };
        let changed = (below.stat.st_ctime, below.stat.st_ctime_nsec as i64);
        if !below.is_folder() && changed > (began.tv_sec, began.tv_nsec) {
            self.listing.conflict(Conflict { path: path.to_vec(), why: Clash::Changed });
        }
    }

    /// A folder too deep to be entered cannot be deleted by its listed contents, so it stays.
    fn judge_deletion(&self, path: &[u8], below: &Entry) -> Option<Withheld> {
        let too_deep = below.is_folder() && !self.listing.fits(path);
        let judged = judge(path, &Node::Nothing, before(Some(below)), self.rules.judged_by());
        judged.or(too_deep.then_some(Withheld::TooLarge))
    }

    fn compare(
        &mut self,
        path: &[u8],
        above: &Entry,
        below: Option<&Entry>,
        behind: Behind,
    ) -> Result<(), ChangesError> {
        let node = node_of(above).map_err(ChangesError::refused("read", path))?;
        let before = before(below);
        let mut withheld = judge(path, &node, before, self.rules.judged_by());
        match node {
            Node::Folder if !self.listing.fits(path) => withheld = Some(Withheld::TooLarge),
            Node::Folder => {
                let behind = if before == Before::Folder { behind } else { Behind::Nothing };
                self.pending.push(Pending { path: path.to_vec(), behind });
            }
            Node::File if is_too_large(above, self.rules) => withheld = withheld.or(Some(Withheld::TooLarge)),
            Node::File | Node::Link { .. } | Node::Fifo | Node::Socket | Node::Device | Node::Nothing => {}
        }
        if before == Before::Folder && node != Node::Folder {
            self.emptied(path)?;
            // Too deep to be listed, so it cannot be emptied and stays.
            withheld = withheld.or((!self.listing.fits(path)).then_some(Withheld::TooLarge));
        }
        let is_deep = node == Node::Folder && withheld == Some(Withheld::TooLarge);
        if !is_deep && is_same(path, above, below, self.rules, &mut self.compared)? {
            return Ok(());
        }
        if let Some(below) = below {
            self.check_time(path, below);
        }
        let refused = |source| ChangesError::refused("read", path)(source);
        let after = match is_too_large(above, self.rules) {
            true => standing(above, Depth::Glance),
            false => self.written.standing(above),
        }
        .map_err(refused)?;
        let before = below.map(|below| self.budget.standing(below)).transpose().map_err(refused)?;
        let change = Change::between(path, before.unwrap_or_default(), after);
        self.listing.add(Change { withheld, ..change });
        Ok(())
    }
}

fn before(below: Option<&Entry>) -> Before {
    match below {
        None => Before::Nothing,
        Some(below) if below.is_folder() => Before::Folder,
        Some(_) => Before::Other,
    }
}

fn open(root: BorrowedFd<'_>, path: &[u8]) -> Result<Folder, ChangesError> {
    Folder::open(root, path, Purpose::Read).map_err(ChangesError::refused("open", path))
}

fn find(folder: &Folder, name: &[u8], path: &[u8]) -> Result<Option<Entry>, ChangesError> {
    folder.entry(name).map_err(ChangesError::refused("open", path))
}
