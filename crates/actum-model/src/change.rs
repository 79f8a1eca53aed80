//! What a run changed in its workspace.

use crate::{Bytes, path_text};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// One file created, modified or deleted by a run. Serialised with the path shown by [`path_text`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// Relative to the workspace, as bytes: the program chose the name.
    #[serde(serialize_with = "shown")]
    #[schemars(with = "String")]
    pub path: Vec<u8>,
    pub kind: ChangeKind,
    pub node: Node,
    /// Present for regular files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// Permission bits after set-uid, set-gid and sticky were stripped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// Present when this change is never applied by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Created,
    Modified,
    Deleted,
}

/// What stands at the path after the run (for a deletion: nothing).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Node {
    File,
    Folder,
    /// A symbolic link, recorded with its target and never followed.
    Link {
        #[serde(serialize_with = "shown")]
        #[schemars(with = "String")]
        target: Vec<u8>,
    },
    Fifo,
    Socket,
    Device,
    Nothing,
}

/// Why a change is listed but not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Withheld {
    /// Git hooks or configuration, or the configuration of an agent or editor: code that others would run later.
    Protected,
    /// A FIFO, socket or device.
    Special,
    /// A link whose target is absolute or leads out of the workspace.
    LeadsOut,
    /// Larger than the limit on collected files (by length or by blocks).
    TooLarge,
}

fn shown<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(bytes))
}
