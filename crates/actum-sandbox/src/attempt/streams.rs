//! What the program prints, on its way out, and what is typed at its terminal, on its way in.

use super::{Output, Resized};
use crate::error::SandboxError;
use crate::init::terminal;
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::io;

/// What has come of a program's output, and how much of it may pass.
pub(super) struct Passed {
    pub(super) bytes: u64,
    pub(super) most: u64,
}

/// What became of reading once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// There may be more.
    More,
    /// The other side is closed.
    End,
    /// Nobody takes what is read.
    Unwanted,
}

/// Reads once and passes on what may pass.
pub(super) fn pass_on(
    stream: &Option<OwnedFd>,
    index: usize,
    buffer: &mut [u8],
    output: &mut dyn Output,
    passed: &mut Passed,
) -> Result<Read, SandboxError> {
    let Some(descriptor) = stream else { return Ok(Read::End) };
    let length = match rustix::io::read(descriptor, &mut *buffer) {
        Ok(length) => length,
        Err(Errno::INTR | Errno::AGAIN) => return Ok(Read::More),
        // How a terminal says that nobody sits at it any more.
        Err(Errno::IO) => return Ok(Read::End),
        Err(error) => return Err(SandboxError::Output { source: error.into() }),
    };
    if length == 0 {
        return Ok(Read::End);
    }
    let room = passed.most.saturating_sub(passed.bytes).min(length as u64) as usize;
    passed.bytes += length as u64;
    let written = if index == 0 { output.stdout(&buffer[..room]) } else { output.stderr(&buffer[..room]) };
    match written {
        Ok(()) => Ok(Read::More),
        // Nobody reads on: we hang up on the program as our reader did on us, and it gets the signal it would have got.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Read::Unwanted),
        Err(source) => Err(SandboxError::Output { source }),
    }
}

/// The hands at a program's terminal.
pub(super) struct Typing<'a> {
    /// Where the keys come from, until they end.
    pub(super) from: Option<BorrowedFd<'a>>,
    pub(super) resized: Option<Resized<'a>>,
    /// Read and not yet taken by the terminal.
    waiting: Vec<u8>,
    /// The last byte typed was the end of a line, or none was.
    at_line_start: bool,
}

/// What ends the input of a program that reads lines: the key Ctrl-D.
const END_OF_INPUT: u8 = 0x04;
/// A quarter of what a terminal holds of a line.
const PIECE: usize = 1024;

impl<'a> Typing<'a> {
    pub(super) fn new(from: Option<BorrowedFd<'a>>, resized: Option<Resized<'a>>) -> Self {
        Self { from, resized, waiting: Vec::new(), at_line_start: true }
    }

    /// Whether there is something that the terminal has not taken yet.
    pub(super) fn has_more(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes what was typed.
    pub(super) fn take(&mut self) {
        let Some(from) = self.from else { return };
        let mut buffer = [0_u8; PIECE];
        match rustix::io::read(from, &mut buffer) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            Ok(0) | Err(_) => {
                self.from = None;
                self.waiting.extend(end_of_input(self.at_line_start));
            }
            Ok(length) => {
                self.waiting.extend(&buffer[..length]);
                self.at_line_start = buffer[length - 1] == b'\n';
            }
        }
    }

    /// Types as much as the terminal takes.
    pub(super) fn give(&mut self, terminal: &OwnedFd) {
        match rustix::io::write(terminal, &self.waiting) {
            Ok(length) => drop(self.waiting.drain(..length)),
            Err(Errno::INTR | Errno::AGAIN) => {}
            // Nobody sits there any more.
            Err(_) => {
                self.waiting.clear();
                self.from = None;
            }
        }
    }

    /// The window has another size.
    pub(super) fn resize(&self, terminal: &OwnedFd) {
        if let Some(size) = self.resized.as_ref().and_then(Resized::take) {
            let _ = terminal::resize(terminal, size);
        }
    }
}

/// In the middle of a line the first key only hands over what there is of it.
fn end_of_input(at_line_start: bool) -> &'static [u8] {
    if at_line_start { &[END_OF_INPUT] } else { &[END_OF_INPUT, END_OF_INPUT] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::AsFd;
    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
    use std::io::{Read as _, Write};

    /// Our end and the program's.
    fn terminal() -> (OwnedFd, std::fs::File) {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        unlockpt(&ours).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let theirs = rustix::fs::open(ptsname(&ours, Vec::new()).unwrap(), flags, Mode::empty()).unwrap();
        (ours, theirs.into())
    }

    #[test]
    fn what_is_typed_arrives_and_then_ends() {
        for typed in ["", "line\n", "line\nhalf", "half"] {
            let (ours, mut theirs) = terminal();
            let (reader, mut writer) = std::io::pipe().unwrap();
            writer.write_all(typed.as_bytes()).unwrap();
            drop(writer);
            let mut typing = Typing::new(Some(reader.as_fd()), None);
            while typing.from.is_some() {
                typing.take();
                typing.give(&ours);
            }
            assert!(!typing.has_more());
            let mut read = String::new();
            theirs.read_to_string(&mut read).unwrap();
            assert_eq!(read, typed);
        }
    }

    #[test]
    fn nobody_at_a_terminal_is_its_end() {
        let (ours, theirs) = terminal();
        drop(theirs);
        let mut passed = Passed { bytes: 0, most: 9 };
        let read = pass_on(&Some(ours), 0, &mut [0; 16], &mut super::super::Nowhere, &mut passed);
        assert!(matches!(read, Ok(Read::End)));
    }
}
