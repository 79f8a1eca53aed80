//! The ground that sandboxes are cast on: the view of the machine, and the root that they all start from.
//!
//! Built once. As root the warden keeps the machine's own mount namespace; an ordinary user first enters a user
//! namespace of their own, whose copy of the machine's mounts follows the original. The second namespace has the
//! template as its root and nothing else, so a sandbox that is cloned from it never had the machine's tree to lose.

use super::template::{self, Template};
use crate::note::Step;
use crate::sys::{self, SingleThreaded};
use crate::trees::{self, NO_DEVICES, NO_SET_ID, READ_ONLY};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountPropagationFlags, mount_change};
use std::ffi::CString;
use std::io::{self, Write as _};

/// The two views, as descriptors to enter them by.
#[derive(Debug)]
pub(crate) struct Ground {
    machine: OwnedFd,
    template: OwnedFd,
    /// The machine's `/proc`, for writing the mappings of children from wherever the warden stands.
    pub(crate) processes: OwnedFd,
    standing: Standing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Machine,
    Template,
}

/// Whether a process that broke ground can come back to where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CanBeUndone {
    Yes,
    No,
}

/// A step that did not work.
pub(crate) type Stopped = (Step, io::Error, String);

impl Ground {
    /// Whether breaking ground can be undone: then it needs no understudy.
    ///
    /// The root of a user namespace may stand in mounts that it does not own, and could not come back to them.
    pub(crate) fn can_be_undone() -> CanBeUndone {
        let can_return = || sys::enter_namespace(open_own_mounts()?.as_fd(), sys::NEW_MOUNT);
        let can = rustix::process::geteuid().is_root() && can_return().is_ok();
        if can { CanBeUndone::Yes } else { CanBeUndone::No }
    }

    /// Leaves the caller's namespaces and builds both views. A process that cannot undo it is lost when this fails.
    pub(crate) fn break_new(alone: SingleThreaded, can_be_undone: CanBeUndone) -> Result<Self, Stopped> {
        let at = |step: Step| move |error: io::Error| (step, error, String::new());
        if can_be_undone == CanBeUndone::No {
            if !rustix::process::geteuid().is_root() {
                own_user_namespace(alone)?;
            }
            sys::leave_namespaces(alone, sys::NEW_MOUNT).map_err(at(Step::Namespaces))?;
        }
        let machine = open_own_mounts().map_err(at(Step::Template))?;
        let processes = trees::folder(c"/proc").map_err(at(Step::Template))?;
        match build_template(alone) {
            Ok(template) => Ok(Self { machine, template, processes, standing: Standing::Template }),
            Err(error) => {
                let back = sys::enter_namespace(machine.as_fd(), sys::NEW_MOUNT);
                // Were we not back on the machine, everything after this would be about another tree.
                if can_be_undone == CanBeUndone::Yes && back.is_err() {
                    sys::exit_now(1);
                }
                Err(error)
            }
        }
    }

    /// Shows more folders of the machine in the template, read-only.
    pub(crate) fn furnish(&mut self, folders: &[CString]) -> Result<(), Stopped> {
        if folders.is_empty() {
            return Ok(());
        }
        let at = |error: io::Error| (Step::Template, error, String::new());
        self.stand_on_machine().map_err(at)?;
        let mut taken = Vec::new();
        for folder in folders {
            let named = |error: io::Error| (Step::Template, error, folder.to_string_lossy().into_owned());
            let tree = trees::take(folder).map_err(named)?;
            trees::set(tree.as_fd(), READ_ONLY | NO_SET_ID | NO_DEVICES).map_err(named)?;
            taken.push((tree, folder));
        }
        self.stand_on_template().map_err(at)?;
        template::furnish(taken)
    }

    pub(crate) fn stand_on_machine(&mut self) -> io::Result<()> {
        self.stand(Standing::Machine)
    }

    pub(crate) fn stand_on_template(&mut self) -> io::Result<()> {
        self.stand(Standing::Template)
    }

    fn stand(&mut self, on: Standing) -> io::Result<()> {
        if self.standing != on {
            let view = match on {
                Standing::Machine => &self.machine,
                Standing::Template => &self.template,
            };
            sys::enter_namespace(view.as_fd(), sys::NEW_MOUNT)?;
            self.standing = on;
        }
        Ok(())
    }
}

fn open_own_mounts() -> io::Result<OwnedFd> {
    Ok(rustix::fs::open("/proc/self/ns/mnt", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

/// A user namespace in which the caller is who it was, and may mount.
fn own_user_namespace(alone: SingleThreaded) -> Result<(), Stopped> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    sys::leave_namespaces(alone, sys::NEW_USER).map_err(|error| (Step::Namespaces, error, String::new()))?;
    let write = |name: &str, text: String| {
        std::fs::OpenOptions::new()
            .write(true)
            .open(format!("/proc/self/{name}"))
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| (Step::Mapping, error, name.to_owned()))
    };
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{user} {user} 1"))?;
    write("gid_map", format!("{group} {group} 1"))
}

/// A mount namespace with the template as its root.
fn build_template(alone: SingleThreaded) -> Result<OwnedFd, Stopped> {
    let at = |step: Step| move |error: io::Error| (step, error, String::new());
    sys::leave_namespaces(alone, sys::NEW_MOUNT).map_err(at(Step::Namespaces))?;
    // Nothing that is mounted from here on may reach the machine.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(|error| at(Step::Template)(error.into()))?;
    Template::fill()?.take_over()?;
    open_own_mounts().map_err(at(Step::Template))
}
