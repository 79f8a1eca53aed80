//! The template: the root that sandboxes start from, a small tmpfs with the named parts of the system in it.
//!
//! Filled while it is attached nowhere and the machine can still be seen, so that files are copied from one to the other
//! by the kernel; then it becomes the root of a mount namespace, and what was taken is mounted in it.

use super::ground::Stopped;
use crate::machine::template::{DEVICES, FOLDERS, HARDWARE, LARGEST_COPY, LINKS, OWN_FILES};
use crate::machine::{ETC_FILES, ETC_FOLDERS, SYSTEM_FOLDERS, c_path};
use crate::note::Step;
use crate::sys;
use crate::trees::{self, NO_DEVICES, NO_SET_ID, READ_ONLY, Setting};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{UnmountFlags, unmount};
use std::ffi::CString;
use std::io;
use std::path::Path;

/// A root that is filled, but not yet anybody's.
#[derive(Debug)]
pub(super) struct Template {
    root: OwnedFd,
    /// What will be mounted in it, and where.
    taken: Vec<(OwnedFd, CString)>,
}

/// Kinds of trees that are mounted in the template.
#[derive(Clone, Copy)]
enum Kind {
    /// A folder of the system, read-only.
    Folder,
    Device,
}

fn at(what: &str) -> impl Fn(io::Error) -> Stopped + '_ {
    move |error| (Step::Template, error, what.to_owned())
}

impl Template {
    /// Takes and copies everything that it shows.
    pub(super) fn fill() -> Result<Self, Stopped> {
        let settings = [Setting::Text(c"mode", c"0755"), Setting::Text(c"size", c"16m")];
        let root = trees::create(c"tmpfs", &settings).map_err(at("its tmpfs"))?;
        let mut template = Self { root, taken: Vec::new() };
        for folder in FOLDERS {
            template.make_folder(folder).map_err(at(folder))?;
        }
        template.make_top_folders().map_err(at("/"))?;
        for folder in SYSTEM_FOLDERS {
            template.show_system_folder(folder).map_err(at(folder))?;
        }
        for folder in ETC_FOLDERS.iter().chain([&HARDWARE]) {
            template.take(folder, Kind::Folder).map_err(at(folder))?;
        }
        for device in DEVICES {
            template.take(device, Kind::Device).map_err(at(device))?;
        }
        for (link, target) in LINKS {
            rustix::fs::symlinkat(*target, &template.root, below(link))
                .map_err(|error| at(link)(error.into()))?;
        }
        for file in ETC_FILES {
            template.copy(file).map_err(at(file))?;
        }
        for (file, text) in OWN_FILES {
            let made = template.make_file(file).map_err(at(file))?;
            rustix::io::write(&made, text.as_bytes()).map_err(|error| at(file)(error.into()))?;
        }
        // Not marked: in a fresh user namespace a /proc may only be mounted where a whole one can already be seen.
        let processes = trees::take(c"/proc").map_err(at("/proc"))?;
        template.taken.push((processes, c"/proc".to_owned()));
        Ok(template)
    }

    /// Makes it the root of this mount namespace, and the only thing that is mounted there.
    pub(super) fn take_over(self) -> Result<(), Stopped> {
        let failed = |what: &'static str| move |error: Errno| at(what)(error.into());
        // Any folder will do to stand on while moving; this one is on every machine and no longer needed in this view.
        trees::put(self.root.as_fd(), c"/usr").map_err(at("its tmpfs"))?;
        rustix::process::chdir(c"/usr").map_err(failed("its tmpfs"))?;
        rustix::process::pivot_root(c".", c".").map_err(failed("pivot_root"))?;
        unmount(c".", UnmountFlags::DETACH).map_err(failed("the old root"))?;
        rustix::process::chdir(c"/").map_err(failed("its root"))?;
        for (tree, target) in self.taken {
            trees::put(tree.as_fd(), &target).map_err(at(&target.to_string_lossy()))?;
        }
        close(self.root.as_fd()).map_err(at("its root"))
    }

    fn make_folder(&self, folder: &str) -> io::Result<()> {
        trees::make_folders_below(self.root.as_fd(), below(folder).as_bytes())
    }

    /// Every name at the top of the machine's tree, so that a workspace anywhere finds a folder to be mounted below.
    fn make_top_folders(&self) -> io::Result<()> {
        for entry in std::fs::read_dir("/")?.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                use std::os::unix::ffi::OsStrExt;
                trees::make_folders_below(self.root.as_fd(), entry.file_name().as_bytes())?;
            }
        }
        Ok(())
    }

    /// `/bin` and its like are links into `/usr` on one machine and folders on another.
    fn show_system_folder(&mut self, folder: &str) -> io::Result<()> {
        match rustix::fs::readlinkat(CWD, folder, Vec::new()) {
            Ok(target) => Ok(rustix::fs::symlinkat(target, &self.root, below(folder))?),
            Err(Errno::NOENT) => Ok(()),
            Err(_) => self.take(folder, Kind::Folder),
        }
    }

    /// Takes a tree, if there is one that the caller can reach, and makes the point to mount it on.
    fn take(&mut self, path: &str, kind: Kind) -> io::Result<()> {
        let named = c_path(Path::new(path));
        let tree = match trees::take(&named) {
            Ok(tree) => tree,
            Err(error) => return if is_out_of_reach(&error) { Ok(()) } else { Err(error) },
        };
        let is_folder = FileType::from_raw_mode(rustix::fs::fstat(&tree)?.st_mode).is_dir();
        match kind {
            Kind::Folder if !is_folder => return Ok(()),
            Kind::Folder => {
                trees::set(tree.as_fd(), READ_ONLY | NO_SET_ID | NO_DEVICES)?;
                self.make_folder(path)?;
            }
            Kind::Device => {
                trees::set(tree.as_fd(), NO_SET_ID)?;
                self.make_file(path)?;
            }
        }
        self.taken.push((tree, named));
        Ok(())
    }

    /// Copies a small file, if there is one that the caller can read.
    fn copy(&self, path: &str) -> io::Result<()> {
        // Not waiting: whatever it is, it is not a pipe that somebody will write to.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let Ok(original) = rustix::fs::open(path, flags, Mode::empty()) else { return Ok(()) };
        let stat = rustix::fs::fstat(&original)?;
        let length = stat.st_size as u64;
        if !FileType::from_raw_mode(stat.st_mode).is_file() || length > LARGEST_COPY {
            return Ok(());
        }
        let copy = self.make_file(path)?;
        let mut left = length as usize;
        while left > 0 {
            match rustix::fs::sendfile(&copy, &original, None, left)? {
                0 => break,
                sent => left -= sent,
            }
        }
        Ok(())
    }

    /// A new file, open for writing.
    fn make_file(&self, path: &str) -> io::Result<OwnedFd> {
        let make = || {
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
            rustix::fs::openat(&self.root, below(path), flags, Mode::from_raw_mode(0o644))
        };
        match (make(), path.rsplit_once('/')) {
            (Err(Errno::NOENT), Some((above, _))) => {
                self.make_folder(above)?;
                Ok(make()?)
            }
            (made, _) => Ok(made?),
        }
    }
}

/// Adds folders to a template that this process stands on. `taken` was taken on the machine's side.
pub(super) fn furnish(taken: Vec<(OwnedFd, &CString)>) -> Result<(), Stopped> {
    let root = trees::folder(c"/").map_err(at("its root"))?;
    let opened = sys::MountAttributes { clear: READ_ONLY, ..Default::default() };
    sys::mount_setattr(root.as_fd(), opened).map_err(at("its root"))?;
    for (tree, target) in taken {
        let named = target.to_string_lossy();
        trees::make_folders(target).map_err(at(&named))?;
        trees::put(tree.as_fd(), target).map_err(at(&named))?;
    }
    close(root.as_fd()).map_err(at("its root"))
}

/// Every sandbox of a warden shares it: what were made in it from here on would be seen by the others.
fn close(root: BorrowedFd<'_>) -> io::Result<()> {
    sys::mount_setattr(root, sys::MountAttributes { set: READ_ONLY, ..Default::default() })
}

/// A path as seen from the template's own root.
fn below(path: &str) -> &str {
    path.trim_start_matches('/')
}

/// Not there, or not for the caller: then programs do not see it either.
fn is_out_of_reach(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::ACCESS | Errno::NOTDIR | Errno::LOOP))
}
