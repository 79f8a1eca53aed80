//! A process that stands aside: a copy of this one that serves a socket and has nothing else of ours.

use crate::sys::{self, Copied, SingleThreaded};
use rustix::fd::AsFd;
use rustix::fs::{Mode, OFlags};
use rustix::process::{DumpableBehavior, chdir, set_dumpable_behavior, setsid};
use std::io;
use std::os::unix::net::UnixStream;

/// Copies this process; the copy serves the other end of what is given back, and ends when that is closed.
///
/// Only while there is one thread. The copy keeps no descriptor but its socket, hears nothing that is typed at our terminal,
/// and no other process of the same user can look into its memory.
pub fn aside(serve: impl FnOnce(UnixStream)) -> io::Result<UnixStream> {
    let alone = SingleThreaded::prove()?;
    let (ours, theirs) = UnixStream::pair()?;
    match sys::copy_process(alone, 0, None)? {
        Copied::Parent { .. } => Ok(ours),
        Copied::Child => {
            leave();
            let hidden = set_dumpable_behavior(DumpableBehavior::NotDumpable);
            if hidden.is_ok() && sys::close_all_but(theirs.as_fd()).is_ok() {
                serve(theirs);
            }
            sys::exit_now(0)
        }
    }
}

/// Lets go of our streams, our signals, our terminal and our folder.
pub(crate) fn leave() {
    if let Ok(null) = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()) {
        for number in 0..=2 {
            let _ = sys::place_descriptor(null.as_fd(), number);
        }
    }
    sys::ignore_signals();
    let _ = setsid();
    let _ = chdir("/");
}
