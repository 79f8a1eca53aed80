//! What a run is connected to while it goes on.

use crate::journal::Journal;
use actum_model::Happened;
use actum_sandbox::{Output, Resized};
use rustix::fd::BorrowedFd;

/// What a run is connected to while it goes on.
pub struct Live<'a> {
    /// What programs read, or what is typed where they have a terminal.
    pub stdin: BorrowedFd<'a>,
    /// Takes what programs print, after it was kept.
    pub output: &'a mut dyn Output,
    /// The window around a program's terminal, where there is one whose size can change.
    pub resized: Option<Resized<'a>>,
    /// Becomes readable for each wish to cancel: see [`actum_sandbox::Watching::cancel`].
    pub cancel: Option<BorrowedFd<'a>>,
    pub watcher: &'a mut dyn Watcher,
    /// Is told of every attempt before there is a process.
    pub journal: &'a mut dyn Journal,
}

/// Is told what happens, as it happens. Output has a way of its own.
pub trait Watcher {
    fn happened(&mut self, what: Happened);
}
