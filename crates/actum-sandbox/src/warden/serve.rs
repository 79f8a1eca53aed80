//! The warden's life: one call after the other, and at the end everything put away.

use super::cast::{self, Links, Mappings, Sandbox};
use super::ground::{CanBeUndone, Ground, Stopped};
use super::understudy::{Role, Understudy};
use super::{Begun, Call, Expected, Failure, layer_on_disk};
use crate::cgroup::{Accounting, Hierarchy, Version};
use crate::frame;
use crate::init::Fulfil;
use crate::note::{Note, Step};
use crate::order::{Access, Budget, Order, Owner, Place, Shape, Walls};
use crate::sys::{self, SingleThreaded};
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
    /// Why the template does not show what it was to show.
    unfurnished: Option<Failure>,
    mappings: Mappings,
    hierarchy: Option<Hierarchy>,
    /// Made when the hierarchy was found, for the first sandbox.
    spare: Option<Accounting>,
    running: HashMap<u64, Running>,
    ready: Vec<Sandbox>,
    /// Built because it will most likely be ordered next.
    expected: Option<Sandbox>,
    keep: Option<(Shape, usize)>,
    /// What the last order asked of its cgroup: most likely the next one asks the same.
    budget: Option<Budget>,
    made: u64,
    /// What wardens that no longer live left behind is gone.
    swept: bool,
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
        unfurnished: None,
        mappings: Mappings::default(),
        hierarchy: None,
        spare: None,
        swept: false,
        running: HashMap::new(),
        ready: Vec::new(),
        expected: None,
        keep: None,
        budget: None,
        made: 0,
    };
    serving.live();
    serving.put_away();
    sys::exit_now(0)
}

/// Nothing of the supervisor's is kept: not its streams, not its signals, not its folder.
fn settle() {
    crate::aside::leave();
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
            Call::Begin { namespaces } => return self.begin(namespaces),
            Call::Furnish { folders } => self.furnish(&folders),
            Call::Start { key, order } => self.start(key, *order, descriptors),
            Call::Forget { key } => self.forget(key),
            Call::Expect(expected) => self.expect(&expected),
            Call::KeepReady { shape, count } => self.keep_ready(shape, count),
        }
        Next::Call
    }

    /// Breaks ground. Where that cannot be undone an understudy stays behind as we are, and serves if it fails.
    fn begin(&mut self, namespaces: bool) -> Next {
        let found = Hierarchy::find();
        let accounting = found.as_ref().map(|(hierarchy, _)| hierarchy.version()).map_err(Clone::clone);
        (self.hierarchy, self.spare) = found.ok().unzip();
        if !namespaces {
            sys::ignore_children();
            let refused = Failure { step: Step::Namespaces, errno: 0, detail: "not requested".to_owned() };
            let _ = frame::send(self.socket.as_fd(), &Begun { namespaces: Err(refused), accounting }, &[]);
            return Next::Call;
        }
        let can_be_undone = Ground::can_be_undone();
        if can_be_undone == CanBeUndone::Yes {
            let broken = Ground::break_new(self.alone, can_be_undone);
            sys::ignore_children();
            let namespaces = broken.map(|ground| self.ground = Some(ground)).map_err(failure);
            let _ = frame::send(self.socket.as_fd(), &Begun { namespaces, accounting }, &[]);
            return Next::Call;
        }
        match Understudy::engage(self.alone) {
            Ok(Role::Understudy(word)) => self.stand_by(&word, accounting),
            Ok(Role::Warden(understudy)) => self.risk(understudy, accounting),
            Err(error) => {
                let begun = Begun { namespaces: Err(failure(stopped(Step::Namespaces, error))), accounting };
                let _ = frame::send(self.socket.as_fd(), &begun, &[]);
                Next::Call
            }
        }
    }

    /// Breaks ground where that cannot be undone. When it fails we are good for nothing more than to wait for the end of
    /// the understudy, who serves from then on.
    fn risk(&mut self, understudy: Understudy, accounting: Result<Version, String>) -> Next {
        match Ground::break_new(self.alone, CanBeUndone::No) {
            Ok(ground) => {
                self.ground = Some(ground);
                // Before it is dismissed: from here on the kernel reaps.
                sys::ignore_children();
                understudy.dismiss();
                let _ = frame::send(self.socket.as_fd(), &Begun { namespaces: Ok(()), accounting }, &[]);
                Next::Call
            }
            Err(error) => {
                understudy.take_the_stage(&failure(error));
                // What we hold is the understudy's to put away.
                self.spare = None;
                Next::End
            }
        }
    }

    /// Waits in the understudy's place until we are needed, or not.
    fn stand_by(&mut self, word: &OwnedFd, accounting: Result<Version, String>) -> Next {
        match frame::receive::<Failure>(word.as_fd()) {
            Ok(Some((failure, _))) => {
                // A copy does not inherit it, and without namespaces orphans have to come to whoever serves.
                let _ = sys::process_option(sys::CHILD_SUBREAPER, 1);
                sys::ignore_children();
                let _ =
                    frame::send(self.socket.as_fd(), &Begun { namespaces: Err(failure), accounting }, &[]);
                Next::Call
            }
            Ok(None) | Err(_) => sys::exit_now(0),
        }
    }

    fn furnish(&mut self, folders: &[CString]) {
        let furnished = self.ground.as_mut().map_or(Ok(()), |ground| ground.furnish(folders));
        self.unfurnished = furnished.map_err(failure).err();
    }

    fn start(&mut self, key: u64, order: Order, descriptors: Vec<OwnedFd>) {
        // stdin, stdout, stderr, and where to tell.
        let Ok([stdin, stdout, stderr, told]) = <[OwnedFd; 4]>::try_from(descriptors) else { return };
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
        self.sweep();
    }

    /// Takes away what wardens that no longer live left behind. After a start, because nobody waits for it; and at the
    /// end what was still dying then.
    fn sweep(&mut self) {
        let stands = self.ground.as_mut().is_none_or(|ground| ground.stand_on_machine().is_ok());
        if let Some(hierarchy) = self.hierarchy.as_ref().filter(|_| stands && !self.swept) {
            self.swept = hierarchy.sweep();
        }
    }

    fn hand_over(
        &mut self,
        order: &Order,
        streams: [BorrowedFd<'_>; 3],
        told: BorrowedFd<'_>,
        accounting: &mut Option<Accounting>,
    ) -> Result<(i32, OwnedFd), Stopped> {
        let (mut sandbox, start) = self.sandbox_of(order.shape)?;
        *accounting = sandbox.accounting.take();
        if let (Some(own), Some(budget)) = (accounting.as_mut(), order.budget) {
            own.set(budget).map_err(|error| stopped(Step::Accounting, error))?;
            self.budget = Some(budget);
        }
        // Meanwhile init builds. If this fails it hears a hang-up instead of an order, and ends.
        let trees = self.take_trees(order)?;
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

    /// One that was built ahead, or else is built now. One that was only expected belongs to the same request: it is no warm one.
    fn sandbox_of(&mut self, shape: Shape) -> Result<(Sandbox, StartMode), Stopped> {
        if let Some(expected) = self.expected.take_if(|expected| expected.shape == shape) {
            return Ok((expected, StartMode::Cold));
        }
        match self.ready.iter().position(|ready| ready.shape == shape) {
            Some(index) => Ok((self.ready.swap_remove(index), StartMode::Warm)),
            None => Ok((self.cast(shape)?, StartMode::Cold)),
        }
    }

    /// Builds what will most likely be ordered next, while the supervisor finds out what to run in it. What does not work is told
    /// when it is ordered and tried again.
    fn expect(&mut self, expected: &Expected) {
        let Expected { shape, budget, owner } = *expected;
        self.give_up_expected();
        self.budget = budget.or(self.budget);
        self.expected = self.cast(shape).ok();
        if let (Some(owner), Some(ground)) = (owner, &self.ground) {
            let _ = self.mappings.get(self.alone, ground.processes.as_fd(), (owner, shape.outside));
        }
    }

    fn give_up_expected(&mut self) {
        if let Some(sandbox) = self.expected.take() {
            self.give_up(sandbox);
        }
    }

    /// The workspace, its layer on disk, and the places, from the machine's own tree.
    fn take_trees(&mut self, order: &Order) -> Result<Vec<OwnedFd>, Stopped> {
        if order.shape.walls == Walls::None {
            return Ok(Vec::new());
        }
        let Some(ground) = &mut self.ground else {
            return Err(stopped(Step::Namespaces, io::Error::other("namespaces were not prepared")));
        };
        let root = Owner { user: 0, group: 0 };
        let layer = layer_on_disk(order).map(|folder| Place {
            source: folder.clone(),
            target: folder.clone(),
            access: Access::Write,
            owner: order.workspace.place.owner.map(|_| root),
        });
        // The workspace's path holds no link; one that is there now was put there since.
        let workspace = [(&order.workspace.place, Links::Refused)];
        let others = layer.iter().chain(&order.places).map(|place| (place, Links::Followed));
        let outside = order.shape.outside;
        let all = workspace.into_iter().chain(others);
        all.map(|place| cast::take_place(self.alone, ground, &mut self.mappings, place, outside)).collect()
    }

    fn cast(&mut self, shape: Shape) -> Result<Sandbox, Stopped> {
        if let (Some(failure), Walls::Namespaces { .. }) = (&self.unfurnished, shape.walls) {
            let error = io::Error::from_raw_os_error(failure.errno);
            return Err((failure.step, error, failure.detail.clone()));
        }
        let accounting = self.account().map_err(|error| stopped(Step::Accounting, error))?;
        let mut sandbox = cast::cast(self.alone, self.ground.as_mut(), shape, accounting)?;
        if let (Some(own), Some(budget)) = (&mut sandbox.accounting, self.budget) {
            own.set(budget).map_err(|error| stopped(Step::Accounting, error))?;
        }
        Ok(sandbox)
    }

    /// A cgroup for the next sandbox, where there are any.
    fn account(&mut self) -> io::Result<Option<Accounting>> {
        if let Some(spare) = self.spare.take() {
            return Ok(Some(spare));
        }
        let Some(hierarchy) = &self.hierarchy else { return Ok(None) };
        // The folders of cgroups are in the machine's tree.
        if let Some(ground) = &mut self.ground {
            ground.stand_on_machine()?;
        }
        self.made += 1;
        hierarchy.make(&self.made.to_string()).map(Some)
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
        self.keep.is_some_and(|(_, count)| self.ready.len() < count)
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
            let Some((shape, _)) = self.keep else { return };
            match self.cast(shape) {
                Ok(sandbox) => self.ready.push(sandbox),
                Err(_) => self.keep = None,
            }
        }
    }

    fn give_up_ready(&mut self) {
        for sandbox in std::mem::take(&mut self.ready) {
            self.give_up(sandbox);
        }
    }

    fn give_up(&mut self, sandbox: Sandbox) {
        let Sandbox { pid, pidfd, accounting, .. } = sandbox;
        self.clear(Running { init: Some((pid, pidfd)), accounting, folder: None });
    }

    fn put_away(&mut self) {
        self.give_up_expected();
        self.give_up_ready();
        if let Some(spare) = self.spare.take() {
            self.clear(Running { init: None, accounting: Some(spare), folder: None });
        }
        for (_, running) in std::mem::take(&mut self.running) {
            self.clear(running);
        }
        self.sweep();
    }
}

fn stopped(step: Step, error: io::Error) -> Stopped {
    (step, error, String::new())
}

fn failure((step, error, detail): Stopped) -> Failure {
    let errno = error.raw_os_error().unwrap_or(0);
    let detail = if errno == 0 { format!("{detail} {error}").trim().to_owned() } else { detail };
    Failure { step, errno, detail }
}
