//! The program's own output, passed on.

use super::neutral::Neutral;
use super::whole::Whole;
use actum_sandbox::Output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};
use std::io::{self, IsTerminal, Write};

/// Our stdout and stderr, unbuffered: what the program wrote is there when it wrote it. Byte for byte into a pipe or a
/// file; made harmless for a terminal.
#[derive(Debug)]
pub struct Through {
    stdout: Filter,
    stderr: Filter,
    /// What each takes at once: everything for files, a page for what somebody has to read first.
    piece: [usize; 2],
}

/// A pipe that is writable takes this much without blocking; the kernel promises no more.
const PIECE: usize = 4096;

/// What stands between the program and our terminal.
#[derive(Debug)]
enum Filter {
    /// It is none.
    None,
    Neutral(Neutral),
    Whole(Whole),
}

impl Filter {
    fn for_stream(stream: &impl IsTerminal, terminal: fn() -> Self) -> Self {
        if stream.is_terminal() { terminal() } else { Self::None }
    }

    fn neutral() -> Self {
        Self::Neutral(Neutral::default())
    }

    fn whole() -> Self {
        Self::Whole(Whole::default())
    }

    fn finish(&mut self) -> Vec<u8> {
        match self {
            Self::None => Vec::new(),
            Self::Neutral(neutral) => neutral.finish(),
            Self::Whole(whole) => whole.finish(),
        }
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
        Self {
            stdout: Filter::for_stream(&io::stdout(), terminal),
            stderr: Filter::for_stream(&io::stderr(), terminal),
            piece: [piece(io::stdout().as_fd()), piece(io::stderr().as_fd())],
        }
    }

    /// Writes what was held back because it looked like the beginning of a sequence, and leaves the terminal as it was.
    pub fn finish(&mut self) {
        let _ = write(io::stdout().lock(), &mut Filter::None, &self.stdout.finish());
        let _ = write(io::stderr().lock(), &mut Filter::None, &self.stderr.finish());
    }
}

impl Output for Through {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        write(io::stdout().lock(), &mut self.stdout, bytes)
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        write(io::stderr().lock(), &mut self.stderr, bytes)
    }

    fn room(&mut self) -> [usize; 2] {
        let room = |descriptor: BorrowedFd<'_>, piece: usize| match piece {
            usize::MAX => usize::MAX,
            piece if is_writable(descriptor) => piece,
            _ => 0,
        };
        [room(io::stdout().as_fd(), self.piece[0]), room(io::stderr().as_fd(), self.piece[1])]
    }
}

fn piece(descriptor: BorrowedFd<'_>) -> usize {
    let is_file = rustix::fs::fstat(descriptor)
        .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file());
    if is_file { usize::MAX } else { PIECE }
}

/// Also when the reader is gone: then the write tells.
fn is_writable(descriptor: BorrowedFd<'_>) -> bool {
    let mut wait = [PollFd::from_borrowed_fd(descriptor, PollFlags::OUT)];
    !matches!(poll(&mut wait, Some(&Timespec::default())), Ok(0))
}

fn write(mut stream: impl Write, filter: &mut Filter, bytes: &[u8]) -> io::Result<()> {
    match filter {
        Filter::None => stream.write_all(bytes)?,
        Filter::Neutral(neutral) => stream.write_all(&neutral.pass(bytes))?,
        Filter::Whole(whole) => stream.write_all(&whole.pass(bytes))?,
    }
    stream.flush()
}
