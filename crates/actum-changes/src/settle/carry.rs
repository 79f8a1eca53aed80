//! Applies, undoes and discards what a run keeps.

use super::go_on::{Trust, go_on};
use super::journal::Journal;
use super::keeping::{Belonging, ShelfName};
use super::lock::Lock;
use super::{Keeping, SettleError, placer};
use crate::{self as changes, Depth, Unselected, Waiting, is_keepable};
use actum_model::{Became, Bytes, Change, Conflict, KeptChange, KeptChanges, Node};
use rustix::fd::{AsFd, BorrowedFd};

/// What to do about conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insist {
    /// Nothing is done when there is one.
    No,
    /// What stands in the way is kept and replaced.
    Yes,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// So many changes were carried out.
    Done(usize),
    /// Nothing was done, because of these.
    Conflicts(Vec<Conflict>),
}

/// Applies what a run keeps: everything but what is withheld, or what is named and beneath.
pub fn apply(keeping: &Keeping, names: &[Vec<u8>], insist: Insist) -> Result<Settled, SettleError> {
    let lock = Lock::take(keeping)?;
    go_on(keeping, None, Trust::Doubted, &mut |_| {})?;
    let kept = keeping.read_sealed()?;
    check_applicable(&kept)?;
    // What was in the way when the run ended is in the way still: what is remembered as before is what somebody put there.
    if insist == Insist::No && !kept.conflicts.is_empty() {
        return Ok(Settled::Conflicts(kept.conflicts));
    }
    let list: Vec<Change> = kept.changes.iter().map(|kept| kept.change.clone()).collect();
    let waiting: Vec<Waiting> = kept.changes.iter().map(waiting).collect();
    let chosen = changes::select(&list, &waiting, names).map_err(|(path, why)| match why {
        Unselected::Unknown => SettleError::Unknown { path },
        Unselected::Withheld(reason) => SettleError::Withheld { path, reason },
    })?;
    if chosen.is_empty() {
        let is_ready = |kept: &KeptChange| waiting_for_names(kept, names);
        return Err(match kept.changes.iter().any(is_ready) {
            true => SettleError::Incomplete,
            false => SettleError::AlreadyApplied,
        });
    }
    let list: Vec<Change> =
        chosen.into_iter().map(|at| Change { withheld: None, ..list[at].clone() }).collect();
    // They may have lain there for months: what is placed is what the list says, and nothing that took its place.
    keeping.check_shelf(ShelfName::Changes, &list)?;
    let carrying = Carrying { keeping, kept: &kept, towards: Became::Applied, max_saved: None };
    carrying.carry(lock, list, (Depth::Whole, insist), None)
}

/// Applies at the end of a run what was kept a moment ago: it was looked at so lately that a glance is enough.
pub fn apply_listed(
    keeping: &Keeping,
    kept: &KeptChanges,
    max_saved: Bytes,
    workspace: BorrowedFd<'_>,
) -> Result<Settled, SettleError> {
    let lock = Lock::take(keeping)?;
    let unasked = |kept: &&KeptChange| kept.change.withheld.is_none() && kept.became.waits();
    let list = kept.changes.iter().filter(unasked).map(|kept| kept.change.clone()).collect();
    let carrying = Carrying { keeping, kept, towards: Became::Applied, max_saved: Some(max_saved) };
    carrying.carry(lock, list, (Depth::Glance, Insist::No), Some(workspace))
}

/// Puts back what stood there before a run's changes were applied.
pub fn undo(keeping: &Keeping, insist: Insist) -> Result<Settled, SettleError> {
    let lock = Lock::take(keeping)?;
    go_on(keeping, None, Trust::Doubted, &mut |_| {})?;
    let kept = keeping.read_sealed()?;
    let applied = kept.changes.iter().filter(|kept| kept.became == Became::Applied);
    // A FIFO, socket or device cannot be put back; its deletion stays.
    let list: Vec<Change> = applied
        .filter(|kept| !is_special(&kept.change.before.node))
        .map(|kept| Change { withheld: None, ..kept.change.inverse() })
        .collect();
    if list.is_empty() {
        return Err(match kept.changes.first().map(|_| ()) {
            Some(()) if kept.count(Became::Direct) > 0 => SettleError::Direct,
            Some(()) if kept.count(Became::Undone) > 0 => SettleError::AlreadyUndone,
            Some(()) => SettleError::NeverApplied,
            None => SettleError::None,
        });
    }
    // What was replaced may have been written since by another name, or by whoever had it open.
    keeping.check_shelf(ShelfName::Undo, &list)?;
    let carrying = Carrying { keeping, kept: &kept, towards: Became::Undone, max_saved: None };
    carrying.carry(lock, list, (Depth::Whole, insist), None)
}

/// Gives up what a run keeps and did not apply. Says how many changes that were.
pub fn discard(keeping: &Keeping) -> Result<usize, SettleError> {
    let _lock = Lock::take(keeping)?;
    // A workspace that is gone for good must not keep its changes from being given up.
    if go_on(keeping, None, Trust::Doubted, &mut |_| {}).is_err() {
        Journal::remove(keeping)?;
    }
    let mut kept = match keeping.read_sealed() {
        // Nobody vouches for it. It is not written again, or it would be vouched for from then on.
        Err(SettleError::Forged { .. }) => {
            let count = keeping.read().map_or(0, |kept| kept.changes.len());
            return keeping.forget().map(|()| count);
        }
        kept => kept?,
    };
    let waiting = kept.changes.iter().filter(|kept| kept.became.waits()).count();
    if waiting == 0 {
        return Err(match kept.count(Became::Applied) + kept.count(Became::Direct) {
            0 => SettleError::AlreadyDiscarded,
            _ => SettleError::InWorkspace,
        });
    }
    for kept in kept.changes.iter_mut().filter(|kept| kept.became.waits()) {
        kept.became = Became::Discarded;
    }
    // The list first: contents without a list are litter, a list without contents is a lie.
    keeping.write(&kept)?;
    keeping.clear(ShelfName::Changes);
    Ok(waiting)
}

struct Carrying<'a> {
    keeping: &'a Keeping,
    kept: &'a KeptChanges,
    towards: Became,
    /// The most that copies of what is replaced may take.
    max_saved: Option<Bytes>,
}

impl Carrying<'_> {
    fn carry(
        &self,
        lock: Lock,
        list: Vec<Change>,
        (depth, insist): (Depth, Insist),
        opened: Option<BorrowedFd<'_>>,
    ) -> Result<Settled, SettleError> {
        let belonging = Belonging::of(self.kept);
        let found = if opened.is_none() { Some(belonging.open()?) } else { None };
        let Some(workspace) = opened.or(found.as_ref().map(AsFd::as_fd)) else {
            return Err(SettleError::Replaced { path: belonging.path });
        };
        let rebased = changes::rebase(workspace, &list, depth)
            .map_err(|source| SettleError::Compare { workspace: belonging.path.clone(), source })?;
        let stands = |conflict: &&Conflict| insist == Insist::No || !conflict.why.can_be_forced();
        let conflicts: Vec<Conflict> = rebased.conflicts.iter().filter(stands).cloned().collect();
        if !conflicts.is_empty() {
            return Ok(Settled::Conflicts(conflicts));
        }
        let count = list.len();
        self.save(workspace, &rebased.changes)?;
        Journal::new(self.towards, &belonging, rebased.changes).write(self.keeping)?;
        placer::place(self.keeping, lock, (&belonging.path, workspace))?;
        Ok(Settled::Done(count))
    }

    /// Keeps what is going to be replaced. What fails leaves nothing: the shelf is as it was, or not there.
    fn save(&self, workspace: BorrowedFd<'_>, list: &[Change]) -> Result<(), SettleError> {
        if !list.iter().any(|change| change.before.node == Node::File) {
            return Ok(());
        }
        let (name, is_in_use) = match self.towards {
            Became::Undone => (ShelfName::Changes, self.kept.changes.iter().any(|kept| kept.became.waits())),
            Became::Applied | Became::Kept | Became::Discarded | Became::Direct => {
                (ShelfName::Undo, self.kept.count(Became::Applied) > 0)
            }
        };
        if !is_in_use {
            self.keeping.clear(name);
        }
        let shelf = self.keeping.shelf(name)?;
        changes::save(workspace, shelf.as_fd(), list, self.max_saved).map_err(|source| {
            if !is_in_use {
                self.keeping.clear(name);
            }
            SettleError::Keep { folder: self.keeping.folder.clone(), source }
        })
    }
}

fn waiting(kept: &KeptChange) -> Waiting {
    match kept.became {
        Became::Kept | Became::Undone if is_keepable(&kept.change) => Waiting::Ready,
        Became::Kept | Became::Undone | Became::Discarded => Waiting::Never,
        Became::Applied | Became::Direct => Waiting::Done,
    }
}

/// Whether something that was named could still be applied, if only more were named.
fn waiting_for_names(kept: &KeptChange, names: &[Vec<u8>]) -> bool {
    !names.is_empty()
        && waiting(kept) == Waiting::Ready
        && names.iter().any(|name| kept.change.path.starts_with(name))
}

fn check_applicable(kept: &KeptChanges) -> Result<(), SettleError> {
    if kept.changes.is_empty() {
        return Err(SettleError::None);
    }
    if kept.changes.iter().any(|kept| kept.became.waits()) {
        return Ok(());
    }
    let there = kept.count(Became::Applied) + kept.count(Became::Direct);
    Err(if there > 0 { SettleError::AlreadyApplied } else { SettleError::NotKept })
}

/// What no list can put anywhere.
fn is_special(node: &Node) -> bool {
    match node {
        Node::Fifo | Node::Socket | Node::Device => true,
        Node::File | Node::Folder | Node::Link { .. } | Node::Nothing => false,
    }
}
