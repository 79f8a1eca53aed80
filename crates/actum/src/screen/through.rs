//! The program's own output, passed on.

use super::neutral::Neutral;
use actum_sandbox::Output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};
use std::io::{self, IsTerminal, Write};

/// Our stdout and stderr, unbuffered: what the program wrote is there when it wrote it. Byte for byte into a pipe or a
/// file; made harmless for a terminal.
#[derive(Debug)]
pub struct Through {
    stdout: Option<Neutral>,
    stderr: Option<Neutral>,
    /// What each takes at once: everything for files, a page for what somebody has to read first.
    piece: [usize; 2],
}

/// A pipe that is writable takes this much without blocking; the kernel promises no more.
const PIECE: usize = 4096;

impl Through {
    pub fn new() -> Self {
        let neutral = |terminal: bool| terminal.then(Neutral::default);
        Self {
            stdout: neutral(io::stdout().is_terminal()),
            stderr: neutral(io::stderr().is_terminal()),
            piece: [piece(io::stdout().as_fd()), piece(io::stderr().as_fd())],
        }
    }

    /// Writes what was held back because it looked like the beginning of a sequence.
    pub fn finish(&mut self) {
        if let Some(neutral) = &mut self.stdout {
            let _ = write(io::stdout().lock(), None, &neutral.finish());
        }
        if let Some(neutral) = &mut self.stderr {
            let _ = write(io::stderr().lock(), None, &neutral.finish());
        }
    }
}

impl Output for Through {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        write(io::stdout().lock(), self.stdout.as_mut(), bytes)
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        write(io::stderr().lock(), self.stderr.as_mut(), bytes)
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

fn write(mut stream: impl Write, neutral: Option<&mut Neutral>, bytes: &[u8]) -> io::Result<()> {
    match neutral {
        Some(neutral) => stream.write_all(&neutral.pass(bytes))?,
        None => stream.write_all(bytes)?,
    }
    stream.flush()
}
