//! Finds the processes of a run by the marker in their command line, and ends them by their id.
//!
//! The marker is random for each attempt, so nothing that is not ours can carry it.

use crate::Peak;
use rustix::process::{Pid, Signal, kill_process};
use std::{fs, time::Duration};

/// The processes that carry the marker now.
pub(crate) fn pids(marker: &str) -> Vec<u32> {
    let own = std::process::id();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != own && carries(*pid, marker))
        .collect()
}

/// Waits a little for the dying to be dead, then says how many are not.
pub(crate) fn survivors(marker: &str) -> u64 {
    // 20 x 30 ms: tearing down a pid namespace of a hundred processes takes up to 60 ms on a busy machine.
    for _ in 0..20 {
        if pids(marker).is_empty() {
            return 0;
        }
        std::thread::sleep(Duration::from_millis(30));
    }
    pids(marker).len() as u64
}

/// Ends them all, each by its id; twice, because the first pass may race with a fork.
pub(crate) fn end(marker: &str) {
    for _ in 0..3 {
        for pid in pids(marker) {
            kill(pid);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn kill(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // It may be gone already, which is what was wanted.
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// What the marked processes use together at this moment.
pub(crate) fn usage(marker: &str) -> Peak {
    let mut peak = Peak::default();
    for pid in pids(marker) {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        peak.tasks += field(&status, "Threads:").unwrap_or(0);
        peak.memory += memory(pid, &status);
    }
    peak
}

/// Proportional where the kernel lets us see it, so that pages shared after a fork count once.
fn memory(pid: u32, status: &str) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let proportional =
        field(&rollup, "Pss_Anon:").map(|anon| anon + field(&rollup, "Pss_Shmem:").unwrap_or(0));
    proportional.or_else(|| field(status, "RssAnon:")).unwrap_or(0) * 1024
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

fn carries(pid: u32, marker: &str) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    crate::token::contains(&line, marker.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_with_or_without_a_unit() {
        let text = "Name:\tx\nThreads:\t3\nPss_Anon:      120 kB\n";
        assert_eq!((field(text, "Threads:"), field(text, "Pss_Anon:")), (Some(3), Some(120)));
        assert_eq!(field(text, "None:"), None);
    }
}
