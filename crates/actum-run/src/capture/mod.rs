//! What a program prints, kept as it comes, but for its secrets.
//!
//! Each stream is a file in the run's folder, made with its first byte; `timeline` tells which bytes came when. Memory is
//! bounded whatever comes: nothing is held but counters, and what may turn out to be a secret. The bytes are kept before they
//! are shown. What is kept, hashed and noted in the timeline is redacted; what passes through is not, unless it is a view.

mod spool;
mod timeline;
mod view;

pub use timeline::{Entry, read_timeline, timeline_of};
pub(crate) use view::{Part, View};

use crate::error::RunError;
use crate::live::Passing;
use crate::redact::{Redaction, Redactor};
use actum_model::{Digest, Stream};
use actum_output::analyse::Text;
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
    redactors: [Redactor; 2],
    timeline: Timeline,
    /// The ends of what each stream printed since the last step began, before anything was taken out.
    printed: [Text; 2],
    live: &'a mut dyn Output,
    passing: Passing,
    clock: &'a dyn Fn() -> Duration,
    /// When something came last.
    last: Duration,
    /// The program that prints has been asked to stop.
    asked: bool,
    /// Keeping failed: the run is over, and this is why.
    failed: Option<io::Error>,
}

/// A place in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reached {
    pub(crate) bytes: u64,
    pub(crate) line_ends: u64,
    /// Secrets that were taken out, and those of them that were cut.
    pub(crate) redactions: u64,
    pub(crate) redactions_cut: u64,
}

/// What one stream came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Captured {
    pub(crate) end: Reached,
    pub(crate) sha256: Digest,
    /// The ends of what the last step printed, where something was taken out: counts are read here, and no words.
    pub(crate) printed: Option<Text>,
}

impl<'a> Capture<'a> {
    /// `clock` tells how long the run has been going on.
    pub(crate) fn new(
        folder: &Path,
        (live, passing): (&'a mut dyn Output, Passing),
        redaction: &Redaction,
        clock: &'a dyn Fn() -> Duration,
    ) -> Self {
        let spool = |stream: Stream| Spool::new(folder.join(stream.name()));
        Self {
            folder: folder.to_path_buf(),
            streams: Stream::ALL.map(spool),
            redactors: Stream::ALL.map(|_| redaction.redactor()),
            timeline: Timeline::new(folder.join("timeline")),
            printed: Default::default(),
            live,
            passing,
            clock,
            last: Duration::ZERO,
            asked: false,
            failed: None,
        }
    }

    /// How much of each stream there is so far: where the next step begins. What was held back is let go, since nothing that
    /// follows belongs to it; where it cannot be kept, `finish` tells.
    pub(crate) fn reached(&mut self) -> [Reached; 2] {
        self.asked = false;
        Stream::ALL.map(|stream| {
            let _ = self.keep(stream, Piece::End);
            let redactor = &self.redactors[stream.index()];
            let (redactions, redactions_cut) = (redactor.count(), redactor.given_up());
            Reached { redactions, redactions_cut, ..self.streams[stream.index()].reached() }
        })
    }

    /// What was printed since this was asked last, where something of it was taken out: what a project has redacted must not change
    /// what is counted.
    pub(crate) fn take_printed(&mut self, [from, to]: [&[Reached; 2]; 2]) -> Option<[Text; 2]> {
        let printed = std::mem::take(&mut self.printed);
        (0..2).any(|at| to[at].redactions > from[at].redactions).then_some(printed)
    }

    /// Everything is written; what failed on the way is told now.
    pub(crate) fn finish(mut self) -> Result<[Captured; 2], RunError> {
        let ends = self.reached();
        let [first, second] = match self.take_printed([&[Reached::default(); 2], &ends]) {
            Some(printed) => printed.map(Some),
            None => [None, None],
        };
        let kept = |source| RunError::Keep { path: self.folder.clone(), source };
        if let Some(error) = self.failed {
            return Err(kept(error));
        }
        self.timeline.finish().map_err(kept)?;
        let [stdout, stderr] = self.streams.map(Spool::finish);
        Ok([
            Captured { end: ends[0], sha256: stdout, printed: first },
            Captured { end: ends[1], sha256: stderr, printed: second },
        ])
    }

    /// When something was printed last, since the run began; not what a program answered when it was asked to stop.
    pub(crate) fn last(&self) -> Duration {
        self.last
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if !self.asked {
            self.last = (self.clock)();
        }
        self.printed[stream.index()].push(bytes);
        self.keep(stream, Piece::More(bytes))?;
        match (self.passing, stream) {
            // It had its own while it was kept.
            (Passing::AsKept, _) => Ok(()),
            (Passing::AsPrinted, Stream::Stdout) => self.live.stdout(bytes),
            (Passing::AsPrinted, Stream::Stderr) => self.live.stderr(bytes),
        }
    }

    /// Through the redactor to the disk, and to whoever is to see what is kept.
    fn keep(&mut self, stream: Stream, piece: Piece<'_>) -> io::Result<()> {
        let Self { streams, redactors, timeline, live, passing, clock, .. } = self;
        let mut failed = None;
        let mut onward = |kept: &[u8]| {
            let written = streams[stream.index()]
                .write(kept)
                .and_then(|()| timeline.note(clock(), stream, kept.len() as u64));
            if let Err(error) = written {
                let told = io::Error::new(error.kind(), error.to_string());
                failed = Some(error);
                return Err(told);
            }
            match (*passing, stream) {
                (Passing::AsPrinted, _) => Ok(()),
                (Passing::AsKept, Stream::Stdout) => live.stdout(kept),
                (Passing::AsKept, Stream::Stderr) => live.stderr(kept),
            }
        };
        let redactor = &mut redactors[stream.index()];
        let done = match piece {
            Piece::More(bytes) => redactor.take(bytes, &mut onward),
            Piece::End => redactor.finish(&mut onward),
        };
        // Whoever supervises only sees that it failed; what failed is told by `finish`.
        if let Some(error) = failed {
            self.failed.get_or_insert(error);
        }
        done
    }
}

/// What comes to a stream.
enum Piece<'a> {
    More(&'a [u8]),
    End,
}

impl Output for Capture<'_> {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.take(Stream::Stdout, bytes)
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.take(Stream::Stderr, bytes)
    }

    fn room(&mut self) -> [usize; 2] {
        self.live.room()
    }

    fn asked(&mut self) {
        self.asked = true;
    }

    fn waits_for(&self) -> [Option<BorrowedFd<'_>>; 2] {
        self.live.waits_for()
    }
}
