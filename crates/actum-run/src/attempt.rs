//! One attempt: started, passed through, supervised.

use crate::egress;
use crate::error::RunError;
use crate::report::Hosts;
use crate::workspace::Workspace;
use actum_sandbox::changes::Snapshot;
use actum_sandbox::{Attempt, Ended, Output, Request, Sandboxes, Start, Streams, Watching};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;

/// What a run is connected to while it goes on.
pub struct Live<'a> {
    pub stdin: BorrowedFd<'a>,
    pub output: Passing<'a>,
    /// Becomes readable when the run is to be cancelled.
    pub cancel: Option<BorrowedFd<'a>>,
}

/// How the program's output leaves.
pub enum Passing<'a> {
    /// Through us, byte for byte, counted.
    Through(&'a mut dyn Output),
}

/// What an attempt left behind to be looked at. Dropping it lets the warden put the attempt away.
pub(crate) struct Traces<'a> {
    _held: Held<'a>,
    pub(crate) layer: Option<OwnedFd>,
    pub(crate) snapshot: Option<Snapshot>,
    pub(crate) hosts: Option<Hosts>,
}

/// An attempt that the warden has not been told to forget: its layer on disk is there as long as this is.
pub(crate) struct Held<'a> {
    pub(crate) sandboxes: &'a Sandboxes,
    pub(crate) attempt: Box<Attempt>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.sandboxes.forget(&self.attempt);
    }
}

impl<'a> Traces<'a> {
    pub(crate) fn new(mut held: Held<'a>, snapshot: Option<Snapshot>, hosts: Option<Hosts>) -> Self {
        let layer = held.attempt.take_layer();
        Self { _held: held, layer, snapshot, hosts }
    }
}

/// Starts and supervises; gives back what it left behind, also when supervising failed.
pub(crate) fn attempt<'a>(
    sandboxes: &'a Sandboxes,
    request: &Request,
    workspace: &Workspace,
    live: Live<'_>,
) -> Result<(Result<Ended, RunError>, Traces<'a>), RunError> {
    let pipe =
        || pipe_with(PipeFlags::CLOEXEC).map_err(|error| RunError::Pipe { source: io::Error::from(error) });
    let ((stdout, stdout_inside), (stderr, stderr_inside)) = (pipe()?, pipe()?);
    let streams = Streams { stdin: live.stdin, stdout: stdout_inside.as_fd(), stderr: stderr_inside.as_fd() };
    let (attempt, snapshot) = start(sandboxes, request, workspace, streams)?;
    let mut held = Held { sandboxes, attempt };
    drop((stdout_inside, stderr_inside));
    let serving = egress::serve(&request.policy, held.attempt.take_gates(), &[])?;
    let Passing::Through(output) = live.output;
    let ended = held
        .attempt
        .supervise(Watching { stdout: Some(stdout), stderr: Some(stderr), cancel: live.cancel }, output);
    let hosts = serving.map(egress::stop);
    Ok((ended.map_err(RunError::from), Traces::new(held, snapshot, hosts)))
}

/// Asks until the machine has told what it can do; a workspace that is written directly is remembered first.
pub(crate) fn start(
    sandboxes: &Sandboxes,
    request: &Request,
    workspace: &Workspace,
    streams: Streams<'_>,
) -> Result<(Box<Attempt>, Option<Snapshot>), RunError> {
    loop {
        let snapshot = sandboxes.writes_directly(request)?.then(|| workspace.remember()).transpose()?;
        match sandboxes.start(request, streams)? {
            Start::Started(attempt) => return Ok((attempt, snapshot)),
            Start::Lowered => {}
        }
    }
}
