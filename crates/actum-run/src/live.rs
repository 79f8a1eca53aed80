//! What a run is connected to while it goes on.

use actum_model::Happened;
use actum_sandbox::Output;
use rustix::fd::BorrowedFd;

/// What a run is connected to while it goes on.
pub struct Live<'a> {
    pub stdin: BorrowedFd<'a>,
    /// Takes what programs print, after it was kept.
    pub output: &'a mut dyn Output,
    /// Becomes readable when the run is to be cancelled.
    pub cancel: Option<BorrowedFd<'a>>,
    pub watcher: &'a mut dyn Watcher,
}

/// Is told what happens, as it happens. Output has a way of its own.
pub trait Watcher {
    fn happened(&mut self, what: Happened);
}

/// Is told, and forgets.
#[derive(Debug)]
pub struct Nobody;

impl Watcher for Nobody {
    fn happened(&mut self, _: Happened) {}
}
