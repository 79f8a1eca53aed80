//! A run that lasts is saved as it goes, so that a kill or a power cut does not take what it has written.
//!
//! Up to [`LASTS`] nothing is done, and a short run pays nothing. From then on a thread lists what the layer holds, by the same code as
//! at the end of a run, and keeps it with the run: see [`actum_changes::settle::Saver`]. It works for at most one part in
//! [`REST`] of the time.

use crate::clock::Stopwatch;
use crate::request::{Keep, Request};
use crate::workspace::Workspace;
use actum_changes::settle::{Keeping, Saver};
use actum_model::{Bytes, WorkspaceMode};
use rustix::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Duration;

/// After this a run lasts.
pub(crate) const LASTS: Duration = Duration::from_secs(10);
/// The shortest time between two looks.
const EVERY: Duration = Duration::from_secs(5);
/// The same for a run of which everything is to be applied however it ends.
const ANNOUNCED: Duration = Duration::from_secs(1);
/// A look that took long is followed by a rest of this many times as long.
const REST: u32 = 20;

/// The same for the part that only waited for the disk.
const REST_OF_DISK: u32 = 4;

/// What is saved of one run, from attempt to attempt.
pub(crate) struct Lasting<'a> {
    workspace: &'a Workspace,
    saver: Mutex<Saver>,
    begun: AtomicBool,
    is_announced: bool,
}

impl<'a> Lasting<'a> {
    /// Nothing where nothing would be kept.
    pub(crate) fn of(request: &Request, workspace: &'a Workspace, keeping: &Keeping) -> Option<Self> {
        let is_layered = request.attempt.policy.workspace == WorkspaceMode::Overlay;
        let is_kept = is_layered && request.cases.is_empty();
        is_kept.then(|| Self {
            workspace,
            saver: Mutex::new(Saver::new(keeping)),
            begun: AtomicBool::new(false),
            is_announced: request.keep == Keep::Always,
        })
    }

    /// When the first look is due.
    pub(crate) fn after(&self) -> Duration {
        if self.is_announced { ANNOUNCED } else { LASTS }
    }

    /// Saves what a layer holds until what is given back is dropped. `most` is what may be kept.
    pub(crate) fn begin<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        layer: BorrowedFd<'_>,
        most: Bytes,
    ) -> Option<Saving> {
        let layer = layer.try_clone_to_owned().ok()?;
        let (stop, stopped) = channel::<()>();
        let over = Arc::new(AtomicBool::new(false));
        let given_up = Arc::clone(&over);
        let every = if self.is_announced { ANNOUNCED } else { EVERY };
        let save = move || {
            let mut saver = self.lock();
            loop {
                let looked = Stopwatch::start();
                // A look that fails is made again: what was saved before is there still.
                let _ = self.workspace.save(layer.as_fd(), &mut saver, most, &given_up);
                let waited = saver.waited();
                let worked = looked.elapsed().saturating_sub(waited);
                let rest = every.max(worked.saturating_mul(REST)).max(waited.saturating_mul(REST_OF_DISK));
                let waited = stopped.recv_timeout(rest);
                if waited != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        self.begun.store(true, Ordering::Relaxed);
        let named = std::thread::Builder::new().name("saver".to_owned());
        // Without a thread nothing is saved, and it is a run all the same.
        named.spawn_scoped(scope, save).ok()?;
        Some(Saving { over, _stop: stop })
    }

    /// What was saved is of no more use: it was settled, or its attempt is tried again from nothing.
    pub(crate) fn forget(&self) {
        if self.begun.load(Ordering::Relaxed) {
            self.lock().forget();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Saver> {
        self.saver.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Saving that goes on until this is dropped.
pub(crate) struct Saving {
    over: Arc<AtomicBool>,
    /// Hung up on when it is dropped.
    _stop: Sender<()>,
}

impl Drop for Saving {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
