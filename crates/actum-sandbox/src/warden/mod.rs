//! The launcher: a small process with one thread, forked before anything else happens, that starts every sandbox.
//!
//! Forking a large, threaded server is slow and unsound; this process stays as small as the program was in the first
//! moment of `main`. The supervisor talks to it over a SEQPACKET socket; every sandbox comes back as a pidfd.
//! [`serve`] is its loop, [`ground`] what it builds once, [`cast`] how a sandbox is started.

mod cast;
mod ground;
mod serve;
mod template;
mod understudy;

use crate::cgroup::Version;
use crate::error::SandboxError;
use crate::frame;
use crate::note::Step;
use crate::order::{Budget, Order, Owner, Shape};
use crate::sys::{self, Copied, SingleThreaded};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::ffi::CString;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What the supervisor asks of the warden.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Call {
    /// Break ground. Answered by [`Begun`].
    Begin { namespaces: bool },
    /// Show these folders of the machine in the template too. Not answered: where it failed, no sandbox starts.
    Furnish { folders: Vec<CString> },
    /// Start a sandbox. With stdin, stdout, stderr and the socket on which everything about it is told.
    Start { key: u64, order: Box<Order> },
    /// The run is over: forget it and take away its cgroup and this folder.
    Forget { key: u64 },
    /// Build one sandbox that will most likely be ordered next.
    Expect(Expected),
    /// Keep this many sandboxes of a shape built ahead.
    KeepReady { shape: Shape, count: u32 },
}

/// What the next order will most likely ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Expected {
    pub(crate) shape: Shape,
    pub(crate) budget: Option<Budget>,
    /// Whose files the workspace holds, where they are to be seen as the program's own.
    pub(crate) owner: Option<Owner>,
}

/// What the ground turned out to carry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Begun {
    pub(crate) namespaces: Result<(), Failure>,
    pub(crate) accounting: Result<Version, String>,
}

/// A step that failed, in a form that travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) step: Step,
    pub(crate) errno: i32,
    pub(crate) detail: String,
}

/// The handle of the process that starts sandboxes.
#[derive(Debug)]
pub struct Warden {
    socket: OwnedFd,
    /// It was told to break ground before the caller knew everything.
    begun_early: AtomicBool,
    /// Kept open so that the warden can be waited for.
    pidfd: OwnedFd,
    next_key: AtomicU64,
}

impl Warden {
    /// Forks the warden. Must be the first act of `main`: it refuses when there are threads already.
    pub fn fork() -> Result<Self, SandboxError> {
        let failed = |source: io::Error| SandboxError::Warden { source };
        let alone = SingleThreaded::prove().map_err(failed)?;
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .map_err(|error| failed(error.into()))?;
        match sys::copy_process(alone, 0, None).map_err(failed)? {
            Copied::Child => {
                drop(ours);
                serve::main(theirs, alone)
            }
            Copied::Parent { pidfd, .. } => {
                let (begun_early, next_key) = (AtomicBool::new(false), AtomicU64::new(1));
                Ok(Self { socket: ours, begun_early, pidfd, next_key })
            }
        }
    }

    /// Starts the warden as a program of its own, for a process that has threads already and so cannot copy itself. The program
    /// must call [`Warden::serve_stdin`] when it is given these words.
    pub fn start_program(program: &Path, words: &[&str]) -> Result<Self, SandboxError> {
        let failed = |source: io::Error| SandboxError::Warden { source };
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .map_err(|error| failed(error.into()))?;
        let pidfd = crate::aside::spawn(program, words, theirs).map_err(failed)?;
        let (begun_early, next_key) = (AtomicBool::new(false), AtomicU64::new(1));
        Ok(Self { socket: ours, begun_early, pidfd, next_key })
    }

    /// Serves the process at the other end of standard input until it hangs up. Must be called before there are threads.
    pub fn serve_stdin() -> Result<Infallible, SandboxError> {
        let failed = |source: io::Error| SandboxError::Warden { source };
        let alone = SingleThreaded::prove().map_err(failed)?;
        let socket = io::stdin().as_fd().try_clone_to_owned().map_err(failed)?;
        serve::main(socket, alone)
    }

    /// Has it break ground for namespaces before the rest of what is wanted is known: that takes longest. Who calls this must
    /// open with the highest ceiling.
    pub fn begin_early(&self) {
        // One that cannot be told now is told again, and then the caller hears of it.
        if self.say(&Call::Begin { namespaces: true }, &[]).is_ok() {
            self.begun_early.store(true, Ordering::Relaxed);
        }
    }

    /// Has it break ground, unless it does so already. Goes on at once: what became of it is told by [`Warden::begun`].
    pub(crate) fn begin(&self, namespaces: bool) -> io::Result<()> {
        match (self.begun_early.load(Ordering::Relaxed), namespaces) {
            (true, true) => Ok(()),
            (true, false) => {
                Err(io::Error::other("BUG: the preparation of namespaces failed without an error"))
            }
            (false, _) => self.say(&Call::Begin { namespaces }, &[]),
        }
    }

    /// What the ground carries, once it is broken.
    pub(crate) fn begun(&self) -> io::Result<Begun> {
        let answer = frame::receive::<Begun>(self.socket.as_fd())?;
        answer
            .map(|(begun, _)| begun)
            .ok_or_else(|| io::Error::other("the sandbox supervisor (warden) exited"))
    }

    pub(crate) fn furnish(&self, folders: Vec<CString>) -> io::Result<()> {
        self.say(&Call::Furnish { folders }, &[])
    }

    /// Orders a sandbox. Everything further is told on the other end of `told`.
    pub(crate) fn start(
        &self,
        order: Order,
        streams: [BorrowedFd<'_>; 3],
        told: BorrowedFd<'_>,
    ) -> io::Result<u64> {
        let key = self.next_key.fetch_add(1, Ordering::Relaxed);
        let [stdin, stdout, stderr] = streams;
        self.say(&Call::Start { key, order: Box::new(order) }, &[stdin, stdout, stderr, told])?;
        Ok(key)
    }

    pub(crate) fn forget(&self, key: u64) -> io::Result<()> {
        self.say(&Call::Forget { key }, &[])
    }

    pub(crate) fn expect(&self, expected: Expected) -> io::Result<()> {
        self.say(&Call::Expect(expected), &[])
    }

    pub(crate) fn keep_ready(&self, shape: Shape, count: u32) -> io::Result<()> {
        self.say(&Call::KeepReady { shape, count }, &[])
    }

    fn say(&self, call: &Call, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        frame::send(self.socket.as_fd(), call, descriptors)
    }
}

impl Warden {
    /// Hangs up: the warden begins to put everything away while we do other things. Dropping waits for it.
    pub(crate) fn leave(&self) {
        let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
    }
}

impl Drop for Warden {
    /// Hangs up and waits until the warden has put everything away.
    fn drop(&mut self) {
        self.leave();
        let wait = rustix::process::WaitId::PidFd(self.pidfd.as_fd());
        let _ = rustix::process::waitid(wait, rustix::process::WaitIdOptions::EXITED);
    }
}

/// The folder of a layer on disk, named by an order.
pub(crate) fn layer_on_disk(order: &Order) -> Option<&CString> {
    match &order.workspace.layer {
        crate::order::WriteLayer::Disk(folder) => Some(folder),
        crate::order::WriteLayer::Memory | crate::order::WriteLayer::None => None,
    }
}
