//! Cancelling runs from another thread.

use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Cancels every run that it was given to with [`Request::cancel_with`](crate::Request::cancel_with), also those that begin
/// later. The first call stops a program in order, the next one kills it.
#[derive(Debug, Clone, Default)]
pub struct CancelHandle(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    calls: u64,
    /// One for each run: whoever reads a counter takes what is in it.
    counters: Vec<Weak<OwnedFd>>,
}

impl CancelHandle {
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for it. Never waits.
    pub fn cancel(&self) {
        let mut state = self.lock();
        state.calls += 1;
        state.counters.retain(|counter| counter.upgrade().is_some_and(|counter| add(&counter, 1)));
    }

    /// A counter that becomes readable once for each call of [`cancel`](Self::cancel), also for earlier ones.
    pub(crate) fn watch(&self) -> io::Result<Arc<OwnedFd>> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK | EventfdFlags::SEMAPHORE;
        let counter = Arc::new(eventfd(0, flags)?);
        let mut state = self.lock();
        add(&counter, state.calls);
        state.counters.retain(|counter| counter.strong_count() > 0);
        state.counters.push(Arc::downgrade(&counter));
        Ok(counter)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A counter that is full has been asked often enough.
fn add(counter: &OwnedFd, calls: u64) -> bool {
    calls == 0 || !matches!(rustix::io::write(counter, &calls.to_ne_bytes()), Err(rustix::io::Errno::BADF))
}

/// By which a run is cancelled: by its sink's controls, else by a handle.
pub(crate) enum Cancel<'a> {
    Controls(OwnedFd),
    Handle(&'a Arc<OwnedFd>),
    Nobody,
}

impl<'a> Cancel<'a> {
    pub(crate) fn either(controls: Option<OwnedFd>, handle: Option<&'a Arc<OwnedFd>>) -> Self {
        match (controls, handle) {
            (Some(controls), _) => Self::Controls(controls),
            (None, Some(handle)) => Self::Handle(handle),
            (None, None) => Self::Nobody,
        }
    }

    pub(crate) fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::Controls(controls) => Some(controls.as_fd()),
            Self::Handle(handle) => Some(handle.as_fd()),
            Self::Nobody => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(counter: &OwnedFd) -> bool {
        rustix::io::read(counter, &mut [0; 8]).is_ok()
    }

    #[test]
    fn every_run_hears_every_call_also_an_earlier_one() {
        let handle = CancelHandle::new();
        let first = handle.watch().unwrap();
        assert!(!take(&first));
        handle.cancel();
        let second = handle.watch().unwrap();
        handle.clone().cancel();
        for counter in [&first, &second] {
            assert_eq!([take(counter), take(counter), take(counter)], [true, true, false]);
        }
        drop(first);
        handle.cancel();
        assert_eq!(handle.lock().counters.len(), 1, "runs that ended are forgotten");
    }
}
