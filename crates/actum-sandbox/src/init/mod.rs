//! The first process of a sandbox: builds it from inside, starts the program, reaps, watches, reports.
//!
//! It is a copy of the warden that never executes anything itself: small, with nothing of the caller's in its
//! environment, not readable by the program. It holds one socket to the warden, and from its order on one to the
//! supervisor. When it ends, the kernel ends everything in its process namespace; where there is none it does so itself
//! ([`tree`]). Start reading at [`main`].

mod account;
mod build;
pub(crate) mod gates;
mod ledger;
mod memory;
mod payload;
mod reap;
mod scratch;
mod sockets;
pub(crate) mod terminal;
mod tree;
mod view;
pub(crate) mod watch;

use crate::frame;
use crate::note::{Leave, Note, Step};
use crate::order::{Order, Shape, Walls, WriteLayer};
use crate::sys::{self, SingleThreaded};
use actum_model::ExitCode;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use serde::{Deserialize, Serialize};
use std::io;

/// The warden's first word: the mapping is written, build.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Build;

/// The warden's second word: the order, with its descriptors in this order: stdin, stdout, stderr, the supervisor's
/// socket, the workspace's tree, the tree of its layer on disk if it has one, the trees of the places.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Fulfil(pub(crate) Order);

/// A step that did not work, with what it was about.
pub(crate) type Stopped = (Step, io::Error, String);

pub(crate) fn stopped(step: Step, detail: &str) -> impl Fn(io::Error) -> Stopped + '_ {
    move |error| (step, error, detail.to_owned())
}

/// What init needs to hear from outside, by the numbers of its descriptors.
struct Given {
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
    supervisor: OwnedFd,
    workspace: Option<OwnedFd>,
    layer: Option<OwnedFd>,
    places: Vec<OwnedFd>,
}

/// Lives the whole life of a sandbox. Never returns to the warden's code. `entered` is how going into its cgroup went,
/// which comes before everything else: nothing is done outside of it.
pub(crate) fn main(socket: OwnedFd, shape: Shape, alone: SingleThreaded, entered: io::Result<()>) -> ! {
    // 3 is the first number after the standard streams, which the warden has on /dev/null.
    let _ = sys::place_descriptor(socket.as_fd(), 3);
    std::mem::forget(socket);
    let _ = sys::close_from(4);
    let socket = sys::descriptor_three();
    // Without a process namespace nothing ends with us: then we are only woken, and end everything ourselves.
    let signal = match shape.walls {
        Walls::Namespaces { .. } => sys::SIGKILL,
        Walls::None => sys::SIGCHLD,
    };
    let _ = sys::process_option(sys::PARENT_DEATH_SIGNAL, signal as u64);
    let code = match live(socket.as_fd(), shape, alone, entered) {
        Ok(()) => 0,
        Err(_) => ExitCode::OWN_ERROR.into(),
    };
    sys::exit_now(code)
}

fn live(
    socket: BorrowedFd<'_>,
    shape: Shape,
    alone: SingleThreaded,
    entered: io::Result<()>,
) -> io::Result<()> {
    let warden = rustix::process::getppid();
    // End of file instead of a word: the warden gave this sandbox up.
    let Some((Build, _)) = frame::receive(socket)? else { return Ok(()) };
    let signals = sys::child_signals()?;
    let built = entered.map_err(stopped(Step::Accounting, "")).and_then(|()| build::build(shape, alone));
    let Some((Fulfil(order), descriptors)) = frame::receive(socket)? else { return Ok(()) };
    let given = sort_out(descriptors, &order)?;
    let outcome = built.and_then(|built| {
        fulfil(&order, &given, &built)?;
        let scratch = built.scratch.as_ref().and_then(|scratch| scratch.root().ok());
        Ok((built.child, built.account, scratch))
    });
    match outcome {
        Ok(parts) => {
            let outside = reap::Outside { supervisor: given.supervisor.as_fd(), warden };
            reap::until_the_end(&order, parts, signals.as_fd(), outside)
        }
        Err((step, error, detail)) => {
            let errno = error.raw_os_error().unwrap_or(0);
            let detail = if errno == 0 { format!("{detail} {error}") } else { detail };
            frame::send(given.supervisor.as_fd(), &Note::Failed { step, errno, detail }, &[])
        }
    }
}

fn sort_out(descriptors: Vec<OwnedFd>, order: &Order) -> io::Result<Given> {
    let mut rest = descriptors.into_iter();
    let mut next =
        || rest.next().ok_or_else(|| io::Error::other("the request arrived without its file descriptors"));
    let (stdin, stdout, stderr, supervisor) = (next()?, next()?, next()?, next()?);
    let workspace = match order.shape.walls {
        Walls::Namespaces { .. } => Some(next()?),
        Walls::None => None,
    };
    let layer = match order.workspace.layer {
        WriteLayer::Disk(_) => Some(next()?),
        WriteLayer::Memory | WriteLayer::None => None,
    };
    Ok(Given { stdin, stdout, stderr, supervisor, workspace, layer, places: rest.collect() })
}

/// Ends what inits that were killed left behind, for the warden they came to.
pub(crate) fn end_orphans(living: &[i32]) {
    tree::end_all(living);
}

/// Ends what an init that still lives has below it.
pub(crate) fn end_program(init: i32) {
    tree::end_below(init);
}

/// What a process and all below it look like from outside.
pub(crate) fn see_tree(root: i32) -> Vec<watch::Seen> {
    [root].into_iter().chain(tree::descendants(root)).filter_map(watch::see).collect()
}

/// Adds what the order asks for, gives up every privilege, and lets the program go.
fn fulfil(order: &Order, given: &Given, built: &build::Built) -> Result<(), Stopped> {
    let mut handed_out = Vec::new();
    if let (Walls::Namespaces { root, .. }, Some(scratch)) = (order.shape.walls, &built.scratch)
        && let Some(view::Layered { upper, merged }) = view::show(order, root, given, scratch)?
    {
        handed_out.push(upper);
        // In memory both are one file system.
        if matches!(order.workspace.layer, WriteLayer::Disk(_)) {
            handed_out.push(scratch.root().map_err(stopped(Step::Scratch, ""))?);
        }
        // Of use only before the program starts: whoever holds it longer keeps the layer mounted.
        handed_out.extend(order.waits.then_some(merged));
    }
    let layer = !handed_out.is_empty();
    let scratch = layer && matches!(order.workspace.layer, WriteLayer::Disk(_));
    let view = layer && order.waits;
    let mut terminal = None;
    if let Some(size) = order.terminal {
        let opened = terminal::open(size, order.shape.walls).map_err(stopped(Step::Terminal, ""))?;
        handed_out.push(opened.ours);
        terminal = Some(opened.name);
    }
    if order.gates {
        handed_out.extend(gates::open(&order.forwards).map_err(stopped(Step::Gates, ""))?);
    }
    handed_out.extend(gates::open_listeners(&order.listeners).map_err(stopped(Step::Gates, ""))?);
    build::give_up_privileges().map_err(stopped(Step::Identity, ""))?;
    let listeners = order.listeners.len();
    let note =
        Note::Ready { layer, scratch, view, terminal: terminal.is_some(), gates: order.gates, listeners };
    let descriptors: Vec<BorrowedFd<'_>> = handed_out.iter().map(AsFd::as_fd).collect();
    let tell = || frame::send(given.supervisor.as_fd(), &note, &descriptors);
    let go = || built.child.go(order, given, terminal);
    if order.waits {
        tell().map_err(stopped(Step::Message, ""))?;
        let leave =
            frame::receive::<Leave>(given.supervisor.as_fd()).map_err(stopped(Step::Message, "leave"))?;
        // Hung up instead: it is not to start.
        leave.ok_or_else(|| stopped(Step::Message, "leave")(io::ErrorKind::UnexpectedEof.into()))?;
        return go().map_err(stopped(Step::Message, "the program"));
    }
    // First what gets the program going: telling can happen meanwhile.
    go().map_err(stopped(Step::Message, "the program"))?;
    tell().map_err(stopped(Step::Message, ""))
}
