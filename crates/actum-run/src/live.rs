//! What a run is connected to while it goes on.

use crate::journal::Journal;
use actum_model::Happened;
use actum_sandbox::{Output, Resized};
use rustix::fd::{BorrowedFd, OwnedFd};

/// What a run is connected to while it goes on.
pub struct Live<'a> {
    /// What programs read, or what is typed where they have a terminal.
    pub stdin: BorrowedFd<'a>,
    /// Takes what programs print, after it was kept.
    pub output: &'a mut dyn Output,
    pub passing: Passing,
    /// The window around a program's terminal, where there is one whose size can change.
    pub resized: Option<Resized<'a>>,
    /// Becomes readable for each wish to cancel: see [`actum_sandbox::Watching::cancel`].
    pub cancel: Option<BorrowedFd<'a>>,
    pub watcher: &'a mut dyn Watcher,
    /// Is told of every attempt before there is a process.
    pub journal: &'a mut dyn Journal,
}

/// What passes on of a program's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// Byte for byte: to its reader.
    AsPrinted,
    /// Without its secrets: to a view.
    AsKept,
}

/// Is told what happens, as it happens. Output has a way of its own.
pub trait Watcher {
    fn happened(&mut self, what: Happened);

    /// Takes listeners on the loopback of the sandbox that is about to start, in the order of the request's ports.
    fn serve(&mut self, listeners: Vec<OwnedFd>) {
        drop(listeners);
    }
}
