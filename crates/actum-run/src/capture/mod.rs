//! What a program prints, kept byte for byte as it comes.
//!
//! Each stream is a file in the run's folder, made with its first byte; `timeline` tells which bytes came when. Memory is
//! bounded whatever comes: nothing is held but counters. The bytes are kept before they are shown.

mod spool;
mod timeline;
mod view;

pub use timeline::{Entry, read_timeline, timeline_of};
pub(crate) use view::{Part, View};

use crate::error::RunError;
use actum_model::Stream;
use actum_sandbox::Output;
use rustix::fd::BorrowedFd;
use spool::Spool;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use timeline::Timeline;

/// Takes output in, and passes it on.
pub(crate) struct Capture<'a> {
    folder: PathBuf,
    streams: [Spool; 2],
    timeline: Timeline,
    live: &'a mut dyn Output,
    clock: &'a dyn Fn() -> Duration,
    /// Keeping failed: the run is over, and this is why.
    failed: Option<io::Error>,
}

/// A place in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reached {
    pub(crate) bytes: u64,
    pub(crate) line_ends: u64,
}

/// What one stream came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Captured {
    pub(crate) end: Reached,
    pub(crate) sha256: String,
}

impl<'a> Capture<'a> {
    /// `clock` tells how long the run has been going on.
    pub(crate) fn new(folder: &Path, live: &'a mut dyn Output, clock: &'a dyn Fn() -> Duration) -> Self {
        let spool = |stream: Stream| Spool::new(folder.join(stream.name()));
        Self {
            folder: folder.to_path_buf(),
            streams: Stream::ALL.map(spool),
            timeline: Timeline::new(folder.join("timeline")),
            live,
            clock,
            failed: None,
        }
    }

    /// How much of each stream there is so far: where the next step begins.
    pub(crate) fn reached(&self) -> [Reached; 2] {
        [self.streams[0].reached(), self.streams[1].reached()]
    }

    /// Everything is written; what failed on the way is told now.
    pub(crate) fn finish(self) -> Result<[Captured; 2], RunError> {
        let kept = |source| RunError::Keep { path: self.folder.clone(), source };
        if let Some(error) = self.failed {
            return Err(kept(error));
        }
        self.timeline.finish().map_err(kept)?;
        Ok(self.streams.map(Spool::finish))
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let kept = self.streams[stream.index()]
            .write(bytes)
            .and_then(|()| self.timeline.note((self.clock)(), stream, bytes.len() as u64));
        kept.map_err(|error| {
            // Whoever supervises only sees that it failed; what failed is told by `finish`.
            let told = io::Error::new(error.kind(), error.to_string());
            self.failed.get_or_insert(error);
            told
        })
    }
}

impl Output for Capture<'_> {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.take(Stream::Stdout, bytes)?;
        self.live.stdout(bytes)
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.take(Stream::Stderr, bytes)?;
        self.live.stderr(bytes)
    }

    fn room(&mut self) -> [usize; 2] {
        self.live.room()
    }

    fn waits_for(&self) -> [Option<BorrowedFd<'_>>; 2] {
        self.live.waits_for()
    }
}
