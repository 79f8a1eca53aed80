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
    let (socket, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
        .map_err(|error| at(Step::Message)(error.into()))?;
    let flags = namespace_flags(shape.walls);
    let mut processes = None;
    if let Some(ground) = ground {
        match shape.walls {
            Walls::Namespaces { root: Root::Template, .. } => ground.stand_on_template(),
            Walls::Namespaces { root: Root::Machine, .. } | Walls::None => ground.stand_on_machine(),
        }
        .map_err(at(Step::Namespaces))?;
        processes = Some(ground.processes.as_fd());
    } else if flags != 0 {
        return Err((Step::Namespaces, io::Error::other("BUG: a sandbox with namespaces needs ground"), String::new()));
    }
    let direct = accounting.as_ref().and_then(Accounting::to_clone_into);
    let (pid, pidfd) = match sys::copy_process(alone, flags, direct).map_err(at(Step::Namespaces))? {
        Copied::Child => init::main(theirs, shape, alone),
        Copied::Parent { pid, pidfd } => (pid, pidfd),
    };
    drop(theirs);
    if let Some(accounting) = &accounting {
        accounting.admit(pid).map_err(at(Step::Accounting))?;
    }
    if let Some(processes) = processes.filter(|_| flags != 0) {
        write_mapping(processes, pid, shape.inside, shape.outside).map_err(at(Step::Mapping))?;
    }
    crate::frame::send(socket.as_fd(), &init::Build, &[]).map_err(at(Step::Message))?;
    Ok(Sandbox { pid, pidfd, socket, shape, accounting })
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
        if !self.0.contains_key(&pair) {
            let namespace = make_mapping(alone, processes, pair)?;
            self.0.insert(pair, namespace);
        }
        Ok(self.0[&pair].as_fd())
    }
}

fn make_mapping(alone: SingleThreaded, processes: BorrowedFd<'_>, pair: (Owner, Owner)) -> io::Result<OwnedFd> {
    let (pid, pidfd) = match sys::copy_process(alone, sys::NEW_USER as u64, None)? {
        // It only has to exist while its namespace is opened; it is killed below.
        Copied::Child => loop {
            let _ = sys::process_option(sys::PARENT_DEATH_SIGNAL, sys::SIGKILL as u64);
            let _ = rustix::event::pause();
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
        let mapping = mappings.get(alone, ground.processes.as_fd(), (owner, sandbox)).map_err(named(Step::Ownership))?;
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
