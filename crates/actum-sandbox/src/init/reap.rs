//! Waiting: for the program, for orphans, for a limit, for the word to stop.

use super::account::Account;
use super::payload::Child;
use super::tree;
use super::watch::Watcher;
use crate::frame;
use crate::note::{Note, Status, Used, Word};
use crate::order::{Order, Walls};
use crate::sys;
use actum_model::Limit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::process::{Pid, WaitOptions, wait};
use std::io;

/// Whose end is ours.
#[derive(Clone, Copy)]
pub(super) struct Outside<'a> {
    pub(super) supervisor: BorrowedFd<'a>,
    pub(super) warden: Option<Pid>,
}

/// Reaps until the program ended, a limit was met or a word came, reports it, and ends what is left.
pub(super) fn until_the_end(
    order: &Order,
    (child, account, scratch): (Child, Account, Option<OwnedFd>),
    signals: BorrowedFd<'_>,
    outside: Outside<'_>,
) -> io::Result<()> {
    let supervisor = outside.supervisor;
    let mut watcher = Watcher::new(order.watch, order.shape.walls, scratch);
    let mut executed = false;
    let end = loop {
        let interval = watcher.interval().map(|time| Timespec { tv_sec: 0, tv_nsec: time.as_nanos() as _ });
        let mut waiting = [
            PollFd::from_borrowed_fd(signals, PollFlags::IN),
            PollFd::from_borrowed_fd(supervisor, PollFlags::IN),
        ];
        match poll(&mut waiting, interval.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if waiting[1].revents().intersects(PollFlags::IN | PollFlags::HUP) {
            match frame::receive::<Word>(supervisor) {
                Ok(Some((Word::Ask { otherwise }, _))) => {
                    let signal = tree::choose_signal(child.pid).unwrap_or(otherwise);
                    // Told first: its end may be the next thing that is.
                    let _ = frame::send(supervisor, &Note::Asked { signal }, &[]);
                    tree::signal_group(child.pid, signal);
                }
                Ok(Some((Word::CountWrites { base, limit }, _))) => {
                    watcher.count_writes(base, limit, &account)
                }
                Ok(Some((Word::End, _))) => break End::Told,
                // What cannot be understood is no reason to live on.
                Ok(None) | Err(_) => break End::Alone,
            }
        }
        drain(signals);
        if rustix::process::getppid() != outside.warden {
            break End::Alone;
        }
        if let Some(status) = reap(&child) {
            break End::Program(status);
        }
        // Asked before the look: what is executed meanwhile is looked at the next time.
        executed = executed || child.has_executed();
        let waiting = (!executed).then_some(child.pid);
        if let Some((limit, used)) = watcher.look(&account, waiting) {
            break End::Over(limit, used);
        }
    };
    let told = match end {
        End::Program(status) => {
            let used = used(&watcher, &account, order.shape.walls);
            frame::send(supervisor, &Note::Ended { status, used }, &[])
        }
        End::Over(limit, used) => frame::send(supervisor, &Note::Over { limit, used }, &[]),
        End::Told | End::Alone => Ok(()),
    };
    match (end, order.shape.walls) {
        // The kernel ends the rest with us.
        (End::Program(_) | End::Alone, Walls::Namespaces { .. }) => return told,
        // Whether or not anybody is left to be told.
        (End::Program(_) | End::Alone, Walls::None) => {
            tree::end_all(&[]);
            return told;
        }
        (End::Told | End::Over(..), Walls::Namespaces { .. }) => tree::end_namespace(),
        (End::Told | End::Over(..), Walls::None) => tree::end_all(&[]),
    }
    let used = used(&watcher, &account, order.shape.walls);
    told.and(frame::send(supervisor, &Note::Stopped { used }, &[]))
}

/// Why the waiting is over.
#[derive(Clone, Copy)]
enum End {
    Program(Status),
    Over(Limit, u64),
    /// The supervisor said so.
    Told,
    /// Nobody is left who would want to know.
    Alone,
}

fn used(watcher: &Watcher, account: &Account, walls: Walls) -> Used {
    let times = sys::times_of_children();
    Used {
        user: times.user,
        system: times.system,
        memory_peak: watcher.memory_peak().max(times.largest_resident),
        processes_peak: watcher.processes_peak,
        disk: watcher.written,
        traffic: account.traffic(),
        processes_started: match walls {
            Walls::Namespaces { .. } => account.started(),
            // The numbers are the machine's.
            Walls::None => None,
        },
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
