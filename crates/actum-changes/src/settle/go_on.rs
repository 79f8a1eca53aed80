//! Goes on with what a journal says: after it was written, and again after whatever ended that.

use super::error::{Told, chain};
use super::journal::{Heading, Journal, unfinished};
use super::keeping::ShelfName;
use super::lock::Lock;
use super::{Keeping, SettleError};
use crate::{self as changes, ChangesError, OnError, Pace, PlaceRules};
use actum_model::SealKey;
use actum_model::{Became, Change};
use rustix::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Whether the contents on the shelves are known to be what the journal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// They were written a moment ago, by a process that is still there or was killed: the machine has them.
    Fresh,
    /// There may have been a power cut since. They are held against their digests first.
    Doubted,
}

/// Something that was left unfinished and could not be finished now.
#[derive(Debug)]
pub struct Pending {
    /// The run's folder.
    pub folder: PathBuf,
    pub error: SettleError,
}

/// Finishes what was left unfinished in a store, and tells what could not be. To be called before a run and before
/// anything is settled; costs one failed look when there is nothing, and only then the key is read.
pub fn recover(store: &Path, seal: &dyn Fn() -> SealKey) -> Vec<Pending> {
    let folders = match unfinished(store) {
        Ok(folders) => folders,
        Err(error) => return vec![Pending { folder: store.to_path_buf(), error }],
    };
    if folders.is_empty() {
        return Vec::new();
    }
    let seal = seal();
    let finish = |folder: PathBuf| {
        let keeping = Keeping {
            folder,
            store: store.to_path_buf(),
            placer: None,
            seal: seal.clone(),
            keys: PathBuf::new(),
        };
        // A placer that is still at work holds the lock; once we have it, there is nothing left to do.
        let done = Lock::take(&keeping).and_then(|_lock| go_on(&keeping, None, Trust::Doubted, &mut |_| {}));
        match done {
            // Put back is finished too.
            Ok(()) | Err(SettleError::PutBack { .. }) => None,
            Err(error) => Some(Pending { folder: keeping.folder, error }),
        }
    };
    folders.into_iter().filter_map(finish).collect()
}

/// Places what the journal says, and takes back what was placed if that fails. Whoever calls holds the lock.
///
/// `workspace` is the opened folder, from whoever looked at it before: what was compared is what is written. Without it the
/// folder is opened by its path.
pub fn go_on(
    keeping: &Keeping,
    workspace: Option<OwnedFd>,
    trust: Trust,
    pace: Pace<'_>,
) -> Result<(), SettleError> {
    let Some(journal) = Journal::read(keeping)? else { return Journal::remove(keeping) };
    let belonging = journal.belonging();
    let workspace = match workspace {
        Some(opened) => belonging.recognise(opened.as_fd()).map(|()| opened)?,
        None => belonging.open()?,
    };
    let going = Going { keeping, workspace };
    if trust == Trust::Doubted {
        // Half-written files under names of ours; what cannot be removed is only in nobody's way.
        let _ = changes::sweep(going.workspace.as_fd(), &journal.changes);
    }
    match journal.heading {
        Heading::Forward => going.forward(journal, trust, pace),
        Heading::Back => going.back(journal, pace),
    }
}

struct Going<'a> {
    keeping: &'a Keeping,
    workspace: OwnedFd,
}

impl Going<'_> {
    fn forward(&self, journal: Journal, trust: Trust, pace: Pace<'_>) -> Result<(), SettleError> {
        let failed = match self.place_forward(&journal, trust, pace) {
            Ok(()) => return self.finish(journal),
            Err(error) => error,
        };
        let workspace = journal.belonging().path;
        let told = Told(chain(&failed));
        let shelf = self.keeping.shelf(journal.from())?;
        let inverse = changes::placed(shelf.as_fd(), &journal.changes).map_err(|error| {
            SettleError::Stuck { workspace: workspace.clone(), source: Told(chain(&error)) }
        })?;
        let back = journal.turned_back(inverse);
        back.write(self.keeping)?;
        self.back(back, pace)?;
        Err(SettleError::PutBack { workspace, source: told })
    }

    fn place_forward(&self, journal: &Journal, trust: Trust, pace: Pace<'_>) -> Result<(), ChangesError> {
        let refused = |_: SettleError| ChangesError::NotAsListed { path: b"".to_vec() };
        let shelf = self.keeping.shelf(journal.from()).map_err(refused)?;
        if trust == Trust::Doubted
            && let Some(path) = changes::lost(shelf.as_fd(), self.workspace.as_fd(), &journal.changes)?
        {
            return Err(ChangesError::NotAsListed { path });
        }
        let rules = PlaceRules { owner: journal.belonging().owner, on_error: OnError::Stop };
        changes::place(shelf.as_fd(), self.workspace.as_fd(), &journal.changes, &rules, pace)?;
        Ok(())
    }

    /// The list is told as done before the journal goes: in between it would be placed again, which changes nothing.
    fn finish(&self, journal: Journal) -> Result<(), SettleError> {
        // A power cut can take the list, which is not flushed; the journal knows what it places.
        let mut kept = self.keeping.read_sealed().unwrap_or_else(|_| journal.belonging().bare_list());
        let done = match journal.towards {
            Became::Undone => journal.changes.iter().map(Change::inverse).collect(),
            Became::Applied | Became::Kept | Became::Discarded | Became::Direct => journal.changes,
        };
        kept.remember(done, journal.towards);
        kept.conflicts.clear();
        self.keeping.write(&kept)?;
        if !kept.changes.iter().any(|kept| kept.became.waits()) {
            self.keeping.clear(ShelfName::Changes);
        }
        if kept.count(Became::Applied) == 0 {
            self.keeping.clear(ShelfName::Undo);
        }
        Journal::remove(self.keeping)
    }

    /// First what was placed goes back to its shelf, then what it replaced to its path; every path is tried.
    fn back(&self, journal: Journal, pace: Pace<'_>) -> Result<(), SettleError> {
        let belonging = journal.belonging();
        let stuck = |error: ChangesError| SettleError::Stuck {
            workspace: belonging.path.clone(),
            source: Told(chain(&error)),
        };
        let kept = self.keeping.shelf(journal.from().other())?;
        changes::reclaim(self.workspace.as_fd(), kept.as_fd(), &journal.changes).map_err(stuck)?;
        let saved = self.keeping.shelf(journal.from())?;
        let rules = PlaceRules { owner: belonging.owner, on_error: OnError::GoOn };
        let placed = changes::place(saved.as_fd(), self.workspace.as_fd(), &journal.changes, &rules, pace);
        // The journal goes in any case: trying again at every start would not help, and what is left is on the shelf.
        Journal::remove(self.keeping)?;
        placed.map(|_| ()).map_err(stuck)
    }
}
