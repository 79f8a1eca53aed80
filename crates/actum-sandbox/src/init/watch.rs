//! Looking at what the tree uses where no cgroup counts it.
//!
//! Every look reads `/proc/PID/stat` of each process and nothing else, unless an estimate that is never too low exceeds the
//! limit: [`memory`](super::memory) then measures exactly. Processor time and written bytes are kept in a
//! [`Ledger`], so that what a process used is not lost when it ends without being waited for.

use super::account::Account;
use super::ledger::{Ledger, Standing};
use super::memory::Memory;
use super::tree;
use crate::clock::Moment;
use crate::order::{Walls, Watch};
use actum_model::Limit;
use rustix::fd::{AsFd, OwnedFd};
use std::collections::HashMap;
use std::collections::HashSet;
use std::time::Duration;

/// Pages of 4 KiB on the architectures that are supported.
const PAGE: u64 = 4096;
/// The kernel's clock ticks as shown in /proc, fixed at 100 for everybody.
const TICK: Duration = Duration::from_millis(10);
/// How long a process may hide what it wrote: one that is just ending may refuse for a moment.
const UNREADABLE: Duration = Duration::from_millis(50);
/// 10 ms: half of what a limit may be outrun by, at a cost of about 1 % of one core for a handful of processes.
const LONGEST_INTERVAL: Duration = Duration::from_millis(10);
/// Below this the kernel's own timers and the scheduler decide.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);
/// Bytes that a few cores can touch in a millisecond: how near the memory limit is decides when to look again.
const FASTEST_GROWTH: u64 = 8 << 20;
/// A look may take this share of the time until the next one.
const LOOK_SHARE: u32 = 50;
/// The bit of SIGCHLD (17) in the masks of `/proc/PID/status`.
const SIGCHLD_BIT: u64 = 1 << 16;

#[derive(Debug)]
pub(super) struct Watcher {
    watch: Watch,
    walls: Walls,
    memory: Memory,
    pub(super) processes_peak: u64,
    /// Bytes written outside the scratch, and what the scratch holds.
    pub(super) written: u64,
    disk: Ledger,
    /// What was in use when counting writes began: a layer that can no longer be read.
    disk_base: u64,
    scratch: Option<OwnedFd>,
    /// Processes that hide what they wrote, with the moment at which that was first seen.
    unreadable: HashMap<(i32, u64), Moment>,
    /// How long to wait for the next look.
    interval: Duration,
    cpu: Ledger,
    /// Processor time of processes that ended between two looks and were not waited for, estimated.
    unseen: Duration,
    started: u64,
    looked: Option<Moment>,
    pids: HashSet<i32>,
}

/// What one process showed of itself.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(super) pid: i32,
    /// The thread that shows what the process holds: its first one, unless that has ended and others go on.
    pub(super) shown_by: i32,
    /// It has ended, and was not waited for yet.
    has_ended: bool,
    /// When it started, in ticks: with its number it names a process that is never named again.
    start: u64,
    pub(crate) threads: u64,
    ticks: u64,
    /// Of the children that it waited for.
    ticks_of_children: u64,
    /// Everything resident, with files and with what others share: never less than what counts.
    pub(super) resident: u64,
    /// Its address space.
    pub(super) mapped: u64,
}

impl Seen {
    /// Processor time of its own and of what it waited for.
    pub(crate) fn time(&self) -> Duration {
        duration(self.ticks + self.ticks_of_children)
    }

    /// What it holds alone or with others, files apart.
    pub(crate) fn memory(&self) -> u64 {
        let Some(status) = text(&format!("/proc/{}/status", self.shown_by)) else { return 0 };
        field(&status, "RssAnon:").unwrap_or(0) + field(&status, "RssShmem:").unwrap_or(0)
    }

    fn standing(&self, own: u64, inherited: u64) -> Standing {
        Standing { process: (self.pid, self.start), own, inherited }
    }
}

impl Watcher {
    pub(super) fn new(watch: Watch, walls: Walls, scratch: Option<OwnedFd>) -> Self {
        Self {
            watch,
            walls,
            memory: Memory::default(),
            processes_peak: 0,
            written: 0,
            disk: Ledger::default(),
            disk_base: 0,
            scratch,
            unreadable: HashMap::new(),
            interval: LONGEST_INTERVAL,
            cpu: Ledger::default(),
            unseen: Duration::ZERO,
            started: 0,
            looked: None,
            pids: HashSet::new(),
        }
    }

    pub(super) fn memory_peak(&self) -> u64 {
        self.memory.peak
    }

    pub(super) fn is_idle(&self) -> bool {
        self.watch.is_idle()
    }

    /// How long to wait for the next look; nothing where there is nothing to look for.
    pub(super) fn interval(&self) -> Option<Duration> {
        (!self.is_idle()).then_some(self.interval)
    }

    /// From now on every byte written counts against `limit`, because the layer cannot be read. `base` is what it held when
    /// it last could.
    pub(super) fn count_writes(&mut self, base: u64, limit: u64, account: &Account) {
        if self.watch.disk.is_none() {
            self.watch.disk = Some(limit);
            self.disk_base = base;
            // What was written until now is in the base.
            let standing = see_all(&self.pids())
                .iter()
                .filter_map(|process| Some(process.standing(0, written_by(process.shown_by).ok()??)))
                .collect();
            self.disk = Ledger::beginning_at(handed_writes(account), standing);
        }
    }

    /// The first limit that is met, with what was used of it. `waiting` is the copy of init that has not executed the program yet:
    /// it cannot be read, on a busy machine for a long time, and writes nothing.
    pub(super) fn look(&mut self, account: &Account, waiting: Option<i32>) -> Option<(Limit, u64)> {
        if self.watch.is_idle() {
            return None;
        }
        let begun = Moment::now();
        let seen = see_all(&self.pids());
        let memory = self.watch.memory.map(|limit| (limit, self.memory.measure(limit, &seen, account)));
        let over = memory
            .filter(|(limit, used)| used > limit)
            .map(|(_, used)| (Limit::Memory, used))
            .or_else(|| self.processes(&seen))
            .or_else(|| self.cpu(&seen, account))
            .or_else(|| self.disk(&seen, account, waiting));
        self.pids = seen.iter().map(|process| process.pid).collect();
        self.looked = Some(Moment::now());
        let room = memory.map_or(u64::MAX, |(limit, used)| limit.saturating_sub(used));
        self.interval = interval(room, begun.elapsed());
        over
    }

    fn pids(&self) -> Vec<i32> {
        let mut pids: Vec<i32> = match self.walls {
            Walls::None => tree::descendants(std::process::id() as i32),
            // Everybody in this /proc but ourselves is the program's.
            Walls::Namespaces { .. } => std::fs::read_dir("/proc")
                .map(|entries| {
                    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
                    pids.filter(|pid| *pid != 1).collect()
                })
                .unwrap_or_default(),
        };
        // Parents before their children: a child that is waited for meanwhile is then missing, not counted twice.
        pids.sort_unstable();
        pids
    }

    fn processes(&mut self, seen: &[Seen]) -> Option<(Limit, u64)> {
        // Our init is one of them.
        let count = seen.iter().map(|process| process.threads).sum::<u64>() + 1;
        self.processes_peak = self.processes_peak.max(count);
        let limit = self.watch.processes?;
        (count >= limit).then_some((Limit::Processes, count))
    }

    fn cpu(&mut self, seen: &[Seen], account: &Account) -> Option<(Limit, u64)> {
        let limit = self.watch.cpu?;
        let waited = crate::sys::times_of_children();
        let standing: Vec<Standing> = seen
            .iter()
            .map(|process| {
                let nanoseconds = |ticks: u64| duration(ticks).as_nanos() as u64;
                // A young one has less than a tick; of those there may be many.
                let own = if process.ticks == 0 { run_time(process.pid) } else { nanoseconds(process.ticks) };
                process.standing(own, nanoseconds(process.ticks_of_children))
            })
            .collect();
        let arrived = self.cpu.advance((waited.user + waited.system).as_nanos() as u64, standing);
        self.charge_unseen(seen, account, arrived);
        let sum = Duration::from_nanos(self.cpu.total()) + self.unseen;
        (sum > limit).then_some((Limit::Cpu, sum.as_millis() as u64))
    }

    /// Processes that ended since the last look and whose time nobody inherited, below a parent that ignores SIGCHLD: what
    /// they used since is not known, so each is charged for the whole interval, as far as there are cores.
    fn charge_unseen(&mut self, seen: &[Seen], account: &Account, arrived: u64) {
        let Some(started) = account.started().filter(|_| matches!(self.walls, Walls::Namespaces { .. }))
        else {
            return;
        };
        let new = started.saturating_sub(std::mem::replace(&mut self.started, started));
        let shown: u64 = seen
            .iter()
            .filter(|process| !self.pids.contains(&process.pid))
            .map(|process| process.threads)
            .sum();
        let left = seen.iter().filter(|process| self.pids.contains(&process.pid)).count();
        let ended = new.saturating_sub(shown) + self.pids.len().saturating_sub(left) as u64;
        let Some(looked) = self.looked.filter(|_| ended > 0 && arrived == 0) else { return };
        if seen.iter().any(|process| ignores_children(process.pid)) {
            let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
            self.unseen += looked.elapsed() * u32::try_from(ended.min(cores)).unwrap_or(1);
        }
    }

    fn disk(&mut self, seen: &[Seen], account: &Account, waiting: Option<i32>) -> Option<(Limit, u64)> {
        let limit = self.watch.disk?;
        let mut standing = Vec::with_capacity(seen.len());
        let before = std::mem::take(&mut self.unreadable);
        for process in seen {
            // Nobody may read it any more, and it writes no more. One without memory runs no program: it is ending.
            if process.has_ended || process.mapped == 0 {
                standing.extend(self.disk.last((process.pid, process.start)));
                continue;
            }
            match written_by(process.shown_by) {
                Ok(Some(bytes)) => standing.push(process.standing(0, bytes)),
                // Ended meanwhile.
                Ok(None) => {}
                Err(_) if waiting == Some(process.pid) => {}
                // One that is ending cannot be read for a moment either, so each process by itself has some time.
                Err(_) => {
                    let name = (process.pid, process.start);
                    self.unreadable.insert(name, before.get(&name).copied().unwrap_or_else(Moment::now));
                }
            }
        }
        self.disk.advance(handed_writes(account), standing);
        self.written = self.disk_base + self.disk.total();
        let used = self.written + self.scratch.as_ref().map_or(0, held);
        // What cannot be read cannot be counted: more than a moment of it counts as too much.
        let hidden = self.unreadable.values().any(|since| since.elapsed() > UNREADABLE);
        (used > limit || hidden).then_some((Limit::Disk, used))
    }
}

/// As long as `room` is left whatever the program does, within bounds; a look that takes long is made less often.
fn interval(room: u64, took: Duration) -> Duration {
    let left = SHORTEST_INTERVAL.saturating_mul(u32::try_from(room / FASTEST_GROWTH).unwrap_or(u32::MAX));
    left.max(SHORTEST_INTERVAL).max(took.saturating_mul(LOOK_SHARE)).min(LONGEST_INTERVAL)
}

fn duration(ticks: u64) -> Duration {
    TICK * u32::try_from(ticks).unwrap_or(u32::MAX)
}

/// Bytes written by processes that init waited for, and by those they had waited for.
fn handed_writes(account: &Account) -> u64 {
    account.traffic().map_or(0, |traffic| traffic.written_to_disk.0)
}

/// Bytes in use of the file system that takes temporary files.
fn held(scratch: &OwnedFd) -> u64 {
    rustix::fs::fstatfs(scratch.as_fd())
        .map_or(0, |space| (space.f_blocks - space.f_bfree) * space.f_bsize as u64)
}

fn see_all(pids: &[i32]) -> Vec<Seen> {
    pids.iter().filter_map(|pid| see(*pid)).collect()
}

/// A process that has ended meanwhile is nobody. Names are the program's own and may be any bytes.
pub(super) fn see(pid: i32) -> Option<Seen> {
    let mut seen = parse_stat(pid, &text(&format!("/proc/{pid}/stat"))?)?;
    // A first thread that has ended shows neither memory nor files, whatever the others hold.
    if seen.has_ended
        && seen.threads > 1
        && let Some((thread, stat)) = living_thread(pid)
    {
        let shown = parse_stat(thread, &stat)?;
        (seen.shown_by, seen.has_ended) = (thread, false);
        (seen.resident, seen.mapped) = (shown.resident, shown.mapped);
    }
    Some(seen)
}

/// A thread of a process that has not ended, with what it shows.
fn living_thread(pid: i32) -> Option<(i32, String)> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten();
    threads.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find_map(|thread: i32| {
        // Every thread has a folder of its own beside those that are listed, and it shows the whole process.
        let stat = text(&format!("/proc/{thread}/stat"))?;
        parse_stat(thread, &stat).filter(|seen| !seen.has_ended)?;
        Some((thread, stat))
    })
}

fn parse_stat(pid: i32, stat: &str) -> Option<Seen> {
    // The name stands in parentheses and may hold anything, parentheses too: fields begin after the last one.
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Seen {
        pid,
        shown_by: pid,
        has_ended: fields.first().is_some_and(|state| ["Z", "X"].contains(state)),
        start: number(19)?,
        threads: number(17)?,
        ticks: number(11)? + number(12)?,
        ticks_of_children: number(13)? + number(14)?,
        resident: number(21)? * PAGE,
        mapped: number(20)?,
    })
}

/// What the first thread of a process has run, in nanoseconds.
fn run_time(pid: i32) -> u64 {
    let text = text(&format!("/proc/{pid}/schedstat")).unwrap_or_default();
    text.split_ascii_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(0)
}

/// Whether its children vanish without being waited for.
fn ignores_children(pid: i32) -> bool {
    let Some(status) = text(&format!("/proc/{pid}/status")) else { return false };
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & SIGCHLD_BIT != 0)
}

pub(super) fn text(path: &str) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// A field in kilobytes, as bytes.
pub(super) fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Nothing where the process has ended; an error where it may not be read.
fn written_by(pid: i32) -> std::io::Result<Option<u64>> {
    match std::fs::read_to_string(format!("/proc/{pid}/io")) {
        Ok(text) => Ok(text.lines().find_map(|line| line.strip_prefix("write_bytes: ")?.parse().ok())),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Err(error),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_the_memory_limit_the_sooner_the_next_look() {
        let (free, short) = (Duration::ZERO, SHORTEST_INTERVAL);
        assert_eq!(interval(u64::MAX, free), LONGEST_INTERVAL);
        assert_eq!(interval(40 << 20, free), short * 5);
        assert_eq!(interval(0, free), short);
        assert_eq!(interval(0, short / 10), short * 5, "a look takes a fiftieth of the time");
        assert_eq!(interval(0, short * 10), LONGEST_INTERVAL);
    }

    #[test]
    fn reads_stat_whatever_the_name_holds() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194304 90 0 0 0 12 3 4 5 20 0 2 0 555 4096000 100 18446744073709551615";
        let seen = parse_stat(7, stat).unwrap();
        assert_eq!((seen.ticks, seen.ticks_of_children, seen.threads), (15, 9, 2));
        assert_eq!((seen.start, seen.mapped, seen.resident), (555, 4_096_000, 100 * PAGE));
        assert!(parse_stat(7, "7 (x) S 1").is_none());
    }
}
