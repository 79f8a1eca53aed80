//! The growing list of changes, and the bounds that a hostile tree meets.

use super::reach::Entry;
use super::{Collected, withhold};
use actum_model::byte_path::fits;
use actum_model::{Change, Conflict, Node, Standing, Withheld};
use rustix::fs::FileType;

/// 256 MiB: a million paths of ordinary length use a quarter; a million of the longest would need 4 GiB.
const MOST_PATH_BYTES: u64 = 256 << 20;

/// Collects changes until a bound is met.
pub(super) struct Listing {
    changes: Vec<Change>,
    conflicts: Vec<Conflict>,
    entries_left: u64,
    bytes_left: u64,
    max_depth: usize,
    truncated: bool,
}

impl Listing {
    pub(super) fn new(max_entries: u64, max_depth: usize) -> Self {
        let (changes, conflicts, bytes_left) = (Vec::new(), Vec::new(), MOST_PATH_BYTES);
        Self { changes, conflicts, entries_left: max_entries, bytes_left, max_depth, truncated: false }
    }

    /// Counts one entry that was met, listed or not. Says no when the bound is reached; the walk then stops.
    pub(super) fn count(&mut self, path: &[u8]) -> bool {
        let (entries, bytes) =
            (self.entries_left.checked_sub(1), self.bytes_left.checked_sub(path.len() as u64));
        let (Some(entries), Some(bytes)) = (entries, bytes) else {
            self.truncated = true;
            return false;
        };
        (self.entries_left, self.bytes_left) = (entries, bytes);
        true
    }

    pub(super) fn is_full(&self) -> bool {
        self.truncated
    }

    /// Whether a folder is near enough to the root to be entered.
    pub(super) fn fits(&self, folder: &[u8]) -> bool {
        fits(folder, self.max_depth)
    }

    pub(super) fn add(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(super) fn deleted(&mut self, path: &[u8], before: Standing, withheld: Option<Withheld>) {
        self.add(Change { withheld, ..Change::between(path, before, Standing::default()) });
    }

    pub(super) fn conflict(&mut self, conflict: Conflict) {
        self.conflicts.push(conflict);
    }

    /// The changes so far, sorted by the bytes of their paths.
    pub(super) fn sorted(&mut self) -> &mut [Change] {
        self.changes.sort_by(|one, other| one.path.cmp(&other.path));
        &mut self.changes
    }

    /// Sorts by the bytes of the paths, so a folder comes before what is in it, and settles what is withheld.
    pub(super) fn finish(mut self) -> Collected {
        self.sorted();
        withhold::settle(&mut self.changes);
        // What is not going to be applied is in nobody's way.
        self.conflicts.retain(|conflict| {
            let found = self.changes.binary_search_by(|change| change.path.cmp(&conflict.path));
            found.is_ok_and(|at| self.changes[at].withheld.is_none())
        });
        self.conflicts.sort_by(|one, other| one.path.cmp(&other.path));
        Collected { changes: self.changes, conflicts: self.conflicts, truncated: self.truncated }
    }
}

/// What an entry is in the words of the model; the target of a link is read from its handle.
pub(super) fn node_of(entry: &Entry) -> rustix::io::Result<Node> {
    Ok(match entry.kind() {
        FileType::RegularFile => Node::File,
        FileType::Directory => Node::Folder,
        FileType::Symlink => Node::Link { target: entry.target()? },
        FileType::Fifo => Node::Fifo,
        FileType::Socket => Node::Socket,
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => Node::Device,
    })
}
