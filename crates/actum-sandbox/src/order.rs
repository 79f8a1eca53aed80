//! What the warden is asked to build, as values that travel over its socket.
//!
//! An [`Order`] is complete: whoever carries it out decides nothing. Paths and words are C strings because that is what
//! the kernel takes, and because the names of files are bytes, not text.

use crate::seccomp::Calls;
use serde::{Deserialize, Serialize};
use std::ffi::CString;
use std::time::Duration;

/// One part of the machine's tree and where it is seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub source: CString,
    pub target: CString,
    pub access: Access,
    /// Whose files are to be seen as the program's own (as root only).
    pub owner: Option<Owner>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    Read,
    Write,
    Device,
}

/// A user and group of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Owner {
    pub user: u32,
    pub group: u32,
}

/// What can be built before the request is known. Two orders of one shape can use the same sandbox built ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shape {
    pub walls: Walls,
    /// Who the program is inside, and who that is outside.
    pub inside: Owner,
    pub outside: Owner,
    /// Which system calls are refused.
    pub calls: Calls,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Walls {
    /// Namespaces.
    Namespaces { root: Root, net: Net, processes: Processes },
    /// None: the process stays in the caller's namespaces.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Root {
    /// The template: the root that every sandbox of a warden starts from, built once.
    Template,
    /// The machine's own tree, read-only.
    Machine,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Net {
    /// A namespace of its own; loopback up or not.
    Own { loopback: bool },
    /// The machine's.
    Machine,
}

/// What `/proc` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Processes {
    Full,
    /// Processes and nothing about the machine.
    Only,
}

/// How the workspace is mounted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    pub place: Place,
    pub layer: WriteLayer,
    /// Paths below the workspace that are mounted read-only when it is written directly.
    pub fixed: Vec<CString>,
}

/// Where writes to the workspace go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WriteLayer {
    /// Into memory, counted by the scratch size.
    Memory,
    /// Into this folder, which holds `upper` and `work`.
    Disk(CString),
    /// Straight into the workspace.
    None,
}

/// The second fence: what may be done below which path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// Zero: this kernel has no Landlock.
    pub abi: u32,
    pub rules: Vec<(CString, Rights)>,
    /// Refuse TCP altogether (only where no network namespace does it).
    pub refuse_tcp: bool,
    /// Signals and abstract sockets stay inside (only where no namespace does it).
    pub scoped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rights {
    /// Read and list.
    Read,
    /// Read, list and execute.
    Execute,
    /// The same, and connect to sockets.
    Connect,
    /// Read, list, and write what is there.
    Update,
    /// Everything but device control.
    Write,
    /// Read and write of a device node, with its control calls.
    Device,
}

/// What init looks at every few milliseconds because no cgroup counts it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    pub memory: Option<u64>,
    pub processes: Option<u64>,
    pub cpu: Option<Duration>,
    /// Bytes written to disk by the tree, with temporary files (only where something is written that no layer takes).
    pub disk: Option<u64>,
}

impl Watch {
    pub fn is_idle(&self) -> bool {
        *self == Self::default()
    }
}

/// The cgroup of a run: values to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    pub memory: u64,
    pub processes: u64,
}

/// What is executed in the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Paths to try in this order, as `execvp` would.
    pub candidates: Vec<CString>,
    pub arguments: Vec<CString>,
    pub environment: Vec<CString>,
    pub folder: CString,
}

/// One sandbox, completely described.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub shape: Shape,
    /// Size of the layer that takes temporary files and, in memory, the workspace's changes.
    pub scratch: u64,
    pub inodes: u64,
    pub workspace: Workspace,
    pub places: Vec<Place>,
    /// Folders and files with keys that would be seen and are hidden.
    pub masks: Vec<CString>,
    pub fence: Fence,
    pub rlimits: Vec<(u32, u64)>,
    pub watch: Watch,
    pub budget: Option<Budget>,
    pub command: Command,
    /// A folder on disk that is removed with the run.
    pub folder: Option<CString>,
    /// Open the gates of the allow-list inside and hand them out.
    pub gates: bool,
    /// The program starts only when the supervisor gives leave.
    pub waits: bool,
    /// Ports of the sandbox's own loopback that lead to one server each, opened with the gates.
    pub forwards: Vec<u16>,
    /// Ports of the sandbox's own loopback that the supervisor serves itself.
    pub listeners: Vec<u16>,
    /// Give the program a terminal of this size instead of the streams, and hand our end of it out.
    pub terminal: Option<Terminal>,
}

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terminal {
    pub rows: u16,
    pub columns: u16,
}

impl Default for Terminal {
    /// What terminals have been since the first ones.
    fn default() -> Self {
        Self { rows: 24, columns: 80 }
    }
}
