//! The ground that sandboxes are cast on: the view of the machine, and the root that they all start from.
//!
//! Built once. As root the warden keeps the machine's own mount namespace; an ordinary user first enters a user
//! namespace of their own, whose copy of the machine's mounts follows the original. The second namespace has the
//! template as its root and nothing else, so a sandbox that is cloned from it never had the machine's tree to lose.

use crate::note::Step;
use crate::order::{Access, Template};
use crate::sys::{self, SingleThreaded};
use crate::trees::{self, NO_DEVICES, NO_SET_ID, READ_ONLY, Setting};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountPropagationFlags, UnmountFlags, mount_change, unmount};
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

/// A step that did not work.
pub(crate) type Stopped = (Step, io::Error, String);

impl Ground {
    /// Leaves the caller's namespaces for good and builds both views.
    pub(crate) fn break_new(alone: SingleThreaded, template: &Template) -> Result<Self, Stopped> {
        let at = |step: Step| move |error: io::Error| (step, error, String::new());
        let is_root = rustix::process::geteuid().is_root();
        if !is_root {
            own_user_namespace(alone)?;
        }
        // The root of a user namespace may stand in mounts that it does not own, and could not come back to them.
        let can_return = || sys::enter_namespace(open_own_mounts()?.as_fd(), sys::NEW_MOUNT);
        if !is_root || can_return().is_err() {
            sys::leave_namespaces(alone, sys::NEW_MOUNT).map_err(at(Step::Namespaces))?;
        }
        let machine = open_own_mounts().map_err(at(Step::Template))?;
        let processes = trees::folder(c"/proc").map_err(at(Step::Template))?;
        sys::leave_namespaces(alone, sys::NEW_MOUNT).map_err(at(Step::Namespaces))?;
        // Nothing that is mounted from here on may reach the machine.
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
            .map_err(|error| (Step::Template, error.into(), String::new()))?;
        build(template)?;
        let template = open_own_mounts().map_err(at(Step::Template))?;
        Ok(Self { machine, template, processes, standing: Standing::Template })
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

fn build(template: &Template) -> Result<(), Stopped> {
    // Everything is taken before anything is covered.
    let mut taken = Vec::new();
    for place in &template.places {
        let named = |error: io::Error| (Step::Template, error, place.source.to_string_lossy().into_owned());
        let tree = trees::take(&place.source).map_err(named)?;
        let attributes = match place.access {
            Access::Read => READ_ONLY | NO_SET_ID | NO_DEVICES,
            Access::Write | Access::Device => NO_SET_ID,
        };
        trees::set(tree.as_fd(), attributes).map_err(named)?;
        taken.push((tree, &place.target));
    }
    for device in &template.devices {
        let named = |error: io::Error| (Step::Template, error, device.to_string_lossy().into_owned());
        let tree = trees::take(device).map_err(named)?;
        trees::set(tree.as_fd(), NO_SET_ID).map_err(named)?;
        taken.push((tree, device));
    }
    let at = |what: &str| {
        let what = what.to_owned();
        move |error: io::Error| (Step::Template, error, what.clone())
    };
    // Not marked: in a fresh user namespace a /proc may only be mounted where a whole one can already be seen.
    let processes = trees::take(c"/proc").map_err(at("/proc"))?;
    let root = trees::create(c"tmpfs", &[Setting::Text(c"mode", c"0755"), Setting::Text(c"size", c"16m")])
        .map_err(at("its tmpfs"))?;
    // Any folder will do to stand on while moving; this one is on every machine and no longer needed in this view.
    trees::put(root.as_fd(), c"/usr").map_err(at("its tmpfs"))?;
    rustix::process::chdir(c"/usr").map_err(|error| at("its tmpfs")(error.into()))?;
    rustix::process::pivot_root(c".", c".").map_err(|error| at("pivot_root")(error.into()))?;
    unmount(c".", UnmountFlags::DETACH).map_err(|error| at("the old root")(error.into()))?;
    rustix::process::chdir(c"/").map_err(|error| at("its root")(error.into()))?;

    for folder in &template.folders {
        trees::make_folders(folder).map_err(at(&folder.to_string_lossy()))?;
    }
    for (tree, target) in taken {
        let named = at(&target.to_string_lossy());
        trees::make_point(tree.as_fd(), target).map_err(&named)?;
        trees::put(tree.as_fd(), target).map_err(&named)?;
    }
    trees::make_folders(c"/proc").map_err(at("/proc"))?;
    trees::put(processes.as_fd(), c"/proc").map_err(at("/proc"))?;
    for (link, target) in &template.links {
        rustix::fs::symlink(target.as_c_str(), link.as_c_str())
            .map_err(|error| at(&link.to_string_lossy())(error.into()))?;
    }
    for (path, contents) in &template.files {
        let named = at(&path.to_string_lossy());
        trees::make_file(path).map_err(&named)?;
        std::fs::write(std::ffi::OsStr::new(&*path.to_string_lossy()), contents).map_err(&named)?;
    }
    // Every sandbox of this warden shares it: what is made in it from here on would be seen by the others.
    let root = trees::folder(c"/").map_err(at("its root"))?;
    let closed = sys::MountAttributes { set: READ_ONLY, ..Default::default() };
    sys::mount_setattr(root.as_fd(), closed).map_err(at("its root"))
}
