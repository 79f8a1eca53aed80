//! Runs that write into a workspace directly at the same time share what stood there before the first of them.
//!
//! Without this, a run that began while another one was writing would take what that one had planted for good, and put it
//! back when it ended. So each run leaves what it keeps in a folder that no program reaches, locked while it lives; one
//! that begins meanwhile takes that in the place of what it sees itself. Nested workspaces share the part that both have.

use super::snapshot::Kept;
use super::{ChangesError, Snapshot, SnapshotRules};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// What one run keeps, for those that begin before it ends.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// Absolute, without links.
    workspace: PathBuf,
    kept: BTreeMap<Vec<u8>, Kept>,
}

/// A run's entry: it counts while this lives, whatever happens to the process.
pub(super) struct Registration {
    register: PathBuf,
    path: PathBuf,
    locked: OwnedFd,
}

impl Drop for Registration {
    fn drop(&mut self) {
        let _alone = alone(&self.register);
        let _ = std::fs::remove_file(&self.path);
        // Where nobody else is registered nothing is left.
        let _ = std::fs::remove_dir(&self.register);
    }
}

const ENDING: &str = ".kept";

impl Snapshot {
    /// Remembers the workspace at a path, beside other runs that write into it now. `register` is a folder that no program
    /// reaches.
    pub fn take_beside_others(
        workspace: BorrowedFd<'_>,
        path: &Path,
        rules: &SnapshotRules,
        register: &Path,
    ) -> Result<Self, ChangesError> {
        let failed = |source: io::Error| ChangesError::Register { path: register.to_path_buf(), source };
        let make = |folder: &Path| std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        make(register.parent().unwrap_or(register)).map_err(failed)?;
        // Nobody begins between what is seen here and what is left for others.
        let _alone = alone(register).map_err(failed)?;
        make(register).map_err(failed)?;
        let mut snapshot = Self::take(workspace, rules)?;
        for entry in living(register).map_err(failed)? {
            snapshot.inherit(path, entry);
        }
        let registration = snapshot.register(path, register).map_err(failed)?;
        snapshot.registration = Some(registration);
        Ok(snapshot)
    }

    /// Takes what another run keeps of the part that both workspaces have.
    fn inherit(&mut self, own: &Path, other: Entry) {
        let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
        if let Ok(below) = own.strip_prefix(&other.workspace) {
            let below = bytes(below);
            let part = other.kept.into_iter();
            self.kept = part.filter_map(|(path, kept)| Some((relative(&path, &below)?, kept))).collect();
        } else if let Ok(below) = other.workspace.strip_prefix(own) {
            let below = bytes(below);
            self.kept.retain(|path, _| relative(path, &below).is_none());
            let part = other.kept.into_iter();
            self.kept.extend(part.map(|(path, kept)| ([&below[..], b"/", &path].concat(), kept)));
        }
    }

    fn register(&mut self, workspace: &Path, register: &Path) -> io::Result<Registration> {
        let path = register.join(format!("{}{ENDING}", actum_gate::own::random_name()?));
        let locked = lock(&path, FlockOperation::LockExclusive)?;
        let entry = Entry { workspace: workspace.to_path_buf(), kept: std::mem::take(&mut self.kept) };
        let registration = Registration { register: register.to_path_buf(), path, locked };
        let text = postcard::to_stdvec(&entry).map_err(io::Error::other)?;
        self.kept = entry.kept;
        super::copy::write(registration.locked.as_fd(), &text)?;
        Ok(registration)
    }
}

/// Holds the folder that the register lies in: nobody else begins or ends meanwhile.
fn alone(register: &Path) -> io::Result<OwnedFd> {
    let above = register.parent().unwrap_or(register);
    let folder = open(above, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    flock(&folder, FlockOperation::LockExclusive)?;
    Ok(folder)
}

/// A path below a folder, from there on.
fn relative(path: &[u8], folder: &[u8]) -> Option<Vec<u8>> {
    if folder.is_empty() {
        return Some(path.to_vec());
    }
    path.strip_prefix(folder)?.strip_prefix(b"/").map(<[u8]>::to_vec)
}

fn lock(path: &Path, how: FlockOperation) -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::RUSR | Mode::WUSR)?;
    flock(&file, how)?;
    Ok(file)
}

/// What runs keep that go on. What one left that was killed is removed: nobody puts it back any more.
fn living(register: &Path) -> io::Result<Vec<Entry>> {
    let mut living = Vec::new();
    for entry in std::fs::read_dir(register)? {
        let path = entry?.path();
        if !path.as_os_str().as_bytes().ends_with(ENDING.as_bytes()) {
            continue;
        }
        match lock(&path, FlockOperation::NonBlockingLockExclusive) {
            Ok(_) => std::fs::remove_file(&path)?,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let text = std::fs::read(&path)?;
                living.extend(postcard::from_bytes::<Entry>(&text).ok());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(living)
}
