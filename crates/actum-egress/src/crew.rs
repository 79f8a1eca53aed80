//! Who is at work: the gates' threads, the connections being served, and their sockets, so that all can be ended.
//!
//! A thread that waits on a socket cannot be told anything, but its socket can be shut down under it. Ending waits for
//! everyone to leave, though not for ever: a lookup or a dial that is under way cannot be interrupted. Such a thread
//! finds its seat gone when it comes back ([`Seat::hold`] refuses), and leaves without having sent a byte.

use std::{
    collections::HashMap,
    net::{Shutdown, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

pub(crate) struct Crew {
    seats: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    stopped: bool,
    gates: usize,
    taken: HashMap<u64, Vec<Arc<TcpStream>>>,
    next: u64,
}

/// A place among the connections that are served at once; free again when dropped.
pub(crate) struct Seat {
    crew: Arc<Crew>,
    number: u64,
}

/// A gate's thread that is at work.
pub(crate) struct AtGate(Arc<Crew>);

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSeat {
    Full,
    Stopped,
}

impl Crew {
    pub(crate) fn new(seats: usize) -> Arc<Self> {
        Arc::new(Self { seats, state: Mutex::default(), changed: Condvar::new() })
    }

    pub(crate) fn sit(self: &Arc<Self>) -> Result<Seat, NoSeat> {
        let mut state = self.lock();
        if state.stopped {
            return Err(NoSeat::Stopped);
        }
        if state.taken.len() >= self.seats {
            return Err(NoSeat::Full);
        }
        let number = state.next;
        state.next += 1;
        state.taken.insert(number, Vec::new());
        Ok(Seat { crew: Arc::clone(self), number })
    }

    pub(crate) fn at_gate(self: &Arc<Self>) -> AtGate {
        self.lock().gates += 1;
        AtGate(Arc::clone(self))
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Ends every connection and lets nobody sit down any more.
    pub(crate) fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        for stream in state.taken.values().flatten() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.changed.notify_all();
    }

    /// Waits until all have left, or the time is up.
    pub(crate) fn wait_for_all(&self, at_most: Duration) {
        let anyone = |state: &mut State| state.gates > 0 || !state.taken.is_empty();
        drop(self.changed.wait_timeout_while(self.lock(), at_most, anyone));
    }

    /// Waits a while, or until it is all over: what a gate does when the machine has nothing left to give.
    pub(crate) fn pause(&self, at_most: Duration) {
        drop(self.changed.wait_timeout_while(self.lock(), at_most, |state| !state.stopped));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock, and the counts would still be right.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Keeps a socket where stopping finds it.
    pub(crate) fn hold(&self, stream: TcpStream) -> Result<Arc<TcpStream>, NoSeat> {
        let mut state = self.crew.lock();
        if state.stopped {
            return Err(NoSeat::Stopped);
        }
        let stream = Arc::new(stream);
        state.taken.entry(self.number).or_default().push(Arc::clone(&stream));
        Ok(stream)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let left = self.crew.lock().taken.remove(&self.number);
        self.crew.changed.notify_all();
        drop(left);
    }
}

impl Drop for AtGate {
    fn drop(&mut self) {
        self.0.lock().gates -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_counted_and_come_back() {
        let crew = Crew::new(2);
        let first = crew.sit().unwrap();
        let _second = crew.sit().unwrap();
        assert_eq!(crew.sit().err(), Some(NoSeat::Full));
        drop(first);
        let third = crew.sit().unwrap();
        crew.stop();
        assert_eq!(crew.sit().err(), Some(NoSeat::Stopped));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let late = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert_eq!(third.hold(late).err(), Some(NoSeat::Stopped));
    }

    #[test]
    fn waiting_does_not_outlast_the_last_one() {
        let crew = Crew::new(1);
        let (gate, seat) = (crew.at_gate(), crew.sit().unwrap());
        let leaver = std::thread::spawn(move || drop((gate, seat)));
        crew.wait_for_all(Duration::from_secs(60));
        leaver.join().unwrap();
        assert!(crew.sit().is_ok());
    }
}
