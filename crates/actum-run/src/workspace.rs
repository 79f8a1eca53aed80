//! The workspace around an attempt: remembered before, compared and settled after.

use crate::attempt::Traces;
use crate::clock;
use crate::error::RunError;
use crate::inputs::{After, ReadBack, Survey};
use crate::request::Keep;
use crate::validate::Conclusion;
use actum_changes::settle::{
    Belonging, Identity, Keeping, Saved, Saver, SettleError, Settled, apply_listed, open_without_links,
};
use actum_changes::{self as changes, ApplyRules, CollectRules, Collected, Snapshot, SnapshotRules, collect};
use actum_model::{
    Applied, Became, Bytes, Change, Conflict, Ending, ExitCode, KeptChange, KeptChanges, Limit, WorkspaceMode,
};
use actum_sandbox::Guard;
use actum_sandbox::Stores;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::time::Timespec;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is to become of changes that a layer took.
#[derive(Clone, Copy)]
pub(crate) enum Fate {
    /// Listed and dropped.
    Discard,
    /// Kept with the run, as much as it was allowed to write.
    KeepApart(Bytes),
    /// Kept with the run and applied.
    Apply(Bytes),
}

impl Fate {
    /// What a run that met its limit on disk wrote is as much as may be kept, and half of something: it is dropped.
    /// What is not as it was expected is kept apart like what a failed run wrote: somebody has to look at it first.
    /// A program that never started wrote nothing that anybody asked for.
    pub(crate) fn of(
        (mode, keep): (WorkspaceMode, Keep),
        ending: &Ending,
        conclusion: Conclusion,
        disk: Bytes,
    ) -> Self {
        let started = !matches!(ending, Ending::NotStarted { .. });
        let is_well = conclusion == Conclusion::AsExpected || (keep == Keep::Always && started);
        match mode {
            WorkspaceMode::ReadOnly => Self::Discard,
            WorkspaceMode::Overlay | WorkspaceMode::InPlace if is_well => Self::Apply(disk),
            WorkspaceMode::Overlay | WorkspaceMode::InPlace if ending.limit() == Some(Limit::Disk) => {
                Self::Discard
            }
            WorkspaceMode::Overlay | WorkspaceMode::InPlace => Self::KeepApart(disk),
        }
    }
}

/// What became of them.
pub(crate) struct Settlement {
    pub(crate) applied: Applied,
    pub(crate) conflicts: Vec<Conflict>,
    /// Why they could not be settled at all.
    pub(crate) failure: Option<SettlementFailure>,
}

/// Why changes could not be settled. The program ran all the same, so this is a part of the account and never replaces it.
pub(crate) struct SettlementFailure {
    pub(crate) reason: String,
    pub(crate) exit_code: ExitCode,
}

/// The workspace, held by descriptor from before the program starts: what is put in its place meanwhile is not it.
pub(crate) struct Workspace {
    folder: OwnedFd,
    path: PathBuf,
    mode: Mode,
    identity: Identity,
    owner: (u32, u32),
    began: Timespec,
    /// What is protected in it.
    guard: Guard,
}

impl Workspace {
    pub(crate) fn open(attempt: &actum_sandbox::Request) -> Result<Self, RunError> {
        let path = attempt.workspace.as_path();
        let failed = |error: Errno| RunError::Workspace { path: path.to_path_buf(), source: error.into() };
        let folder = open_without_links(path).map_err(failed)?;
        let stat = rustix::fs::fstat(&folder).map_err(failed)?;
        let identity = Identity::of(folder.as_fd()).map_err(failed)?;
        Ok(Self {
            folder,
            path: path.to_path_buf(),
            mode: Mode::from_raw_mode(stat.st_mode),
            identity,
            owner: (stat.st_uid, stat.st_gid),
            began: clock::now(),
            guard: Guard::new(path, attempt.home.as_deref(), &attempt.hidden),
        })
    }

    /// Remembers what a program that writes directly could change.
    /// What is ours and lies in it is no part of it: we write there ourselves meanwhile.
    /// Other runs may write here at the same time: `register` is where they find each other.
    pub(crate) fn remember(
        &self,
        ours: &[PathBuf],
        stores: &Stores,
        register: &Path,
    ) -> Result<Snapshot, RunError> {
        let inside = ours.iter().filter_map(|path| path.strip_prefix(&self.path).ok());
        let skipped = inside.map(|path| path.as_os_str().as_bytes().to_vec()).collect();
        let stores = changes::identities(stores.known.iter().map(PathBuf::as_path));
        let rules = SnapshotRules { skipped, stores, guard: self.guard.clone(), ..SnapshotRules::default() };
        Snapshot::take_beside_others(self.folder.as_fd(), &self.path, &rules, register)
            .map_err(|source| RunError::List { source })
    }

    /// A program may close the folder to everybody, us among them. Its permissions are not what it was given to change.
    pub(crate) fn reopen(&self, traces: Option<&Traces<'_>>) {
        let Some(traces) = traces else { return };
        if traces.snapshot.is_some() {
            let _ = rustix::fs::fchmod(&self.folder, self.mode);
        }
        if let Some(layer) = &traces.layer {
            let _ = rustix::fs::fchmod(layer, Mode::from_raw_mode(0o755));
        }
    }

    /// Puts back what a direct writer should not have touched, also when all else failed.
    /// Stores that were made meanwhile are left.
    pub(crate) fn put_back(&self, traces: Option<&Traces<'_>>, stores: &Stores) -> Result<(), RunError> {
        let failed = |source| RunError::PutBack { workspace: self.path.clone(), source };
        let Some(snapshot) = traces.and_then(|traces| traces.snapshot.as_ref()) else { return Ok(()) };
        let now = changes::identities(stores.made_meanwhile().iter().map(PathBuf::as_path));
        let restored = snapshot.restore_protected(self.folder.as_fd(), &now).map_err(failed)?;
        let lost = restored.lost.into_iter().next();
        let cause = |lost: changes::Lost| {
            lost.cause.unwrap_or(changes::ChangesError::NotKept { path: lost.change.path })
        };
        lost.map_or(Ok(()), |lost| Err(failed(cause(lost))))
    }

    /// What the attempt changed.
    pub(crate) fn changes(
        &self,
        traces: Option<&Traces<'_>>,
        keeping: &Keeping,
    ) -> Result<Collected, RunError> {
        let Some(traces) = traces else { return Ok(Collected::default()) };
        let rules =
            CollectRules { began: Some(self.began), guard: self.guard.clone(), ..CollectRules::default() };
        let listed = match (&traces.layer, &traces.snapshot) {
            (Some(layer), _) => collect(layer.as_fd(), self.folder.as_fd(), &rules),
            (None, Some(snapshot)) => snapshot.compare(self.folder.as_fd()),
            (None, None) => return Ok(Collected::default()),
        };
        let mut listed = listed.map_err(|source| RunError::List { source })?;
        self.seal(&mut listed, &keeping.store);
        Ok(listed)
    }

    /// Where changed files lie before they are settled.
    pub(crate) fn written<'t>(&'t self, traces: Option<&'t Traces<'_>>) -> BorrowedFd<'t> {
        traces.and_then(|traces| traces.layer.as_ref()).unwrap_or(&self.folder).as_fd()
    }

    /// The workspace itself, as it was before the run where a layer took what was written.
    pub(crate) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    /// What an attempt opened, read before anything is settled.
    pub(crate) fn read_back(
        &self,
        traces: Option<&Traces<'_>>,
        survey: &Survey,
        changes: &[Change],
    ) -> Option<ReadBack> {
        let traces = traces?;
        let layer = traces.layer.as_ref().map(AsFd::as_fd);
        let after = After { folder: self.folder.as_fd(), layer, began: self.began, changes };
        Some(ReadBack::of(traces.opened.clone()?, survey, after))
    }

    /// Keeps what a program that goes on has written so far.
    pub(crate) fn save(
        &self,
        layer: BorrowedFd<'_>,
        saver: &mut Saver,
        most: Bytes,
        over: &Arc<AtomicBool>,
    ) -> Result<Saved, RunError> {
        let going_on = Some(Arc::clone(over));
        let rules = CollectRules { guard: self.guard.clone(), going_on, ..CollectRules::default() };
        let listed = collect(layer, self.folder.as_fd(), &rules);
        let mut listed = listed.map_err(|source| RunError::List { source })?;
        if listed.truncated {
            return Ok(Saved::Alike);
        }
        self.seal(&mut listed, saver.store());
        let rules = ApplyRules { owner: self.new_owner(), max_total: Some(most), ..ApplyRules::default() };
        Ok(saver.save(layer, self.list(&listed, kept_or_dropped), &rules)?)
    }

    /// Settles what the attempt changed.
    pub(crate) fn settle(
        &self,
        traces: Option<&Traces<'_>>,
        listed: &Collected,
        fate: Fate,
        keeping: &Keeping,
    ) -> Result<Settlement, RunError> {
        let Some(traces) = traces.filter(|_| !listed.changes.is_empty()) else {
            return Ok(Applied::Nothing.into());
        };
        if traces.snapshot.is_some() {
            keeping.write(&self.list(listed, |_| Became::Direct))?;
            return Ok(Applied::Direct.into());
        }
        let Some(layer) = &traces.layer else { return Ok(Applied::Nothing.into()) };
        match fate {
            Fate::Apply(_) if listed.truncated => self.drop_too_much(listed, keeping),
            Fate::Discard => self.discard(listed, keeping),
            Fate::KeepApart(_) if listed.truncated => self.discard(listed, keeping),
            Fate::KeepApart(most) => match self.keep(layer.as_fd(), listed, most, keeping) {
                // A file with many names counts once for each. What is too much to keep is told and dropped.
                Err(SettleError::Keep { source, .. }) if source.is_over_bound() => {
                    self.discard(listed, keeping)
                }
                kept => kept.map(|_| Applied::Kept.into()).map_err(RunError::from),
            },
            Fate::Apply(most) => match self.apply(layer.as_fd(), listed, most, keeping) {
                Err(RunError::Settle(SettleError::Keep { source, .. })) if source.is_over_bound() => {
                    self.drop_too_much(listed, keeping)
                }
                applied => applied,
            },
        }
    }

    /// More than the limit `disk` allows, or more entries than a list holds: nothing of it is applied.
    fn drop_too_much(&self, listed: &Collected, keeping: &Keeping) -> Result<Settlement, RunError> {
        let reason = "its changes exceed the limit `disk`, so none were applied".to_owned();
        let failure = Some(SettlementFailure { reason, exit_code: ExitCode::OVER_LIMIT });
        Ok(Settlement { failure, ..self.discard(listed, keeping)? })
    }

    fn discard(&self, listed: &Collected, keeping: &Keeping) -> Result<Settlement, RunError> {
        keeping.write(&self.list(listed, |_| Became::Discarded))?;
        Ok(Applied::Discarded.into())
    }

    fn apply(
        &self,
        layer: BorrowedFd<'_>,
        listed: &Collected,
        most: Bytes,
        keeping: &Keeping,
    ) -> Result<Settlement, RunError> {
        let mut kept = self.keep(layer, listed, most, keeping)?;
        let conflicts = match listed.conflicts.is_empty() {
            true => match apply_listed(keeping, &kept, most, self.folder.as_fd())? {
                Settled::Done(_) => return Ok(Applied::Applied.into()),
                Settled::Conflicts(conflicts) => conflicts,
            },
            false => listed.conflicts.clone(),
        };
        kept.conflicts.clone_from(&conflicts);
        keeping.write(&kept)?;
        Ok(Settlement { applied: Applied::Refused, conflicts, failure: None })
    }

    /// Contents first, then the list: one without the other would promise what is not there.
    fn keep(
        &self,
        layer: BorrowedFd<'_>,
        listed: &Collected,
        most: Bytes,
        keeping: &Keeping,
    ) -> Result<KeptChanges, SettleError> {
        let rules = ApplyRules { owner: self.new_owner(), max_total: Some(most), ..ApplyRules::default() };
        keeping.keep(layer, &listed.changes, &rules)?;
        let kept = self.list(listed, kept_or_dropped);
        keeping.write(&kept)?;
        Ok(kept)
    }

    /// A list that was cut is as good as none, and as long as a list can be: only that it was is kept.
    fn list(&self, listed: &Collected, became: impl Fn(&actum_model::Change) -> Became) -> KeptChanges {
        let changes = if listed.truncated { &[][..] } else { &listed.changes };
        let kept =
            |change: &actum_model::Change| KeptChange { change: change.clone(), became: became(change) };
        let belonging =
            Belonging { path: self.path.clone(), identity: self.identity, owner: self.new_owner() };
        KeptChanges {
            cut: listed.truncated,
            changes: changes.iter().map(kept).collect(),
            ..belonging.bare_list()
        }
    }

    /// What is made in a workspace belongs to its owner, also when root made it.
    fn new_owner(&self) -> Option<(u32, u32)> {
        rustix::process::geteuid().is_root().then_some(self.owner)
    }

    /// A store inside the workspace is no part of it: a program that could have a journal placed there could have
    /// anything written anywhere. The same holds for the user's configuration, keys and cache.
    fn seal(&self, listed: &mut Collected, store: &Path) {
        let inside = store.strip_prefix(&self.path).ok();
        let is_sealed = |path: &[u8]| {
            let in_store =
                inside.is_some_and(|inside| Path::new(std::ffi::OsStr::from_bytes(path)).starts_with(inside));
            in_store || self.guard.is_own(path)
        };
        listed.changes.retain(|change| !is_sealed(&change.path));
        listed.conflicts.retain(|conflict| !is_sealed(&conflict.path));
    }
}

fn kept_or_dropped(change: &Change) -> Became {
    if changes::is_keepable(change) { Became::Kept } else { Became::Discarded }
}

impl Settlement {
    /// Where settling itself failed. What was placed until then is taken back or finished by the next command.
    pub(crate) fn failed(error: &RunError) -> Self {
        let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
        let reason =
            format!("cannot apply or discard its changes: {}{hint}", actum_model::with_causes(error));
        let failure = Some(SettlementFailure { reason, exit_code: ExitCode::OWN_ERROR });
        Self { applied: Applied::Discarded, conflicts: Vec::new(), failure }
    }
}

impl From<Applied> for Settlement {
    fn from(applied: Applied) -> Self {
        Self { applied, conflicts: Vec::new(), failure: None }
    }
}
