//! The program itself: the last steps between a copy of init and somebody else's code.

use super::Given;
use crate::fence;
use crate::frame;
use crate::note::{Note, Step};
use crate::order::Order;
use crate::sys::{self, Copied, SingleThreaded};
use rustix::fd::AsFd;
use std::io;

/// The running program, seen from init.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) pid: i32,
}

/// Copies init and executes the program in the copy.
pub(super) fn start(order: &Order, given: &Given, alone: SingleThreaded) -> io::Result<Child> {
    match sys::copy_process(alone, 0, None)? {
        Copied::Parent { pid, .. } => Ok(Child { pid }),
        Copied::Child => {
            let note = become_program(order, given);
            let _ = frame::send(given.supervisor.as_fd(), &note, &[]);
            sys::exit_now(127)
        }
    }
}

/// Returns only with the reason why the program could not be executed.
fn become_program(order: &Order, given: &Given) -> Note {
    let failed = |step: Step, error: io::Error| Note::Failed {
        step,
        errno: error.raw_os_error().unwrap_or(0),
        detail: String::new(),
    };
    if let Err(error) = streams(given) {
        return failed(Step::Message, error);
    }
    for (resource, value) in &order.rlimits {
        if let Err(error) = sys::limit_resource(*resource, *value) {
            return failed(Step::Limits, error);
        }
    }
    if let Err(error) = rustix::process::chdir(order.command.folder.as_c_str()) {
        return failed(Step::Folder, error.into());
    }
    if let Err(error) = fence::enter(&order.fence) {
        return failed(Step::Fence, error);
    }
    if let Err(error) = sys::close_on_execute_from(3) {
        return failed(Step::Message, error);
    }
    if !order.filter.is_empty()
        && let Err(error) = sys::load_filter(&order.filter)
    {
        return failed(Step::Filter, error);
    }
    execute(order)
}

fn streams(given: &Given) -> io::Result<()> {
    sys::default_signals();
    rustix::process::setsid()?;
    sys::place_descriptor(given.stdin.as_fd(), 0)?;
    sys::place_descriptor(given.stdout.as_fd(), 1)?;
    sys::place_descriptor(given.stderr.as_fd(), 2)
}

/// Tries the candidates as `execvp` would: a missing one is passed over, a forbidden one is remembered.
fn execute(order: &Order) -> Note {
    let mut remembered = None;
    for candidate in &order.command.candidates {
        let error = sys::execute(candidate, &order.command.arguments, &order.command.environment);
        let errno = error.raw_os_error().unwrap_or(0);
        let missing = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        if !missing {
            remembered.get_or_insert(errno);
        }
    }
    const ENOENT: i32 = 2;
    Note::NotExecuted { errno: remembered.unwrap_or(ENOENT) }
}
