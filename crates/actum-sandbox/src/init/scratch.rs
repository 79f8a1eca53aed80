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

/// What is kept in the layer beside what is shown.
#[derive(Debug)]
pub(super) struct Scratch(OnceCell<OwnedFd>);

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
        let context = fspick(self.tree()?, c"", FsPickFlags::FSPICK_CLOEXEC | FsPickFlags::FSPICK_EMPTY_PATH)?;
        fsconfig_set_string(context.as_fd(), c"size", digits(size).as_c_str())?;
        fsconfig_set_string(context.as_fd(), c"nr_inodes", digits(inodes).as_c_str())?;
        Ok(fsconfig_reconfigure(context.as_fd())?)
    }

    /// The root of the layer.
    pub(super) fn tree(&self) -> io::Result<BorrowedFd<'_>> {
        self.0.get().map(AsFd::as_fd).ok_or_else(|| io::Error::other("BUG: the layer for temporary files is not laid"))
    }

    /// Shows a folder of the layer at `target`.
    pub(super) fn show(&self, name: &CStr, target: &CStr, mode: u32) -> io::Result<()> {
        let root = self.tree()?;
        rustix::fs::mkdirat(root, name, Mode::from_raw_mode(0o755))?;
        rustix::fs::chmodat(root, name, Mode::from_raw_mode(mode), AtFlags::empty())?;
        trees::put(trees::take_at(root, name)?.as_fd(), target)
    }

    fn lay_now(&self) -> io::Result<()> {
        let tree = trees::create(c"tmpfs", &[Setting::Text(c"mode", c"0755")])?;
        trees::put(tree.as_fd(), c"/tmp")?;
        let _ = self.0.set(tree);
        self.show(c"tmp", c"/tmp", 0o1777)?;
        self.show(c"shm", c"/dev/shm", 0o1777)?;
        own_terminals()?;
        Ok(rustix::fs::mkdir(c"/tmp/home", Mode::from_raw_mode(0o700))?)
    }
}

/// A terminal world of its own: the machine's pseudo-terminals are not in it.
fn own_terminals() -> io::Result<()> {
    let settings = [
        Setting::Flag(c"newinstance"),
        Setting::Text(c"ptmxmode", c"0666"),
        Setting::Text(c"mode", c"0620"),
    ];
    trees::put(trees::create(c"devpts", &settings)?.as_fd(), c"/dev/pts")
}

fn digits(number: u64) -> CString {
    CString::new(number.to_string()).expect("digits hold no NUL")
}
