//! Why something could not be kept or found.

use actum_model::{Digest, RunId};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot create the folder {}", path.display())]
    Make { path: PathBuf, source: io::Error },
    #[error("cannot list the runs in {}", path.display())]
    List { path: PathBuf, source: io::Error },
    #[error("no runs are recorded in {}", path.display())]
    Nothing { path: PathBuf },
    #[error("no run `{text}` in {}", path.display())]
    Unknown { text: String, path: PathBuf },
    #[error("no request `{text}` is waiting for approval")]
    NothingWaits { text: String },
    #[error("the request {} was not written by this user's Actum and was set aside", path.display())]
    ForgedRequest { path: PathBuf },
    #[error("cannot authenticate {}", path.display())]
    Unsealed { path: PathBuf, source: actum_model::SealError },
    #[error("`{text}` is ambiguous: {} runs match", candidates.len())]
    Ambiguous { text: String, candidates: Vec<String> },
    #[error("cannot {doing} the ledger {}", path.display())]
    Database { doing: &'static str, path: PathBuf, source: Arc<rusqlite::Error> },
    #[error("cannot write the ledger {}: an earlier disk error stopped writing", path.display())]
    Poisoned { path: PathBuf, source: Arc<dyn std::error::Error + Send + Sync> },
    #[error("{} is not an Actum ledger", path.display())]
    NotOurs { path: PathBuf },
    #[error("cannot open the ledger {}: its format {format} is newer than this version of Actum supports", path.display())]
    Newer { path: PathBuf, format: i64 },
    #[error("SQLite {version} is not supported because it can lose committed data; use 3.51.3 or newer")]
    OldSqlite { version: &'static str },
    #[error("cannot write to the store {}: it belongs to user {owner}", path.display())]
    Foreign { path: PathBuf, owner: u32 },
    #[error("cannot read the ledger {}: {what}", path.display())]
    Damaged { path: PathBuf, what: String },
    #[error("cannot parse an entry of the ledger: {why}")]
    NotAnEntry { why: String },
    #[error("run {run} already has a final record")]
    EndedBefore { run: RunId },
    #[error("entry {seq} was removed by `actum gc`")]
    PrunedEntry { seq: u64 },
    #[error("cannot read or write stored data in {}", path.display())]
    Blob { path: PathBuf, source: io::Error },
    #[error("cannot sync stored data in {} to disk; writing has stopped", path.display())]
    Sync { path: PathBuf, source: Arc<io::Error> },
    #[error("stored data {sha256} is damaged: it does not match its digest")]
    WrongBlob { sha256: Digest },
    #[error("stored data {sha256} is not in this store")]
    NoBlob { sha256: Digest },
    #[error("cannot write the record: it does not name the data {sha256}")]
    Unnamed { sha256: Digest },
    #[error("cannot write the record: the data {sha256} that it names is missing")]
    NotGiven { sha256: Digest },
    #[error("cannot register the store as yours")]
    Keys { source: crate::key::KeyError },
    #[error("cannot write the ledger: its writer thread is not running")]
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
            Self::Make { .. } => Some("set ACTUM_STORE to a folder that you can write to".to_owned()),
            Self::List { .. } | Self::Unsealed { .. } => None,
            Self::ForgedRequest { .. } => Some("inspect the file, then remove it".to_owned()),
            Self::Nothing { .. } => Some("`actum run` records a run".to_owned()),
            Self::Unknown { .. } => {
                Some("use a run id from `actum ls`, the beginning or end of one, or `last`".to_owned())
            }
            Self::NothingWaits { .. } => Some(
                "it was already approved or never requested; `actum approve` lists waiting requests"
                    .to_owned(),
            ),
            Self::Ambiguous { candidates, .. } => {
                let shown: Vec<&str> = candidates.iter().take(5).map(String::as_str).collect();
                Some(format!("use more characters of the id: {}", shown.join(", ")))
            }
            Self::Database { source, .. } => of_database(source),
            Self::Poisoned { .. } | Self::Sync { .. } => {
                Some("check the disk; earlier records are safe".to_owned())
            }
            Self::NotOurs { .. } => {
                Some("set ACTUM_STORE to another folder, or move this file away".to_owned())
            }
            Self::Newer { .. } => {
                Some("use the version of Actum that wrote it; nothing was changed".to_owned())
            }
            Self::OldSqlite { .. } => None,
            Self::Foreign { .. } => {
                Some("run Actum as that user, or set ACTUM_STORE to a folder of yours".to_owned())
            }
            Self::Damaged { .. } | Self::WrongBlob { .. } => {
                Some("`actum verify` lists all problems".to_owned())
            }
            Self::NoBlob { .. } | Self::PrunedEntry { .. } => {
                Some("its digest is still in the log and can verify a copy of the data".to_owned())
            }
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
        (&[DiskFull][..], "the disk is full: free disk space; nothing is damaged"),
        (&[DatabaseBusy, DatabaseLocked], "another process has locked it for a long time; try again later"),
        (
            &[ReadOnly, CannotOpen, PermissionDenied],
            "the folder is not writable: set ACTUM_STORE to another folder",
        ),
        (&[DatabaseCorrupt], "`actum verify` lists the problems"),
    ];
    let code = error.sqlite_error_code()?;
    let (_, hint) = hints.into_iter().find(|(codes, _)| codes.contains(&code))?;
    Some(hint.to_owned())
}
