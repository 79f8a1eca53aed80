//! Why evidence could not be had.

use actum_model::{Anchor, Digest, RunId};
use actum_store::StoreError;
use std::io;

#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot read the output of run {run}")]
    Printed { run: RunId, source: io::Error },
    #[error("cannot read the report of run {run}")]
    Report { run: RunId, source: io::Error },
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
    #[error("run {run} has no record: it is still running, or was lost")]
    NoRecord { run: RunId },
    #[error("cannot find {anchor}: {why}")]
    NoPiece { anchor: Box<Anchor>, why: String },
    #[error("cannot print {path}: only its SHA-256 was recorded, {sha256}")]
    OnlyDigest { path: String, sha256: Digest },
    #[error("cannot print {path}: it was not a regular file, or it was too large")]
    Unread { path: String },
}

impl EvidenceError {
    /// What can be done about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::NoPiece { anchor, .. } => {
                let short = anchor.run.rsplit('-').next().unwrap_or_default();
                Some(format!("`actum evidence {short} --list` lists all anchors"))
            }
            Self::NoRecord { run } => Some(format!("`actum show {}` shows what is known", run.short())),
            Self::OnlyDigest { .. } => {
                Some("if you have the file, compare its sha256sum with this hash".to_owned())
            }
            Self::Unread { .. } => {
                Some("`actum show RUN --record` prints what was recorded about it".to_owned())
            }
            Self::Printed { .. } | Self::Report { .. } => {
                Some("`actum verify` lists all problems of a store".to_owned())
            }
            Self::Json(_) => None,
        }
    }
}
