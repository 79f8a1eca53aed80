//! The repository around a workspace, as it stands when a run begins.
//!
//! Commit and branch are read from the repository's own files, by no program. What differs from the commit only `git` can
//! tell, and a repository's configuration names programs that `git` then starts (`core.fsmonitor`, filters, `textconv`): so
//! it runs inside the walls, see [`difference`]. Nothing here fails: what cannot be told is absent.

mod checkout;
mod difference;
mod place;
mod refs;
mod snapshot;
#[cfg(test)]
mod tests;

pub use checkout::{CheckoutError, checkout};
pub use difference::{Difference, difference};
pub use snapshot::{GitSnapshot, PatchFacts, SnapshotError, snapshot};

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where a repository's parts lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The folder that is checked out.
    pub top: PathBuf,
    /// Its own part of the repository: `HEAD` and the index.
    pub folder: PathBuf,
    /// What all folders that are checked out share: references and objects.
    pub common: PathBuf,
}

/// Where `HEAD` points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub commit: String,
    /// None when a commit is checked out by itself.
    pub branch: Option<String>,
}

impl Repository {
    /// The nearest repository around a folder. One that a stranger left in a folder above is none.
    pub fn around(workspace: &Path) -> Option<Self> {
        let owner = workspace.metadata().ok()?.uid();
        let caller = rustix::process::geteuid().as_raw();
        let trusted = |path: &Path| {
            path.symlink_metadata().is_ok_and(|metadata| [0, caller, owner].contains(&metadata.uid()))
        };
        let top = workspace.ancestors().find(|above| trusted(&above.join(".git")))?;
        place::of(top, &[caller, owner])
    }

    /// What is checked out. None before the first commit, and where references are kept in a form that is not read here.
    pub fn head(&self) -> Option<Head> {
        refs::head(&self.folder, &self.common)
    }
}
