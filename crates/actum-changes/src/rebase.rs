//! Holds a list of changes against the workspace as it is now.
//!
//! Where the two agree the list can be placed. Where they do not, there is a conflict, and the list that comes back tells
//! the workspace of now as what stood there before: placing that one keeps what it replaces, so insisting can be undone.

use super::ChangesError;
use super::keep::{check_paths, look};
use super::reach::Entry;
use super::standing::{Depth, standing};
use super::walk::{Mounted, Step, walk};
use actum_model::byte_path::{ancestors, split};
use actum_model::{Change, Clash, Conflict, Node, Standing};
use rustix::io::Errno;
use std::collections::{BTreeMap, HashSet};
use std::os::fd::BorrowedFd;

/// A list of changes that fits the workspace, and where it did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebased {
    /// Sorted by path. With what has to be added where somebody else's things are replaced.
    pub changes: Vec<Change>,
    /// Sorted by path. Where [`Clash::can_be_forced`] says no, `changes` must not be placed.
    pub conflicts: Vec<Conflict>,
}

/// Compares each change with what stands at its path. What is as it was before, or as it will be after, is no conflict.
pub fn rebase(workspace: BorrowedFd<'_>, changes: &[Change], depth: Depth) -> Result<Rebased, ChangesError> {
    check_paths(changes)?;
    let listed: HashSet<&[u8]> = changes.iter().map(|change| change.path.as_slice()).collect();
    let made = changes.iter().filter(|change| change.after.node == Node::Folder);
    let made: HashSet<&[u8]> = made.map(|change| change.path.as_slice()).collect();
    let (emptied, found, conflicts) = (HashSet::new(), BTreeMap::new(), BTreeMap::new());
    let mut rebasing = Rebasing { workspace, depth, listed, made, emptied, changes: found, conflicts };
    for change in changes {
        rebasing.one(change)?;
    }
    let conflicts = rebasing.conflicts.into_iter().map(|(path, why)| Conflict { path, why }).collect();
    Ok(Rebased { changes: rebasing.changes.into_values().collect(), conflicts })
}

struct Rebasing<'a> {
    workspace: BorrowedFd<'a>,
    depth: Depth,
    listed: HashSet<&'a [u8]>,
    /// Where the list makes folders: nothing needs to stand there yet.
    made: HashSet<&'a [u8]>,
    /// Folders that go, whose contents were looked through.
    emptied: HashSet<Vec<u8>>,
    changes: BTreeMap<Vec<u8>, Change>,
    conflicts: BTreeMap<Vec<u8>, Clash>,
}

impl Rebasing<'_> {
    fn one(&mut self, change: &Change) -> Result<(), ChangesError> {
        let refused = |source| ChangesError::refused("examine", &change.path)(source);
        let now = match look(self.workspace, &change.path) {
            Err(Errno::LOOP | Errno::NOTDIR) if !self.is_made(&change.path) => {
                self.conflict(&change.path, Clash::Diverted);
                return Ok(());
            }
            Err(Errno::LOOP | Errno::NOTDIR) => Standing::default(),
            Err(error) => return Err(refused(error)),
            Ok(None) => Standing::default(),
            Ok(Some(entry)) => self.closely(&entry, &change.before).map_err(refused)?,
        };
        if !change.after.is_nothing() {
            self.parents(&change.path)?;
        }
        if now.node == Node::Folder && change.after.node != Node::Folder {
            self.contents(&change.path)?;
        }
        if now.is_alike(&change.before) {
            self.changes.insert(change.path.clone(), change.clone());
            return Ok(());
        }
        if let Some(why) = clash(change, &now) {
            self.conflict(&change.path, why);
        }
        let rebased = Change::between(&change.path, now, change.after.clone());
        self.changes.insert(change.path.clone(), Change { withheld: change.withheld, ..rebased });
        Ok(())
    }

    /// A glance is enough for what is as it was; what is not has to be known well, to be told and to be put back.
    fn closely(&self, entry: &Entry, before: &Standing) -> rustix::io::Result<Standing> {
        let now = standing(entry, self.depth)?;
        if now.is_alike(before) { Ok(now) } else { standing(entry, Depth::Whole) }
    }

    /// Whether a folder above is going to be made by the list.
    fn is_made(&self, path: &[u8]) -> bool {
        ancestors(path).any(|above| self.made.contains(above))
    }

    /// Folders above that are gone are made again when somebody insists.
    fn parents(&mut self, path: &[u8]) -> Result<(), ChangesError> {
        for above in ancestors(path) {
            if self.made.contains(above) || self.changes.contains_key(above) {
                return Ok(());
            }
            let found = look(self.workspace, above).map_err(ChangesError::refused("examine", above))?;
            if found.is_some() {
                return Ok(());
            }
            self.conflict(above, Clash::Gone);
            let folder = Standing { node: Node::Folder, mode: Some(0o755), ..Standing::default() };
            self.changes.insert(above.to_vec(), Change::between(above, Standing::default(), folder));
        }
        Ok(())
    }

    /// What somebody put into a folder that is going to be removed.
    fn contents(&mut self, folder: &[u8]) -> Result<(), ChangesError> {
        // The list is sorted, so a folder above came first and everything in it was seen then.
        if ancestors(folder).any(|above| self.emptied.contains(above)) {
            return Ok(());
        }
        self.emptied.insert(folder.to_vec());
        let workspace = self.workspace;
        walk(workspace, folder, Mounted::Refused, &mut |path, entry| {
            if self.listed.contains(path) {
                return Ok(Step::Into);
            }
            let now = standing(entry, Depth::Whole).map_err(ChangesError::refused("examine", path))?;
            let why = if is_special(&now) { Clash::Special } else { Clash::Appeared };
            self.conflict(path, why);
            self.changes.insert(path.to_vec(), Change::between(path, now, Standing::default()));
            Ok(Step::Into)
        })
    }

    fn conflict(&mut self, path: &[u8], why: Clash) {
        self.conflicts.entry(path.to_vec()).or_insert(why);
    }
}

/// Judges something that is not as it was before.
fn clash(change: &Change, now: &Standing) -> Option<Clash> {
    if now.is_alike(&change.after) {
        return None;
    }
    Some(match (&change.before.node, &now.node) {
        _ if is_special(now) => Clash::Special,
        (Node::Nothing, _) => Clash::Appeared,
        (_, Node::Nothing) => Clash::Gone,
        (_, _) => Clash::Changed,
    })
}

fn is_special(standing: &Standing) -> bool {
    match standing.node {
        Node::Fifo | Node::Socket | Node::Device => true,
        Node::File | Node::Folder | Node::Link { .. } | Node::Nothing => false,
    }
}

/// Whether a path is another or lies beneath it.
pub(super) fn is_within(path: &[u8], folder: &[u8]) -> bool {
    path == folder || split(path).0 == folder || ancestors(path).any(|above| above == folder)
}
