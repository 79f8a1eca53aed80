//! One attempt: started, passed through, supervised.

use crate::beside::Beside;
use crate::error::RunError;
use crate::gpu;
use crate::inputs::{Opened, Opens};
use crate::journal::Journal;
use crate::lasting::Lasting;
use crate::live::Watcher;
use crate::workspace::Workspace;
use actum_changes::Snapshot;
use actum_egress::Server;
use actum_model::Hosts;
use actum_sandbox::{
    Attempt, Ended, Lasts, Leaves, Output, Request, Resized, Sandboxes, Start, Streams, View, Watching,
};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;

/// What stands around one attempt.
pub(crate) struct Around<'a> {
    pub(crate) stdin: BorrowedFd<'a>,
    pub(crate) output: &'a mut dyn Output,
    pub(crate) resized: Option<Resized<'a>>,
    pub(crate) cancel: Option<BorrowedFd<'a>>,
    /// Gives leave to start, when it is written down that it will.
    pub(crate) journal: &'a mut dyn Journal,
    pub(crate) watcher: &'a mut dyn Watcher,
    /// Servers that the program is led to, in the order of the request's forwards.
    pub(crate) servers: &'a [Server],
    /// Knows the folders of the workspace. Absent where nobody asks what was opened in them.
    pub(crate) beside: Option<&'a Beside>,
    /// Keeps what it writes, should it last. Absent where nothing is kept.
    pub(crate) lasting: Option<&'a Lasting<'a>>,
}

/// What an attempt left behind to be looked at. Dropping it lets the warden put the attempt away.
pub(crate) struct Traces<'a> {
    _held: Held<'a>,
    pub(crate) layer: Option<OwnedFd>,
    pub(crate) snapshot: Option<Snapshot>,
    pub(crate) hosts: Option<Hosts>,
    /// What it opened in the workspace, where that could be seen.
    pub(crate) opened: Option<Opened>,
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
        Self { _held: held, layer, snapshot, hosts, opened: None }
    }
}

/// Starts and supervises; gives back what it left behind, also when supervising failed. `remembered` is what the workspace
/// was before an earlier attempt of the same run.
pub(crate) fn attempt<'a>(
    sandboxes: &'a Sandboxes,
    request: &Request,
    workspace: &Workspace,
    around: Around<'_>,
    remembered: Option<Snapshot>,
) -> Result<(Result<Ended, RunError>, Traces<'a>), RunError> {
    let pipe =
        || pipe_with(PipeFlags::CLOEXEC).map_err(|error| RunError::Pipe { source: io::Error::from(error) });
    let ((stdout, stdout_inside), (stderr, stderr_inside)) = (pipe()?, pipe()?);
    // At a terminal of its own nothing of the caller's is handed in, least of all the caller's terminal.
    let stdin = if request.terminal.is_some() { stdout_inside.as_fd() } else { around.stdin };
    let streams = Streams { stdin, stdout: stdout_inside.as_fd(), stderr: stderr_inside.as_fd() };
    let mut refused = None;
    let mut opens = None;
    let mut leave = |view: View<'_>| {
        // Before it is waited for: the ledger writes meanwhile.
        let root = view.unwrap_or_else(|| workspace.folder());
        opens = around.beside.and_then(|beside| Opens::begin(root, beside.survey()));
        match around.journal.wait() {
            Ok(()) => Leaves::Given,
            Err(error) => {
                refused = Some(error);
                Leaves::Refused
            }
        }
    };
    let started = start(sandboxes, request, workspace, (streams, &mut leave), remembered);
    if let Some(source) = refused {
        return Err(RunError::Journal { source });
    }
    let (attempt, snapshot) = started?;
    let mut held = Held { sandboxes, attempt };
    drop((stdout_inside, stderr_inside));
    let serving = actum_egress::serve(&request.policy, held.attempt.take_gates(), around.servers)?;
    let listeners = held.attempt.take_listeners();
    if !listeners.is_empty() {
        around.watcher.serve(listeners);
    }
    let cards = gpu::watch(&request.policy.cards);
    let watching = match request.terminal {
        // What is shown on the terminal comes from its other end, which the attempt has.
        Some(_) => Watching { typed: Some(around.stdin), resized: around.resized, ..Watching::default() },
        None => Watching { stdout: Some(stdout), stderr: Some(stderr), ..Watching::default() },
    };
    let watching = Watching { cancel: around.cancel, ..watching };
    let mut ended = supervise(&mut held.attempt, watching, around.output, (around.lasting, request));
    if let (Ok(ended), Some(cards)) = (&mut ended, cards) {
        ended.usage.gpu = cards.stop();
    }
    let hosts = serving.map(actum_egress::stop);
    let opened = opens.map(|opens| opens.end());
    Ok((ended.map_err(RunError::from), Traces { opened, ..Traces::new(held, snapshot, hosts) }))
}

/// Supervises, and has what it writes saved once it lasts.
fn supervise(
    attempt: &mut Attempt,
    watching: Watching<'_>,
    output: &mut dyn Output,
    (lasting, request): (Option<&Lasting<'_>>, &Request),
) -> Result<Ended, actum_sandbox::SandboxError> {
    let Some(lasting) = lasting else { return attempt.supervise(watching, output) };
    std::thread::scope(|scope| {
        let mut saving = None;
        let mut act = |layer: BorrowedFd<'_>| saving = lasting.begin(scope, layer, request.limits.disk);
        let lasts = Some(Lasts { after: lasting.after(), act: &mut act });
        let ended = attempt.supervise(Watching { lasts, ..watching }, output);
        drop(saving);
        ended
    })
}

/// Asks until the machine has told what it can do; a workspace that is written directly is remembered first.
pub(crate) fn start(
    sandboxes: &Sandboxes,
    request: &Request,
    workspace: &Workspace,
    (streams, leave): (Streams<'_>, &mut dyn FnMut(View<'_>) -> Leaves),
    mut remembered: Option<Snapshot>,
) -> Result<(Box<Attempt>, Option<Snapshot>), RunError> {
    loop {
        if sandboxes.writes_directly(request)? && remembered.is_none() {
            remembered =
                Some(workspace.remember(&request.hidden, &request.stores, &request.layers.join("direct"))?);
        }
        match sandboxes.start_with(request, streams, leave)? {
            Start::Started(attempt) => return Ok((attempt, remembered)),
            Start::Lowered => {}
            Start::Withheld => return Err(RunError::Nothing),
        }
    }
}
