//! How many runs go on at once: whoever comes while all places are taken waits in line.

use crate::error::EngineError;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The places, and the line before them.
#[derive(Debug)]
pub(crate) struct Turns(Mutex<State>);

#[derive(Debug)]
struct State {
    free: usize,
    /// Each becomes readable when a place is handed to it.
    line: VecDeque<Arc<OwnedFd>>,
}

/// A place, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a Turns);

impl Turns {
    pub(crate) fn new(places: NonZeroUsize) -> Self {
        Self(Mutex::new(State { free: places.get(), line: VecDeque::new() }))
    }

    /// Waits for a place, first come, first served. A cancelled caller leaves the line.
    pub(crate) fn wait(&self, cancel: Option<BorrowedFd<'_>>) -> Result<Turn<'_>, EngineError> {
        let mine = {
            let mut state = self.lock();
            if state.free > 0 {
                state.free -= 1;
                return Ok(Turn(self));
            }
            let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
            let mine = Arc::new(event.map_err(|error| EngineError::Turn { source: error.into() })?);
            state.line.push_back(Arc::clone(&mine));
            mine
        };
        match wait_for(&mine, cancel) {
            Ok(true) => Ok(Turn(self)),
            Ok(false) => self.leave(&mine, EngineError::Cancelled),
            Err(source) => self.leave(&mine, EngineError::Turn { source }),
        }
    }

    /// Leaves the line. A place that was handed over meanwhile goes to the next one.
    fn leave(&self, mine: &Arc<OwnedFd>, why: EngineError) -> Result<Turn<'_>, EngineError> {
        let mut state = self.lock();
        match state.line.iter().position(|other| Arc::ptr_eq(other, mine)) {
            Some(at) => drop(state.line.remove(at)),
            None => state.hand_on(),
        }
        Err(why)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Gives a place to the first in line, or back.
    fn hand_on(&mut self) {
        match self.line.pop_front() {
            // A counter that nobody wrote to has room for one.
            Some(next) => drop(rustix::io::write(&next, &1_u64.to_ne_bytes())),
            None => self.free += 1,
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.lock().hand_on();
    }
}

/// Whether a place came before a request to cancel.
fn wait_for(mine: &OwnedFd, cancel: Option<BorrowedFd<'_>>) -> io::Result<bool> {
    loop {
        let mut list = vec![PollFd::from_borrowed_fd(mine.as_fd(), PollFlags::IN)];
        list.extend(cancel.map(|cancel| PollFd::from_borrowed_fd(cancel, PollFlags::IN)));
        match poll(&mut list, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        if !list[0].revents().is_empty() {
            return Ok(true);
        }
        if list.get(1).is_some_and(|cancel| !cancel.revents().is_empty()) {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::CancelHandle;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_go_on_at_once_than_there_are_places() {
        let turns = Turns::new(NonZeroUsize::new(3).unwrap());
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..40 {
                scope.spawn(|| {
                    let _turn = turns.wait(None).unwrap();
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!((1..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
        assert_eq!(turns.lock().free, 3);
    }

    #[test]
    fn whoever_is_cancelled_leaves_the_line() {
        let turns = Turns::new(NonZeroUsize::MIN);
        let held = turns.wait(None).unwrap();
        let handle = CancelHandle::new();
        let watched = handle.watch().unwrap();
        handle.cancel();
        assert!(matches!(turns.wait(Some(watched.as_fd())), Err(EngineError::Cancelled)));
        drop(held);
        let state = turns.lock();
        assert_eq!((state.free, state.line.len()), (1, 0));
    }

    #[test]
    fn a_place_that_comes_with_a_cancellation_is_not_lost() {
        let turns = Turns::new(NonZeroUsize::MIN);
        let held = turns.wait(None).unwrap();
        let mine = Arc::new(eventfd(0, EventfdFlags::NONBLOCK).unwrap());
        turns.lock().line.push_back(Arc::clone(&mine));
        drop(held);
        assert!(turns.leave(&mine, EngineError::Cancelled).is_err());
        assert_eq!(turns.lock().free, 1);
    }
}
