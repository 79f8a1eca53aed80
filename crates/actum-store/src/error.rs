//! Why something could not be kept or found.

use actum_model::{Digest, RunId};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot make the folder {}", path.display())]
    Make { path: PathBuf, source: io::Error },
    #[error("cannot list the runs in {}", path.display())]
    List { path: PathBuf, source: io::Error },
    #[error("cannot find a run: none is kept in {}", path.display())]
    Nothing { path: PathBuf },
    #[error("cannot find the run `{text}` in {}", path.display())]
    Unknown { text: String, path: PathBuf },
    #[error("cannot find a request `{text}` that waits for approval")]
    NothingWaits { text: String },
    #[error("cannot trust the request {}: something else than this user's Actum wrote it; it was set aside", path.display())]
    ForgedRequest { path: PathBuf },
    #[error("cannot authenticate {}", path.display())]
    Unsealed { path: PathBuf, source: actum_model::SealError },
    #[error("cannot tell which run `{text}` means: {} of them match", candidates.len())]
    Ambiguous { text: String, candidates: Vec<String> },
    #[error("cannot {doing} the ledger {}", path.display())]
    Database { doing: &'static str, path: PathBuf, source: Arc<rusqlite::Error> },
    #[error("cannot write the ledger {}: the disk failed, and nothing is acknowledged until it is opened again", path.display())]
    Poisoned { path: PathBuf, source: Arc<dyn std::error::Error + Send + Sync> },
    #[error("cannot use {}: it is not a ledger of Actum", path.display())]
    NotOurs { path: PathBuf },
    #[error("cannot use the ledger {}: it is of format {format}, newer than this Actum knows", path.display())]
    Newer { path: PathBuf, format: i64 },
    #[error(
        "cannot use SQLite {version}, which can lose what was committed; 3.51.3 is the oldest that cannot"
    )]
    OldSqlite { version: &'static str },
    #[error("cannot write the store {}: it belongs to user {owner}", path.display())]
    Foreign { path: PathBuf, owner: u32 },
    #[error("cannot read the ledger {}: {what}", path.display())]
    Damaged { path: PathBuf, what: String },
    #[error("cannot understand an entry: {why}")]
    NotAnEntry { why: String },
    #[error("cannot end run {run} a second time")]
    EndedBefore { run: RunId },
    #[error("cannot read entry {seq}: its body was removed by `actum gc`")]
    PrunedEntry { seq: u64 },
    #[error("cannot keep or read contents in {}", path.display())]
    Blob { path: PathBuf, source: io::Error },
    #[error("cannot make contents durable in {}: the disk failed, and nothing is acknowledged until the ledger is opened again", path.display())]
    Sync { path: PathBuf, source: Arc<io::Error> },
    #[error("cannot read contents {sha256}: they are not what was kept")]
    WrongBlob { sha256: Digest },
    #[error("cannot read contents {sha256}: they are not kept here")]
    NoBlob { sha256: Digest },
    #[error("cannot seal a record with contents that it does not name: {sha256}")]
    Unnamed { sha256: Digest },
    #[error("cannot seal a record without contents that it names: {sha256}")]
    NotGiven { sha256: Digest },
    #[error("cannot note that the store is yours")]
    Keys { source: crate::key::KeyError },
    #[error("cannot write the ledger: its writer could not be started, or is gone")]
    WriterGone,
}

impl StoreError {
    pub(crate) fn of_database(doing: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => Self::NotOurs { path: path.to_path_buf() },
            _ => Self::Database { doing, path: path.to_path_buf(), source: Arc::new(source) },
        }
    }

    /// Whether the database failed, and with it everything in the same transaction.
    pub(crate) fn is_of_database(&self) -> bool {
        matches!(self, Self::Database { .. } | Self::Damaged { .. })
    }

    pub(crate) fn database_cause(&self) -> Option<Arc<rusqlite::Error>> {
        if let Self::Database { source, .. } = self {
            return Some(Arc::clone(source));
        }
        None
    }

    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Make { .. } => Some("name a folder that you can write with ACTUM_STORE".to_owned()),
            Self::List { .. } | Self::Unsealed { .. } => None,
            Self::ForgedRequest { .. } => Some("look at it, then remove it".to_owned()),
            Self::Nothing { .. } => Some("`actum run` keeps one each time".to_owned()),
            Self::Unknown { .. } => {
                Some("use the id that the run ended with, its beginning or end, or `last`".to_owned())
            }
            Self::NothingWaits { .. } => {
                Some("it was approved already, or never asked; `actum approve` lists what waits".to_owned())
            }
            Self::Ambiguous { candidates, .. } => {
                let shown: Vec<&str> = candidates.iter().take(5).map(String::as_str).collect();
                Some(format!("give more of it: {}", shown.join(", ")))
            }
            Self::Database { source, .. } => of_database(source),
            Self::Poisoned { .. } | Self::Sync { .. } => {
                Some("look at the disk; what was acknowledged before is kept".to_owned())
            }
            Self::NotOurs { .. } => {
                Some("name another folder with ACTUM_STORE, or move this file away".to_owned())
            }
            Self::Newer { .. } => Some("use the Actum that wrote it; nothing was changed".to_owned()),
            Self::OldSqlite { .. } => None,
            Self::Foreign { .. } => {
                Some("run Actum as that user, or name a folder of yours with ACTUM_STORE".to_owned())
            }
            Self::Damaged { .. } | Self::WrongBlob { .. } => {
                Some("`actum verify` tells everything that is wrong with it".to_owned())
            }
            Self::NoBlob { .. } | Self::PrunedEntry { .. } => Some(
                "its digest is still in the log: whoever has the bytes can prove that they are it".to_owned(),
            ),
            Self::NotAnEntry { .. }
            | Self::Unnamed { .. }
            | Self::NotGiven { .. }
            | Self::EndedBefore { .. }
            | Self::Blob { .. }
            | Self::Keys { .. }
            | Self::WriterGone => None,
        }
    }
}

/// What helps when the database fails.
fn of_database(error: &rusqlite::Error) -> Option<String> {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, PermissionDenied, ReadOnly,
    };
    let hints = [
        (&[DiskFull][..], "the disk is full: make room, nothing is damaged"),
        (&[DatabaseBusy, DatabaseLocked], "another process has held it for long; try again when it is done"),
        (
            &[ReadOnly, CannotOpen, PermissionDenied],
            "it cannot be written here: name another folder with ACTUM_STORE",
        ),
        (&[DatabaseCorrupt], "`actum verify` tells what is wrong with it"),
    ];
    let code = error.sqlite_error_code()?;
    let (_, hint) = hints.into_iter().find(|(codes, _)| codes.contains(&code))?;
    Some(hint.to_owned())
}
