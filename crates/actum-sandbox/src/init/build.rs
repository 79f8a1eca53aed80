//! What can be done before the order is known, and the giving up of privileges after it.

use super::account::Account;
use super::payload::Child;
use super::scratch::Scratch;
use super::{Stopped, stopped};
use crate::note::Step;
use crate::order::{Net, Processes, Root, Shape, Walls};
use crate::sys::{self, SingleThreaded};
use crate::trees::{self, Setting};
use rustix::fd::AsFd;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use std::io;

/// What stands before the order comes.
pub(super) struct Built {
    pub(super) child: Child,
    /// The layer for temporary files, where there are namespaces.
    pub(super) scratch: Option<Scratch>,
    pub(super) account: Account,
}

/// Builds everything that depends on the shape alone.
pub(super) fn build(shape: Shape, alone: SingleThreaded) -> Result<Built, Stopped> {
    let Walls::Namespaces { root, net, processes } = shape.walls else {
        // Orphans of the program come to us instead of to the machine's init.
        sys::process_option(sys::CHILD_SUBREAPER, 1).map_err(stopped(Step::Processes, ""))?;
        forbid_gains().map_err(stopped(Step::Identity, ""))?;
        let account = Account::open(shape);
        return Ok(Built { child: Child::prepare(shape, alone)?, scratch: None, account });
    };
    // Before we are somebody else: our own files in /proc are root's from then on.
    let account = Account::open(shape);
    sys::leave_namespaces(alone, sys::NEW_CGROUP).map_err(stopped(Step::Namespaces, ""))?;
    take_identity(shape).and_then(|()| forbid_gains()).map_err(stopped(Step::Identity, ""))?;
    // Early: on another core it loads its filter while we mount.
    let child = Child::prepare(shape, alone)?;
    mount_processes(processes).map_err(stopped(Step::Processes, ""))?;
    if net == (Net::Own { loopback: true }) {
        loopback_up().map_err(stopped(Step::Loopback, ""))?;
        if !shape.calls.memory_counted {
            bound_tcp_buffers();
        }
    }
    rustix::system::sethostname(b"actum").map_err(|error| stopped(Step::Namespaces, "")(error.into()))?;
    // The machine's own tree is made read-only first, and that needs the order.
    let scratch = match root {
        Root::Template => Scratch::lay().map_err(stopped(Step::Scratch, ""))?,
        Root::Machine => Scratch::later(),
    };
    Ok(Built { child, scratch: Some(scratch), account })
}

fn take_identity(shape: Shape) -> io::Result<()> {
    // Without the privilege the caller's groups stay; they are not mapped, and nothing of theirs is mounted.
    match set_thread_groups(&[]) {
        Ok(()) | Err(rustix::io::Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    let (user, group) = (Uid::from_raw(shape.inside.user), Gid::from_raw(shape.inside.group));
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)?;
    // Changing the user clears it.
    sys::process_option(sys::PARENT_DEATH_SIGNAL, sys::SIGKILL as u64)
}

/// `/proc` of the new namespace. The settings are written while it is whole; with processes only they are not in it.
fn mount_processes(processes: Processes) -> io::Result<()> {
    let whole = trees::create(c"proc", &[])?;
    trees::put(whole.as_fd(), c"/proc")?;
    for (name, value) in SETTINGS {
        std::fs::write(format!("/proc/sys/user/{name}"), value)?;
    }
    if processes == Processes::Only {
        let only = trees::create(c"proc", &[Setting::Text(c"subset", c"pid")])?;
        trees::put(only.as_fd(), c"/proc")?;
    }
    Ok(())
}

/// What the new user namespace may have. Without a user namespace of its own nothing in it can get the privilege to
/// make any other kind. Inotify is counted for the caller too, so a program gets a share and no more.
const SETTINGS: [(&str, &str); 3] =
    [("max_user_namespaces", "0"), ("max_inotify_instances", "32"), ("max_inotify_watches", "65536")];

fn loopback_up() -> io::Result<()> {
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    sys::loopback_up(socket.as_fd())
}

/// Buffers of TCP grow to tens of megabytes each, and only a cgroup counts them. Older kernels do not let a namespace set
/// this; there the buffers are counted late.
fn bound_tcp_buffers() {
    for (name, value) in [("tcp_rmem", "4096 131072 262144"), ("tcp_wmem", "4096 16384 262144")] {
        let _ = std::fs::write(format!("/proc/sys/net/ipv4/{name}"), value);
    }
}

/// From here on privileges only become fewer.
fn forbid_gains() -> io::Result<()> {
    sys::bound_capabilities(0)?;
    sys::process_option(sys::NO_NEW_PRIVILEGES, 1)
}

/// After this neither init nor anything it starts can mount, trace, gain or nest.
pub(super) fn give_up_privileges() -> io::Result<()> {
    sys::hold_capabilities(0)?;
    sys::process_option(sys::DUMPABLE, 0)
}
