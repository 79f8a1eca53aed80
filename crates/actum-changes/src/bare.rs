//! Folders that have the shape of a bare git repository.
//!
//! Git takes a folder with a `HEAD`, `objects` and `refs` for a repository, whatever it is called and wherever it lies (in
//! `.git/refs` as well), and then runs what its configuration and hooks say. So such a folder is judged like `.git`: what acts is
//! withheld. Where the run itself completed the shape around something that acts, the part that completed it is withheld too,
//! and git sees a folder like any other. [`withhold`] judges a list of changes, [`Shapes::acts`] and [`completes`] a folder that was
//! written directly. Each folder is asked about once, so that repositories in repositories take no longer than others.

use super::folder::{Folder, Purpose};
use actum_model::byte_path::{join, split};
use actum_model::{Change, Node, Withheld};
use actum_sandbox::folded;
use std::collections::{BTreeSet, HashMap};
use std::os::fd::BorrowedFd;

/// Marks what acts in folders that have the shape after the changes, which are sorted by path.
pub(super) fn withhold(changes: &mut [Change], lower: BorrowedFd<'_>) {
    let before = |folder: &[u8], name: &[u8]| is_there(lower, folder, name);
    let after = |folder: &[u8], name: &[u8]| match find(changes, &join(folder, name)) {
        Some(change) => change.after.node != Node::Nothing,
        None => before(folder, name),
    };
    let folders: BTreeSet<&[u8]> = changes.iter().filter_map(|change| candidate(&change.path)).collect();
    let made = folders.into_iter().filter_map(|folder| {
        let is_armed = has_shape(&|name| after(folder, name)) && ACTS.iter().any(|name| after(folder, name));
        let is_new = is_armed && !has_shape(&|name| before(folder, name));
        let name = is_new.then(|| completing(&|name| after(folder, name) && !before(folder, name)))??;
        Some(join(folder, name))
    });
    let made: BTreeSet<Vec<u8>> = made.collect();
    let mut shapes = Shapes::new(after);
    let acting: Vec<bool> =
        changes.iter().map(|change| made.contains(&change.path) || shapes.acts(&change.path)).collect();
    drop(shapes);
    for (change, acts) in changes.iter_mut().zip(acting) {
        let makes_nothing = change.after.node == Node::Nothing && made.contains(&change.path);
        if acts && change.withheld.is_none() && !makes_nothing {
            change.withheld = Some(Withheld::Protected);
        }
    }
}

type Lookup<'a> = dyn Fn(&[u8], &[u8]) -> bool + 'a;

/// Which folders have the shape, each asked about once.
pub(super) struct Shapes<'a> {
    /// Whether a folder has an entry of a name.
    has: Box<Lookup<'a>>,
    shaped: HashMap<Vec<u8>, bool>,
    /// Folders in a repository whose every file acts.
    acting: HashMap<Vec<u8>, bool>,
}

impl<'a> Shapes<'a> {
    /// Of folders as they are.
    pub(super) fn of(root: BorrowedFd<'a>) -> Self {
        Self::new(move |folder: &[u8], name: &[u8]| is_there(root, folder, name))
    }

    fn new(has: impl Fn(&[u8], &[u8]) -> bool + 'a) -> Self {
        Self { has: Box::new(has), shaped: HashMap::new(), acting: HashMap::new() }
    }

    /// Whether git acts on this path, because a folder above it has the shape.
    pub(super) fn acts(&mut self, path: &[u8]) -> bool {
        let (folder, name) = split(path);
        let name = folded(name);
        let (above, last) = split(folder);
        let by_name = match name.as_slice() {
            b"config" | b"config.worktree" | b"commondir" | b"gitdir" => self.is_shaped(folder),
            b"attributes" if folded(last) == b"info" => self.is_shaped(above),
            name => acts_whole(name) && self.is_shaped(folder),
        };
        by_name || self.is_acting(folder)
    }

    fn is_acting(&mut self, folder: &[u8]) -> bool {
        if folder.is_empty() {
            return false;
        }
        if let Some(known) = self.acting.get(folder) {
            return *known;
        }
        let (above, name) = split(folder);
        let is_acting = (acts_whole(&folded(name)) && self.is_shaped(above)) || self.is_acting(above);
        self.acting.insert(folder.to_vec(), is_acting);
        is_acting
    }

    fn is_shaped(&mut self, folder: &[u8]) -> bool {
        if let Some(known) = self.shaped.get(folder) {
            return *known;
        }
        // A folder that git takes for a repository by its name is judged by that.
        let is_shaped = !is_git(folder) && has_shape(&|name| (self.has)(folder, name));
        self.shaped.insert(folder.to_vec(), is_shaped);
        is_shaped
    }
}

/// Whether everything in a folder of this name acts in a repository: hooks, and what goes on (a rebase, a cherry-pick).
fn acts_whole(name: &[u8]) -> bool {
    matches!(name, b"hooks" | b"sequencer" | b"rebase-merge" | b"rebase-apply")
}

/// Whether this path completes the shape of a folder in which something acts. `is_new` tells of a path whether it was not there before.
pub(super) fn completes(root: BorrowedFd<'_>, path: &[u8], is_new: &dyn Fn(&[u8]) -> bool) -> bool {
    let (folder, name) = split(path);
    if !COMPLETING.contains(&name) || !is_new(path) || is_git(folder) {
        return false;
    }
    let has = |name: &[u8]| is_there(root, folder, name);
    has_shape(&has)
        && ACTS.iter().any(|name| has(name))
        && completing(&|name| has(name) && is_new(&join(folder, name))) == Some(name)
}

/// What a repository is made of; the first part that is new is the one that is withheld.
const COMPLETING: [&[u8]; 4] = [b"HEAD", b"commondir", b"refs", b"objects"];

fn completing(is_new: &dyn Fn(&[u8]) -> bool) -> Option<&'static [u8]> {
    COMPLETING.into_iter().find(|name| is_new(name))
}

fn is_git(folder: &[u8]) -> bool {
    matches!(folded(split(folder).1).as_slice(), b".git" | b"git~1")
}

/// What git acts on in a repository.
const ACTS: [&[u8]; 4] = [b"config", b"config.worktree", b"hooks", b"commondir"];

/// What makes git take a folder for a repository. Where `commondir` leads elsewhere, the rest is looked for there.
fn has_shape(has: &dyn Fn(&[u8]) -> bool) -> bool {
    has(b"HEAD") && (has(b"commondir") || (has(b"objects") && has(b"refs")))
}

/// The folder that a change at this path may make a repository.
fn candidate(path: &[u8]) -> Option<&[u8]> {
    let (folder, name) = split(path);
    (COMPLETING.contains(&name) && !is_git(folder)).then_some(folder)
}

fn find<'a>(changes: &'a [Change], path: &[u8]) -> Option<&'a Change> {
    changes.binary_search_by(|change| change.path.as_slice().cmp(path)).ok().map(|at| &changes[at])
}

fn is_there(root: BorrowedFd<'_>, folder: &[u8], name: &[u8]) -> bool {
    let found = Folder::open(root, folder, Purpose::Read).and_then(|folder| folder.entry(name));
    found.is_ok_and(|entry| entry.is_some())
}
