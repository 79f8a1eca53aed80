//! A process that stands aside: a copy of this one that serves a socket and has nothing else of ours.

use crate::sys::{self, Copied, SingleThreaded};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, WaitId, WaitIdOptions, chdir, pidfd_open, set_dumpable_behavior,
    setsid, waitid,
};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

/// The handle of a process that stands aside. It ends when the stream is closed.
#[derive(Debug)]
pub struct Aside {
    pub stream: UnixStream,
    pub process: AsideProcess,
}

/// A process that stands aside, to wait for.
#[derive(Debug)]
pub struct AsideProcess(OwnedFd);

impl AsideProcess {
    /// Waits until it has ended, so that nothing is left of it. Close its stream before.
    pub fn wait(self) {
        let _ = waitid(WaitId::PidFd(self.0.as_fd()), WaitIdOptions::EXITED);
    }
}

/// Copies this process; the copy serves the other end of the stream that is given back.
///
/// Only while there is one thread. The copy keeps no descriptor but its socket, hears nothing that is typed at our terminal,
/// and no other process of the same user can look into its memory.
pub fn aside(serve: impl FnOnce(UnixStream)) -> io::Result<Aside> {
    let alone = SingleThreaded::prove()?;
    let (ours, theirs) = UnixStream::pair()?;
    match sys::copy_process(alone, 0, None)? {
        Copied::Parent { pidfd, .. } => Ok(Aside { stream: ours, process: AsideProcess(pidfd) }),
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

/// Starts a program that serves the other end of the stream that is given back, for a process that has threads and so cannot copy itself. The
/// program must call [`serve_aside`] when it is given these words.
pub fn start_aside(program: &Path, words: &[&str]) -> io::Result<Aside> {
    let (ours, theirs) = UnixStream::pair()?;
    let process = spawn(program, words, theirs.into())?;
    Ok(Aside { stream: ours, process: AsideProcess(process) })
}

/// Serves the process at the other end of standard input, with nothing else of its parent's, and not readable by other processes
/// of the same user.
pub fn serve_aside(serve: impl FnOnce(UnixStream)) -> io::Result<()> {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    leave();
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    sys::close_all_but(stream.as_fd())?;
    serve(stream);
    Ok(())
}

/// Starts a program with a socket as its standard input and nothing else of ours.
pub(crate) fn spawn(program: &Path, words: &[&str], socket: OwnedFd) -> io::Result<OwnedFd> {
    let mut command = Command::new(program);
    command.args(words).env_clear().stdin(socket).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::other("BUG: a child has a process id"))?;
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
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
