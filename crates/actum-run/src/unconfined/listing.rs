//! What a command changed in the project, where looking costs little.

use actum_changes::{Collected, Protection, Snapshot, SnapshotRules, identities};
use actum_sandbox::Stores;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Entries of a project that are looked at before and after each command: some tens of milliseconds. A larger one is not
/// looked at, and then nothing is said about changes.
const MOST: u64 = 20_000;

/// A project as it was before a command.
pub(super) struct Listing(Option<(OwnedFd, Snapshot)>);

impl Listing {
    pub(super) fn begin(workspace: &Path, ours: &[PathBuf], stores: &Stores) -> Self {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(folder) = rustix::fs::open(workspace, flags, Mode::empty()) else { return Self(None) };
        let inside = ours.iter().filter_map(|path| path.strip_prefix(workspace).ok());
        let rules = SnapshotRules {
            // Nothing is put back: it is the agent's own work.
            protection: Protection::Lifted,
            max_entries: MOST,
            skipped: inside.map(|path| path.as_os_str().as_bytes().to_vec()).collect(),
            stores: identities(stores.known.iter().map(PathBuf::as_path)),
            ..SnapshotRules::default()
        };
        let snapshot = Snapshot::take(folder.as_fd(), &rules).ok().filter(Snapshot::is_whole);
        Self(snapshot.map(|snapshot| (folder, snapshot)))
    }

    /// What is different now.
    pub(super) fn end(self) -> Collected {
        let compared = self.0.and_then(|(folder, snapshot)| snapshot.compare(folder.as_fd()).ok());
        compared.unwrap_or_default()
    }
}
