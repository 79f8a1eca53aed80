//! The process that stays: this program again, detached, with one attempt and its clients.

use super::control::Control;
use super::desk::{Desk, Given};
use super::driver::Language;
use super::error::SessionError;
use super::name::SessionName;
use super::place::Place;
use super::relay::{End, Relay, Shared};
use super::wire::{Fate, Settled};
use crate::attempt::{Held, Traces, start};
use crate::clock;
use crate::error::RunError;
use crate::request::Keep;
use crate::validate::Conclusion;
use crate::workspace::{self, Workspace};
use actum_changes::settle::{Keeping, Placer};
use actum_model::{Applied, Ending, ExitCode, SealKey, Span, Tier};
use actum_sandbox::{
    Ended, Leaves, Machine, Request, SandboxError, Sandboxes, Stores, Streams, Warden, Watching,
};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, OwnedFd};
use rustix::pipe::{PipeFlags, pipe_with};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a holder is told when it starts, on its standard input.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) sessions: PathBuf,
    pub(super) name: SessionName,
    pub(super) language: Language,
    pub(super) request: Request,
    pub(super) ceiling: Tier,
    pub(super) idle: Span,
    /// The folder of the run that keeps the session's changes, and of the store around it.
    pub(super) kept: PathBuf,
    pub(super) store: PathBuf,
    /// The folder with the key that authenticates what is kept.
    pub(super) keys: PathBuf,
}

/// Why a session did not come up, in a form that travels.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) hint: Option<String>,
    pub(super) code: ExitCode,
}

/// Ten years: the wall time is each call's own, and the session's is how long it is left alone.
const FOR_EVER: Span = Span::seconds(10 * 365 * 24 * 60 * 60);

/// Holds one session until its end. `order` and `ready` are duplicates of this process's standard input and output: the
/// first is read to its end, the second is told once whether the session came up. `ways` gives, for the folder of keys, who applies
/// the changes and the key that authenticates them.
pub fn serve(
    warden: Warden,
    order: OwnedFd,
    ready: OwnedFd,
    ways: &dyn Fn(&Path) -> (Option<Placer>, SealKey),
) -> Result<(), SessionError> {
    // Nothing of the caller's: not its terminal, and no folder that could not be unmounted because of us.
    let _ = rustix::process::setsid();
    let _ = rustix::process::chdir("/");
    let failed = |source| SessionError::Order { source };
    let null = std::fs::File::options().read(true).write(true).open("/dev/null").map_err(failed)?;
    for number in [0, 1] {
        actum_sandbox::sys::place_descriptor(null.as_fd(), number).map_err(failed)?;
    }
    // Blocked here and readable there, before there is a second thread that could take them. Whoever started us may have
    // blocked them already, and then nothing else would hear them.
    let stop = actum_sandbox::sys::stop_signals().ok();
    let mut text = Vec::new();
    std::fs::File::from(order).read_to_end(&mut text).map_err(failed)?;
    let order: Order = serde_json::from_slice(&text).map_err(|error| failed(error.into()))?;
    let mut told = std::fs::File::from(ready);
    let name = order.name.clone();
    let place = Place { sessions: order.sessions.clone(), program: PathBuf::new() };
    let (placer, seal) = ways(&order.keys);
    let (folder, store, keys) = (order.kept.clone(), order.store.clone(), order.keys.clone());
    let keeping = Keeping { folder, store, placer, seal, keys };
    match hold(warden, order, (&told, stop), (&place, &keeping)) {
        Ok(()) => Ok(()),
        Err(error) => {
            // Whoever started us waits for this, and puts the folder away.
            tell(&mut told, &Err(Failure::of(&error)));
            let Failure { message, hint, code } = Failure::of(&error);
            Err(SessionError::Start { name, message, hint, code })
        }
    }
}

/// One line, once.
pub(super) fn tell(ready: &mut std::fs::File, told: &Result<(), Failure>) {
    if let Ok(mut line) = serde_json::to_vec(told) {
        line.push(b'\n');
        let _ = ready.write_all(&line);
    }
}

fn hold(
    warden: Warden,
    order: Order,
    (ready, stop): (&std::fs::File, Option<OwnedFd>),
    (place, keeping): (&Place, &Keeping),
) -> Result<(), RunError> {
    let io_failed = |source: io::Error| RunError::Sandbox(SandboxError::Talk { source });
    let folder = place.find(&order.name).map_err(|error| io_failed(io::Error::other(error)))?;
    let folder = folder.ok_or_else(|| io_failed(io::ErrorKind::NotFound.into()))?;
    let alive = folder.hold().map_err(io_failed)?;
    let listener = UnixListener::bind(folder.socket()).map_err(io_failed)?;
    listener.set_nonblocking(true).map_err(io_failed)?;
    let (control, inside) = Control::pair().map_err(io_failed)?;
    let shared = Arc::new(Shared::new().map_err(io_failed)?);
    let cancel = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
        .map_err(|error| io_failed(error.into()))?;

    let mut request = order.request.clone();
    request.command = order.language.command(&order.request.command);
    request.limits.wall = FOR_EVER;
    // An interpreter that is to end was asked before, by us.
    request.grace = Span::default();
    let path = request.variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    // Layers lie in our cache.
    let cache = request.layers.parent().unwrap_or(&request.layers);
    let places = request.tool_places(cache);
    let machine = Machine::survey(path.unwrap_or(OsStr::new("")), request.home.as_deref(), places);
    let sandboxes = Sandboxes::open(warden, machine, order.ceiling)?;
    let workspace = Workspace::open(&request)?;

    let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|error| RunError::Pipe { source: error.into() });
    let ((stdout, stdout_inside), (stderr, stderr_inside)) = (pipe()?, pipe()?);
    let streams =
        Streams { stdin: inside.as_fd(), stdout: stdout_inside.as_fd(), stderr: stderr_inside.as_fd() };
    let (attempt, snapshot) =
        start(&sandboxes, &request, &workspace, (streams, &mut |_| Leaves::Given), None)?;
    let mut held = Held { sandboxes: &sandboxes, attempt };
    drop((inside, stdout_inside, stderr_inside));
    let serving = actum_egress::serve(&request.policy, held.attempt.take_gates(), &[])?;

    let copy = |descriptor: &OwnedFd| descriptor.try_clone().map_err(io_failed);
    let mut relay = Relay { shared: shared.clone(), pipes: [copy(&stdout)?, copy(&stderr)?] };
    let given = Given {
        confinement: held.attempt.confinement().clone(),
        listener,
        control,
        shared: shared.clone(),
        cancel: copy(&cancel)?,
        stop,
        ready: ready.try_clone().map_err(io_failed)?,
        started: clock::moment(),
        order: order.clone(),
    };
    let desk = std::thread::spawn(move || Desk::new(given).serve());
    let watching = Watching {
        stdout: Some(stdout),
        stderr: Some(stderr),
        cancel: Some(cancel.as_fd()),
        ..Watching::default()
    };
    let ended = held.attempt.supervise(watching, &mut relay);
    let hosts = serving.map(actum_egress::stop);
    let traces = Traces::new(held, snapshot, hosts);
    let end = settle((&workspace, &traces), ended, (&request, shared.fate()), keeping);
    drop(traces);
    // Gone before anybody hears of the end, so that whoever hears of it can begin anew. Whoever started us and never heard
    // that we are up has the lock, and puts the folder away.
    if shared.is_up()
        && let Ok(locked) = place.lock()
    {
        let _ = locked.remove(&order.name);
    }
    shared.tell_end(end);
    let _ = desk.join();
    // The warden puts everything away before the lock is let go that says that somebody lives here.
    drop(sandboxes);
    drop(alive);
    Ok(())
}

/// Lists what was changed and settles it by the same rule as after a run: what ended well is applied.
fn settle(
    (workspace, traces): (&Workspace, &Traces<'_>),
    ended: Result<Ended, SandboxError>,
    (request, fate): (&Request, Option<Fate>),
    keeping: &Keeping,
) -> End {
    let (ending, lost) = match ended {
        Ok(ended) => (ended.ending, None),
        Err(error) => {
            let ending = Ending::NotStarted { code: error.exit_code().into(), reason: error.to_string() };
            (ending, Some(actum_model::with_causes(&error)))
        }
    };
    let (mode, disk) = ((request.policy.workspace, Keep::Success), request.limits.disk);
    let fate = match fate {
        Some(Fate::Apply) => {
            workspace::Fate::of(mode, &Ending::Exited { code: 0 }, Conclusion::AsExpected, disk)
        }
        Some(Fate::Discard) => workspace::Fate::Discard,
        None => workspace::Fate::of(mode, &ending, Conclusion::of_ending(&ending), disk),
    };
    let settled =
        settle_changes(workspace, traces, fate, (keeping, &request.stores)).unwrap_or_else(|error| Settled {
            applied: Applied::Discarded,
            changes: Vec::new(),
            conflicts: Vec::new(),
            run: None,
            problem: Some(actum_model::with_causes(&error)),
        });
    End { ending, settled: Settled { problem: settled.problem.or(lost), ..settled } }
}

fn settle_changes(
    workspace: &Workspace,
    traces: &Traces<'_>,
    fate: workspace::Fate,
    (keeping, stores): (&Keeping, &Stores),
) -> Result<Settled, RunError> {
    workspace.reopen(Some(traces));
    let listed = workspace.changes(Some(traces), keeping);
    workspace.put_back(Some(traces), stores)?;
    let listed = listed?;
    let settlement = workspace.settle(Some(traces), &listed, fate, keeping)?;
    let run = keeping.folder.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Settled {
        applied: settlement.applied,
        run: run.filter(|_| !listed.changes.is_empty()),
        changes: listed.changes,
        conflicts: settlement.conflicts,
        problem: None,
    })
}

impl Failure {
    fn of(error: &RunError) -> Self {
        Self { message: actum_model::with_causes(error), hint: error.hint(), code: error.exit_code() }
    }

    pub(super) fn of_ending(ending: &Ending) -> Self {
        let message = match ending {
            Ending::NotStarted { reason, .. } => reason.clone(),
            Ending::Exited { code } => {
                format!("the interpreter exited with {code} during startup")
            }
            Ending::Signalled { signal } => format!("the interpreter was killed by signal {signal}"),
            Ending::Cancelled => "the interpreter did not start".to_owned(),
            Ending::TimedOut { .. } | Ending::OutOfMemory { .. } | Ending::OverLimit { .. } => {
                let limit = ending.limit().map_or("wall", actum_model::Limit::name);
                format!("the interpreter reached the limit {limit} during startup")
            }
        };
        let is_own = ending.is_success() || *ending == Ending::Cancelled;
        let code = if is_own { ExitCode::OWN_ERROR } else { ending.exit_code() };
        let hint = (code == ExitCode::NOT_FOUND)
            .then(|| "install the interpreter, or put it on your PATH".to_owned());
        Self { message, hint, code }
    }
}
