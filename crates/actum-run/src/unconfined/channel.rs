//! Channels of the same kind as those that a command would have had without us.
//!
//! What is a terminal stays one, so that programs colour and wrap as they would. Where stdout and stderr were one, they stay one:
//! two channels would lose which of two lines came first.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::fstat;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{
    OptionalActions, OutputModes, isatty, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize,
};
use std::io;
use std::process::Stdio;

/// What a command prints into, and where we read it.
pub(super) struct Channels {
    readers: [Option<OwnedFd>; 2],
    ends: [OwnedFd; 2],
}

impl Channels {
    /// Made after the streams that we have ourselves.
    pub(super) fn open(stdout: BorrowedFd<'_>, stderr: BorrowedFd<'_>) -> io::Result<Self> {
        let (reader, end) = open(stdout)?;
        if are_one(stdout, stderr) {
            let other = end.try_clone()?;
            return Ok(Self { readers: [Some(reader), None], ends: [end, other] });
        }
        let (second, other) = open(stderr)?;
        Ok(Self { readers: [Some(reader), Some(second)], ends: [end, other] })
    }

    /// Our ends, and those of the command.
    pub(super) fn parted(self) -> ([Option<OwnedFd>; 2], [Stdio; 2]) {
        (self.readers, self.ends.map(Stdio::from))
    }
}

/// Whether what is written to one appears in the other.
fn are_one(stdout: BorrowedFd<'_>, stderr: BorrowedFd<'_>) -> bool {
    let name = |stream| fstat(stream).ok().map(|stat| (stat.st_dev, stat.st_ino, stat.st_rdev));
    name(stdout).is_some_and(|one| name(stderr) == Some(one))
}

fn open(like: BorrowedFd<'_>) -> io::Result<(OwnedFd, OwnedFd)> {
    match isatty(like) {
        true => terminal(like),
        false => Ok(pipe_with(PipeFlags::CLOEXEC)?),
    }
}

/// A terminal that changes nothing of what is written: the one behind it does that.
fn terminal(like: BorrowedFd<'_>) -> io::Result<(OwnedFd, OwnedFd)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    let theirs = rustix::fs::open(name, flags, rustix::fs::Mode::empty())?;
    let mut attributes = tcgetattr(like)?;
    attributes.output_modes -= OutputModes::OPOST;
    tcsetattr(theirs.as_fd(), OptionalActions::Now, &attributes)?;
    tcsetwinsize(theirs.as_fd(), tcgetwinsize(like)?)?;
    Ok((ours, theirs))
}
