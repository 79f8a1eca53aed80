//! Looking at what the tree uses where no cgroup counts it.
//!
//! Memory is summed in two steps: the cheap sum counts files, and what processes share once for each, so it is never too
//! low. Only when it is over the limit are the exact shares asked for, process by process.

use super::tree;
use crate::order::{Walls, Watch};
use actum_model::Limit;
use std::collections::HashMap;
use std::time::Duration;

/// Pages of 4 KiB on the architectures that are supported.
const PAGE: u64 = 4096;
/// The kernel's clock ticks as shown in /proc, fixed at 100 for everybody.
const TICK: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(super) struct Watcher {
    watch: Watch,
    walls: Walls,
    pub(super) memory_peak: u64,
    pub(super) processes_peak: u64,
    pub(super) disk_written: u64,
    /// Bytes written by each process when last seen: one that ended keeps its share.
    written: HashMap<i32, u64>,
}

/// What one process showed of itself.
#[derive(Debug)]
pub(crate) struct Seen {
    pid: i32,
    pub(crate) threads: u64,
    ticks: u64,
    /// Of the children that it waited for.
    ticks_of_children: u64,
    /// Everything resident, with files and with what others share: never less than what counts.
    resident: u64,
}

impl Seen {
    /// Processor time of its own and of what it waited for.
    pub(crate) fn time(&self) -> Duration {
        TICK * u32::try_from(self.ticks + self.ticks_of_children).unwrap_or(u32::MAX)
    }

    /// What it holds alone or with others, files apart.
    pub(crate) fn memory(&self) -> u64 {
        own_and_shared(self.pid, "status", "RssAnon:", "RssShmem:").unwrap_or(0)
    }
}

impl Watcher {
    pub(super) fn new(watch: Watch, walls: Walls) -> Self {
        Self { watch, walls, memory_peak: 0, processes_peak: 0, disk_written: 0, written: HashMap::new() }
    }

    /// The first limit that is met, with what was used of it.
    pub(super) fn look(&mut self) -> Option<(Limit, u64)> {
        if self.watch.is_idle() {
            return None;
        }
        let seen: Vec<Seen> = self.pids().into_iter().filter_map(see).collect();
        self.memory(&seen)
            .or_else(|| self.processes(&seen))
            .or_else(|| self.cpu(&seen))
            .or_else(|| self.disk(&seen))
    }

    fn pids(&self) -> Vec<i32> {
        match self.walls {
            Walls::None => tree::descendants(std::process::id() as i32),
            // Everybody in this /proc but ourselves is the program's.
            Walls::Namespaces { .. } => std::fs::read_dir("/proc")
                .map(|entries| {
                    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
                    pids.filter(|pid| *pid != 1).collect()
                })
                .unwrap_or_default(),
        }
    }

    fn memory(&mut self, seen: &[Seen]) -> Option<(Limit, u64)> {
        let limit = self.watch.memory?;
        let most: u64 = seen.iter().map(|process| process.resident).sum();
        if most <= limit {
            return None;
        }
        let sum: u64 = seen.iter().map(exact_memory).sum();
        self.memory_peak = self.memory_peak.max(sum);
        (sum > limit).then_some((Limit::Memory, sum))
    }

    fn processes(&mut self, seen: &[Seen]) -> Option<(Limit, u64)> {
        // Our init is one of them.
        let count = seen.iter().map(|process| process.threads).sum::<u64>() + 1;
        self.processes_peak = self.processes_peak.max(count);
        let limit = self.watch.processes?;
        (count >= limit).then_some((Limit::Processes, count))
    }

    fn cpu(&self, seen: &[Seen]) -> Option<(Limit, u64)> {
        let limit = self.watch.cpu?;
        let alive: u64 = seen.iter().map(|process| process.ticks).sum();
        let ended = crate::sys::times_of_children();
        let sum = TICK * u32::try_from(alive).unwrap_or(u32::MAX) + ended.user + ended.system;
        (sum > limit).then_some((Limit::Cpu, sum.as_millis() as u64))
    }

    fn disk(&mut self, seen: &[Seen]) -> Option<(Limit, u64)> {
        let limit = self.watch.disk?;
        for process in seen {
            if let Some(bytes) = written_by(process.pid) {
                self.written.insert(process.pid, bytes);
            }
        }
        self.disk_written = self.written.values().sum();
        (self.disk_written > limit).then_some((Limit::Disk, self.disk_written))
    }
}

/// A process that has ended meanwhile is nobody. Names are the program's own and may be any bytes.
pub(super) fn see(pid: i32) -> Option<Seen> {
    let stat = text(&format!("/proc/{pid}/stat"))?;
    // The name stands in parentheses and may hold anything, parentheses too: fields begin after the last one.
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Seen {
        pid,
        threads: number(17)?,
        ticks: number(11)? + number(12)?,
        ticks_of_children: number(13)? + number(14)?,
        resident: number(21)? * PAGE,
    })
}

/// This process's share of its own and of shared memory; what it holds alone or with others, where it hides the share.
fn exact_memory(process: &Seen) -> u64 {
    // Ended meanwhile, or a zombie, has none any more.
    own_and_shared(process.pid, "smaps_rollup", "Pss_Anon:", "Pss_Shmem:").unwrap_or_else(|| process.memory())
}

fn own_and_shared(pid: i32, file: &str, own: &str, shared: &str) -> Option<u64> {
    let text = text(&format!("/proc/{pid}/{file}"))?;
    Some(field(&text, own)? + field(&text, shared)?)
}

fn text(path: &str) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// A field in kilobytes, as bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

fn written_by(pid: i32) -> Option<u64> {
    let text = text(&format!("/proc/{pid}/io"))?;
    text.lines().find_map(|line| line.strip_prefix("write_bytes: "))?.parse().ok()
}
