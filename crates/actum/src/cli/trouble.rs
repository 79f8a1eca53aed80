//! Why a command about the ledger, its keys or its bundles could not be carried out.

use super::fail;
use crate::config::ConfigError;
use actum_engine::EngineError;
use actum_store::StoreError;
use actum_store::bundle::{BundleError, Refused};
use actum_store::key::KeyError;
use actum_store::note::NoteError;
use actum_store::signer::SealError;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Seal(#[from] SealError),
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error(transparent)]
    Prepare(#[from] actum_prepare::PrepareError),
    #[error("cannot verify {}", path.display())]
    Refused { path: PathBuf, source: Refused },
    #[error("cannot use the checkpoint {}", path.display())]
    Note { path: PathBuf, source: NoteError },
    #[error("cannot use {}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("invalid time `{text}`")]
    Time { text: String, source: actum_model::SpanError },
    #[error("invalid key name `{name}`: use only letters, digits, `.`, `_` and `-`")]
    Name { name: String },
    #[error("run {run} has no record: it is still running, or was lost")]
    NoRecord { run: actum_model::RunId },
    #[error("no ledger found in {}", path.display())]
    NotAStore { path: PathBuf },
    #[error("cannot check the log {origin} against a checkpoint of another log, {log}")]
    OtherLog { log: String, origin: String },
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
}

impl Trouble {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Config(error) => Some(error.hint().to_owned()),
            Self::Engine(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::Key(error) => error.hint(),
            Self::Seal(error) => error.hint(),
            Self::Refused { source, .. } => source.hint(),
            Self::Note { .. } => Some("`actum checkpoint` prints one".to_owned()),
            Self::Time { .. } => Some("use a form like 30d, 12h or 45m".to_owned()),
            Self::NoRecord { run } => Some(format!("`actum show {}` shows what is known", run.short())),
            Self::NotAStore { .. } => Some("name the folder of a store, or the file of a bundle".to_owned()),
            Self::OtherLog { .. } => Some("this checkpoint was printed for another store".to_owned()),
            Self::Prepare(error) => error.hint(),
            Self::Bundle(_) | Self::File { .. } | Self::Name { .. } | Self::Json(_) => None,
        }
    }

    pub(super) fn file(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::File { path, source }
    }
}

/// A record, a signature or a proof that is not what it should be: overrides everything.
pub(super) const INVALID: u8 = 6;

/// Shows it, and ends with the code for it.
pub(super) fn ended(result: Result<ExitCode, Trouble>) -> ExitCode {
    result.unwrap_or_else(|trouble| {
        fail(&trouble, trouble.hint().as_deref());
        ExitCode::from(if matches!(trouble, Trouble::Refused { .. }) {
            INVALID
        } else {
            actum_model::ExitCode::OWN_ERROR.get()
        })
    })
}
