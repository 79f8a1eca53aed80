//! A client's bytes: read ahead as far as a reader needs them, never further than a bound, never later than a deadline.

use crate::{clock::Deadline, read::Reading};
use std::{
    io::{self, Read},
    net::TcpStream,
};

pub(super) struct Inlet<'a> {
    pub(super) stream: &'a TcpStream,
    /// Read, but not yet understood by anyone.
    held: Vec<u8>,
}

/// Why nothing could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// The client left; nobody waits for an answer.
    Gone,
    /// Not by the protocol, too long, or too late.
    Broken,
}

/// How much and how long.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) bytes: usize,
    pub(super) deadline: Deadline,
}

impl<'a> Inlet<'a> {
    pub(super) fn new(stream: &'a TcpStream) -> Self {
        Self { stream, held: Vec::new() }
    }

    /// Reads until `reader` has its whole, and takes that off.
    pub(super) fn read<T>(
        &mut self,
        bounds: Bounds,
        reader: impl Fn(&[u8]) -> Reading<T>,
    ) -> Result<T, Unread> {
        let (value, used) = self.look(bounds, reader)?;
        self.held.drain(..used);
        Ok(value)
    }

    /// Reads until `reader` has its whole, and leaves everything where it is.
    pub(super) fn look<T>(
        &mut self,
        bounds: Bounds,
        reader: impl Fn(&[u8]) -> Reading<T>,
    ) -> Result<(T, usize), Unread> {
        loop {
            match reader(&self.held) {
                Reading::Whole { value, used } => return Ok((value, used.min(self.held.len()))),
                Reading::Broken => return Err(Unread::Broken),
                Reading::Short if self.held.len() >= bounds.bytes => return Err(Unread::Broken),
                Reading::Short => self.fill(bounds)?,
            }
        }
    }

    pub(super) fn held(&self) -> &[u8] {
        &self.held
    }

    /// Takes what is held, at most `count` bytes of it.
    pub(super) fn take_held(&mut self, count: usize) -> Vec<u8> {
        let count = count.min(self.held.len());
        self.held.drain(..count).collect()
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    fn fill(&mut self, bounds: Bounds) -> Result<(), Unread> {
        let left = bounds.deadline.left().ok_or(Unread::Broken)?;
        self.stream.set_read_timeout(Some(left)).map_err(|_| Unread::Gone)?;
        let mut buffer = [0; 4096];
        let room = (bounds.bytes - self.held.len()).min(buffer.len());
        match self.stream.read(&mut buffer[..room]) {
            Ok(0) => Err(Unread::Gone),
            Ok(count) => {
                self.push(&buffer[..count]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) if is_timeout(&error) => Err(Unread::Broken),
            Err(_) => Err(Unread::Gone),
        }
    }
}

/// A socket's own deadline has passed; the two kinds are the same thing on different systems.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
