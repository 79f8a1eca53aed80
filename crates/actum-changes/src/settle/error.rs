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
    #[error("cannot understand {}", path.display())]
    NotUnderstood { path: PathBuf, source: serde_json::Error },
    #[error("cannot trust {}", path.display())]
    Forged { path: PathBuf, source: SealError },
    #[error("cannot write {}", path.display())]
    Unsealed { path: PathBuf, source: SealError },
    #[error("cannot take the lock {}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("cannot open the workspace {}", path.display())]
    Workspace { path: PathBuf, source: io::Error },
    #[error("cannot recognise the workspace {}: another folder stands there now", path.display())]
    Replaced { path: PathBuf },
    #[error("cannot keep what the run changed in {}", folder.display())]
    Keep { folder: PathBuf, source: ChangesError },
    #[error("cannot compare the changes with the workspace {}", workspace.display())]
    Compare { workspace: PathBuf, source: ChangesError },
    #[error("cannot place the changes in {}; it was put back as it was", workspace.display())]
    PutBack { workspace: PathBuf, source: Told },
    #[error("cannot put {} back as it was after placing failed", workspace.display())]
    Stuck { workspace: PathBuf, source: Told },
    #[error("cannot find changes of this run: it made none")]
    None,
    #[error("cannot find changes of this run: it had too many to be listed, and they were discarded")]
    Cut,
    #[error("cannot apply the changes: they are in the workspace already")]
    AlreadyApplied,
    #[error("cannot apply the changes: they were discarded")]
    NotKept,
    #[error("cannot apply `{}`: what is kept of it is not what the run wrote", path_text(path))]
    Spoiled { path: Vec<u8> },
    #[error("cannot find a change at `{}`", path_text(path))]
    Unknown { path: Vec<u8> },
    #[error("cannot apply `{}`: it is withheld for good, because it {}", path_text(path), reason_words(*reason))]
    Withheld { path: Vec<u8>, reason: Withheld },
    #[error("cannot apply only this: each path named needs another one that is withheld")]
    Incomplete,
    #[error("cannot undo the changes: they were undone already")]
    AlreadyUndone,
    #[error("cannot undo the changes: they were never applied")]
    NeverApplied,
    #[error("cannot undo the changes: the program wrote directly into the workspace, so nothing was kept")]
    Direct,
    #[error("cannot discard the changes: they are in the workspace")]
    InWorkspace,
    #[error("cannot discard the changes: they were discarded already")]
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
                "make room, or name a store on another disk with ACTUM_STORE; the workspace is as it was",
            ),
            Self::Spoiled { .. } => Some("somebody changed it in the store; `actum discard` gives it up"),
            Self::Forged { .. } => Some(
                "nothing was done with it; `actum discard RUN` removes what the run kept, if this is not a file of yours",
            ),
            Self::Unsealed { .. } => {
                Some("the key is in the folder of keys (`actum key show`); the workspace is as it was")
            }
            Self::Lock { .. } => Some("the store has to be a folder that you can write"),
            Self::Workspace { .. } | Self::Replaced { .. } => {
                Some("put the folder back at its path, or give the changes up with `actum discard`")
            }
            Self::PutBack { .. } => Some("the changes are still kept; `actum apply` tries again"),
            Self::Stuck { .. } => Some("what was there is in the run's folder, below `undo`"),
            Self::Unknown { .. } | Self::Incomplete => Some("`actum changes` lists them"),
            Self::AlreadyApplied | Self::InWorkspace => Some("`actum undo` takes them back"),
            Self::AlreadyUndone => Some("`actum apply` applies them again"),
            Self::NeverApplied => Some("`actum discard` gives them up"),
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
        Withheld::LeadsOut => "is a link that leads out of the workspace",
        Withheld::TooLarge => "is too large",
    }
}
