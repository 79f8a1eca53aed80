//! The layer for temporary files: one file system of a size, shown as `/tmp` and `/dev/shm`, and where the workspace's
//! changes are kept in memory.
//!
//! It is attached where `/tmp` is and covered by its own folder `tmp`, so that the rest of it is out of the program's
//! reach while init still holds it by descriptor.

use crate::trees::{self, Setting};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode};
use rustix::mount::{FsPickFlags, fsconfig_reconfigure, fsconfig_set_string, fspick};
use std::cell::OnceCell;
use std::ffi::{CStr, CString};
use std::io;

/// The layer by its root, and what is kept in it beside what is shown.
#[derive(Debug)]
pub(super) struct Scratch(OnceCell<Laid>);

#[derive(Debug)]
struct Laid {
    root: OwnedFd,
    /// For the workspace's changes.
    upper: OwnedFd,
    work: OwnedFd,
}

impl Scratch {
    /// Laid now, with the size that fits most; [`Scratch::fit`] gives it the size that was ordered.
    pub(super) fn lay() -> io::Result<Self> {
        let scratch = Self(OnceCell::new());
        scratch.lay_now()?;
        Ok(scratch)
    }

    /// To be laid when the order is known.
    pub(super) fn later() -> Self {
        Self(OnceCell::new())
    }

    /// Gives the layer its size; lays it first if that has not been done.
    pub(super) fn fit(&self, size: u64, inodes: u64) -> io::Result<()> {
        if self.0.get().is_none() {
            self.lay_now()?;
        }
        let context = fspick(
            self.laid()?.root.as_fd(),
            c"",
            FsPickFlags::FSPICK_CLOEXEC | FsPickFlags::FSPICK_EMPTY_PATH,
        )?;
        fsconfig_set_string(context.as_fd(), c"size", digits(size).as_c_str())?;
        fsconfig_set_string(context.as_fd(), c"nr_inodes", digits(inodes).as_c_str())?;
        Ok(fsconfig_reconfigure(context.as_fd())?)
    }

    /// The file system as a whole, by its root.
    pub(super) fn root(&self) -> io::Result<OwnedFd> {
        self.laid()?.root.try_clone()
    }

    /// The two folders that an overlay needs.
    pub(super) fn upper_and_work(&self) -> io::Result<(OwnedFd, OwnedFd)> {
        let laid = self.laid()?;
        Ok((laid.upper.try_clone()?, laid.work.try_clone()?))
    }

    fn laid(&self) -> io::Result<&Laid> {
        self.0.get().ok_or_else(|| io::Error::other("BUG: the layer for temporary files is not laid"))
    }

    /// Shows a folder of the layer at `target`.
    pub(super) fn show(&self, name: &CStr, target: &CStr, mode: u32) -> io::Result<()> {
        show_folder(self.laid()?.root.as_fd(), name, target, mode)
    }

    fn lay_now(&self) -> io::Result<()> {
        let root = trees::create(c"tmpfs", &[Setting::Text(c"mode", c"0755")])?;
        trees::put(root.as_fd(), c"/tmp")?;
        show_folder(root.as_fd(), c"tmp", c"/tmp", 0o1777)?;
        show_folder(root.as_fd(), c"shm", c"/dev/shm", 0o1777)?;
        own_terminals()?;
        rustix::fs::mkdir(c"/tmp/home", Mode::from_raw_mode(0o700))?;
        let (upper, work) = trees::make_two_folders(root.as_fd(), c"upper", c"work")?;
        let _ = self.0.set(Laid { root, upper, work });
        Ok(())
    }
}

fn show_folder(root: BorrowedFd<'_>, name: &CStr, target: &CStr, mode: u32) -> io::Result<()> {
    rustix::fs::mkdirat(root, name, Mode::from_raw_mode(0o755))?;
    rustix::fs::chmodat(root, name, Mode::from_raw_mode(mode), AtFlags::empty())?;
    trees::put(trees::take_at(root, name)?.as_fd(), target)
}

/// A terminal world of its own: the machine's pseudo-terminals are not in it.
fn own_terminals() -> io::Result<()> {
    let settings =
        [Setting::Flag(c"newinstance"), Setting::Text(c"ptmxmode", c"0666"), Setting::Text(c"mode", c"0620")];
    trees::put(trees::create_terminals(&settings)?.as_fd(), c"/dev/pts")
}

fn digits(number: u64) -> CString {
    CString::new(number.to_string()).expect("digits hold no NUL")
}
