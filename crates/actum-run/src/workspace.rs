//! The workspace around an attempt: remembered before, compared and settled after.

use crate::attempt::Traces;
use crate::error::RunError;
use crate::report::Applied;
use actum_model::{Bytes, Change};
use actum_sandbox::changes::{ApplyRules, CollectRules, Collected, Snapshot, SnapshotRules, apply, collect};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use std::path::{Path, PathBuf};

/// What is to become of changes that a layer took.
#[derive(Clone, Copy)]
pub(crate) enum Keep {
    Nothing,
    /// As much as the run was allowed to write.
    UpTo(Bytes),
}

/// The workspace, held by descriptor from before the program starts: what is put in its place meanwhile is not it.
pub(crate) struct Workspace {
    folder: OwnedFd,
    path: PathBuf,
    mode: Mode,
}

impl Workspace {
    pub(crate) fn open(path: &Path) -> Result<Self, RunError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|error| RunError::Workspace { path: path.to_path_buf(), source: error.into() })?;
        let stat = rustix::fs::fstat(&folder)
            .map_err(|error| RunError::Workspace { path: path.to_path_buf(), source: error.into() })?;
        Ok(Self { folder, path: path.to_path_buf(), mode: Mode::from_raw_mode(stat.st_mode) })
    }

    /// Remembers what a program that writes directly could change.
    pub(crate) fn remember(&self) -> Result<Snapshot, RunError> {
        Snapshot::take(self.folder.as_fd(), &SnapshotRules::default())
            .map_err(|source| RunError::List { source })
    }

    /// A program may close the folder to everybody, us among them. Its permissions are not what it was given to change.
    pub(crate) fn reopen(&self, traces: &Traces<'_>) {
        if traces.snapshot.is_some() {
            let _ = rustix::fs::fchmod(&self.folder, self.mode);
        }
        if let Some(layer) = &traces.layer {
            let _ = rustix::fs::fchmod(layer, Mode::from_raw_mode(0o755));
        }
    }

    /// Puts back what a direct writer should not have touched, also when all else failed.
    pub(crate) fn put_back(&self, traces: &Traces<'_>) -> Result<(), RunError> {
        let failed = |source| RunError::Apply { workspace: self.path.clone(), source };
        let Some(snapshot) = &traces.snapshot else { return Ok(()) };
        let restored = snapshot.restore_protected(self.folder.as_fd()).map_err(failed)?;
        restored.lost.into_iter().find_map(|lost| lost.cause).map_or(Ok(()), |lost| Err(failed(lost)))
    }

    /// What the attempt changed, and whether there was more than can be listed.
    pub(crate) fn changes(&self, traces: &Traces<'_>) -> Result<(Vec<Change>, bool), RunError> {
        let listed = match (&traces.layer, &traces.snapshot) {
            (Some(layer), _) => collect(layer.as_fd(), self.folder.as_fd(), &CollectRules::default()),
            (None, Some(snapshot)) => snapshot.compare(self.folder.as_fd()),
            (None, None) => return Ok((Vec::new(), false)),
        };
        let Collected { changes, truncated, .. } = listed.map_err(|source| RunError::List { source })?;
        Ok((changes, truncated))
    }

    /// Applies or discards what a layer took.
    pub(crate) fn settle(
        &self,
        traces: &Traces<'_>,
        changes: &[Change],
        truncated: bool,
        keep: Keep,
    ) -> Result<Applied, RunError> {
        let failed = |source| RunError::Apply { workspace: self.path.clone(), source };
        if traces.snapshot.is_some() {
            return Ok(if changes.is_empty() { Applied::Nothing } else { Applied::Direct });
        }
        let Some(layer) = traces.layer.as_ref().filter(|_| !changes.is_empty()) else {
            return Ok(Applied::Nothing);
        };
        let Keep::UpTo(most) = keep else { return Ok(Applied::Discarded) };
        if truncated {
            return Err(RunError::TooMuch);
        }
        let stat = rustix::fs::fstat(&self.folder)
            .map_err(|error| RunError::Workspace { path: self.path.clone(), source: error.into() })?;
        let owner = rustix::process::geteuid().is_root().then_some((stat.st_uid, stat.st_gid));
        let rules = ApplyRules { owner, max_total: Some(most), ..ApplyRules::default() };
        apply(layer.as_fd(), self.folder.as_fd(), changes, &rules).map_err(failed)?;
        Ok(Applied::Applied)
    }
}
