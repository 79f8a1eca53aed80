//! The room's front door: starts attempts.

use crate::attempt::Attempt;
use crate::clock::Moment;
use crate::error::SandboxError;
use crate::frame;
use crate::gather::gather;
use crate::host::{Host, unused_id};
use crate::machine::Machine;
use crate::note::{Leave, Note, Step};
use crate::order::Owner;
use crate::plan::{self, Plan};
use crate::request::Request;
use crate::sys;
use crate::warden::{Failure, Warden};
use actum_model::{Layer, Tier, WorkspaceMode};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where a program reads and writes.
#[derive(Debug, Clone, Copy)]
pub struct Streams<'a> {
    pub stdin: BorrowedFd<'a>,
    pub stdout: BorrowedFd<'a>,
    pub stderr: BorrowedFd<'a>,
}

/// Everything needed to start attempts: the warden, what the machine shows, what it can do.
///
/// Clones share the warden; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct Sandboxes {
    warden: Arc<Warden>,
    machine: Machine,
    /// Learns when the machine turns out to do less than it seemed.
    host: Arc<Mutex<Host>>,
}

/// What became of asking for an attempt.
#[derive(Debug)]
pub enum Start {
    Started(Box<Attempt>),
    /// The machine turned out to do less than it seemed; ask again.
    Lowered,
    /// Leave was refused: nothing of the program ran.
    Withheld,
}

/// A workspace through its layer, before the program starts. Nothing where it is not seen through one.
pub type View<'a> = Option<BorrowedFd<'a>>;

/// Whether a program may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaves {
    Given,
    Refused,
}

/// Ground that is being broken, while the caller can do something else.
#[derive(Debug)]
pub struct Opening {
    warden: Warden,
    ceiling: Tier,
}

impl Opening {
    /// Lets the warden break ground. `ceiling` is the highest tier to use.
    pub fn begin(warden: Warden, ceiling: Tier) -> Result<Self, SandboxError> {
        warden.begin(ceiling == Tier::N).map_err(|source| SandboxError::Talk { source })?;
        Ok(Self { warden, ceiling })
    }

    /// Waits for the ground, and has it show what the survey found.
    pub fn finish(self, machine: Machine) -> Result<Sandboxes, SandboxError> {
        let Self { warden, ceiling } = self;
        let talk = |source| SandboxError::Talk { source };
        warden.furnish(machine.furniture()).map_err(talk)?;
        let caller =
            Owner { user: rustix::process::geteuid().as_raw(), group: rustix::process::getegid().as_raw() };
        let stand_in = if caller.user == 0 { stand_in() } else { Some(caller) };
        let no_id =
            Failure { step: Step::Mapping, errno: 0, detail: "no unused user id is available".to_owned() };
        let landlock = match ceiling {
            Tier::None => Err("not requested".to_owned()),
            Tier::L | Tier::N => sys::landlock_abi().map_err(|error| error.to_string()),
        };
        // Last, because it may have to be waited for.
        let begun = warden.begun().map_err(talk)?;
        let host = Host {
            namespaces: if stand_in.is_some() { begun.namespaces } else { Err(no_id) },
            landlock,
            accounting: begun.accounting,
            caller,
            stand_in: stand_in.unwrap_or(caller),
        };
        Ok(Sandboxes { warden: Arc::new(warden), machine, host: Arc::new(Mutex::new(host)) })
    }
}

impl Sandboxes {
    /// Lets the warden break ground and waits for it. `ceiling` is the highest tier to use.
    pub fn open(warden: Warden, machine: Machine, ceiling: Tier) -> Result<Self, SandboxError> {
        Opening::begin(warden, ceiling)?.finish(machine)
    }

    /// The same warden for runs that trust fewer places: `machine` was surveyed with more folders that programs can write, so it
    /// shows nothing that this one does not show.
    pub fn with_machine(&self, machine: Machine) -> Self {
        Self { warden: Arc::clone(&self.warden), machine, host: Arc::clone(&self.host) }
    }

    /// Starts an attempt. When the machine refuses namespaces only now, nothing was started: the caller asks again and
    /// gets a tier lower, or a refusal if the policy cannot do without.
    pub fn start(&self, request: &Request, streams: Streams<'_>) -> Result<Start, SandboxError> {
        self.begin(request, streams, None)
    }

    /// The same, but the program itself starts only when `leave` gives leave: everything around it is built meanwhile.
    /// Where the workspace is seen through a layer, `leave` is shown it as the program will see it.
    pub fn start_with(
        &self,
        request: &Request,
        streams: Streams<'_>,
        leave: &mut dyn FnMut(View<'_>) -> Leaves,
    ) -> Result<Start, SandboxError> {
        self.begin(request, streams, Some(leave))
    }

    fn begin(
        &self,
        request: &Request,
        streams: Streams<'_>,
        leave: Option<&mut dyn FnMut(View<'_>) -> Leaves>,
    ) -> Result<Start, SandboxError> {
        match self.start_once(request, streams, leave) {
            Ok(attempt) => Ok(Start::Started(Box::new(attempt))),
            Err(Refused::Whole(error)) => Err(error),
            Err(Refused::Withheld) => Ok(Start::Withheld),
            Err(Refused::Namespaces(failure)) => {
                self.host().namespaces = Err(failure);
                Ok(Start::Lowered)
            }
        }
    }

    /// What is known about the machine now. Held for a look only: several threads may start attempts.
    pub(crate) fn host(&self) -> MutexGuard<'_, Host> {
        // A value that is replaced whole is never half written.
        self.host.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tier that a request would get.
    pub fn tier(&self, request: &Request) -> Result<Tier, SandboxError> {
        plan::choose_tier(&self.host(), request)
    }

    /// Whether the program would write straight into the workspace, so that it has to be remembered beforehand.
    pub fn writes_directly(&self, request: &Request) -> Result<bool, SandboxError> {
        let tier = self.tier(request)?;
        Ok(tier != Tier::N || request.policy.workspace == WorkspaceMode::InPlace)
    }

    /// What of the limits would not be enforced for what is granted, in the words of the report.
    pub fn limits_not_covered(&self, request: &Request) -> Result<Vec<String>, SandboxError> {
        let uncounted = crate::gather::uncounted(self.tier(request)?, request);
        Ok(uncounted.iter().map(|path| plan::disk_not_covered(path)).collect())
    }

    fn start_once(
        &self,
        request: &Request,
        streams: Streams<'_>,
        leave: Option<&mut dyn FnMut(View<'_>) -> Leaves>,
    ) -> Result<Attempt, Refused> {
        let begun = Moment::now();
        let host = self.host().clone();
        let tier = plan::choose_tier(&host, request)?;
        let facts = gather(&self.machine, tier, request)?;
        let plan = plan::plan(&host, &self.machine, request, &facts)?;
        let talk = |source: io::Error| Refused::Whole(SandboxError::Talk { source });
        let (told, tell) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(|error| talk(error.into()))?;
        let Plan { mut order, confinement } = plan;
        order.waits = leave.is_some();
        if host.is_root() && tier == Tier::N {
            give_pipes(&streams, host.stand_in);
        }
        let streams = [streams.stdin, streams.stdout, streams.stderr];
        let key = self.warden.start(order, streams, tell.as_fd()).map_err(talk)?;
        drop(tell);
        let mut attempt = Attempt::new(told, key, (confinement, facts.folder), request, begun);
        loop {
            let note = frame::receive::<Note>(attempt.told.as_fd()).map_err(talk)?;
            match note {
                Some((Note::Failed { step, errno, detail }, _)) => {
                    self.forget(&attempt);
                    return Err(refusal(Failure { step, errno, detail }, tier));
                }
                Some((note, descriptors)) => {
                    attempt.hear(note, descriptors);
                    if attempt.is_started() {
                        return self.let_go(attempt, leave);
                    }
                }
                None => {
                    self.forget(&attempt);
                    return Err(Refused::Whole(SandboxError::Lost));
                }
            }
        }
    }

    /// Gives leave where it is waited for.
    fn let_go(
        &self,
        mut attempt: Attempt,
        leave: Option<&mut dyn FnMut(View<'_>) -> Leaves>,
    ) -> Result<Attempt, Refused> {
        // Held no longer than it is shown: it would keep the layer mounted.
        let view = attempt.view.take();
        let answer = leave.map(|leave| leave(view.as_ref().map(AsFd::as_fd)));
        drop(view);
        match answer {
            None => Ok(attempt),
            Some(Leaves::Given) => {
                // An init that ended meanwhile has told why.
                let _ = frame::send(attempt.told.as_fd(), &Leave, &[]);
                Ok(attempt)
            }
            Some(Leaves::Refused) => {
                self.forget(&attempt);
                Err(Refused::Withheld)
            }
        }
    }

    /// Nothing more will be started: everything is put away while the caller does other things. Dropping waits for it.
    pub fn leave(&self) {
        self.warden.leave();
    }

    /// Lets the warden put away what belonged to an attempt that is over.
    pub fn forget(&self, attempt: &Attempt) {
        let _ = self.warden.forget(attempt.key);
    }

    /// Has the sandbox that `request` will need built, while the caller finds out what to run in it. What cannot be said now, or
    /// does not work, is told by the start.
    pub fn expect(&self, request: &Request) {
        use std::os::unix::fs::MetadataExt;
        let host = self.host().clone();
        let Some(mut expected) = plan::expect(&host, request) else { return };
        let about = host.is_root().then(|| request.workspace.metadata().ok()).flatten();
        expected.owner = about.map(|about| Owner { user: about.uid(), group: about.gid() });
        // A warden that is gone is told of by whoever starts something.
        let _ = self.warden.expect(expected);
    }

    /// Keeps sandboxes of the shape that `request` would need built ahead.
    pub fn keep_ready(&self, request: &Request, count: u32) -> Result<(), SandboxError> {
        let host = self.host().clone();
        let tier = plan::choose_tier(&host, request)?;
        let facts = gather(&self.machine, tier, request)?;
        let plan = plan::plan(&host, &self.machine, request, &facts)?;
        self.warden.keep_ready(plan.order.shape, count).map_err(|source| SandboxError::Talk { source })
    }
}

/// Why one try at starting did not work.
enum Refused {
    /// The machine cannot do what it seemed to; a lower tier might.
    Namespaces(Failure),
    Whole(SandboxError),
    Withheld,
}

impl From<SandboxError> for Refused {
    fn from(error: SandboxError) -> Self {
        Self::Whole(error)
    }
}

fn refusal(failure: Failure, tier: Tier) -> Refused {
    let general = matches!(
        failure.step,
        Step::Namespaces | Step::Mapping | Step::Template | Step::Processes | Step::Loopback
    );
    if tier == Tier::N && general {
        return Refused::Namespaces(failure);
    }
    let Failure { step, errno, detail } = failure;
    let hint = match (step, step.layer()) {
        (Step::Ownership, _) => {
            "this file system cannot map owners; run as an ordinary user, or keep the workspace on ext4, xfs, btrfs or tmpfs"
        }
        (Step::Overlay, _) => {
            "this file system does not support copy-on-write overlays; pass --in-place to write directly"
        }
        (_, Layer::Accounting) => "lower the limits, or see `actum doctor`",
        _ => "",
    };
    let source = if errno == 0 {
        io::Error::other("the operation was refused")
    } else {
        io::Error::from_raw_os_error(errno)
    };
    Refused::Whole(SandboxError::Step { doing: step.doing(), detail, hint: hint.to_owned(), source })
}

fn stand_in() -> Option<Owner> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let user = unused_id(&read("/proc/self/uid_map"), &read("/etc/passwd"), &read("/etc/subuid"))?;
    let group = unused_id(&read("/proc/self/gid_map"), &read("/etc/group"), &read("/etc/subgid"))?;
    Some(Owner { user, group })
}

/// A pipe belongs to whoever made it, and `echo > /dev/stdout` opens it again: as root it is given to the program.
fn give_pipes(streams: &Streams<'_>, owner: Owner) {
    let (user, group) = (rustix::fs::Uid::from_raw(owner.user), rustix::fs::Gid::from_raw(owner.group));
    for stream in [streams.stdout, streams.stderr] {
        let is_pipe = rustix::fs::fstat(stream)
            .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_fifo());
        if is_pipe {
            let _ = rustix::fs::fchown(stream, Some(user), Some(group));
        }
    }
}
