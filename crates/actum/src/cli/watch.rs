//! Waits until something happens in a run's folder.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
use std::path::Path;

/// A watch on a folder. What happens between two waits is not missed.
pub(super) struct Watch {
    /// Absent where the system gives none: then we look from time to time.
    events: Option<OwnedFd>,
}

/// How long we wait where nothing tells us: a process that is killed leaves no event.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };
/// How often we look where there are no events at all.
const LOOK_OFTEN: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

impl Watch {
    pub(super) fn on(folder: &Path) -> Self {
        let wanted = WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::DELETE_SELF;
        let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok();
        Self { events: events.filter(|events| add_watch(events, folder, wanted).is_ok()) }
    }

    /// Returns when something happened, or after a while.
    pub(super) fn wait(&self) {
        let Some(events) = &self.events else {
            let _ = poll(&mut [], Some(&LOOK_OFTEN));
            return;
        };
        let _ = poll(&mut [PollFd::new(events, PollFlags::IN)], Some(&LOOK));
        let mut told = [0_u8; 4096];
        while rustix::io::read(events, &mut told).is_ok_and(|length| length == told.len()) {}
    }
}
