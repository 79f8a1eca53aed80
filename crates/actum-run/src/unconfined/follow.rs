//! Follows a command to its end: every byte is kept, then passed on.

use super::Line;
use crate::capture::{Capture, Captured};
use crate::clock::Stopwatch;
use crate::error::RunError;
use crate::live::Passing;
use actum_model::{Ending, Stream};
use actum_sandbox::{Nowhere, Output};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// A command that goes on.
pub(super) struct Following<'a> {
    pub(super) line: Line<'a>,
    pub(super) child: Child,
    /// Our ends of its channels; one where both streams are one.
    pub(super) readers: [Option<OwnedFd>; 2],
    /// Where its streams lead.
    pub(super) out: [BorrowedFd<'a>; 2],
    pub(super) cancel: Option<BorrowedFd<'a>>,
    pub(super) begun: Stopwatch,
}

/// What became of it.
pub(super) struct Followed {
    pub(super) ending: Ending,
    pub(super) captured: Result<[Captured; 2], RunError>,
}

/// What a process that the command left behind may still print before nobody listens any more.
const LINGER: Duration = Duration::from_secs(1);
/// As much as a pipe holds.
const PIECE: usize = 64 << 10;

/// What there is to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    Read(Stream),
    Ended,
    Cancel,
}

impl Following<'_> {
    pub(super) fn follow(mut self) -> Followed {
        let begun = self.begun;
        let elapsed = move || begun.elapsed();
        let mut nowhere = Nowhere;
        let Line { request, folder, .. } = self.line;
        let mut capture =
            Capture::new(folder, (&mut nowhere, Passing::AsPrinted), &request.redaction, &elapsed);
        let status = self.listen(&mut capture);
        // Where the system would not let us listen, its end is waited for all the same.
        let status = status.or_else(|_| self.child.wait());
        Followed { ending: ending(status), captured: capture.finish() }
    }

    fn listen(&mut self, capture: &mut Capture<'_>) -> io::Result<ExitStatus> {
        let pid = Pid::from_child(&self.child);
        let process = pidfd_open(pid, PidfdFlags::empty())?;
        let (mut status, mut over) = (None, None::<Stopwatch>);
        let mut buffer = vec![0; PIECE];
        loop {
            let patience = over.map(|since| LINGER.saturating_sub(since.elapsed()));
            let is_silent = self.readers.iter().all(Option::is_none);
            if let (Some(status), true) = (status, is_silent || patience.is_some_and(|left| left.is_zero())) {
                return Ok(status);
            }
            for due in self.wait(status.is_none().then_some(process.as_fd()), patience)? {
                match due {
                    Due::Read(stream) => self.pass(stream, capture, &mut buffer),
                    Due::Cancel => self.forward(process.as_fd()),
                    Due::Ended => {
                        status = Some(self.child.wait()?);
                        over = Some(Stopwatch::start());
                    }
                }
            }
        }
    }

    /// Waits until there is something to do.
    fn wait(&self, process: Option<BorrowedFd<'_>>, patience: Option<Duration>) -> io::Result<Vec<Due>> {
        let mut dues = Vec::new();
        let mut watched = Vec::new();
        let mut watch = |due, fd| {
            dues.push(due);
            watched.push(PollFd::from_borrowed_fd(fd, PollFlags::IN));
        };
        for (stream, reader) in Stream::ALL.into_iter().zip(&self.readers) {
            if let Some(reader) = reader {
                watch(Due::Read(stream), reader.as_fd());
            }
        }
        if let Some(process) = process {
            watch(Due::Ended, process);
        }
        if let Some(cancel) = self.cancel {
            watch(Due::Cancel, cancel);
        }
        let time = patience.map(|left| Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        });
        match poll(&mut watched, time.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        }
        let ready = watched.iter().map(|one| !one.revents().is_empty());
        Ok(dues.into_iter().zip(ready).filter(|(_, ready)| *ready).map(|(due, _)| due).collect())
    }

    /// One piece of a stream: kept, then passed on. What cannot be kept is told by the account, and passed on all the same.
    fn pass(&mut self, stream: Stream, capture: &mut Capture<'_>, buffer: &mut [u8]) {
        let reader = &mut self.readers[stream.index()];
        let Some(open) = reader.as_ref() else { return };
        let piece = match rustix::io::read(open, &mut *buffer) {
            Ok(length) if length > 0 => &buffer[..length],
            Err(Errno::INTR | Errno::AGAIN) => return,
            // A terminal whose last user went away says so with an error.
            Ok(_) | Err(_) => {
                *reader = None;
                return;
            }
        };
        let _ = match stream {
            Stream::Stdout => capture.stdout(piece),
            Stream::Stderr => capture.stderr(piece),
        };
        // The command learns that its reader went away as it would have without us: nobody reads any more.
        if write_all(self.out[stream.index()], piece).is_err() {
            *reader = None;
        }
    }

    /// Somebody wants it to stop; it decides itself what that means.
    fn forward(&self, process: BorrowedFd<'_>) {
        if let Some(cancel) = self.cancel {
            // Each wish is taken once.
            let _ = rustix::io::read(cancel, &mut [0_u8; 128]);
        }
        // By its descriptor: a process that ended is no other one that got its number.
        let _ = pidfd_send_signal(process, Signal::TERM);
    }
}

fn write_all(out: BorrowedFd<'_>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(out, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => drop(poll(&mut [PollFd::from_borrowed_fd(out, PollFlags::OUT)], None)?),
            Err(error) => return Err(error.into()),
        }
    }
    io::sink().flush()
}

fn ending(status: io::Result<ExitStatus>) -> Ending {
    let signal = |status: ExitStatus| Ending::Signalled { signal: status.signal().unwrap_or_default() };
    match status {
        Ok(status) => status.code().map_or_else(|| signal(status), |code| Ending::Exited { code }),
        Err(error) => super::account::unknown(&format!("cannot wait for the command: {error}")),
    }
}
