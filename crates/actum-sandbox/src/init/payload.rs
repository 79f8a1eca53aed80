//! The program itself: a copy of init that takes the last steps before somebody else's code.
//!
//! The copy is made before the order is known, and the costly part (the system call filter) is loaded then: it allows
//! everything that is still to be done here. What depends on the order comes with [`Go`].

use super::{Given, Stopped, stopped};
use crate::fence;
use crate::frame;
use crate::note::{Note, Step};
use crate::order::{Command, Fence, Order, Rights, Shape};
use crate::seccomp::{emit, rules};
use crate::sys::{self, Copied, SingleThreaded};
use actum_model::ExitCode;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use serde::{Deserialize, Serialize};
use std::ffi::{CStr, CString};
use std::io;

/// The waiting program, seen from init.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) pid: i32,
    socket: OwnedFd,
}

/// Init's word to the copy. With stdin, stdout, stderr and the supervisor's socket.
#[derive(Debug, Serialize, Deserialize)]
struct Go {
    command: Command,
    fence: Fence,
    rlimits: Vec<(u32, u64)>,
    /// The name of a terminal to sit at instead of the streams.
    terminal: Option<CString>,
}

impl Child {
    /// Copies init; the copy gives up its privileges, loads the filter and waits.
    pub(super) fn prepare(shape: Shape, alone: SingleThreaded) -> Result<Self, Stopped> {
        let (socket, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .map_err(|error| stopped(Step::Message, "")(error.into()))?;
        match sys::copy_process(alone, 0, None).map_err(stopped(Step::Identity, "fork"))? {
            Copied::Parent { pid, .. } => Ok(Self { pid, socket }),
            Copied::Child => {
                drop(socket);
                let readied = ready(shape);
                if let Ok(Some((go, descriptors))) = frame::receive::<Go>(theirs.as_fd())
                    && let Ok([stdin, stdout, stderr, supervisor]) = <[OwnedFd; 4]>::try_from(descriptors)
                {
                    let streams = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
                    let note = match readied {
                        Ok(()) => become_program(&go, streams),
                        Err((step, error)) => failed(step, &error),
                    };
                    let _ = frame::send(supervisor.as_fd(), &note, &[]);
                }
                sys::exit_now(ExitCode::NOT_FOUND.into())
            }
        }
    }

    /// Lets the copy execute the program.
    pub(super) fn go(&self, order: &Order, given: &Given, terminal: Option<CString>) -> io::Result<()> {
        let mut fence = order.fence.clone();
        // By its name too: programs open their own terminal again.
        fence.rules.extend(terminal.iter().map(|name| (name.clone(), Rights::Device)));
        let go = Go { command: order.command.clone(), fence, rlimits: order.rlimits.clone(), terminal };
        let handed = [&given.stdin, &given.stdout, &given.stderr, &given.supervisor].map(AsFd::as_fd);
        frame::send(self.socket.as_fd(), &go, &handed)
    }

    /// Whether the copy has executed the program, or ended: either closes its end of the socket. Until then it runs only our code.
    pub(super) fn has_executed(&self) -> bool {
        let mut peer = [PollFd::new(&self.socket, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut peer, Some(&now)).is_ok() && peer[0].revents().contains(PollFlags::HUP)
    }
}

/// Everything that does not depend on the order.
fn ready(shape: Shape) -> Result<(), (Step, io::Error)> {
    sys::default_signals();
    super::build::give_up_privileges().map_err(|error| (Step::Identity, error))?;
    rustix::process::setsid().map_err(|error| (Step::Identity, error.into()))?;
    sys::load_filter(&emit(&rules(shape.calls))).map_err(|error| (Step::Filter, error))
}

fn failed(step: Step, error: &io::Error) -> Note {
    Note::Failed { step, errno: error.raw_os_error().unwrap_or(0), detail: String::new() }
}

/// Returns only with the reason why the program could not be executed.
fn become_program(go: &Go, streams: [BorrowedFd<'_>; 3]) -> Note {
    let placed = match &go.terminal {
        Some(name) => sit_at(name).map_err(|error| (Step::Terminal, error)),
        None => place_all(streams).map_err(|error| (Step::Message, error)),
    };
    if let Err((step, error)) = placed {
        return failed(step, &error);
    }
    for (resource, value) in &go.rlimits {
        if let Err(error) = sys::limit_resource(*resource, *value) {
            return failed(Step::Limits, &error);
        }
    }
    if let Err(error) = rustix::process::chdir(go.command.folder.as_c_str()) {
        return failed(Step::Folder, &error.into());
    }
    if let Err(error) = fence::enter(&go.fence) {
        return failed(Step::Fence, &error);
    }
    if let Err(error) = sys::close_on_execute_from(3) {
        return failed(Step::Message, &error);
    }
    execute(&go.command)
}

/// Makes a terminal this session's own: opened by its leader, who has none yet, it becomes the controlling one.
fn sit_at(name: &CStr) -> io::Result<()> {
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let terminal = rustix::fs::open(name, flags, rustix::fs::Mode::empty())?;
    (0..3).try_for_each(|number| sys::place_descriptor(terminal.as_fd(), number))
}

fn place_all(streams: [BorrowedFd<'_>; 3]) -> io::Result<()> {
    streams.into_iter().zip(0..).try_for_each(|(stream, number)| place(stream, number))
}

/// The null device is opened from inside: a program may open its own streams again by name, and the fence knows only
/// what stands in this tree.
fn place(stream: BorrowedFd<'_>, number: i32) -> io::Result<()> {
    let stat = rustix::fs::fstat(stream)?;
    let is_null = (rustix::fs::major(stat.st_rdev), rustix::fs::minor(stat.st_rdev)) == (1, 3);
    let is_device = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_char_device();
    if is_null && is_device {
        let inside = rustix::fs::open(c"/dev/null", rustix::fs::OFlags::RDWR, rustix::fs::Mode::empty())?;
        return sys::place_descriptor(inside.as_fd(), number);
    }
    sys::place_descriptor(stream, number)
}

/// Tries the candidates as `execvp` would: a missing one is passed over, a forbidden one is remembered.
fn execute(command: &Command) -> Note {
    const ENOENT: i32 = 2;
    let mut remembered = None;
    for candidate in &command.candidates {
        let error = sys::execute(candidate, &command.arguments, &command.environment);
        let errno = error.raw_os_error().unwrap_or(0);
        let missing = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        if !missing {
            remembered.get_or_insert(errno);
        }
    }
    Note::NotExecuted { errno: remembered.unwrap_or(ENOENT) }
}
