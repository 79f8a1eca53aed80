//! Waiting: for the program, for orphans, for a limit, for the word to stop.

use super::payload::Child;
use super::tree;
use super::watch::Watcher;
use crate::frame;
use crate::note::{Note, Status, Used};
use crate::order::{Order, Walls};
use crate::sys;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::BorrowedFd;
use rustix::process::{Pid, WaitOptions, wait};
use std::io;

/// 10 ms: half of what a limit may be outrun by, at a cost of about 1 % of one core for a handful of processes.
const INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// Whose end is ours.
#[derive(Clone, Copy)]
pub(super) struct Outside<'a> {
    pub(super) supervisor: BorrowedFd<'a>,
    pub(super) warden: Option<Pid>,
}

/// Reaps until the program ended or a limit was met, reports it, and ends what is left.
pub(super) fn until_the_end(
    order: &Order,
    child: Child,
    signals: BorrowedFd<'_>,
    outside: Outside<'_>,
) -> io::Result<()> {
    let supervisor = outside.supervisor;
    let mut watcher = Watcher::new(order.watch, order.shape.walls);
    let interval = (!order.watch.is_idle()).then_some(&INTERVAL);
    let note = loop {
        let mut waiting = [
            PollFd::from_borrowed_fd(signals, PollFlags::IN),
            PollFd::from_borrowed_fd(supervisor, PollFlags::IN),
        ];
        match poll(&mut waiting, interval) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if waiting[1].revents().intersects(PollFlags::IN | PollFlags::HUP) {
            // Any word from the supervisor means stop, and so does its silence.
            break None;
        }
        drain(signals);
        if rustix::process::getppid() != outside.warden {
            break None;
        }
        if let Some(status) = reap(&child) {
            break Some(Note::Ended { status, used: used(&mut watcher) });
        }
        if let Some((limit, amount)) = watcher.look() {
            break Some(Note::Over { limit, used: amount });
        }
    };
    let told = note.map_or(Ok(()), |note| frame::send(supervisor, &note, &[]));
    // Whether or not anybody is left to be told.
    if order.shape.walls == Walls::None {
        tree::end_all(&[]);
    }
    told
}

fn used(watcher: &mut Watcher) -> Used {
    let times = sys::times_of_children();
    Used {
        user: times.user,
        system: times.system,
        memory_peak: watcher.memory_peak.max(times.largest_resident),
        processes_peak: watcher.processes_peak,
        disk: watcher.disk_written,
    }
}

/// Collects everything that ended; gives the program's status if it is among them.
fn reap(child: &Child) -> Option<Status> {
    let mut ended = None;
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if pid.as_raw_nonzero().get() == child.pid {
            ended = Some(match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => Status::Exited(code),
                (None, signal) => Status::Signalled(signal.unwrap_or(0)),
            });
        }
    }
    ended
}

fn drain(signals: BorrowedFd<'_>) {
    let mut bytes = [0_u8; 1024];
    while matches!(rustix::io::read(signals, &mut bytes), Ok(n) if n == bytes.len()) {}
}
