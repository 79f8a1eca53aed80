//! Starts a program inside the walls for what it says, and for nothing else.

use actum_model::{Ending, Usage};
use actum_sandbox::{Output, Request, Sandboxes, Start, Streams, Watching};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;

/// What it said, as far as there was room, and how it ended.
pub(crate) struct Heard {
    pub(crate) ending: Ending,
    pub(crate) usage: Usage,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Listens to both streams until it ends; of each, `most` bytes are kept.
pub(crate) fn listen(
    sandboxes: &Sandboxes,
    request: &Request,
    stdin: BorrowedFd<'_>,
    most: usize,
) -> io::Result<Heard> {
    let ((stdout, inside), (stderr, inside_too)) =
        (pipe_with(PipeFlags::CLOEXEC)?, pipe_with(PipeFlags::CLOEXEC)?);
    let streams = Streams { stdin, stdout: inside.as_fd(), stderr: inside_too.as_fd() };
    let mut attempt = loop {
        match sandboxes.start(request, streams).map_err(io::Error::other)? {
            Start::Started(attempt) => break attempt,
            Start::Lowered => {}
            Start::Withheld => return Err(io::Error::other("approval was denied")),
        }
    };
    drop((inside, inside_too));
    let mut kept = Kept { stdout: Vec::new(), stderr: Vec::new(), most };
    let watching = Watching { stdout: Some(stdout), stderr: Some(stderr), ..Watching::default() };
    let ended = attempt.supervise(watching, &mut kept);
    sandboxes.forget(&attempt);
    let ended = ended.map_err(io::Error::other)?;
    Ok(Heard { ending: ended.ending, usage: ended.usage, stdout: kept.stdout, stderr: kept.stderr })
}

struct Kept {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    most: usize,
}

impl Output for Kept {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        keep(&mut self.stdout, bytes, self.most)
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        keep(&mut self.stderr, bytes, self.most)
    }
}

fn keep(kept: &mut Vec<u8>, bytes: &[u8], most: usize) -> io::Result<()> {
    let room = most.saturating_sub(kept.len()).min(bytes.len());
    kept.extend_from_slice(&bytes[..room]);
    Ok(())
}
