//! What was really enforced: the honest part of every report.

use crate::{Enforced, Profile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which set of sandbox layers was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Tier {
    /// No sandbox; only with the policy `open`.
    #[serde(rename = "none")]
    None,
    /// Landlock, seccomp and rlimits, without namespaces.
    L,
    /// Namespaces, and everything of L.
    N,
}

/// One layer of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    User,
    Mount,
    Pid,
    Net,
    Ipc,
    Uts,
    Cgroup,
    Landlock,
    Seccomp,
    /// A cgroup of its own that counts memory and processes.
    Accounting,
    /// The workspace mounted with a copy-on-write overlay.
    Overlay,
}

/// Whether a layer was active, with the detail that matters for it (an ABI, a number of rules).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayerState {
    pub layer: Layer,
    pub detail: String,
}

/// A layer that was not active, why, and how to enable it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    pub layer: Layer,
    pub because: String,
    pub remedy: String,
}

/// How the sandbox was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartMode {
    Cold,
    /// Created in advance and completed for the request.
    Warm,
}

/// How the workspace was mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkspaceHow {
    /// Copy on write in memory.
    OverlayInMemory,
    /// Copy on write on disk.
    OverlayOnDisk,
    /// Directly; a failed run leaves its changes.
    Direct,
}

/// What the sandbox enforced on one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confinement {
    pub tier: Tier,
    pub profile: Profile,
    pub start: StartMode,
    pub layers: Vec<LayerState>,
    pub workspace: WorkspaceHow,
    pub limits: Vec<Enforced>,
    pub missing: Vec<Missing>,
    /// What these layers do not prevent, in words.
    pub not_covered: Vec<String>,
}

impl Layer {
    pub fn name(self) -> &'static str {
        match self {
            Layer::User => "user",
            Layer::Mount => "mount",
            Layer::Pid => "pid",
            Layer::Net => "net",
            Layer::Ipc => "ipc",
            Layer::Uts => "uts",
            Layer::Cgroup => "cgroup",
            Layer::Landlock => "landlock",
            Layer::Seccomp => "seccomp",
            Layer::Accounting => "accounting",
            Layer::Overlay => "overlay",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tier::None => "none",
            Tier::L => "L",
            Tier::N => "N",
        })
    }
}
