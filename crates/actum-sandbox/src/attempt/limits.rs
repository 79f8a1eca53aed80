//! Which limit was met, from what the supervisor can see.

use super::curve;
use super::{Attempt, LOOK};
use crate::cgroup::{self, Counted};
use crate::clock::Moment;
use crate::note::{Status, Word};
use crate::{init, sys};
use actum_model::{Amount, Bytes, Ending, Limit, Sample, Span, WorkspaceHow};
use rustix::fd::AsFd;
use rustix::fs::{StatFs, fstatfs};
use std::time::Duration;

/// What is held of the space that a run has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Disk {
    pub(super) used: u64,
    pub(super) is_full: bool,
    /// All of it could be read.
    is_complete: bool,
}

fn held(space: &StatFs) -> u64 {
    (space.f_blocks - space.f_bfree) * space.f_bsize as u64
}

impl Attempt {
    /// The wall clock.
    pub(super) fn over_wall(&self) -> Option<Ending> {
        let elapsed = self.begun.elapsed();
        let (max, used) = (Amount::Seconds(self.limits.wall), Amount::Seconds(Span(elapsed)));
        (elapsed >= self.limits.wall.0).then_some(Ending::TimedOut { max, used })
    }

    /// Everything else that is counted from outside.
    pub(super) fn over_count_or_space(&mut self, passed: u64) -> Option<Ending> {
        if passed > self.limits.output.0 {
            return Some(self.over(Limit::Output, passed));
        }
        // Output can come in thousands of pieces; counters are read once in an interval all the same.
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return None;
        }
        self.looked = Some(Moment::now());
        let counted = self.counted();
        self.draw(counted);
        if let Some(ending) = counted.and_then(|counted| self.over_count(counted)) {
            return Some(ending);
        }
        let disk = self.disk_used()?;
        if disk.is_complete {
            self.layer_held = disk.used;
        } else if !self.counts_writes {
            self.counts_writes = true;
            self.say(Word::CountWrites { base: self.layer_held, limit: self.limits.disk.0 });
        }
        disk.is_full.then(|| self.over(Limit::Disk, disk.used))
    }

    /// Adds a point to the curve when one is due. In the first second only what has been read anyway.
    fn draw(&mut self, counted: Option<Counted>) {
        let now = self.begun.elapsed();
        let may_look = now >= curve::LEAST;
        if !self.curve.wants(now) || (counted.is_none() && !may_look) {
            return;
        }
        let mut sample = curve::sample(now);
        match (counted, &self.accounting) {
            (Some(counted), Some((version, folders))) => {
                sample.memory = Some(Bytes(counted.memory));
                sample.cpu = Some(Span(counted.cpu));
                sample.processes = may_look.then(|| cgroup::processes(*version, folders)).flatten();
            }
            _ => self.look_at_tree(&mut sample),
        }
        self.curve.add(sample);
    }

    fn look_at_tree(&self, sample: &mut Sample) {
        let seen = self.init.map(init::see_tree).unwrap_or_default();
        if !seen.is_empty() {
            sample.memory = Some(Bytes(seen.iter().map(init::watch::Seen::memory).sum()));
            sample.cpu = Some(Span(seen.iter().map(init::watch::Seen::time).sum()));
            sample.processes = Some(seen.iter().map(|process| process.threads).sum());
        }
    }

    pub(super) fn counted(&self) -> Option<Counted> {
        self.accounting.as_ref().map(|(version, folders)| cgroup::read(*version, folders))
    }

    pub(super) fn counted_peak(&self) -> Option<u64> {
        self.accounting.as_ref().map(|(version, folders)| cgroup::read_peak(*version, folders))
    }

    fn over_count(&self, counted: Counted) -> Option<Ending> {
        if counted.memory_kills > 0 {
            return Some(self.over(Limit::Memory, counted.memory_peak.max(counted.memory)));
        }
        // The kernel makes sockets wait at their limit, and lets each of them pass it by a little: many pass it by much.
        if counted.tcp_buffers > 2 * cgroup::tcp_buffers(self.limits.memory.0) {
            return Some(self.over(Limit::Memory, counted.memory + counted.tcp_buffers));
        }
        if counted.processes_refused > 0 {
            return Some(self.over(Limit::Processes, self.limits.processes));
        }
        (counted.cpu > self.limits.cpu.0).then(|| self.over(Limit::Cpu, counted.cpu.as_millis() as u64))
    }

    /// What the layer and temporary files hold, and whether they can hold no more.
    pub(super) fn disk_used(&self) -> Option<Disk> {
        let layer = self.layer.as_ref()?;
        match self.confinement.workspace {
            WorkspaceHow::OverlayInMemory => {
                let space = fstatfs(layer).ok()?;
                let is_full = space.f_bfree == 0 || space.f_ffree == 0;
                Some(Disk { used: held(&space), is_full, is_complete: true })
            }
            WorkspaceHow::OverlayOnDisk => {
                let layer = crate::disk::usage(layer.as_fd());
                let temporary = self.scratch.as_ref().and_then(|scratch| fstatfs(scratch).ok());
                let used = layer.bytes + temporary.as_ref().map_or(0, held);
                Some(Disk { used, is_full: used > self.limits.disk.0, is_complete: layer.is_complete })
            }
            WorkspaceHow::Direct => None,
        }
    }

    pub(super) fn over(&self, limit: Limit, used: u64) -> Ending {
        let max = self.limits.get(limit);
        let used = match max {
            Amount::Bytes(_) => Amount::Bytes(Bytes(used)),
            Amount::Count(_) => Amount::Count(used),
            Amount::Seconds(_) => Amount::Seconds(Span(Duration::from_millis(used))),
        };
        match limit {
            Limit::Memory => Ending::OutOfMemory { max, used },
            Limit::Wall => Ending::TimedOut { max, used },
            Limit::Cpu
            | Limit::Processes
            | Limit::Descriptors
            | Limit::FileSize
            | Limit::Disk
            | Limit::Output => Ending::OverLimit { limit, max, used },
        }
    }

    /// A signal may be a limit speaking: the kernel's file-size and processor signals, and the memory killer's.
    pub(super) fn judge(&self, status: Status) -> Ending {
        if let Some(ending) = self.counted().and_then(|counted| self.over_count(counted)) {
            return ending;
        }
        match self.disk_used() {
            Some(disk) if disk.is_full => return self.over(Limit::Disk, disk.used),
            // What cannot be read may be as much as was written.
            Some(disk) if !disk.is_complete => {
                let written = self.used.and_then(|used| used.traffic).map_or(0, |all| all.written_to_disk.0);
                if written > self.limits.disk.0 {
                    return self.over(Limit::Disk, written);
                }
            }
            Some(_) | None => {}
        }
        match status {
            Status::Exited(code) => Ending::Exited { code },
            Status::Signalled(signal) if signal == sys::SIGXFSZ => {
                self.over(Limit::FileSize, self.limits.file_size.0)
            }
            Status::Signalled(signal) if signal == sys::SIGXCPU => {
                let used = self.used.unwrap_or_default();
                self.over(Limit::Cpu, (used.user + used.system).as_millis() as u64)
            }
            Status::Signalled(signal) => Ending::Signalled { signal },
        }
    }

    /// Init is gone and said nothing: the memory killer of its cgroup takes all of it at once. If it was not that,
    /// somebody outside ended the sandbox, and nothing is known about the program.
    pub(super) fn reason_of_silence(&self) -> Option<Ending> {
        self.counted().and_then(|counted| self.over_count(counted))
    }
}
