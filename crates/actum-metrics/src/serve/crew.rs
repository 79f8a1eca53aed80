//! The connections that are open, so that all of them can be ended.

use std::collections::HashMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Open connections by their number.
#[derive(Default)]
pub(super) struct Crew {
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    is_stopped: bool,
    open: HashMap<u64, Arc<TcpStream>>,
    next: u64,
}

impl Crew {
    /// Takes a connection in, where there is room for it and the server is not stopped.
    pub(super) fn enter(&self, stream: &Arc<TcpStream>, most: usize) -> Option<u64> {
        let mut state = self.lock();
        if state.is_stopped || state.open.len() >= most {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.open.insert(number, Arc::clone(stream));
        Some(number)
    }

    pub(super) fn leave(&self, number: u64) {
        self.lock().open.remove(&number);
        self.left.notify_all();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.lock().is_stopped
    }

    /// Nothing more is read from any connection; answers still go out.
    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.is_stopped = true;
        for stream in state.open.values() {
            let _ = stream.shutdown(Shutdown::Read);
        }
    }

    /// Waits until all connections are closed, and closes those that are not by then.
    pub(super) fn wait(&self, at_most: Duration) {
        let waited = self.left.wait_timeout_while(self.lock(), at_most, |state| !state.open.is_empty());
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        for stream in state.open.values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
