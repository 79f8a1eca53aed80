//! A client's connection to a holder: what is said, what is printed, and the wish to stop.

use super::error::SessionError;
use super::name::SessionName;
use super::wire::{Asked, Frame, Incoming, Told, understand};
use actum_model::Stream;
use actum_sandbox::Output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::BorrowedFd;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A connection to a holder.
pub(super) struct Line {
    name: SessionName,
    stream: UnixStream,
    incoming: Incoming,
}

/// How often a reader of ours that has no room and no descriptor to wait on is looked at.
const LOOK: Duration = Duration::from_millis(50);

impl Line {
    pub(super) fn new(name: &SessionName, stream: UnixStream) -> Self {
        Self { name: name.clone(), stream, incoming: Incoming::default() }
    }

    pub(super) fn send(&mut self, frame: &Frame) -> io::Result<()> {
        let mut bytes = Vec::new();
        frame.put(&mut bytes);
        self.stream.write_all(&bytes)
    }

    /// Passes output on until the holder says something.
    pub(super) fn converse(
        &mut self,
        output: &mut dyn Output,
        cancel: Option<BorrowedFd<'_>>,
    ) -> Result<Told, SessionError> {
        let mut wishes = Wishes { cancel, count: 0 };
        let mut listens = true;
        loop {
            while let Some(frame) = self.incoming.next().map_err(|source| self.failed(source))? {
                let (stream, bytes) = match frame {
                    Frame::Words(words) => return understand(&words).map_err(|source| self.failed(source)),
                    Frame::Stdout(bytes) => (Stream::Stdout, bytes),
                    Frame::Stderr(bytes) => (Stream::Stderr, bytes),
                    Frame::Code(_) => return Err(self.nonsense()),
                };
                if listens && self.pass(stream, &bytes, output, &mut wishes).is_err() {
                    // Our own reader is gone: nobody waits for this call any more.
                    listens = false;
                    self.cancel();
                }
            }
            let mut list = vec![PollFd::new(&self.stream, PollFlags::IN)];
            list.extend(wishes.polled());
            let _ = poll(&mut list, None);
            match list.get(1).is_some_and(|cancel| !cancel.revents().is_empty()) {
                true => self.heed(&mut wishes)?,
                false => self.read()?,
            }
        }
    }

    /// Gives our own reader as much as it has room for, until it has all.
    fn pass(
        &mut self,
        stream: Stream,
        mut bytes: &[u8],
        output: &mut dyn Output,
        wishes: &mut Wishes<'_>,
    ) -> io::Result<()> {
        let index = match stream {
            Stream::Stdout => 0,
            Stream::Stderr => 1,
        };
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(output.room()[index].min(bytes.len()));
            bytes = later;
            match stream {
                Stream::Stdout if !now.is_empty() => output.stdout(now)?,
                Stream::Stderr if !now.is_empty() => output.stderr(now)?,
                Stream::Stdout | Stream::Stderr => {
                    let mut list: Vec<PollFd<'_>> = wishes.polled().into_iter().collect();
                    let reader = output.waits_for()[index];
                    list.extend(reader.map(|reader| PollFd::from_borrowed_fd(reader, PollFlags::OUT)));
                    let _ = poll(&mut list, Timespec::try_from(LOOK).ok().as_ref());
                    if wishes.cancel.is_some()
                        && list.first().is_some_and(|cancel| !cancel.revents().is_empty())
                    {
                        // The call is cancelled; what it has printed is still passed on unless somebody asks twice.
                        self.heed(wishes).map_err(io::Error::other)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Once asks the session to stop the call, twice goes away.
    fn heed(&mut self, wishes: &mut Wishes<'_>) -> Result<(), SessionError> {
        wishes.take();
        if wishes.count > 1 {
            return Err(SessionError::Cancelled { name: self.name.clone() });
        }
        self.cancel();
        Ok(())
    }

    fn cancel(&mut self) {
        if let Ok(words) = Frame::words(&Asked::Cancel) {
            let _ = self.send(&words);
        }
    }

    fn read(&mut self) -> Result<(), SessionError> {
        let mut buffer = vec![0; 64 << 10];
        match self.stream.read(&mut buffer) {
            Ok(0) => Err(SessionError::Lost { name: self.name.clone() }),
            Ok(length) => {
                self.incoming.add(&buffer[..length]);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                Err(SessionError::Lost { name: self.name.clone() })
            }
            Err(source) => Err(self.failed(source)),
        }
    }

    fn failed(&self, source: io::Error) -> SessionError {
        SessionError::Talk { name: self.name.clone(), source }
    }

    /// Another version of this program, perhaps.
    pub(super) fn nonsense(&self) -> SessionError {
        self.failed(io::Error::other("unexpected answer from the session's process"))
    }
}

/// The wishes to cancel.
struct Wishes<'a> {
    cancel: Option<BorrowedFd<'a>>,
    count: u32,
}

impl<'a> Wishes<'a> {
    fn polled(&self) -> Option<PollFd<'a>> {
        self.cancel.map(|cancel| PollFd::from_borrowed_fd(cancel, PollFlags::IN))
    }

    /// 128 bytes: a signal as a descriptor tells it.
    fn take(&mut self) {
        if let Some(cancel) = self.cancel {
            let _ = rustix::io::read(cancel, &mut [0; 128]);
            self.count += 1;
        }
    }
}
