//! The session's output on its way from the attempt's loop to whoever calls.
//!
//! Two threads: the attempt's loop puts pieces in ([`Relay`]), the desk takes them out ([`Shared::take`]). What is held is
//! bounded: where nobody takes, nothing is read, and the program waits as at any full pipe.

use super::wire::{Fate, Settled};
use actum_model::{Ending, Stream};
use actum_sandbox::Output;
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// 1 MiB: a few rounds of the attempt's loop, so that neither thread waits for the other.
const MOST: usize = 1 << 20;

/// The side of the attempt's loop.
#[derive(Debug)]
pub(super) struct Relay {
    pub(super) shared: Arc<Shared>,
    /// The pipes that the loop reads, to see what is still in them.
    pub(super) pipes: [OwnedFd; 2],
}

/// What the two threads share.
#[derive(Debug)]
pub(super) struct Shared {
    inner: Mutex<Inner>,
    /// Readable when the desk has something to look at.
    news: OwnedFd,
    /// Writable when there is room.
    gate: OwnedFd,
}

#[derive(Debug, Default)]
struct Inner {
    pieces: VecDeque<(Stream, Vec<u8>)>,
    held: usize,
    is_full: bool,
    put: [u64; 2],
    taken: [u64; 2],
    mark: Mark,
    is_up: bool,
    fate: Option<Fate>,
    end: Option<End>,
}

/// How much of the output belongs to the call that is just over.
#[derive(Debug, Default, Clone, Copy)]
enum Mark {
    #[default]
    None,
    Wanted,
    At([u64; 2]),
}

/// The end of a session.
#[derive(Debug)]
pub(super) struct End {
    pub(super) ending: Ending,
    pub(super) settled: Settled,
}

impl Shared {
    pub(super) fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Self { inner: Mutex::default(), news: eventfd(0, flags)?, gate: eventfd(0, flags)? })
    }

    pub(super) fn news(&self) -> BorrowedFd<'_> {
        self.news.as_fd()
    }

    pub(super) fn heard_news(&self) {
        let _ = rustix::io::read(&self.news, &mut [0; 8]);
    }

    /// Asks how much of the output was written before now. The attempt's loop answers between two of its rounds, when
    /// nothing is on its way: what it has put here and what is in the pipes is all.
    pub(super) fn want_mark(&self) {
        self.lock().mark = Mark::Wanted;
    }

    /// Whether everything before the mark was taken; then the mark is gone.
    pub(super) fn is_drained(&self) -> bool {
        let mut inner = self.lock();
        let drained = match inner.mark {
            Mark::None => true,
            Mark::Wanted => false,
            Mark::At(mark) => (0..2).all(|index| inner.taken[index] >= mark[index]),
        };
        if drained {
            inner.mark = Mark::None;
        }
        drained
    }

    /// Takes the next piece. Where there is a mark, nothing from behind it.
    pub(super) fn take(&self) -> Option<(Stream, Vec<u8>)> {
        let mut inner = self.lock();
        let mark = match inner.mark {
            Mark::None | Mark::Wanted => [u64::MAX; 2],
            Mark::At(mark) => mark,
        };
        let left = [0, 1].map(|index| mark[index].saturating_sub(inner.taken[index]));
        let at = inner.pieces.iter().position(|(stream, _)| left[index_of(*stream)] > 0)?;
        let (stream, piece) = inner.pieces.get_mut(at)?;
        let stream = *stream;
        let length = usize::try_from(left[index_of(stream)]).unwrap_or(usize::MAX).min(piece.len());
        let rest = piece.split_off(length);
        let taken = std::mem::replace(piece, rest);
        if inner.pieces[at].1.is_empty() {
            inner.pieces.remove(at);
        }
        inner.held -= taken.len();
        inner.taken[index_of(stream)] += taken.len() as u64;
        if inner.is_full && inner.held <= MOST / 2 {
            inner.is_full = false;
            let _ = rustix::io::read(&self.gate, &mut [0; 8]);
        }
        Some((stream, taken))
    }

    /// The interpreter waits for calls.
    pub(super) fn come_up(&self) {
        self.lock().is_up = true;
    }

    pub(super) fn is_up(&self) -> bool {
        self.lock().is_up
    }

    /// What is to become of the changes, when the end comes.
    pub(super) fn set_fate(&self, fate: Fate) {
        self.lock().fate = Some(fate);
    }

    pub(super) fn fate(&self) -> Option<Fate> {
        self.lock().fate
    }

    pub(super) fn tell_end(&self, end: End) {
        self.lock().end = Some(end);
        self.wake();
    }

    pub(super) fn end(&self) -> Option<End> {
        self.lock().end.take()
    }

    fn wake(&self) {
        let _ = rustix::io::write(&self.news, &1_u64.to_ne_bytes());
    }

    /// A thread that panicked has left nothing half done here.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Relay {
    fn put(&self, stream: Stream, bytes: &[u8]) {
        let mut inner = self.shared.lock();
        inner.pieces.push_back((stream, bytes.to_vec()));
        inner.held += bytes.len();
        inner.put[index_of(stream)] += bytes.len() as u64;
        drop(inner);
        self.shared.wake();
    }
}

impl Output for Relay {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.put(Stream::Stdout, bytes);
        Ok(())
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.put(Stream::Stderr, bytes);
        Ok(())
    }

    fn room(&mut self) -> [usize; 2] {
        let mut inner = self.shared.lock();
        if matches!(inner.mark, Mark::Wanted) {
            let in_pipe = |index: usize| rustix::io::ioctl_fionread(&self.pipes[index]).unwrap_or(0);
            inner.mark = Mark::At([0, 1].map(|index| inner.put[index] + in_pipe(index)));
            self.shared.wake();
        }
        if !inner.is_full && inner.held >= MOST {
            inner.is_full = true;
            // A counter at its top takes no more: that is how it is made not writable.
            let _ = rustix::io::write(&self.shared.gate, &(u64::MAX - 1).to_ne_bytes());
        }
        if inner.is_full { [0; 2] } else { [MOST; 2] }
    }

    fn waits_for(&self) -> [Option<BorrowedFd<'_>>; 2] {
        [Some(self.shared.gate.as_fd()); 2]
    }
}

fn index_of(stream: Stream) -> usize {
    match stream {
        Stream::Stdout => 0,
        Stream::Stderr => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pipe::{PipeFlags, pipe_with};

    fn relay() -> (Relay, [OwnedFd; 2]) {
        let ((out, out_end), (err, err_end)) =
            (pipe_with(PipeFlags::CLOEXEC).unwrap(), pipe_with(PipeFlags::CLOEXEC).unwrap());
        (Relay { shared: Arc::new(Shared::new().unwrap()), pipes: [out, err] }, [out_end, err_end])
    }

    fn is_writable(descriptor: BorrowedFd<'_>) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut list = [PollFd::from_borrowed_fd(descriptor, PollFlags::OUT)];
        poll(&mut list, Some(&Timespec::default())).unwrap() == 1
    }

    #[test]
    fn a_call_ends_with_what_was_in_the_pipes_and_no_more() {
        let (mut relay, ends) = relay();
        let shared = relay.shared.clone();
        relay.stdout(b"one").unwrap();
        rustix::io::write(&ends[1], b"late").unwrap();
        shared.want_mark();
        assert!(!shared.is_drained(), "nobody has looked yet");
        relay.room();
        assert_eq!(shared.take(), Some((Stream::Stdout, b"one".to_vec())));
        assert!(!shared.is_drained(), "four bytes are still in a pipe");
        relay.stdout(b"of the next call").unwrap();
        relay.stderr(b"late, next").unwrap();
        assert_eq!(shared.take(), Some((Stream::Stderr, b"late".to_vec())));
        assert_eq!(shared.take(), None);
        assert!(shared.is_drained());
        assert_eq!(shared.take(), Some((Stream::Stdout, b"of the next call".to_vec())));
        assert_eq!(shared.take(), Some((Stream::Stderr, b", next".to_vec())));
    }

    #[test]
    fn what_is_held_is_bounded_and_the_gate_says_when_there_is_room() {
        let (mut relay, _ends) = relay();
        let shared = relay.shared.clone();
        for _ in 0..MOST / 1024 {
            assert_eq!(relay.room(), [MOST; 2]);
            relay.stdout(&[7; 1024]).unwrap();
        }
        assert_eq!(relay.room(), [0; 2]);
        assert!(!is_writable(relay.waits_for()[0].unwrap()));
        while !is_writable(relay.waits_for()[0].unwrap()) {
            assert!(shared.take().is_some());
        }
        assert_eq!(relay.room(), [MOST; 2]);
    }
}
