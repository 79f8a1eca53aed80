//! One confined process from its start to its end, watched from outside.
//!
//! A loop over descriptors: the two streams, what init tells, init's own end, the clock. No thread, no async: whoever
//! wants several at once gives each its own thread. `supervise` is the loop; `limits` says which one was met, `stop` how
//! stopping goes on, `streams` carries bytes, `curve` and `usage` keep what is told in the end.

mod curve;
mod limits;
mod stop;
mod streams;
mod supervise;
mod usage;

use crate::cgroup::Version;
use crate::clock::Moment;
use crate::note::{Note, Used};
use crate::order::Terminal;
use crate::request::Request;
use actum_model::{Bytes, Confinement, Ending, ExitCode, Limits, Tier, Usage};
use curve::Curve;
use rustix::fd::{BorrowedFd, OwnedFd};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Takes the program's output as it comes.
pub trait Output {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()>;
    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// How many bytes each of the two takes without waiting. Whoever may be slow says so: nothing is read from the
    /// program meanwhile, and its limits go on being watched.
    fn room(&mut self) -> [usize; 2] {
        [usize::MAX; 2]
    }

    /// The program has been asked to stop: what it prints from here on is its answer.
    fn asked(&mut self) {}

    /// What becomes writable when one that had no room has some again.
    fn waits_for(&self) -> [Option<BorrowedFd<'_>>; 2] {
        [None; 2]
    }
}

/// Takes no output.
#[derive(Debug)]
pub struct Nowhere;

impl Output for Nowhere {
    fn stdout(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
    fn stderr(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// How long after the request each thing had happened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Phases {
    /// The sandbox's init existed.
    pub cast: Duration,
    /// Everything was mounted and the program about to be executed.
    pub ready: Duration,
    /// The program's end was known.
    pub answered: Duration,
    /// Nothing of it was left.
    pub gone: Duration,
}

/// What became of an attempt.
#[derive(Debug)]
pub struct Ended {
    pub phases: Phases,
    pub ending: Ending,
    pub usage: Usage,
    /// Bytes written where no layer took them. They stay, so they count for what comes after in the same run.
    pub written: Bytes,
    pub confinement: Confinement,
}

/// The ends of pipes that the program's output comes from, what is typed at its terminal, and what stops it from outside.
#[derive(Debug, Default)]
pub struct Watching<'a> {
    /// Nothing where the request asked for a terminal: then what is shown on it is read as stdout.
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
    /// What is typed at the program's terminal. Its end is typed too, as the end of input.
    pub typed: Option<BorrowedFd<'a>>,
    pub resized: Option<Resized<'a>>,
    /// Becomes readable once for each wish to cancel, and is read once for each: the first stops the run in order, the
    /// next one at once. A `signalfd` is such a descriptor, and so is an `eventfd` that counts down.
    pub cancel: Option<BorrowedFd<'a>>,
    /// Is told when the attempt has lasted a while.
    pub lasts: Option<Lasts<'a>>,
}

/// Who is told, once, that an attempt lasts.
pub struct Lasts<'a> {
    pub after: Duration,
    /// Gets the root of the layer that takes the workspace's writes. Not called where there is none.
    pub act: &'a mut dyn FnMut(BorrowedFd<'_>),
}

impl std::fmt::Debug for Lasts<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Lasts").field("after", &self.after).finish_non_exhaustive()
    }
}

/// The window of whoever sits at a program's terminal.
#[derive(Clone, Copy)]
pub struct Resized<'a> {
    /// Becomes readable when the size has changed, and is read once for each change.
    pub told: BorrowedFd<'a>,
    /// The size now.
    pub size: &'a dyn Fn() -> Option<Terminal>,
}

impl std::fmt::Debug for Resized<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Resized").field("told", &self.told).finish_non_exhaustive()
    }
}

impl Resized<'_> {
    fn take(&self) -> Option<Terminal> {
        let _ = rustix::io::read(self.told, &mut [0_u8; WISH]);
        (self.size)()
    }
}

/// One signal as a `signalfd` tells it; the count of an `eventfd` is shorter.
const WISH: usize = 128;

/// A started attempt.
#[derive(Debug)]
pub struct Attempt {
    pub(crate) told: OwnedFd,
    pub(crate) key: u64,
    confinement: Confinement,
    limits: Limits,
    grace: Duration,
    folder: Option<PathBuf>,
    begun: Moment,
    pidfd: Option<OwnedFd>,
    accounting: Option<(Version, Vec<OwnedFd>)>,
    /// Init's number as we see it. Its own again only as long as init is not gone.
    init: Option<i32>,
    layer: Option<OwnedFd>,
    /// What takes temporary files, where that is not the layer itself.
    scratch: Option<OwnedFd>,
    /// What the layer on disk held when all of it could last be read.
    layer_held: u64,
    /// Init counts what is written, because parts of the layer cannot be read.
    counts_writes: bool,
    /// The workspace through the layer, until the program starts.
    pub(crate) view: Option<OwnedFd>,
    terminal: Option<OwnedFd>,
    gates: Vec<OwnedFd>,
    listeners: Vec<OwnedFd>,
    end: Option<Ending>,
    /// The signal by which it was asked to stop.
    asked: Option<i32>,
    /// The program itself has ended.
    answered: bool,
    used: Option<Used>,
    phases: Phases,
    looked: Option<Moment>,
    curve: Curve,
}

/// 10 ms: limits that are looked at are met within it, and 50 ms are promised.
const LOOK: Duration = Duration::from_millis(10);
/// After this long without an end a sandbox that was told to stop is killed by name.
const PATIENCE: Duration = Duration::from_millis(500);
/// 64 KiB: what a pipe holds.
const CHUNK: usize = 64 << 10;

impl Attempt {
    pub(crate) fn new(
        told: OwnedFd,
        key: u64,
        plan: (Confinement, Option<PathBuf>),
        request: &Request,
        begun: Moment,
    ) -> Self {
        let (confinement, folder) = plan;
        Self {
            told,
            key,
            confinement,
            limits: request.limits,
            grace: request.grace.0,
            folder,
            begun,
            pidfd: None,
            accounting: None,
            init: None,
            layer: None,
            scratch: None,
            layer_held: 0,
            counts_writes: false,
            view: None,
            terminal: None,
            gates: Vec::new(),
            listeners: Vec::new(),
            end: None,
            asked: None,
            answered: false,
            used: None,
            phases: Phases::default(),
            looked: Some(begun),
            curve: Curve::default(),
        }
    }

    /// Whether everything is known that supervising needs.
    pub(crate) fn is_started(&self) -> bool {
        self.pidfd.is_some() && (self.phases.ready > Duration::ZERO || self.end.is_some())
    }

    /// Takes a note in.
    pub(crate) fn hear(&mut self, note: Note, descriptors: Vec<OwnedFd>) {
        let mut descriptors = descriptors.into_iter();
        match note {
            Note::Cast { start, pid, accounting } => {
                self.init = Some(pid);
                self.phases.cast = self.begun.elapsed();
                self.confinement.start = start;
                self.pidfd = descriptors.next();
                self.accounting = accounting.map(|version| (version, descriptors.collect()));
            }
            Note::Ready { layer, scratch, view, terminal, gates, listeners } => {
                self.phases.ready = self.begun.elapsed();
                self.layer = if layer { descriptors.next() } else { None };
                self.scratch = if scratch { descriptors.next() } else { None };
                self.view = if view { descriptors.next() } else { None };
                self.terminal = if terminal { descriptors.next() } else { None };
                let mut rest: Vec<OwnedFd> = descriptors.collect();
                self.listeners = rest.split_off(rest.len().saturating_sub(listeners));
                self.gates = if gates { rest } else { Vec::new() };
            }
            Note::Asked { signal } => self.asked = Some(signal),
            Note::NotExecuted { errno } => {
                self.end.get_or_insert(not_executed(errno));
            }
            Note::Ended { status, used } => {
                self.phases.answered = self.begun.elapsed();
                self.answered = true;
                self.used = Some(used);
                // Whatever is left of it dies while its counters are read, which stay.
                if self.confinement.tier == Tier::N {
                    self.kill_init();
                }
                self.end.get_or_insert(self.judge(status));
            }
            Note::Over { limit, used } => {
                let ending = self.over(limit, used);
                self.end.get_or_insert(ending);
            }
            Note::Stopped { used } => {
                self.phases.answered = self.begun.elapsed();
                self.used = Some(used);
            }
            Note::Failed { step, errno, detail } => {
                let reason = format!("cannot {} {detail} (error {errno})", step.doing());
                self.end.get_or_insert(Ending::NotStarted { code: ExitCode::OWN_ERROR.into(), reason });
            }
        }
    }

    /// What is enforced on it.
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// The gates of the allow-list, to be served from outside: proxy, names over UDP, names over TCP, then
    /// those that lead to one server each.
    pub fn take_gates(&mut self) -> Vec<OwnedFd> {
        std::mem::take(&mut self.gates)
    }

    /// Listeners on the sandbox's own loopback, in the order of the request's ports.
    pub fn take_listeners(&mut self) -> Vec<OwnedFd> {
        std::mem::take(&mut self.listeners)
    }

    /// The root of the layer that took the workspace's writes. Complete once the attempt has ended.
    pub fn take_layer(&mut self) -> Option<OwnedFd> {
        self.layer.take()
    }

    /// The folder on disk that belongs to this attempt, if it has one.
    pub fn folder(&self) -> Option<&std::path::Path> {
        self.folder.as_deref()
    }
}

fn not_executed(errno: i32) -> Ending {
    let error = io::Error::from_raw_os_error(errno);
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    let code = if is_missing { ExitCode::NOT_FOUND } else { ExitCode::NOT_EXECUTABLE };
    Ending::NotStarted { code: code.into(), reason: error.to_string() }
}
