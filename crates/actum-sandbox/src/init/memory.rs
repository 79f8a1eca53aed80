//! What the tree holds in memory, where no cgroup counts it.
//!
//! Three steps, each dearer and more exact than the one before. An estimate that is never too low (`stat` of each process,
//! the number of sockets and descriptors) is made at every look. If it exceeds the limit, pages are measured
//! (`smaps_rollup`), with page tables, swap, socket buffers and pipes. What no process has mapped (System V segments) or
//! shows as resident (shared mappings whose pages were dropped from the page tables) is added to both; mappings are read
//! every 100 ms.

use super::account::{Account, Ipc};
use super::sockets;
use super::watch::{Seen, field, text};
use crate::clock::Moment;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// One page of page table maps 512 pages.
const PAGES_PER_TABLE: u64 = 512;
/// The kernel's own for each thread: its stack and what describes it.
const PER_THREAD: u64 = 24 << 10;
/// What describes one mapping, with its place in the tree of mappings.
const PER_MAPPING: u64 = 320;
/// An open file with its inode and name.
const PER_DESCRIPTOR: u64 = 1 << 10;
/// A pipe of the default size, which no program may change without a cgroup.
const PER_PIPE: u64 = 64 << 10;
/// Beyond this many the kernel gives each pipe of a user two pages only.
const LARGE_PIPES: u64 = 1024;
const PER_SMALL_PIPE: u64 = 8 << 10;
/// How often mappings are read, unless that takes long: then they are read in a fiftieth of the time.
const MAPPINGS_EVERY: Duration = Duration::from_millis(100);
const MAPPINGS_SHARE: u32 = 50;
/// And at least so often: whoever has very many mappings pays for it in time of its own sandbox.
const MAPPINGS_AT_LEAST: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) peak: u64,
    mappings: Mappings,
    /// How far each shared anonymous object was ever seen to reach, by inode. A part that was unmapped keeps its pages while
    /// another part is mapped.
    objects: HashMap<u64, u64>,
    /// When mappings were last read, and how long that took.
    read: Option<(Moment, Duration)>,
}

/// What the mappings of all processes say.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Mappings {
    /// Bytes of shared anonymous mappings, each once.
    shared: u64,
    count: u64,
}

/// What one process holds by its own account.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Own {
    private: u64,
    shared: u64,
}

impl Memory {
    /// What is in use: exact where it exceeds `limit`, else an estimate that is never too low.
    pub(super) fn measure(&mut self, limit: u64, seen: &[Seen], account: &Account) -> u64 {
        self.read_mappings(seen);
        let ipc = account.ipc();
        let kernel = self.mappings.count * PER_MAPPING
            + seen.iter().map(|process| process.threads * PER_THREAD).sum::<u64>()
            + ipc.messages
            + ipc.semaphores;
        // Without a namespace of its own each descriptor may be a socket.
        let per_descriptor = if account.sockets().is_some() { PER_PIPE } else { sockets::MOST };
        let estimate: u64 = seen
            .iter()
            .map(|process| {
                process.resident
                    + process.mapped / PAGES_PER_TABLE
                    + descriptor_count(process.shown_by) * per_descriptor
            })
            .sum();
        let sockets = account.sockets().map_or(0, |count| count * sockets::MOST);
        let estimate = estimate + kernel + self.mappings.shared + ipc.segments + sockets;
        if estimate <= limit {
            return estimate;
        }
        let used = kernel + self.exact(seen, account, ipc);
        self.peak = self.peak.max(used);
        used
    }

    fn exact(&self, seen: &[Seen], account: &Account, ipc: Ipc) -> u64 {
        let own = seen.iter().map(|process| own(process.shown_by)).fold(Own::default(), |sum, one| Own {
            private: sum.private + one.private,
            shared: sum.shared + one.shared,
        });
        let open = Open::of(seen);
        let sockets = match account.sockets() {
            Some(count) => sockets::held(None).in_namespace(count),
            // The machine's namespace: only what the tree has open is its own.
            None if !open.sockets.is_empty() => sockets::held(Some(&open.sockets)).bytes,
            None => 0,
        };
        // What processes show of shared memory is part of what the mappings and segments hold, or lies in a file system that
        // has its own size.
        own.private + own.shared.max(self.mappings.shared + ipc.segments) + open.bytes() + sockets
    }

    fn read_mappings(&mut self, seen: &[Seen]) {
        let is_due = self.read.is_none_or(|(at, took)| {
            at.elapsed() >= MAPPINGS_EVERY.max((took * MAPPINGS_SHARE).min(MAPPINGS_AT_LEAST))
        });
        if !is_due {
            return;
        }
        let begun = Moment::now();
        let (mut objects, mut mappings) = (HashMap::new(), Mappings::default());
        for process in seen {
            match text(&format!("/proc/{}/maps", process.shown_by)).filter(|maps| !maps.is_empty()) {
                Some(maps) => mappings.count += read_maps(&maps, &mut objects),
                None => mappings.shared += unreadable_shared(process.shown_by),
            }
        }
        for (inode, reach) in &mut objects {
            *reach = (*reach).max(self.objects.get(inode).copied().unwrap_or(0));
        }
        mappings.shared += objects.values().sum::<u64>();
        self.objects = objects;
        self.mappings = mappings;
        self.read = Some((begun, begun.elapsed()));
    }
}

/// Adds the shared anonymous objects that one process has mapped, by inode; tells how many mappings there are. Their pages may be
/// in no page table, and nothing else shows them: each counts up to the end of the last piece that is mapped.
fn read_maps(maps: &str, objects: &mut HashMap<u64, u64>) -> u64 {
    let mut count = 0;
    for line in maps.lines() {
        count += 1;
        let mut words = line.split_ascii_whitespace();
        let (Some(range), Some(modes), Some(offset), Some(_), Some(inode), Some(name)) =
            (words.next(), words.next(), words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        if name != "/dev/zero" || !modes.ends_with('s') {
            continue;
        }
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let size = range.split_once('-').and_then(|(from, to)| number(to)?.checked_sub(number(from)?));
        let reach = number(offset).unwrap_or(0).saturating_add(size.unwrap_or(0));
        let most = objects.entry(inode.parse().unwrap_or(0)).or_default();
        *most = (*most).max(reach);
    }
    count
}

/// The most that a process may share, if it does not show its mappings.
fn unreadable_shared(pid: i32) -> u64 {
    let Some(status) = text(&format!("/proc/{pid}/status")) else { return 0 };
    let of = |name: &str| field(&status, name).unwrap_or(0);
    let known = of("VmData:") + of("VmStk:") + of("VmExe:") + of("VmLib:");
    of("VmSize:").saturating_sub(known)
}

/// This process's share of its own and of shared memory; what it holds alone or with others, where it hides the share.
fn own(pid: i32) -> Own {
    // Ended meanwhile, or a zombie, has none any more.
    let Some(status) = text(&format!("/proc/{pid}/status")) else { return Own::default() };
    let of = |name: &str| field(&status, name).unwrap_or(0);
    // Pages of files that are locked cannot be given up. Locked memory of its own counts twice, up to the limit of what may be locked.
    let tables = of("VmPTE:") + of("VmLck:");
    let rollup = text(&format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let exact = |name: &str| field(&rollup, name);
    match (exact("Pss_Anon:"), exact("Pss_Shmem:")) {
        (Some(private), Some(shared)) => {
            Own { private: private + tables + exact("SwapPss:").unwrap_or(0), shared }
        }
        _ => Own { private: of("RssAnon:") + of("VmSwap:") + tables, shared: of("RssShmem:") },
    }
}

/// How many descriptors it has open. Kernels before 6.2 do not say: then the table that they are in, which is no smaller.
fn descriptor_count(pid: i32) -> u64 {
    let size = rustix::fs::stat(format!("/proc/{pid}/fd")).map_or(0, |stat| stat.st_size as u64);
    if size > 0 {
        return size;
    }
    let status = text(&format!("/proc/{pid}/status")).unwrap_or_default();
    let table = status.lines().find_map(|line| line.strip_prefix("FDSize:"));
    table.and_then(|table| table.trim().parse().ok()).unwrap_or(0)
}

/// What the tree has open, each pipe and socket once.
#[derive(Debug, Default)]
struct Open {
    pipes: HashSet<u64>,
    sockets: HashSet<u64>,
    others: u64,
    /// Of processes that do not show them: each may be the end of a pipe.
    unknown: u64,
}

impl Open {
    fn of(seen: &[Seen]) -> Self {
        let mut open = Self::default();
        for process in seen {
            let Ok(entries) = std::fs::read_dir(format!("/proc/{}/fd", process.shown_by)) else {
                open.unknown += descriptor_count(process.shown_by);
                continue;
            };
            for entry in entries.flatten() {
                open.add(&std::fs::read_link(entry.path()).unwrap_or_default().to_string_lossy());
            }
        }
        open
    }

    fn add(&mut self, target: &str) {
        let inode = |kind: &str| target.strip_prefix(kind)?.strip_suffix(']')?.parse::<u64>().ok();
        if let Some(pipe) = inode("pipe:[") {
            self.pipes.insert(pipe);
        } else if let Some(socket) = inode("socket:[") {
            self.sockets.insert(socket);
        } else {
            self.others += 1;
        }
    }

    fn bytes(&self) -> u64 {
        let pipes = self.pipes.len() as u64 + self.unknown;
        let small = pipes.saturating_sub(LARGE_PIPES);
        (pipes - small) * PER_PIPE + small * PER_SMALL_PIPE + self.others * PER_DESCRIPTOR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_anonymous_objects_count_once_up_to_their_end() {
        let maps = "7f00-7f10 rw-s 00000000 00:01 42     /dev/zero (deleted)\n\
                    8f00-8f08 rw-s 00000000 00:01 42     /dev/zero (deleted)\n\
                    9f00-9f20 r--s 00000000 00:01 43     /dev/zero (deleted)\n\
                    9f20-9f28 rw-s 00000040 00:01 43     /dev/zero (deleted)\n\
                    af00-bf00 rw-p 00000000 00:00 0\n\
                    bf00-cf00 rw-s 00000000 00:05 44     /SYSV00000000 (deleted)\n\
                    cf00-df00 rw-s 00000000 08:01 45     /home/data file\n";
        let mut shared = HashMap::new();
        assert_eq!(read_maps(maps, &mut shared), 7);
        assert_eq!(read_maps(maps, &mut shared), 7);
        assert_eq!(shared.values().sum::<u64>(), 0x10 + 0x48);
    }

    #[test]
    fn pipes_count_by_what_they_can_hold() {
        let mut open = Open::default();
        for target in
            ["pipe:[7]", "pipe:[7]", "pipe:[8]", "socket:[9]", "/etc/passwd", "anon_inode:[eventfd]"]
        {
            open.add(target);
        }
        assert_eq!(open.bytes(), 2 * PER_PIPE + 2 * PER_DESCRIPTOR);
        assert_eq!(open.sockets.len(), 1);
        open.unknown = LARGE_PIPES;
        assert_eq!(open.bytes(), LARGE_PIPES * PER_PIPE + 2 * PER_SMALL_PIPE + 2 * PER_DESCRIPTOR);
    }
}
