//! A copy of the warden that stays as it is while the warden does what cannot be undone.
//!
//! Entering a user namespace is such a thing, and it may fail halfway. When it worked the copy is dismissed at once, so
//! that the warden itself remains the only process to be waited for; when it did not, the copy serves instead.

use super::Failure;
use super::cast::packets;
use crate::frame;
use crate::sys::{self, Copied, SingleThreaded};
use rustix::fd::{AsFd, OwnedFd};
use rustix::process::{WaitId, WaitIdOptions, waitid};
use std::io;

/// The copy, seen from the warden.
#[derive(Debug)]
pub(super) struct Understudy {
    word: OwnedFd,
    pidfd: OwnedFd,
}

/// Who this process is after the copy.
#[derive(Debug)]
pub(super) enum Role {
    Warden(Understudy),
    /// With the socket on which the word comes: a failure to answer with, or the end.
    Understudy(OwnedFd),
}

impl Understudy {
    pub(super) fn engage(alone: SingleThreaded) -> io::Result<Role> {
        let (word, theirs) = packets()?;
        match sys::copy_process(alone, 0, None)? {
            Copied::Child => {
                drop(word);
                let _ = sys::process_option(sys::PARENT_DEATH_SIGNAL, sys::SIGKILL as u64);
                Ok(Role::Understudy(theirs))
            }
            Copied::Parent { pidfd, .. } => Ok(Role::Warden(Self { word, pidfd })),
        }
    }

    /// It is not needed: hears the end of its socket, and goes. Nobody waits for it.
    pub(super) fn dismiss(self) {
        drop(self);
    }

    /// It serves from now on. Returns with its end.
    pub(super) fn take_the_stage(self, failure: &Failure) {
        let _ = frame::send(self.word.as_fd(), failure, &[]);
        let _ = waitid(WaitId::PidFd(self.pidfd.as_fd()), WaitIdOptions::EXITED);
    }
}
