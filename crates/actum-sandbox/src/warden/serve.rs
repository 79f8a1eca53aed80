//! The warden's life: one call after the other, and at the end everything put away.

use super::cast::{self, Mappings, Origin, Sandbox, Seed};
use super::ground::{Ground, Stopped};
use super::{Begun, Call, Failure, layer_on_disk};
use crate::cgroup::{Accounting, Hierarchy, Version};
use crate::frame;
use crate::init::Fulfil;
use crate::note::{Note, Step};
use crate::order::{Access, Budget, Order, Owner, Place, Shape, Template, Walls};
use crate::sys::{self, Copied, SingleThreaded};
use actum_model::StartMode;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::process::{Signal, pidfd_send_signal};
use std::collections::HashMap;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A run that has not been forgotten yet.
struct Running {
    /// Its init, if it came to that.
    init: Option<(i32, OwnedFd)>,
    accounting: Option<Accounting>,
    /// A folder on disk that goes with the run.
    folder: Option<CString>,
}

struct Serving {
    alone: SingleThreaded,
    socket: OwnedFd,
    ground: Option<Ground>,
    mappings: Mappings,
    hierarchy: Option<Hierarchy>,
    running: HashMap<u64, Running>,
    ready: Vec<Sandbox>,
    keep: Option<(Shape, usize)>,
    /// Planted while idle, where only that makes starting quick.
    seed: Option<Seed>,
    /// Planting failed once.
    barren: bool,
    /// What the last order asked of its cgroup: most likely the next one asks the same.
    budget: Option<Budget>,
    started: u64,
    made: u64,
}

/// What the loop goes on with after a call.
enum Next {
    Call,
    End,
}

/// Serves until the supervisor hangs up, then puts everything away.
pub(super) fn main(socket: OwnedFd, alone: SingleThreaded) -> ! {
    settle();
    let mut serving = Serving {
        alone,
        socket,
        ground: None,
        mappings: Mappings::default(),
        hierarchy: None,
        running: HashMap::new(),
        ready: Vec::new(),
        keep: None,
        seed: None,
        barren: false,
        budget: None,
        started: 0,
        made: 0,
    };
    serving.live();
    serving.put_away();
    sys::exit_now(0)
}

/// Nothing of the supervisor's is kept: not its streams, not its signals, not its folder.
fn settle() {
    if let Ok(null) = rustix::fs::open(
        "/dev/null",
        rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC,
        rustix::fs::Mode::empty(),
    ) {
        for number in 0..=2 {
            let _ = sys::place_descriptor(null.as_fd(), number);
        }
    }
    sys::ignore_signals();
    let _ = rustix::process::setsid();
    let _ = rustix::process::chdir("/");
    let _ = sys::process_option(sys::CHILD_SUBREAPER, 1);
}

impl Serving {
    fn live(&mut self) {
        loop {
            self.refill_while_idle();
            match frame::receive::<Call>(self.socket.as_fd()) {
                Ok(Some((call, descriptors))) => match self.answer(call, descriptors) {
                    Next::Call => {}
                    Next::End => return,
                },
                Ok(None) => return,
                // A frame that cannot be read is a bug of the supervisor; there is nobody to tell but by hanging up.
                Err(_) => return,
            }
        }
    }

    fn answer(&mut self, call: Call, descriptors: Vec<OwnedFd>) -> Next {
        match call {
            Call::Begin { template, namespaces } => return self.begin(template, namespaces),
            Call::Start { key, order } => self.start(key, *order, descriptors),
            Call::Forget { key } => self.forget(key),
            Call::KeepReady { shape, count } => self.keep_ready(shape, count),
        }
        Next::Call
    }

    /// Tries to break ground in a successor, because the attempt cannot be undone: when it works the successor serves
    /// from then on and we only wait for its end; when it does not, we go on as we are.
    fn begin(&mut self, template: Template, namespaces: bool) -> Next {
        self.hierarchy = None;
        let hierarchy = Hierarchy::find();
        let accounting = hierarchy.as_ref().map(Hierarchy::version).map_err(Clone::clone);
        self.hierarchy = hierarchy.ok();
        if !namespaces {
            sys::ignore_children();
            let refused = Failure { step: Step::Namespaces, errno: 0, detail: "not asked for".to_owned() };
            let _ = frame::send(self.socket.as_fd(), &Begun { namespaces: Err(refused), accounting }, &[]);
            return Next::Call;
        }
        match sys::copy_process(self.alone, 0, None) {
            Ok(Copied::Child) => self.succeed(&template, accounting),
            Ok(Copied::Parent { pidfd, .. }) => self.wait_for_successor(pidfd),
            Err(error) => {
                let begun = Begun { namespaces: Err(failure(stopped(Step::Namespaces, error))), accounting };
                let _ = frame::send(self.socket.as_fd(), &begun, &[]);
                Next::Call
            }
        }
    }

    fn succeed(&mut self, template: &Template, accounting: Result<Version, String>) -> Next {
        let _ = sys::process_option(sys::PARENT_DEATH_SIGNAL, sys::SIGKILL as u64);
        match Ground::break_new(self.alone, template) {
            Ok(ground) => {
                self.ground = Some(ground);
                sys::ignore_children();
                let _ = frame::send(self.socket.as_fd(), &Begun { namespaces: Ok(()), accounting }, &[]);
                Next::Call
            }
            Err(error) => {
                let begun = Begun { namespaces: Err(failure(error)), accounting };
                let _ = frame::send(self.socket.as_fd(), &begun, &[]);
                sys::exit_now(SUCCESSION_FAILED)
            }
        }
    }

    fn wait_for_successor(&mut self, successor: OwnedFd) -> Next {
        let wait = rustix::process::WaitId::PidFd(successor.as_fd());
        let status = rustix::process::waitid(wait, rustix::process::WaitIdOptions::EXITED);
        let failed = matches!(status, Ok(Some(status)) if status.exit_status() == Some(SUCCESSION_FAILED));
        sys::ignore_children();
        if failed { Next::Call } else { Next::End }
    }

    fn start(&mut self, key: u64, order: Order, descriptors: Vec<OwnedFd>) {
        // stdin, stdout, stderr, and where to tell.
        let Ok([stdin, stdout, stderr, told]) = <[OwnedFd; 4]>::try_from(descriptors) else { return };
        self.started += 1;
        let mut accounting = None;
        let folder = order.folder.clone();
        match self.hand_over(
            &order,
            [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()],
            told.as_fd(),
            &mut accounting,
        ) {
            Ok(init) => {
                self.running.insert(key, Running { init: Some(init), accounting, folder });
            }
            Err(error) => {
                let Failure { step, errno, detail } = failure(error);
                let _ = frame::send(told.as_fd(), &Note::Failed { step, errno, detail }, &[]);
                self.running.insert(key, Running { init: None, accounting, folder });
            }
        }
    }

    fn hand_over(
        &mut self,
        order: &Order,
        streams: [BorrowedFd<'_>; 3],
        told: BorrowedFd<'_>,
        accounting: &mut Option<Accounting>,
    ) -> Result<(i32, OwnedFd), Stopped> {
        let trees = self.take_trees(order)?;
        let (mut sandbox, start) = match self.ready.iter().position(|ready| ready.shape == order.shape) {
            Some(index) => (self.ready.swap_remove(index), StartMode::Warm),
            None => (self.cast(order.shape)?, StartMode::Cold),
        };
        if let (Some(own), Some(budget)) = (&mut sandbox.accounting, order.budget) {
            own.set(budget).map_err(|error| stopped(Step::Accounting, error))?;
            self.budget = Some(budget);
        }
        *accounting = sandbox.accounting.take();
        let message = |error| stopped(Step::Message, error);
        let mut handed: Vec<BorrowedFd<'_>> = streams.to_vec();
        handed.push(told);
        handed.extend(trees.iter().map(AsFd::as_fd));
        let mut told_with = vec![sandbox.pidfd.as_fd()];
        told_with.extend(accounting.iter().flat_map(|own| own.folders.iter().map(AsFd::as_fd)));
        let version = accounting.as_ref().map(|own| own.version);
        let cast = Note::Cast { start, pid: sandbox.pid, accounting: version };
        // First what gets the program going; the supervisor waits for both.
        frame::send(sandbox.socket.as_fd(), &Fulfil(order.clone()), &handed).map_err(message)?;
        frame::send(told, &cast, &told_with).map_err(message)?;
        Ok((sandbox.pid, sandbox.pidfd))
    }

    /// The workspace, its layer on disk, and the places, from the machine's own tree.
    fn take_trees(&mut self, order: &Order) -> Result<Vec<OwnedFd>, Stopped> {
        if order.shape.walls == Walls::None {
            return Ok(Vec::new());
        }
        let Some(ground) = &mut self.ground else {
            return Err(stopped(Step::Namespaces, io::Error::other("there is no ground for namespaces")));
        };
        let root = Owner { user: 0, group: 0 };
        let layer = layer_on_disk(order).map(|folder| Place {
            source: folder.clone(),
            target: folder.clone(),
            access: Access::Write,
            owner: order.workspace.place.owner.map(|_| root),
        });
        let all = [&order.workspace.place].into_iter().chain(&layer).chain(&order.places);
        all.map(|place| cast::take_place(self.alone, ground, &mut self.mappings, place, order.shape.outside))
            .collect()
    }

    fn cast(&mut self, shape: Shape) -> Result<Sandbox, Stopped> {
        let origin = match self.seed.take() {
            Some(seed) => Origin::Seed(seed),
            None => Origin::Warden(self.account().map_err(|error| stopped(Step::Accounting, error))?),
        };
        let mut sandbox = cast::cast(self.alone, self.ground.as_mut(), shape, origin)?;
        if let (Some(own), Some(budget)) = (&mut sandbox.accounting, self.budget) {
            own.set(budget).map_err(|error| stopped(Step::Accounting, error))?;
        }
        Ok(sandbox)
    }

    /// A cgroup for the next sandbox, where there are any.
    fn account(&mut self) -> io::Result<Option<Accounting>> {
        let Some(hierarchy) = &self.hierarchy else { return Ok(None) };
        // The folders of cgroups are in the machine's tree.
        if let Some(ground) = &mut self.ground {
            ground.stand_on_machine()?;
        }
        self.made += 1;
        hierarchy.make(&self.made.to_string()).map(Some)
    }

    /// Plants the seed for the next sandbox.
    fn plant(&mut self) {
        if let Ok(Some(accounting)) = self.account() {
            self.seed = Seed::plant(self.alone, self.ground.as_mut(), accounting).ok();
        }
        // It will not work a moment later either; runs go on being put into their cgroups one by one.
        self.barren = self.seed.is_none();
    }

    fn forget(&mut self, key: u64) {
        if let Some(running) = self.running.remove(&key) {
            self.clear(running);
        }
    }

    fn clear(&mut self, running: Running) {
        if let Some(ground) = &mut self.ground {
            let _ = ground.stand_on_machine();
        }
        if let Some((pid, pidfd)) = &running.init {
            if self.ground.is_none() {
                // Before its init: were we killed in between, nobody would end it.
                crate::init::end_program(*pid);
            }
            let _ = pidfd_send_signal(pidfd, Signal::KILL);
            let _ = poll(&mut [PollFd::new(pidfd, PollFlags::IN)], Some(&Timespec { tv_sec: 5, tv_nsec: 0 }));
        }
        if self.ground.is_none() {
            // Without namespaces what an init left behind has come to us, its next subreaper.
            let living: Vec<i32> =
                self.running.values().filter_map(|other| Some(other.init.as_ref()?.0)).collect();
            crate::init::end_orphans(&living);
        }
        if let Some(accounting) = running.accounting {
            accounting.remove();
        }
        if let Some(folder) = running.folder {
            crate::disk::remove(Path::new(OsStr::from_bytes(folder.to_bytes())));
        }
    }

    fn keep_ready(&mut self, shape: Shape, count: u32) {
        self.keep = (count > 0).then_some((shape, count as usize));
        if count == 0 {
            self.give_up_ready();
        }
    }

    fn somebody_calls_within(&self, moment: Timespec) -> bool {
        let waiting = poll(&mut [PollFd::new(&self.socket, PollFlags::IN)], Some(&moment));
        waiting.is_ok_and(|ready| ready > 0)
    }

    fn wants_more(&self) -> bool {
        let v1 = self.hierarchy.as_ref().is_some_and(|hierarchy| hierarchy.version() == Version::V1);
        // A seed pays from the second run on; most callers start one and end.
        let seed = v1 && !self.barren && self.seed.is_none() && (self.started > 1 || self.keep.is_some());
        seed || self.keep.is_some_and(|(_, count)| self.ready.len() < count)
    }

    /// How long to wait for a call before building: hardly when nothing runs, longer while something does, unless
    /// there is nothing left to start the next one with.
    fn quiet(&self) -> Timespec {
        let millis = match (self.running.is_empty(), self.ready.is_empty()) {
            (true, _) => 1,
            (false, true) => 3,
            (false, false) => 20,
        };
        Timespec { tv_sec: 0, tv_nsec: millis * 1_000_000 }
    }

    /// Builds ahead when it has been quiet for a moment: building takes a core, and the run that has just been started
    /// needs it more.
    fn refill_while_idle(&mut self) {
        let mut quiet = self.quiet();
        while self.wants_more() && !self.somebody_calls_within(quiet) {
            quiet = Timespec::default();
            if let Some((shape, count)) = self.keep
                && self.ready.len() < count
            {
                match self.cast(shape) {
                    Ok(sandbox) => self.ready.push(sandbox),
                    Err(_) => self.keep = None,
                }
            } else {
                self.plant();
            }
        }
    }

    fn give_up_ready(&mut self) {
        for sandbox in std::mem::take(&mut self.ready) {
            let Sandbox { pid, pidfd, accounting, .. } = sandbox;
            self.clear(Running { init: Some((pid, pidfd)), accounting, folder: None });
        }
    }

    fn put_away(&mut self) {
        self.give_up_ready();
        if let Some(seed) = self.seed.take() {
            self.clear(Running { init: None, accounting: Some(seed.give_up()), folder: None });
        }
        for (_, running) in std::mem::take(&mut self.running) {
            self.clear(running);
        }
    }
}

/// Told by a successor that could not break ground.
const SUCCESSION_FAILED: i32 = 3;

fn stopped(step: Step, error: io::Error) -> Stopped {
    (step, error, String::new())
}

fn failure((step, error, detail): Stopped) -> Failure {
    let errno = error.raw_os_error().unwrap_or(0);
    let detail = if errno == 0 { format!("{detail} {error}").trim().to_owned() } else { detail };
    Failure { step, errno, detail }
}
