//! Ending everything below this process where no process namespace does it.
//!
//! Orphans come to us because we are their subreaper, so every descendant is reachable from our own list of children.
//! A fork bomb can outrun one sweep but not all of them: each sweep first stops what it sees, so that fewer are left to
//! fork, and it is repeated until nothing is found.

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, wait};

/// 10,000 sweeps of a tree that a limit on processes bounds: reached only if the kernel refuses our signals.
const SWEEPS: usize = 10_000;

/// Ends and reaps every descendant but the trees of `living` children.
pub(super) fn end_all(living: &[i32]) {
    for _ in 0..SWEEPS {
        let own = children(std::process::id() as i32).into_iter().filter(|child| !living.contains(child));
        let tree: Vec<i32> = own.flat_map(|child| [vec![child], descendants(child)].concat()).collect();
        end(&tree);
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        if tree.is_empty() {
            return;
        }
        // Killed children need a moment of processor time to become reapable.
        std::thread::yield_now();
    }
}

/// Ends every descendant of `root`, which lives on and reaps them.
pub(super) fn end_below(root: i32) {
    for _ in 0..SWEEPS {
        let tree = descendants(root);
        if tree.is_empty() {
            return;
        }
        end(&tree);
        std::thread::yield_now();
    }
}

/// Ends and reaps everybody else in the process namespace whose init this is. Whoever got the signal forks no more.
pub(super) fn end_namespace() {
    // From anybody else the same call would reach the machine.
    if rustix::process::getpid() != Pid::INIT {
        return;
    }
    let _ = kill_process_group(Pid::INIT, Signal::KILL);
    while wait(WaitOptions::empty()).is_ok() {}
}

/// The signal that somebody of the program's group waits for: TERM, else INT. Nothing where nobody catches either.
pub(super) fn choose_signal(leader: i32) -> Option<i32> {
    let in_group = |pid: &i32| {
        let group = Pid::from_raw(*pid).and_then(|pid| rustix::process::getpgid(Some(pid)).ok());
        *pid == leader || group == Pid::from_raw(leader)
    };
    let group = [leader].into_iter().chain(descendants(leader)).filter(in_group);
    let caught = group.filter_map(caught_signals).fold(0, |all, one| all | one);
    let is_caught = |signal: &Signal| caught & (1 << (signal.as_raw() - 1)) != 0;
    [Signal::TERM, Signal::INT].iter().find(|signal| is_caught(signal)).map(|signal| signal.as_raw())
}

/// The signals that a process has a handler for, one bit each.
fn caught_signals(pid: i32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Passes a signal on to the program's group; to the program alone if it has not made its group yet.
pub(super) fn signal_group(leader: i32, number: i32) {
    if let (Some(leader), Some(signal)) = (Pid::from_raw(leader), Signal::from_named_raw(number))
        && kill_process_group(leader, signal).is_err()
    {
        let _ = kill_process(leader, signal);
    }
}

fn end(tree: &[i32]) {
    for pid in tree {
        signal(*pid, Signal::STOP);
    }
    for pid in tree.iter().rev() {
        signal(*pid, Signal::KILL);
    }
}

fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

/// All processes below `root`, parents before children.
pub(super) fn descendants(root: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut ahead = vec![root];
    while let Some(pid) = ahead.pop() {
        for child in children(pid) {
            if !found.contains(&child) {
                found.push(child);
                ahead.push(child);
            }
        }
    }
    found
}

fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| {
            list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>()
        })
        .collect()
}
