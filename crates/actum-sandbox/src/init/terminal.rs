//! A terminal for the program: a pair of the sandbox's own, so that its name means something inside.
//!
//! Only our end is opened here. The other end is opened by the payload, by name and without asking not to: the first
//! terminal that the leader of a session opens becomes its controlling one, and the filter need not let anybody take
//! one over. Nobody else may hold that end, because the kernel throws away what was not read yet when a session's leader
//! ends before the last holder.

use crate::order::{Terminal, Walls};
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{ptsname, unlockpt};
use rustix::termios::{InputModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};
use std::ffi::CString;
use std::io;

/// Our end, and the name of the program's.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) ours: OwnedFd,
    pub(super) name: CString,
}

pub(super) fn open(size: Terminal, walls: Walls) -> io::Result<Opened> {
    let path = match walls {
        // Not `/dev/ptmx`: in the machine's own tree that is the machine's.
        Walls::Namespaces { .. } => c"/dev/pts/ptmx",
        Walls::None => c"/dev/ptmx",
    };
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let ours = rustix::fs::open(path, flags, Mode::empty())?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    resize(&ours, size)?;
    // Erasing takes a whole character: everybody writes UTF-8.
    let mut modes = tcgetattr(&ours)?;
    modes.input_modes |= InputModes::IUTF8;
    tcsetattr(&ours, OptionalActions::Now, &modes)?;
    Ok(Opened { ours, name })
}

/// Tells the terminal its size; programs on it are told by a signal.
pub(crate) fn resize(ours: &OwnedFd, size: Terminal) -> io::Result<()> {
    let size = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    Ok(tcsetwinsize(ours, size)?)
}
