//! What the harness looks at, or does, beside what it always looks at.

use serde::Serialize;

/// One special thing to look at on the host; named in the header of the attempt that needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Watch {
    /// A set-uid or set-gid bit on a file of the host workspace.
    SetUid,
    /// A git hook, filter or monitor in the host workspace.
    Hooks,
    /// A tool's configuration in the host workspace that the report does not name.
    Unlisted,
    /// The workspace folder is no longer the same folder.
    Moved,
    /// A secret inside a regular file of the host workspace or in the report.
    Collected,
    /// A file of the host workspace that is the same inode as a canary.
    HardLink,
    /// A device node in the host workspace.
    DeviceNode,
    /// A core file in the host workspace.
    Core,
    /// `result.txt` still changes after the run is over.
    LateWrite,
    /// The report holds what the attempt forged.
    Forged,
    /// The report blames memory for a death by signal.
    Blame,
    /// Raw escape bytes where a person reads.
    Escapes,
    /// The bytes of the output are no longer the bytes that were written.
    Bytes,
    /// The host can connect to the port where the attempt listens.
    Dial,
    /// The host's user has fewer inotify instances left while the attempt goes on.
    Inotify,
    /// The host kernel has more modules than before.
    Modules,
    /// The supervisor is killed in the middle; nothing of the run may outlive it.
    KillSupervisor,
}

impl Watch {
    pub const ALL: [Watch; 17] = [
        Watch::SetUid,
        Watch::Hooks,
        Watch::Unlisted,
        Watch::Moved,
        Watch::Collected,
        Watch::HardLink,
        Watch::DeviceNode,
        Watch::Core,
        Watch::LateWrite,
        Watch::Forged,
        Watch::Blame,
        Watch::Escapes,
        Watch::Bytes,
        Watch::Dial,
        Watch::Inotify,
        Watch::Modules,
        Watch::KillSupervisor,
    ];

    /// The word for it in a header.
    pub fn name(self) -> &'static str {
        match self {
            Watch::SetUid => "set-uid",
            Watch::Hooks => "hooks",
            Watch::Unlisted => "unlisted",
            Watch::Moved => "moved",
            Watch::Collected => "collected",
            Watch::HardLink => "hard-link",
            Watch::DeviceNode => "device-node",
            Watch::Core => "core",
            Watch::LateWrite => "late-write",
            Watch::Forged => "forged",
            Watch::Blame => "blame",
            Watch::Escapes => "escapes",
            Watch::Bytes => "bytes",
            Watch::Dial => "dial",
            Watch::Inotify => "inotify",
            Watch::Modules => "modules",
            Watch::KillSupervisor => "kill-supervisor",
        }
    }

    pub fn from_name(name: &str) -> Option<Watch> {
        Watch::ALL.into_iter().find(|watch| watch.name() == name)
    }
}
