//! What the warden and a sandbox's init tell the supervisor, over the socket that the supervisor made for the run.

use actum_model::{Layer, Limit, StartMode, Traffic};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The supervisor's word to an init that waits for it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Leave;

/// One thing told. Descriptors that come with it are named in its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Note {
    /// The sandbox exists. With the pidfd of its init, then the folders of its cgroup if it has one.
    Cast { start: StartMode, pid: i32, accounting: Option<crate::cgroup::Version> },
    /// Everything is mounted and the program is about to be executed. With the root of the layer that takes the
    /// workspace's writes (if there is one), then the root of the one that takes temporary files (if that is another), then the workspace as the program will see it through that layer (if the
    /// program waits for leave), then our end of the program's terminal, then the gates (proxy, DNS over UDP, DNS over
    /// TCP, one for each forward), if they were ordered, then that many listeners.
    Ready { layer: bool, scratch: bool, view: bool, terminal: bool, gates: bool, listeners: usize },
    /// The program's group is being asked to stop, with this signal.
    Asked { signal: i32 },
    /// The program could not be executed.
    NotExecuted { errno: i32 },
    /// The program itself ended. What it left behind is being ended now.
    Ended { status: Status, used: Used },
    /// A limit was met; the sandbox ends itself.
    Over { limit: Limit, used: u64 },
    /// Everything was ended because a limit or a [`Word`] said so. What it had used.
    Stopped { used: Used },
    /// Set-up failed at this step.
    Failed { step: Step, errno: i32, detail: String },
}

/// What the supervisor tells a sandbox's init over the same socket. Hanging up says: end everything, nobody listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Word {
    /// Ask the program's group to stop: with TERM if one of it catches that, else with INT if one of it catches that, else
    /// with this signal.
    Ask { otherwise: i32 },
    /// The layer on disk holds folders that cannot be read: count what is written from now on. `base` is what it held when
    /// all of it could be read.
    CountWrites { base: u64, limit: u64 },
    /// End everything, then tell what it had used.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Status {
    Exited(i32),
    Signalled(i32),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Used {
    pub(crate) user: Duration,
    pub(crate) system: Duration,
    pub(crate) memory_peak: u64,
    pub(crate) processes_peak: u64,
    pub(crate) disk: u64,
    /// Absent where the kernel does not count it.
    pub(crate) traffic: Option<Traffic>,
    /// Absent without a process namespace.
    pub(crate) processes_started: Option<u64>,
}

/// The steps of building a sandbox, so that a failure names its layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Step {
    Template,
    Namespaces,
    Mapping,
    Processes,
    Loopback,
    Scratch,
    Places,
    Ownership,
    Overlay,
    Workspace,
    Accounting,
    Gates,
    Terminal,
    Identity,
    Fence,
    Filter,
    Limits,
    Folder,
    Message,
}

impl Step {
    /// The layer that is missing when this step fails.
    pub(crate) fn layer(self) -> Layer {
        match self {
            Step::Namespaces | Step::Mapping | Step::Identity => Layer::User,
            Step::Template
            | Step::Scratch
            | Step::Places
            | Step::Workspace
            | Step::Folder
            | Step::Terminal => Layer::Mount,
            Step::Ownership | Step::Overlay => Layer::Overlay,
            Step::Processes => Layer::Pid,
            Step::Loopback | Step::Gates => Layer::Net,
            Step::Accounting | Step::Limits => Layer::Accounting,
            Step::Fence => Layer::Landlock,
            Step::Filter | Step::Message => Layer::Seccomp,
        }
    }

    /// What was being done, read after "cannot".
    pub(crate) fn doing(self) -> &'static str {
        match self {
            Step::Template => "build the root file system of the sandbox",
            Step::Namespaces => "create namespaces",
            Step::Mapping => "map the user into the user namespace",
            Step::Processes => "mount /proc for the new process namespace",
            Step::Loopback => "enable the loopback interface",
            Step::Scratch => "mount the temporary file system",
            Step::Places => "mount a granted path",
            Step::Ownership => "map the owner of the workspace",
            Step::Overlay => "mount a copy-on-write overlay on the workspace",
            Step::Workspace => "mount the workspace",
            Step::Accounting => "move the sandbox into its cgroup",
            Step::Gates => "set up network access to the granted hosts",
            Step::Terminal => "open a terminal for the program",
            Step::Identity => "switch to the sandbox's user",
            Step::Fence => "apply the Landlock rules",
            Step::Filter => "load the seccomp filter",
            Step::Limits => "set resource limits",
            Step::Folder => "enter the working folder",
            Step::Message => "read the request",
        }
    }
}
