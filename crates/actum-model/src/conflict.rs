//! Where a workspace is no longer what a list of changes was made for.

use crate::path_text::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One path that keeps changes from being applied, because applying them would undo somebody else's work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    /// Relative to the workspace.
    #[serde(with = "shown")]
    #[schemars(with = "String")]
    pub path: Vec<u8>,
    pub why: Clash,
}

/// What is different from what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clash {
    /// Something stands where nothing should.
    Appeared,
    /// It is another file, link or folder than before.
    Changed,
    /// Nothing stands there any more.
    Gone,
    /// A link or a file stands where a folder of the path should be. It is never followed, not even when asked.
    Diverted,
    /// A FIFO, socket or device stands there, which cannot be kept and put back.
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
            Self::Appeared => "something else has been put there",
            Self::Changed => "it has been changed",
            Self::Gone => "it is gone",
            Self::Diverted => "a link or a file stands in its path",
            Self::Special => "a FIFO, socket or device stands there",
        }
    }
}
