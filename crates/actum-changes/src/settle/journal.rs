//! The journal of placing: what is being done to a workspace right now, so that anybody can go on with it.
//!
//! It is written after everything that placing needs, and removed after everything that placing does. Beside it a marker
//! in the store says that there is one, so that nobody has to look through all runs: a link from the run's name to its
//! folder. The marker comes first and goes last; one without a journal means that nothing was begun.
//!
//! **Who wrote it.** Whoever can write in a store could have anything written anywhere by a journal of their own. So a
//! journal is sealed with the user's key for its run; one that is not is set aside under another name, told once, and
//! never carried out.
//!
//! **What is flushed.** The journal, before it is relied on: nothing else could tell that it is whole. Contents are not:
//! a killed process takes nothing with it, and after a power cut they are held against the digests in the journal, and
//! the workspace is put back where they are not whole.

use super::keeping::{Belonging, Flush, Identity, ShelfName, make_folder, read_plain};
use super::{Keeping, SettleError};
use actum_model::{Became, Change, RunId, SealError, SealKind};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A list that is being placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) v: u32,
    pub(super) heading: Heading,
    /// What the changes become when it is done: applied or undone.
    pub(super) towards: Became,
    /// As bytes: a path need not be text.
    workspace: Vec<u8>,
    inode: u64,
    device: Option<u64>,
    born: Option<i64>,
    owner: Option<(u32, u32)>,
    /// Sorted. On the way back: the inverses of what may have been placed.
    pub(super) changes: Vec<Change>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Heading {
    Forward,
    /// Placing failed, and what was placed is being taken back.
    Back,
}

impl Journal {
    pub(super) fn new(towards: Became, belonging: &Belonging, changes: Vec<Change>) -> Self {
        let workspace = belonging.path.as_os_str().as_bytes().to_vec();
        let Identity { device, inode, born } = belonging.identity;
        let owner = belonging.owner;
        Self { v: 2, heading: Heading::Forward, towards, workspace, inode, device, born, owner, changes }
    }

    pub(super) fn belonging(&self) -> Belonging {
        let path = PathBuf::from(std::ffi::OsString::from_vec(self.workspace.clone()));
        let identity = Identity { device: self.device, inode: self.inode, born: self.born };
        Belonging { path, identity, owner: self.owner }
    }

    /// The same, on the way back.
    pub(super) fn turned_back(self, inverse: Vec<Change>) -> Self {
        Self { heading: Heading::Back, changes: inverse, ..self }
    }

    /// The shelf from which the list is placed.
    pub(super) fn from(&self) -> ShelfName {
        let forward = if self.towards == Became::Undone { ShelfName::Undo } else { ShelfName::Changes };
        match self.heading {
            Heading::Forward => forward,
            Heading::Back => forward.other(),
        }
    }

    /// The journal of a run, if something is being placed. One that this user's Actum did not write is set aside.
    pub(super) fn read(keeping: &Keeping) -> Result<Option<Self>, SettleError> {
        let path = keeping.folder.join(JOURNAL);
        let text = match read_plain(&path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            // A link, a FIFO or the like: none of ours, and it must not keep later runs from starting.
            Err(error) if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) => {
                Self::set_aside(keeping)?;
                return Err(SettleError::Read { path, source: error });
            }
            text => text.map_err(|source| SettleError::Read { path: path.clone(), source })?,
        };
        let body = match keeping.seal.open(SealKind::Journal, &keeping.about(), &text) {
            Ok(body) => body,
            // Not the journal's fault: once the key is there again it is gone on with.
            Err(source @ SealError::NoKey(_)) => return Err(SettleError::Forged { path, source }),
            Err(source @ (SealError::Missing | SealError::Wrong)) => {
                let aside = Self::set_aside(keeping)?;
                return Err(SettleError::Forged { path: aside, source });
            }
        };
        serde_json::from_slice(body).map(Some).map_err(|source| SettleError::NotUnderstood { path, source })
    }

    /// Puts a journal that nobody vouches for under a name that nothing reads, and forgets its marker.
    fn set_aside(keeping: &Keeping) -> Result<PathBuf, SettleError> {
        let (path, aside) = (keeping.folder.join(JOURNAL), keeping.folder.join(SET_ASIDE));
        std::fs::rename(&path, &aside)
            .or_else(gone_is_fine)
            .map_err(|source| SettleError::Write { path, source })?;
        Self::remove(keeping)?;
        Ok(aside)
    }

    pub(super) fn write(&self, keeping: &Keeping) -> Result<(), SettleError> {
        set_marker(keeping).map_err(|source| SettleError::Write { path: markers(&keeping.store), source })?;
        keeping.write_file(JOURNAL, (SealKind::Journal, self), Flush::Yes)
    }

    pub(super) fn remove(keeping: &Keeping) -> Result<(), SettleError> {
        let path = keeping.folder.join(JOURNAL);
        let removed = std::fs::remove_file(&path).or_else(gone_is_fine);
        let removed = removed.and_then(|()| clear_marker(&keeping.store, name(&keeping.folder)));
        removed.map_err(|source| SettleError::Write { path, source })
    }
}

/// The folders of runs whose changes are being placed, or were when something ended it. One failed look when there are
/// none: the folder of markers goes with its last one.
pub(super) fn unfinished(store: &Path) -> Result<Vec<PathBuf>, SettleError> {
    let path = markers(store);
    let failed = |source| SettleError::Read { path: path.clone(), source };
    let entries = match std::fs::read_dir(&path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries.map_err(failed)?,
    };
    let mut folders = Vec::new();
    for entry in entries {
        // By its name alone: where a link leads is not for whoever made it to say.
        let name = entry.map_err(failed)?.file_name();
        if name.to_str().is_some_and(|name| name.parse::<RunId>().is_ok()) {
            folders.push(store.join("runs").join(name));
        }
    }
    if folders.is_empty() {
        // Somebody was killed between making the folder and the marker in it.
        let _ = std::fs::remove_dir(&path);
    }
    folders.sort();
    Ok(folders)
}

/// 100: each needs another process to begin at the same moment.
const MOST_TRIES: u32 = 100;

const JOURNAL: &str = "applying.json";
const SET_ASIDE: &str = "applying.json.refused";

fn markers(store: &Path) -> PathBuf {
    store.join("applying")
}

fn name(folder: &Path) -> &OsStr {
    folder.file_name().unwrap_or(OsStr::new("run"))
}

fn set_marker(keeping: &Keeping) -> io::Result<()> {
    let folder = std::path::absolute(&keeping.folder)?;
    let marker = markers(&keeping.store).join(name(&folder));
    // More than once only if somebody who looks for markers finds the folder empty and takes it away under our hands.
    for _ in 0..MOST_TRIES {
        make_folder(&markers(&keeping.store))?;
        match std::os::unix::fs::symlink(&folder, &marker) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            made => return made,
        }
    }
    Err(ErrorKind::NotFound.into())
}

/// Takes the folder of markers along with the last of them; the lock is held, so nobody adds one meanwhile.
fn clear_marker(store: &Path, name: &OsStr) -> io::Result<()> {
    std::fs::remove_file(markers(store).join(name)).or_else(gone_is_fine)?;
    let _ = std::fs::remove_dir(markers(store));
    Ok(())
}

fn gone_is_fine(error: io::Error) -> io::Result<()> {
    if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// Reads a journal and drops it.
pub fn parse_journal(bytes: &[u8]) {
    if let Ok(journal) = serde_json::from_slice::<Journal>(bytes) {
        let _ = (journal.belonging(), journal.from());
    }
}
