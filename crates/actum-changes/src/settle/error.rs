//! Why changes could not be settled.

use crate::ChangesError;
use actum_model::{SealError, Withheld, path_text};
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot parse {}", path.display())]
    NotUnderstood { path: PathBuf, source: serde_json::Error },
    #[error("cannot verify {}", path.display())]
    Forged { path: PathBuf, source: SealError },
    #[error("cannot write {}", path.display())]
    Unsealed { path: PathBuf, source: SealError },
    #[error("cannot lock {}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("cannot open the workspace {}", path.display())]
    Workspace { path: PathBuf, source: io::Error },
    #[error("the workspace {} was replaced by another folder", path.display())]
    Replaced { path: PathBuf },
    #[error("cannot store the run's changes in {}", folder.display())]
    Keep { folder: PathBuf, source: ChangesError },
    #[error("cannot compare the changes with the workspace {}", workspace.display())]
    Compare { workspace: PathBuf, source: ChangesError },
    #[error("cannot apply the changes to {}; the folder was restored", workspace.display())]
    PutBack { workspace: PathBuf, source: Told },
    #[error("cannot restore {} after applying the changes failed", workspace.display())]
    Stuck { workspace: PathBuf, source: Told },
    #[error("this run made no changes")]
    None,
    #[error("this run made too many changes to list, and they were discarded")]
    Cut,
    #[error("cannot apply the changes: they were already applied")]
    AlreadyApplied,
    #[error("cannot apply the changes: they were discarded")]
    NotKept,
    #[error("cannot apply `{}`: the stored copy is not what the run wrote", path_text(path))]
    Spoiled { path: Vec<u8> },
    #[error("no change at `{}`", path_text(path))]
    Unknown { path: Vec<u8> },
    #[error("cannot apply `{}`: it is withheld permanently, because it {}", path_text(path), reason_words(*reason))]
    Withheld { path: Vec<u8>, reason: Withheld },
    #[error("cannot apply only these paths: each needs another path that is withheld")]
    Incomplete,
    #[error("cannot undo the changes: they were already undone")]
    AlreadyUndone,
    #[error("cannot undo the changes: they were never applied")]
    NeverApplied,
    #[error("cannot undo the changes: the program wrote directly to the workspace, so no backup exists")]
    Direct,
    #[error("cannot discard the changes: they were already applied")]
    InWorkspace,
    #[error("cannot discard the changes: they were already discarded")]
    AlreadyDiscarded,
}

/// What went wrong, in words: it may have happened in another process.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Told(pub String);

impl SettleError {
    /// How a placer tells its failure to who started it: the cause on stderr, and how it left the workspace.
    pub fn for_the_starter(&self) -> (String, u8) {
        if let Self::PutBack { source, .. } = self {
            return (source.0.clone(), PUT_BACK);
        }
        (chain(self), STUCK)
    }

    /// The other side of it.
    pub(super) fn told(workspace: PathBuf, text: String, code: Option<i32>) -> Self {
        let source = Told(text);
        match code == Some(PUT_BACK.into()) {
            true => Self::PutBack { workspace, source },
            false => Self::Stuck { workspace, source },
        }
    }

    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Keep { .. } | Self::Write { .. } => Some(
                "free disk space, or set ACTUM_STORE to a folder on another disk; the workspace is unchanged",
            ),
            Self::Spoiled { .. } => Some("it was changed in the store; `actum discard` drops the changes"),
            Self::Forged { .. } => Some(
                "nothing was changed; if this file is not yours, `actum discard RUN` removes the run's stored changes",
            ),
            Self::Unsealed { .. } => {
                Some("the key is in the keys folder (`actum key show`); the workspace is unchanged")
            }
            Self::Lock { .. } => Some("the store must be a folder that you can write to"),
            Self::Workspace { .. } | Self::Replaced { .. } => {
                Some("move the original folder back, or drop the changes with `actum discard`")
            }
            Self::PutBack { .. } => Some("the changes are still stored; try again with `actum apply`"),
            Self::Stuck { .. } => Some("the backup is in the run's folder, under `undo`"),
            Self::Unknown { .. } | Self::Incomplete => Some("`actum changes` lists them"),
            Self::AlreadyApplied | Self::InWorkspace => Some("`actum undo` reverts them"),
            Self::AlreadyUndone => Some("`actum apply` applies them again"),
            Self::NeverApplied => Some("`actum discard` drops them"),
            Self::Direct | Self::NotKept | Self::AlreadyDiscarded | Self::None | Self::Cut => None,
            Self::Read { .. } | Self::NotUnderstood { .. } | Self::Compare { .. } => None,
            Self::Withheld { .. } => None,
        }
    }
}

/// Exit codes of a placer; 1 and 2 are what shells and panics use.
const PUT_BACK: u8 = 3;
const STUCK: u8 = 4;

/// An error with its causes in one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}

fn reason_words(reason: Withheld) -> &'static str {
    match reason {
        Withheld::Protected => "is protected",
        Withheld::Special => "is a FIFO, socket or device",
        Withheld::LeadsOut => "is a link to a path outside the workspace",
        Withheld::TooLarge => "is too large",
    }
}
