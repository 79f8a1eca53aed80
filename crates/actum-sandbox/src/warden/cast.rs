//! Starting one sandbox: clone it from the right ground, give it its identity and its cgroup.

use super::ground::{Ground, Stopped};
use crate::cgroup::Accounting;
use crate::init;
use crate::note::Step;
use crate::order::{Net, Owner, Place, Root, Shape, Walls};
use crate::sys::{self, Copied, SingleThreaded};
use crate::trees;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;

/// A sandbox whose init waits for its order.
#[derive(Debug)]
pub(crate) struct Sandbox {
    pub(crate) pid: i32,
    pub(crate) pidfd: OwnedFd,
    pub(crate) socket: OwnedFd,
    pub(crate) shape: Shape,
    pub(crate) accounting: Option<Accounting>,
}

/// Clones a sandbox of this shape. Its init builds what the shape says and then waits.
pub(crate) fn cast(
    alone: SingleThreaded,
    ground: Option<&mut Ground>,
    shape: Shape,
    accounting: Option<Accounting>,
) -> Result<Sandbox, Stopped> {
    let at = |step: Step| move |error: io::Error| (step, error, String::new());
    let processes = match &ground {
        Some(ground) => Some(ground.processes.try_clone().map_err(at(Step::Mapping))?),
        None => None,
    };
    let Born { pid, pidfd, socket } = bear(alone, ground, shape, accounting.as_ref())?;
    if let Some(processes) = processes.filter(|_| namespace_flags(shape.walls) != 0) {
        write_mapping(processes.as_fd(), pid, shape.inside, shape.outside).map_err(at(Step::Mapping))?;
    }
    crate::frame::send(socket.as_fd(), &init::Build, &[]).map_err(at(Step::Message))?;
    Ok(Sandbox { pid, pidfd, socket, shape, accounting })
}

/// A process that has just been cloned.
struct Born {
    pid: i32,
    pidfd: OwnedFd,
    socket: OwnedFd,
}

fn bear(
    alone: SingleThreaded,
    ground: Option<&mut Ground>,
    shape: Shape,
    accounting: Option<&Accounting>,
) -> Result<Born, Stopped> {
    let at = |step: Step| move |error: io::Error| (step, error, String::new());
    let (socket, theirs) = packets().map_err(at(Step::Message))?;
    let flags = namespace_flags(shape.walls);
    match (ground, shape.walls) {
        (Some(ground), Walls::Namespaces { root: Root::Template, .. }) => ground.stand_on_template(),
        (Some(ground), Walls::Namespaces { root: Root::Machine, .. } | Walls::None) => {
            ground.stand_on_machine()
        }
        (None, Walls::None) => Ok(()),
        (None, Walls::Namespaces { .. }) => {
            Err(io::Error::other("BUG: no namespaces were prepared for a sandbox that needs them"))
        }
    }
    .map_err(at(Step::Namespaces))?;
    let into = accounting.and_then(Accounting::to_clone_into);
    match sys::copy_process(alone, flags, into).map_err(at(Step::Namespaces))? {
        Copied::Child => {
            let entered = accounting.map_or(Ok(()), Accounting::enter);
            init::main(theirs, shape, alone, entered)
        }
        Copied::Parent { pid, pidfd } => Ok(Born { pid, pidfd, socket }),
    }
}

pub(super) fn packets() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

fn namespace_flags(walls: Walls) -> u64 {
    let Walls::Namespaces { net, .. } = walls else { return 0 };
    // The namespace of cgroups is left to init: its root is the cgroup that one is in when it is made.
    let all = sys::NEW_USER | sys::NEW_MOUNT | sys::NEW_PID | sys::NEW_IPC | sys::NEW_UTS;
    match net {
        Net::Own { .. } => (all | sys::NEW_NET) as u64,
        Net::Machine => all as u64,
    }
}

/// Only a privileged parent may leave `setgroups` allowed, and only then can init drop the caller's groups.
fn write_mapping(processes: BorrowedFd<'_>, pid: i32, inside: Owner, outside: Owner) -> io::Result<()> {
    let write = |name: &str, text: String| -> io::Result<()> {
        let path = format!("{pid}/{name}");
        let file = rustix::fs::openat(processes, path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        rustix::io::write(&file, text.as_bytes())?;
        Ok(())
    };
    if !rustix::process::geteuid().is_root() {
        write("setgroups", "deny".to_owned())?;
    }
    write("uid_map", format!("{} {} 1", inside.user, outside.user))?;
    write("gid_map", format!("{} {} 1", inside.group, outside.group))
}

/// User namespaces that exist only for their mapping: files of an owner are seen as the sandbox's own.
#[derive(Debug, Default)]
pub(crate) struct Mappings(HashMap<(Owner, Owner), OwnedFd>);

impl Mappings {
    pub(crate) fn get(
        &mut self,
        alone: SingleThreaded,
        processes: BorrowedFd<'_>,
        pair: (Owner, Owner),
    ) -> io::Result<BorrowedFd<'_>> {
        let namespace: &OwnedFd = match self.0.entry(pair) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(make_mapping(alone, processes, pair)?),
        };
        Ok(namespace.as_fd())
    }
}

fn make_mapping(
    alone: SingleThreaded,
    processes: BorrowedFd<'_>,
    pair: (Owner, Owner),
) -> io::Result<OwnedFd> {
    let (pid, pidfd) = match sys::copy_process(alone, sys::NEW_USER as u64, None)? {
        // It only has to exist while its namespace is opened; it is killed below.
        Copied::Child => loop {
            let _ = sys::process_option(sys::PARENT_DEATH_SIGNAL, sys::SIGKILL as u64);
            rustix::event::pause();
        },
        Copied::Parent { pid, pidfd } => (pid, pidfd),
    };
    let opened = write_mapping(processes, pid, pair.0, pair.1).and_then(|()| {
        let path = format!("{pid}/ns/user");
        Ok(rustix::fs::openat(processes, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
    });
    rustix::process::pidfd_send_signal(&pidfd, rustix::process::Signal::KILL)?;
    opened
}

/// What is done about links in the path of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Followed,
    /// The path was resolved before.
    Refused,
}

/// Takes what a run is to see from the machine's tree, detached, ready to be handed over.
pub(crate) fn take_place(
    alone: SingleThreaded,
    ground: &mut Ground,
    mappings: &mut Mappings,
    (place, links): (&Place, Links),
    sandbox: Owner,
) -> Result<OwnedFd, Stopped> {
    use crate::order::Access;
    let named = |step: Step| {
        let source = place.source.to_string_lossy().into_owned();
        move |error: io::Error| (step, error, source.clone())
    };
    ground.stand_on_machine().map_err(named(Step::Places))?;
    let tree = match links {
        Links::Followed => trees::take(&place.source),
        Links::Refused => trees::take_resolved(&place.source),
    };
    let tree = tree.map_err(named(Step::Places))?;
    if let Some(owner) = place.owner {
        let mapping = mappings
            .get(alone, ground.processes.as_fd(), (owner, sandbox))
            .map_err(named(Step::Ownership))?;
        trees::map_owner(tree.as_fd(), mapping).map_err(named(Step::Ownership))?;
    }
    let attributes = match place.access {
        Access::Read => trees::READ_ONLY | trees::NO_SET_ID | trees::NO_DEVICES,
        Access::Write => trees::NO_SET_ID | trees::NO_DEVICES,
        Access::Device => trees::NO_SET_ID,
    };
    trees::set(tree.as_fd(), attributes).map_err(named(Step::Places))?;
    Ok(tree)
}
