//! What is looked at beside a run, in a thread of its own: the files that it was given, and the repository around it.
//!
//! The workspace is seen by a program through a layer, so reading it while the program runs reads what was there when it
//! began. Where a program writes directly, the look is over before it starts.

use crate::clock::Stopwatch;
use crate::inputs::{self, ReadBack, Survey};
use crate::request::Request;
use actum_git::{Difference, Head, Repository};
use actum_model::{FileFacts, Git};
use actum_output::Origin;
use actum_sandbox::Sandboxes;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fd::{AsFd, OwnedFd};
use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;
use std::time::Duration;

/// What was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) inputs: Vec<FileFacts>,
    pub(crate) git: Option<Git>,
    /// Who prints what a command prints, decided before it started.
    pub(crate) origin: Option<Origin>,
}

impl Seen {
    /// Beside what was opened, where that is known.
    pub(crate) fn and(mut self, read_back: Option<ReadBack>) -> Self {
        if let Some(read_back) = read_back {
            read_back.onto(&mut self.inputs);
        }
        self
    }
}

/// A look that goes on. Dropping it ends it.
pub(crate) struct Beside {
    seen: Receiver<Seen>,
    surveyed: Receiver<Arc<Survey>>,
    survey: OnceCell<Arc<Survey>>,
    /// Tells the look that the program is about to start.
    starts: Sender<()>,
    stop: Option<OwnedFd>,
    begun: Stopwatch,
    already: Option<Seen>,
    /// Whether `git` has been asked.
    asked: Arc<AtomicBool>,
}

/// A program that is over sooner, its sandbox included, is not worth a second one: that would take as long again.
const SHORT: Duration = Duration::from_millis(10);
/// A run that writes directly waits for the repository this long before it starts.
const BEFORE: Duration = Duration::from_secs(2);
/// Others wait for it at their end as long as this part of what they took: a tenth.
const PART: u32 = 10;
const LONGEST_AFTER: Duration = Duration::from_secs(2);

impl Beside {
    /// Begins to look.
    pub(crate) fn begin<'scope>(
        scope: &'scope Scope<'scope, '_>,
        request: &'scope Request,
        sandboxes: &'scope Sandboxes,
    ) -> Self {
        let (tell, seen) = channel();
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::SEMAPHORE | EventfdFlags::NONBLOCK).ok();
        let stopped = stop.as_ref().and_then(|stop| stop.try_clone().ok());
        let directly = sandboxes.writes_directly(&request.attempt).unwrap_or_default();
        let (starts, started) = channel();
        let asked = Arc::new(AtomicBool::new(false));
        let asking = Arc::clone(&asked);
        let (tell_survey, surveyed) = channel();
        let look = move || {
            let origin = crate::origin::of_request(request);
            let survey = Arc::new(Survey::of(request));
            let _ = tell_survey.send(Arc::clone(&survey));
            let inputs = inputs::read(request, &survey);
            let is_worth_it = |stop: &OwnedFd| {
                // An error means that it never starts; then it is over as well.
                let is_over = !directly && (started.recv().is_err() || is_over_within(stop, SHORT));
                asking.store(!is_over, Ordering::Release);
                !is_over
            };
            let git = stopped.and_then(|stop| repository(request, sandboxes, &stop, is_worth_it));
            // Whoever asked may be gone.
            let _ = tell.send(Seen { inputs, git, origin });
        };
        // Without a thread there is nothing to tell, and a run all the same.
        let _ = std::thread::Builder::new().name("beside".to_owned()).spawn_scoped(scope, look);
        let mut beside = Self {
            seen,
            surveyed,
            survey: OnceCell::new(),
            starts,
            stop,
            begun: Stopwatch::start(),
            already: None,
            asked,
        };
        if directly {
            beside.already = Some(beside.wait(BEFORE));
        }
        beside
    }

    /// The program is about to start: from here on it is known how long it takes.
    pub(crate) fn program_starts(&self) {
        let _ = self.starts.send(());
    }

    /// What lies in the workspace. It is the first thing that is looked at, and there before a sandbox is.
    pub(crate) fn survey(&self) -> &Survey {
        self.survey.get_or_init(|| self.surveyed.recv().unwrap_or_default())
    }

    /// What was seen until now, or in a little more time.
    pub(crate) fn finish(&self) -> Seen {
        if let Some(seen) = &self.already {
            return seen.clone();
        }
        // What has not been asked need not be waited for.
        let part = (self.begun.elapsed() / PART).min(LONGEST_AFTER);
        self.wait(if self.asked.load(Ordering::Acquire) { part } else { Duration::ZERO })
    }

    fn wait(&self, patience: Duration) -> Seen {
        self.seen.recv_timeout(patience).unwrap_or_else(|_| {
            self.hurry();
            self.seen.recv().unwrap_or_default()
        })
    }

    fn hurry(&self) {
        if let Some(stop) = &self.stop {
            let _ = rustix::io::write(stop, &1_u64.to_ne_bytes());
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.hurry();
    }
}

/// The repository around the workspace; what differs from its commit only where the run is not over before.
fn repository(
    request: &Request,
    sandboxes: &Sandboxes,
    stop: &OwnedFd,
    is_worth_it: impl FnOnce(&OwnedFd) -> bool,
) -> Option<Git> {
    let repository = Repository::around(&request.attempt.workspace)?;
    let Head { commit, branch } = repository.head()?;
    let difference = match is_worth_it(stop) {
        true => actum_git::difference(sandboxes, &request.attempt, (&repository, &commit), stop.as_fd()),
        false => None,
    };
    let (dirty, diff) = difference.map(|Difference { dirty, diff }| (dirty, diff)).unzip();
    Some(Git { commit, branch, dirty, diff })
}

fn is_over_within(stop: &OwnedFd, wait: Duration) -> bool {
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(wait.subsec_nanos()) };
    poll(&mut [PollFd::new(stop, PollFlags::IN)], Some(&time)).is_ok_and(|ready| ready > 0)
}
