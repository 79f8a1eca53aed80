//! What a run that lasts has written so far, kept while it goes on, so that it is there when the run is lost.
//!
//! Each time a whole list and a whole shelf are made in `saved.next/`, which then becomes `saved-N/`; what was saved before goes when
//! that is durable. What did not change gets a second name instead of a copy. When the run ends in order its changes are
//! settled as always and this goes ([`Saver::forget`]); when it was lost, the newest that is whole becomes its list and its
//! shelf ([`adopt_saved`]), and from then on it is like any run whose changes were kept apart.

use super::keeping::LIST;
use super::lock::Lock;
use super::{Keeping, SettleError};
use crate::clock::Stopwatch;
use crate::keep::{KeptNow, keep_now};
use crate::shelf::Shelf;
use crate::standing::standing;
use crate::{ApplyRules, ChangesError, Depth};
use actum_model::byte_path::ancestors;
use actum_model::{Became, Change, KeptChange, KeptChanges, Node, SealKind};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, Mode, OFlags, fdatasync, fsync, mkdirat, openat, renameat, statat, syncfs};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

/// What came of saving once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    /// Everything is as it was saved before.
    Alike,
    /// It is durable.
    Anew,
}

/// Saves what one run has written, again and again.
#[derive(Debug)]
pub struct Saver {
    keeping: Keeping,
    generation: u64,
    last: Option<KeptChanges>,
    waited: Duration,
}

impl Saver {
    pub fn new(keeping: &Keeping) -> Self {
        Self { keeping: keeping.clone(), generation: 0, last: None, waited: Duration::ZERO }
    }

    /// The store of the run.
    pub fn store(&self) -> &Path {
        &self.keeping.store
    }

    /// Saves what a layer holds. `list` is what was found in it a moment ago; contents are told as they were copied.
    pub fn save(
        &mut self,
        layer: BorrowedFd<'_>,
        list: KeptChanges,
        rules: &ApplyRules,
    ) -> Result<Saved, SettleError> {
        let is_alike = match &self.last {
            Some(last) => last.changes == list.changes,
            None => list.changes.is_empty(),
        };
        self.waited = Duration::ZERO;
        if is_alike {
            return Ok(Saved::Alike);
        }
        let list = self.write(layer, list, rules).inspect_err(|_| self.clear(NEXT))?;
        self.last = Some(list);
        Ok(Saved::Anew)
    }

    /// How long the last saving waited for the disk.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    /// Removes what was saved: the run has ended, and its changes are settled.
    pub fn forget(&mut self) {
        self.clear(NEXT);
        if self.generation > 0 {
            self.clear(&name_of(self.generation));
        }
        self.last = None;
    }

    fn write(
        &mut self,
        layer: BorrowedFd<'_>,
        mut list: KeptChanges,
        rules: &ApplyRules,
    ) -> Result<KeptChanges, SettleError> {
        let failed = |error: Errno| self.failed(error.into());
        self.clear(NEXT);
        let run = open_folder(rustix::fs::CWD, &self.keeping.folder).map_err(failed)?;
        mkdirat(&run, NEXT, Mode::RWXU).map_err(failed)?;
        let next = open_folder(run.as_fd(), NEXT).map_err(failed)?;
        mkdirat(&next, SHELF, Mode::RWXU).map_err(failed)?;
        let shelf = open_folder(next.as_fd(), SHELF).map_err(failed)?;
        let before = self.shelf_of_last(run.as_fd());
        let filling = Filling { layer, shelf: shelf.as_fd(), before, last: self.last.as_ref(), rules };
        let copied = filling.fill(&mut list.changes);
        let copied =
            copied.map_err(|source| SettleError::Keep { folder: self.keeping.folder.clone(), source })?;
        self.write_list(next.as_fd(), &list)?;
        let waiting = Stopwatch::start();
        make_durable(next.as_fd(), shelf.as_fd(), &copied).map_err(failed)?;
        let name = name_of(self.generation + 1);
        renameat(&run, NEXT, &run, name.as_str()).map_err(failed)?;
        fsync(&run).map_err(failed)?;
        if self.generation == 0 {
            // The run's own name is as young as the run.
            open_folder(run.as_fd(), "..").and_then(fsync).map_err(failed)?;
        }
        self.waited = waiting.elapsed();
        if self.generation > 0 {
            self.clear(&name_of(self.generation));
        }
        self.generation += 1;
        Ok(list)
    }

    fn shelf_of_last(&self, run: BorrowedFd<'_>) -> Option<OwnedFd> {
        let folder = open_folder(run, name_of(self.generation).as_str()).ok()?;
        open_folder(folder.as_fd(), SHELF).ok()
    }

    fn write_list(&self, folder: BorrowedFd<'_>, list: &KeptChanges) -> Result<(), SettleError> {
        let body = serde_json::to_vec(list).map_err(|error| self.failed(error.into()))?;
        let sealed = self.keeping.seal.seal(SealKind::Changes, &self.keeping.about(), &body);
        let path = self.keeping.folder.join(NEXT).join(LIST);
        let bytes = sealed.map_err(|source| SettleError::Unsealed { path, source })?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(folder, LIST, flags, Mode::RUSR | Mode::WUSR);
        let written =
            file.map_err(io::Error::from).and_then(|file| std::fs::File::from(file).write_all(&bytes));
        written.map_err(|source| self.failed(source))
    }

    /// What cannot be removed is only in nobody's way.
    fn clear(&self, name: &str) {
        let _ = actum_gate::own::remove_tree(&self.keeping.folder.join(name));
    }

    fn failed(&self, source: io::Error) -> SettleError {
        SettleError::Write { path: self.keeping.folder.join(NEXT), source }
    }
}

/// Whether a run that does not go on left anything of what it wrote: saved, or adopted since.
pub fn has_saved(folder: &Path) -> bool {
    let Ok(run) = open_folder(rustix::fs::CWD, folder) else { return false };
    is_there(run.as_fd(), LIST)
        || saved_in(run.as_fd()).is_ok_and(|saved| saved.iter().any(|name| name.starts_with(PREFIX)))
}

/// Makes what a lost run had saved its list and its shelf. False where nothing was saved, or the run was settled. To be asked only when
/// the run does not go on.
pub fn adopt_saved(keeping: &Keeping) -> Result<bool, SettleError> {
    let failed = |error: Errno| SettleError::Read { path: keeping.folder.clone(), source: error.into() };
    let run = match open_folder(rustix::fs::CWD, &keeping.folder) {
        Err(Errno::NOENT) => return Ok(false),
        run => run.map_err(failed)?,
    };
    if saved_in(run.as_fd()).map_err(failed)?.is_empty() {
        return Ok(false);
    }
    let _lock = Lock::take(keeping)?;
    // Another process may have done it meanwhile.
    let saved = saved_in(run.as_fd()).map_err(failed)?;
    let mut generations: Vec<u64> =
        saved.iter().filter_map(|name| name.strip_prefix(PREFIX)?.parse().ok()).collect();
    generations.sort_unstable();
    let is_settled = is_there(run.as_fd(), LIST);
    let mut adopted = is_settled;
    for generation in generations.into_iter().rev().take_while(|_| !is_settled) {
        adopted = adopt(keeping, run.as_fd(), &name_of(generation))?;
        if adopted {
            break;
        }
    }
    if adopted {
        for name in saved {
            let _ = actum_gate::own::remove_tree(&keeping.folder.join(name));
        }
    }
    Ok(adopted && !is_settled)
}

/// Moves one up, if it is whole and this user's Actum wrote it. The list goes last: without it nothing was adopted.
fn adopt(keeping: &Keeping, run: BorrowedFd<'_>, name: &str) -> Result<bool, SettleError> {
    let failed = |error: Errno| SettleError::Write { path: keeping.folder.clone(), source: error.into() };
    let Ok(folder) = open_folder(run, name) else { return Ok(false) };
    let Some(list) = read_list(keeping, folder.as_fd()) else { return Ok(false) };
    // Somebody was interrupted between the two.
    if !is_there(folder.as_fd(), SHELF) && is_there(run, SHELF) {
        renameat(run, SHELF, &folder, SHELF).map_err(failed)?;
    }
    if !open_folder(folder.as_fd(), SHELF).is_ok_and(|shelf| is_whole(shelf.as_fd(), &list)) {
        return Ok(false);
    }
    let _ = actum_gate::own::remove_tree(&keeping.folder.join(SHELF));
    renameat(&folder, SHELF, run, SHELF).map_err(failed)?;
    renameat(&folder, LIST, run, LIST).map_err(failed)?;
    Ok(true)
}

fn read_list(keeping: &Keeping, folder: BorrowedFd<'_>) -> Option<KeptChanges> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = std::fs::File::from(openat(folder, LIST, flags, Mode::empty()).ok()?);
    let mut text = Vec::new();
    file.take(LONGEST_LIST).read_to_end(&mut text).ok()?;
    let body = keeping.seal.open(SealKind::Changes, &keeping.about(), &text).ok()?;
    serde_json::from_slice(body).ok()
}

/// A power cut can take what was not durable yet.
fn is_whole(shelf: BorrowedFd<'_>, list: &KeptChanges) -> bool {
    let contents = list.changes.iter().filter(|kept| is_content(kept));
    contents.map(|kept| &kept.change).all(|change| {
        let found = Shelf(shelf).find(&change.path).ok().flatten();
        let digest = found.and_then(|entry| standing(&entry, Depth::Whole).ok()?.sha256);
        digest.is_some() && digest == change.after.sha256
    })
}

/// Whether its contents lie on the shelf.
fn is_content(kept: &KeptChange) -> bool {
    kept.became == Became::Kept && kept.change.after.node == Node::File
}

/// Puts contents on a new shelf.
struct Filling<'a> {
    layer: BorrowedFd<'a>,
    shelf: BorrowedFd<'a>,
    /// The shelf before, and what lies on it.
    before: Option<OwnedFd>,
    last: Option<&'a KeptChanges>,
    rules: &'a ApplyRules,
}

impl Filling<'_> {
    /// What cannot be had now is as it was saved before, or left out. Tells the paths that were copied.
    fn fill(&self, changes: &mut Vec<KeptChange>) -> Result<Vec<Vec<u8>>, ChangesError> {
        let (mut filled, mut total, mut copied) = (Vec::with_capacity(changes.len()), 0_u64, Vec::new());
        for mut kept in changes.drain(..) {
            if !is_content(&kept) {
                filled.push(kept);
                continue;
            }
            if self.is_as_before(&kept) && self.link(&kept.change)? {
                filled.push(kept);
                continue;
            }
            match self.copy(&kept.change)? {
                Some(now) => {
                    total = total.saturating_add(now.bytes);
                    kept.change.after = now.standing;
                    copied.push(kept.change.path.clone());
                    filled.push(kept);
                }
                None => filled.extend(self.earlier(&kept)?),
            }
            if self.rules.max_total.is_some_and(|max| total > max.0) {
                let path = filled.last().map(|kept| kept.change.path.clone()).unwrap_or_default();
                return Err(ChangesError::refused("write", &path)(Errno::DQUOT));
            }
        }
        *changes = filled;
        Ok(copied)
    }

    /// Copies a file until nobody wrote it meanwhile. One that is written without a pause is taken as it is, unless it was saved
    /// before.
    fn copy(&self, change: &Change) -> Result<Option<KeptNow>, ChangesError> {
        const TRIES: usize = 3;
        let mut torn = None;
        for _ in 0..TRIES {
            match keep_now(self.layer, self.shelf, change, self.rules)? {
                Some(now) if now.is_whole => return Ok(Some(now)),
                now => torn = now,
            }
        }
        Ok(torn.filter(|_| self.saved_before(&change.path).is_none()))
    }

    fn saved_before(&self, path: &[u8]) -> Option<&KeptChange> {
        let changes = &self.last?.changes;
        let at = changes.binary_search_by(|kept| kept.change.path.as_slice().cmp(path)).ok()?;
        changes.get(at).filter(|kept| is_content(kept))
    }

    fn is_as_before(&self, kept: &KeptChange) -> bool {
        kept.change.after.sha256.is_some() && self.saved_before(&kept.change.path) == Some(kept)
    }

    /// What was saved of it before.
    fn earlier(&self, kept: &KeptChange) -> Result<Option<KeptChange>, ChangesError> {
        let Some(before) = self.saved_before(&kept.change.path).cloned() else { return Ok(None) };
        Ok(self.link(&before.change)?.then_some(before))
    }

    /// Gives what lies on the shelf before a second name on this one.
    fn link(&self, change: &Change) -> Result<bool, ChangesError> {
        let Some(before) = &self.before else { return Ok(false) };
        let Some(entry) = Shelf(before.as_fd()).find(&change.path)? else { return Ok(false) };
        let linked = Shelf(self.shelf).save(&change.path, &entry, change.after.sha256.as_ref());
        linked.map_err(ChangesError::refused("store", &change.path))?;
        Ok(true)
    }
}

const NEXT: &str = "saved.next";
const PREFIX: &str = "saved-";
const SHELF: &str = "changes";
/// More than a list of a million changes takes.
const LONGEST_LIST: u64 = 1 << 30;

/// Waits until what was copied, and the list, survive a power cut. A few files are waited for by name: waiting for the whole file
/// system waits for everybody's writes.
fn make_durable(next: BorrowedFd<'_>, shelf: BorrowedFd<'_>, copied: &[Vec<u8>]) -> rustix::io::Result<()> {
    if copied.len() > MOST_BY_NAME {
        return syncfs(next);
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folders = BTreeSet::new();
    for path in copied {
        let file = Shelf(shelf).find(path).map_err(|_| Errno::IO)?.ok_or(Errno::NOENT)?;
        fdatasync(file.open()?.as_fd())?;
        folders.extend(ancestors(path).map(<[u8]>::to_vec));
    }
    for folder in folders {
        fsync(openat(shelf, folder.as_slice(), flags | OFlags::DIRECTORY, Mode::empty())?)?;
    }
    fsync(shelf)?;
    fsync(openat(next, LIST, flags, Mode::empty())?)?;
    fsync(next)
}

/// 64: so many waits take about as long as one for everything.
const MOST_BY_NAME: usize = 64;

fn name_of(generation: u64) -> String {
    format!("{PREFIX}{generation}")
}

/// The names of what was saved, and of what was not finished.
fn saved_in(run: BorrowedFd<'_>) -> rustix::io::Result<Vec<String>> {
    let names =
        Dir::read_from(run)?.filter_map(|entry| entry.ok()?.file_name().to_str().ok().map(str::to_owned));
    Ok(names.filter(|name| name == NEXT || name.starts_with(PREFIX)).collect())
}

fn is_there(folder: BorrowedFd<'_>, name: &str) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

fn open_folder(above: BorrowedFd<'_>, name: impl AsRef<Path>) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(above, name.as_ref(), flags, Mode::empty())
}
