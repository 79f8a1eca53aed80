//! The workspace around an attempt: remembered before, compared and settled after.

use crate::attempt::Traces;
use crate::error::RunError;
use crate::report::Applied;
use actum_model::Change;
use actum_sandbox::changes::{ApplyRules, CollectRules, Collected, Snapshot, SnapshotRules, apply, collect};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use std::path::{Path, PathBuf};

/// The workspace, held by descriptor from before the program starts: what is put in its place meanwhile is not it.
pub(crate) struct Workspace {
    folder: OwnedFd,
    path: PathBuf,
}

impl Workspace {
    pub(crate) fn open(path: &Path) -> Result<Self, RunError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|error| RunError::Workspace { path: path.to_path_buf(), source: error.into() })?;
        Ok(Self { folder, path: path.to_path_buf() })
    }

    /// Remembers what a program that writes directly could change.
    pub(crate) fn remember(&self) -> Result<Snapshot, RunError> {
        Snapshot::take(self.folder.as_fd(), &SnapshotRules::default())
            .map_err(|source| RunError::List { source })
    }

    /// What the attempt changed, and whether there was more than can be listed.
    pub(crate) fn changes(&self, traces: &Traces<'_>) -> Result<(Vec<Change>, bool), RunError> {
        let listed = match (&traces.layer, &traces.snapshot) {
            (Some(layer), _) => collect(layer.as_fd(), self.folder.as_fd(), &CollectRules::default()),
            (None, Some(snapshot)) => snapshot.compare(self.folder.as_fd()),
            (None, None) => return Ok((Vec::new(), false)),
        };
        let Collected { changes, truncated } = listed.map_err(|source| RunError::List { source })?;
        Ok((changes, truncated))
    }

    /// Applies or discards what a layer took; puts back what a direct writer should not have touched.
    pub(crate) fn settle(
        &self,
        traces: &Traces<'_>,
        changes: &[Change],
        truncated: bool,
        ended_well: bool,
    ) -> Result<Applied, RunError> {
        let failed = |source| RunError::Apply { workspace: self.path.clone(), source };
        if let Some(snapshot) = &traces.snapshot {
            let restored = snapshot.restore_protected(self.folder.as_fd()).map_err(failed)?;
            if let Some(lost) = restored.lost.into_iter().find_map(|lost| lost.cause) {
                return Err(failed(lost));
            }
            return Ok(if changes.is_empty() { Applied::Nothing } else { Applied::Direct });
        }
        let Some(layer) = traces.layer.as_ref().filter(|_| !changes.is_empty()) else {
            return Ok(Applied::Nothing);
        };
        if !ended_well {
            return Ok(Applied::Discarded);
        }
        if truncated {
            return Err(RunError::TooMuch);
        }
        let stat = rustix::fs::fstat(&self.folder)
            .map_err(|error| RunError::Workspace { path: self.path.clone(), source: error.into() })?;
        let owner = rustix::process::geteuid().is_root().then_some((stat.st_uid, stat.st_gid));
        let rules = ApplyRules { owner, ..ApplyRules::default() };
        apply(layer.as_fd(), self.folder.as_fd(), changes, &rules).map_err(failed)?;
        Ok(Applied::Applied)
    }
}
