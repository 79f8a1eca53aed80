//! Where a workspace is no longer what a list of changes was made for.

use crate::path_text::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One path that prevents changes from being applied, because that would overwrite other work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    /// Relative to the workspace.
    #[serde(with = "shown")]
    #[schemars(with = "String")]
    pub path: Vec<u8>,
    pub why: Clash,
}

/// What differs from the expected state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clash {
    /// Something exists where nothing was expected.
    Appeared,
    /// It is another file, link or folder than before.
    Changed,
    /// Nothing exists at the path any more.
    Gone,
    /// A parent of the path is a link or a file, not a folder. Links are never followed, not even on request.
    Diverted,
    /// A FIFO, socket or device is at the path, which cannot be backed up and restored.
    Special,
}

impl Clash {
    /// Whether somebody may insist: what stands there now is then kept, and can be put back.
    pub fn can_be_forced(self) -> bool {
        match self {
            Self::Appeared | Self::Changed | Self::Gone => true,
            Self::Diverted | Self::Special => false,
        }
    }

    /// The reason, for people; read after the path.
    pub fn words(self) -> &'static str {
        match self {
            Self::Appeared => "something else was created at this path",
            Self::Changed => "it was changed",
            Self::Gone => "it was removed",
            Self::Diverted => "a parent of its path is a link or a file",
            Self::Special => "a FIFO, socket or device is at this path",
        }
    }
}
