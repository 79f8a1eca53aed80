//! The program's own output, passed on.

use super::neutral::Neutral;
use super::whole::Whole;
use actum_model::Stream;
use actum_sandbox::Output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::{Errno, ReadWriteFlags, pwritev2};
use std::io::{self, IoSlice, IsTerminal, Write};
use std::ops::ControlFlow;

/// Our stdout and stderr, unbuffered: what the program wrote is there when it wrote it. Byte for byte into a pipe or a
/// file; made harmless for a terminal.
#[derive(Debug)]
pub struct Through {
    stdout: Way<io::Stdout>,
    stderr: Way<io::Stderr>,
}

/// One of our streams.
#[derive(Debug)]
struct Way<S> {
    stream: S,
    filter: Filter,
    takes: Takes,
    /// Taken, but not written yet: its reader was slow.
    waiting: Vec<u8>,
}

/// What stands between the program and our terminal.
#[derive(Debug)]
enum Filter {
    /// It is none: bytes pass as they are.
    Nothing,
    Neutral(Neutral),
    Whole(Whole),
}

impl Filter {
    fn neutral() -> Self {
        Self::Neutral(Neutral::default())
    }

    fn whole() -> Self {
        Self::Whole(Whole::default())
    }

    /// What may be written instead, if not the bytes themselves.
    fn pass(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Nothing => None,
            Self::Neutral(neutral) => Some(neutral.pass(bytes)),
            Self::Whole(whole) => Some(whole.pass(bytes)),
        }
    }

    fn finish(&mut self) -> Vec<u8> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Neutral(neutral) => neutral.finish(),
            Self::Whole(whole) => whole.finish(),
        }
    }
}

/// What a stream takes without making us wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// A file: everything.
    Everything,
    /// A pipe that tells how much it took.
    What,
    /// A page, when it is writable; the kernel promises no more.
    APage,
}

const PAGE: usize = 4096;
/// What is read from the program at once goes into a pipe that has room for it in one piece.
const PIECE: usize = 256 << 10;
/// How often a reader that is waited for at the end is looked at.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

impl Default for Through {
    fn default() -> Self {
        Self::new()
    }
}

impl Through {
    pub fn new() -> Self {
        Self::with(Filter::neutral)
    }

    /// For a program that the user gave the whole terminal.
    pub fn whole() -> Self {
        Self::with(Filter::whole)
    }

    fn with(terminal: fn() -> Filter) -> Self {
        Self { stdout: Way::new(io::stdout(), terminal), stderr: Way::new(io::stderr(), terminal) }
    }

    /// Writes what was held back: because it looked like the beginning of a sequence, or because its reader was slow. Gives
    /// up when somebody wants us to stop.
    pub fn finish(&mut self, cancel: Option<BorrowedFd<'_>>) {
        self.stdout.finish(cancel);
        self.stderr.finish(cancel);
    }
}

impl Output for Through {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stdout.write(bytes)
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stderr.write(bytes)
    }

    fn room(&mut self) -> [usize; 2] {
        [self.stdout.room(), self.stderr.room()]
    }

    fn waits_for(&self) -> [Option<BorrowedFd<'_>>; 2] {
        [Some(self.stdout.stream.as_fd()), Some(self.stderr.stream.as_fd())]
    }
}

/// Our stdout and stderr, by descriptor.
pub fn own_streams() -> [BorrowedFd<'static>; 2] {
    [rustix::stdio::stdout(), rustix::stdio::stderr()]
}

/// What a program printed once, shown again piece by piece: byte for byte into a pipe or a file, made harmless for a
/// terminal. Waits for slow readers.
#[derive(Debug)]
pub struct Again {
    through: Through,
}

impl Default for Again {
    fn default() -> Self {
        Self::new()
    }
}

impl Again {
    pub fn new() -> Self {
        Self { through: Through::new() }
    }

    /// Shows a piece. To break means that nobody reads on, which nobody needs to be told.
    pub fn show(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<ControlFlow<()>> {
        let written = match stream {
            Stream::Stdout => self.through.stdout(bytes),
            Stream::Stderr => self.through.stderr(bytes),
        };
        self.through.stdout.drain(None);
        self.through.stderr.drain(None);
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
            written => written.map(ControlFlow::Continue),
        }
    }
}

impl Drop for Again {
    fn drop(&mut self) {
        self.through.finish(None);
    }
}

impl<S: Write + AsFd + IsTerminal> Way<S> {
    fn new(stream: S, terminal: fn() -> Filter) -> Self {
        let filter = if stream.is_terminal() { terminal() } else { Filter::Nothing };
        let takes = takes(stream.as_fd());
        Self { stream, filter, takes, waiting: Vec::new() }
    }

    fn room(&mut self) -> usize {
        if self.push().is_ok() && !self.waiting.is_empty() {
            return 0;
        }
        match self.takes {
            Takes::Everything => usize::MAX,
            Takes::What => PIECE,
            Takes::APage if is_writable(self.stream.as_fd()) => PAGE,
            Takes::APage => 0,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let harmless = self.filter.pass(bytes);
        let bytes = harmless.as_deref().unwrap_or(bytes);
        match self.takes {
            Takes::Everything | Takes::APage => {
                self.stream.write_all(&std::mem::take(&mut self.waiting))?;
                self.stream.write_all(bytes)?;
                self.stream.flush()
            }
            Takes::What => {
                self.push()?;
                let taken = if self.waiting.is_empty() { self.now(bytes)? } else { 0 };
                self.waiting.extend_from_slice(&bytes[taken..]);
                Ok(())
            }
        }
    }

    /// Writes as much of what waits as goes without waiting.
    fn push(&mut self) -> io::Result<()> {
        if !self.waiting.is_empty() {
            let waiting = std::mem::take(&mut self.waiting);
            let taken = self.now(&waiting)?;
            self.waiting = waiting;
            self.waiting.drain(..taken);
        }
        Ok(())
    }

    fn now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const WHERE_IT_IS: u64 = u64::MAX;
        if self.takes == Takes::APage {
            return self.page(bytes);
        }
        match pwritev2(self.stream.as_fd(), &[IoSlice::new(bytes)], WHERE_IT_IS, ReadWriteFlags::NOWAIT) {
            Ok(taken) => Ok(taken),
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            // Kernels before 6.4 refuse this for a pipe, and say so only when there is something to write.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {
                self.takes = Takes::APage;
                self.page(bytes)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn page(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !is_writable(self.stream.as_fd()) {
            return Ok(0);
        }
        let piece = &bytes[..bytes.len().min(PAGE)];
        self.stream.write_all(piece)?;
        self.stream.flush()?;
        Ok(piece.len())
    }

    fn finish(&mut self, cancel: Option<BorrowedFd<'_>>) {
        let held = self.filter.finish();
        self.waiting.extend(held);
        if self.takes != Takes::What {
            let _ = self.stream.write_all(&std::mem::take(&mut self.waiting));
            let _ = self.stream.flush();
            return;
        }
        self.drain(cancel);
    }

    /// Waits until nothing waits any more.
    fn drain(&mut self, cancel: Option<BorrowedFd<'_>>) {
        while self.push().is_ok() && !self.waiting.is_empty() {
            let mut wait = vec![PollFd::from_borrowed_fd(self.stream.as_fd(), PollFlags::OUT)];
            wait.extend(cancel.map(|cancel| PollFd::from_borrowed_fd(cancel, PollFlags::IN)));
            let _ = poll(&mut wait, Some(&LOOK));
            if wait.get(1).is_some_and(|cancel| !cancel.revents().is_empty()) {
                return;
            }
        }
    }
}

fn takes(descriptor: BorrowedFd<'_>) -> Takes {
    let kind = rustix::fs::fstat(descriptor).map(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode));
    match kind {
        Ok(kind) if kind.is_file() => Takes::Everything,
        Ok(kind) if kind.is_fifo() => Takes::What,
        Ok(_) | Err(_) => Takes::APage,
    }
}

/// Also when the reader is gone: then the write tells.
fn is_writable(descriptor: BorrowedFd<'_>) -> bool {
    let mut wait = [PollFd::from_borrowed_fd(descriptor, PollFlags::OUT)];
    !matches!(poll(&mut wait, Some(&Timespec::default())), Ok(0))
}
