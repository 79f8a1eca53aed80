//! Starting one sandbox: clone it from the right ground, give it its identity and its cgroup.

use super::ground::{Ground, Stopped};
use crate::cgroup::Accounting;
use crate::init;
use crate::note::Step;
use crate::order::{Net, Owner, Place, Root, Shape, Walls};
use crate::sys::{self, Copied, Parent, SingleThreaded};
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
    origin: Origin,
) -> Result<Sandbox, Stopped> {
    let at = |step: Step| move |error: io::Error| (step, error, String::new());
    let processes = match &ground {
        Some(ground) => Some(ground.processes.try_clone().map_err(at(Step::Mapping))?),
        None => None,
    };
    let (born, accounting) = match origin {
        Origin::Seed(seed) => {
            let born = seed.sprout(shape).map_err(at(Step::Namespaces))?;
            (born, Some(seed.give_up()))
        }
        Origin::Warden(accounting) => {
            let direct = accounting.as_ref().and_then(Accounting::to_clone_into);
            let born = bear(alone, Parent::Caller, ground, shape, direct)?;
            if let Some(accounting) = &accounting {
                accounting.admit(born.pid).map_err(|error| {
                    accounting.remove();
                    at(Step::Accounting)(error)
                })?;
            }
            (born, accounting)
        }
    };
    let Born { pid, pidfd, socket } = born;
    if let Some(processes) = processes.filter(|_| namespace_flags(shape.walls) != 0) {
        write_mapping(processes.as_fd(), pid, shape.inside, shape.outside).map_err(at(Step::Mapping))?;
    }
    crate::frame::send(socket.as_fd(), &init::Build, &[]).map_err(at(Step::Message))?;
    Ok(Sandbox { pid, pidfd, socket, shape, accounting })
}

/// Which process a sandbox is cloned from.
pub(crate) enum Origin {
    /// The warden; then it is put into its cgroup.
    Warden(Option<Accounting>),
    /// A copy of the warden that already is in the cgroup.
    Seed(Seed),
}

/// A process that has just been cloned.
struct Born {
    pid: i32,
    pidfd: OwnedFd,
    socket: OwnedFd,
}

fn bear(
    alone: SingleThreaded,
    parent: Parent,
    ground: Option<&mut Ground>,
    shape: Shape,
    cgroup: Option<BorrowedFd<'_>>,
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
            Err(io::Error::other("BUG: a sandbox with namespaces needs ground"))
        }
    }
    .map_err(at(Step::Namespaces))?;
    match sys::copy_process_as(alone, parent, flags, cgroup).map_err(at(Step::Namespaces))? {
        Copied::Child => init::main(theirs, shape, alone),
        Copied::Parent { pid, pidfd } => Ok(Born { pid, pidfd, socket }),
    }
}

fn packets() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// A copy of the warden that waits in a cgroup of version 1 to be told what to clone.
///
/// Putting a process into such a cgroup waits for a grace period of the kernel, 5 to 14 ms here, and there is no way to
/// clone straight into one. So it is done ahead: what the seed clones is born in its cgroup, as the warden's own child.
#[derive(Debug)]
pub(crate) struct Seed {
    socket: OwnedFd,
    accounting: Accounting,
}

impl Seed {
    pub(crate) fn plant(
        alone: SingleThreaded,
        ground: Option<&mut Ground>,
        accounting: Accounting,
    ) -> io::Result<Self> {
        let (socket, theirs) = packets()?;
        match sys::copy_process(alone, 0, None)? {
            Copied::Child => {
                drop(socket);
                let _ = sys::process_option(sys::PARENT_DEATH_SIGNAL, sys::SIGKILL as u64);
                let _ = germinate(alone, theirs, ground);
                sys::exit_now(0)
            }
            Copied::Parent { pid, .. } => {
                accounting.admit(pid)?;
                Ok(Self { socket, accounting })
            }
        }
    }

    /// Lets it end, by hanging up on it.
    pub(crate) fn give_up(self) -> Accounting {
        drop(self.socket);
        self.accounting
    }

    /// Has it clone a sandbox, and lets it go.
    fn sprout(&self, shape: Shape) -> io::Result<Born> {
        crate::frame::send(self.socket.as_fd(), &shape, &[])?;
        let (pid, descriptors) = crate::frame::receive::<i32>(self.socket.as_fd())?
            .ok_or_else(|| io::Error::other("the seed could not clone"))?;
        let [pidfd, socket] = <[OwnedFd; 2]>::try_from(descriptors)
            .map_err(|_| io::Error::other("the seed handed nothing over"))?;
        Ok(Born { pid, pidfd, socket })
    }
}

/// The seed's own life: one word in, one sandbox out.
fn germinate(alone: SingleThreaded, socket: OwnedFd, ground: Option<&mut Ground>) -> io::Result<()> {
    let Some((shape, _)) = crate::frame::receive::<Shape>(socket.as_fd())? else { return Ok(()) };
    let born = bear(alone, Parent::CallersParent, ground, shape, None).map_err(|(_, error, _)| error)?;
    crate::frame::send(socket.as_fd(), &born.pid, &[born.pidfd.as_fd(), born.socket.as_fd()])
}

fn namespace_flags(walls: Walls) -> u64 {
    let Walls::Namespaces { net, .. } = walls else { return 0 };
    let all = sys::NEW_USER | sys::NEW_MOUNT | sys::NEW_PID | sys::NEW_IPC | sys::NEW_UTS | sys::NEW_CGROUP;
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
    fn get(
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

/// Takes what a run is to see from the machine's tree, detached, ready to be handed over.
pub(crate) fn take_place(
    alone: SingleThreaded,
    ground: &mut Ground,
    mappings: &mut Mappings,
    place: &Place,
    sandbox: Owner,
) -> Result<OwnedFd, Stopped> {
    use crate::order::Access;
    let named = |step: Step| {
        let source = place.source.to_string_lossy().into_owned();
        move |error: io::Error| (step, error, source.clone())
    };
    ground.stand_on_machine().map_err(named(Step::Places))?;
    let tree = trees::take(&place.source).map_err(named(Step::Places))?;
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
