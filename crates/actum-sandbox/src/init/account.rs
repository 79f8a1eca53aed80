//! What the kernel counts about init's descendants, in files that are opened early and read at the end.
//!
//! Early, because init becomes somebody else and hides from the program, and with that its own files from itself, and
//! because a `/proc` of processes only does not have all of them. Whose numbers they tell is decided when they are read.

use crate::order::{Net, Shape, Walls};
use actum_model::{Bytes, Traffic};
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use std::ffi::CStr;

/// Descriptors to be read when the program has ended. What this kernel does not have is not told.
#[derive(Debug, Default)]
pub(super) struct Account {
    whole: Option<OwnedFd>,
    own: Option<OwnedFd>,
    load: Option<OwnedFd>,
    /// Where no cgroup counts memory: the sockets of a network namespace of its own, and the System V segments, messages and
    /// semaphores of an IPC namespace of its own.
    sockets: Option<OwnedFd>,
    ipc: [Option<OwnedFd>; 3],
}

/// Memory that the kernel keeps for System V IPC.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ipc {
    pub(super) segments: u64,
    pub(super) messages: u64,
    pub(super) semaphores: u64,
}

/// A message's header, and a semaphore, which has a cache line of its own.
const PER_MESSAGE: u64 = 64;
const PER_SEMAPHORE: u64 = 64;
/// What describes a segment, a queue or a set.
const PER_OBJECT: u64 = 1 << 10;

/// What stands in one `io` file: read, written, from disk, to disk.
type Counts = [u64; 4];

const NAMES: [&str; 4] = ["rchar: ", "wchar: ", "read_bytes: ", "write_bytes: "];

impl Account {
    pub(super) fn open(shape: Shape) -> Self {
        let mut account = Self::open_usage();
        let open = |path: &CStr| rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok();
        if let (Walls::Namespaces { net, .. }, false) = (shape.walls, shape.calls.memory_counted) {
            account.ipc = [c"/proc/sysvipc/shm", c"/proc/sysvipc/msg", c"/proc/sysvipc/sem"].map(open);
            account.sockets =
                matches!(net, Net::Own { .. }).then(|| open(c"/proc/thread-self/net/sockstat")).flatten();
        }
        account
    }

    fn open_usage() -> Self {
        let open = |path: &CStr| rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok();
        Self {
            whole: open(c"/proc/self/io"),
            own: open(c"/proc/thread-self/io"),
            load: open(c"/proc/loadavg"),
            ..Self::default()
        }
    }

    /// How many sockets there are in the network namespace, those among them that are closed with bytes under way.
    pub(super) fn sockets(&self) -> Option<u64> {
        sockets(&text(&self.sockets)?)
    }

    /// What System V IPC holds, attached or not.
    pub(super) fn ipc(&self) -> Ipc {
        let [segments, messages, semaphores] = self.ipc.each_ref().map(whole_text);
        Ipc {
            segments: sum(&segments, |value| value("rss") + value("swap") + PER_OBJECT),
            messages: sum(&messages, |value| value("cbytes") + value("qnum") * PER_MESSAGE + PER_OBJECT),
            semaphores: sum(&semaphores, |value| value("nsems") * PER_SEMAPHORE + PER_OBJECT),
        }
    }

    /// What everybody that was waited for read and wrote: the whole less our one thread's own part.
    pub(super) fn traffic(&self) -> Option<Traffic> {
        let (whole, own) = (counts(&text(&self.whole)?)?, counts(&text(&self.own)?)?);
        let [read, written, read_from_disk, written_to_disk] =
            [0, 1, 2, 3].map(|index| Bytes(whole[index].saturating_sub(own[index])));
        Some(Traffic { read, written, read_from_disk, written_to_disk })
    }

    /// The last number given out in this process namespace, less our own. Only after the numbers ran out, at the
    /// kernel's `pid_max`, does it begin again from the front and say too little.
    pub(super) fn started(&self) -> Option<u64> {
        started(&text(&self.load)?)
    }
}

fn text(file: &Option<OwnedFd>) -> Option<String> {
    let mut bytes = [0_u8; 512];
    let length = rustix::io::pread(file.as_ref()?, &mut bytes, 0).ok()?;
    Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
}

/// Tables have a line for each object.
fn whole_text(file: &Option<OwnedFd>) -> String {
    let Some(file) = file else { return String::new() };
    let mut bytes = Vec::new();
    let mut piece = [0_u8; 16 << 10];
    while let Ok(length @ 1..) = rustix::io::pread(file, &mut piece, bytes.len() as u64) {
        bytes.extend_from_slice(&piece[..length]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Adds up the lines of a table whose first line names its columns.
fn sum(table: &str, of_line: impl Fn(&dyn Fn(&str) -> u64) -> u64) -> u64 {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split_ascii_whitespace().collect();
    lines
        .map(|line| {
            let values: Vec<&str> = line.split_ascii_whitespace().collect();
            let value = |name: &str| {
                let at = names.iter().position(|other| *other == name);
                at.and_then(|at| values.get(at)?.parse().ok()).unwrap_or(0)
            };
            of_line(&value)
        })
        .sum()
}

fn sockets(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("sockets: used "))?.trim().parse().ok()
}

fn counts(text: &str) -> Option<Counts> {
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name))?.parse().ok();
    let [read, written, read_from_disk, written_to_disk] = NAMES.map(value);
    Some([read?, written?, read_from_disk?, written_to_disk?])
}

fn started(load: &str) -> Option<u64> {
    load.split_ascii_whitespace().last()?.parse::<u64>().ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_kernel_writes() {
        let io = "rchar: 5\nwchar: 6\nsyscr: 1\nsyscw: 1\nread_bytes: 7\nwrite_bytes: 8\ncancelled_write_bytes: 9\n";
        assert_eq!(counts(io), Some([5, 6, 7, 8]));
        assert_eq!(counts("rchar: 5\n"), None);
        assert_eq!(started("0.20 0.18 0.12 1/80 17\n"), Some(16));
        assert_eq!(started(""), None);
    }

    #[test]
    fn reads_tables_by_the_names_of_their_columns() {
        let shm = "       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime      ctime                   rss                  swap\n\
                   0          0   600              67108864   200   200      0  1000  1000  1000  1000          0          0 1700000000              67108864                  4096\n";
        let segments = |text: &str| sum(text, |value| value("rss") + value("swap") + PER_OBJECT);
        assert_eq!(segments(shm), 67_108_864 + 4096 + PER_OBJECT);
        assert_eq!(segments(""), 0);
        let msg = "       key      msqid perms      cbytes       qnum lspid lrpid   uid\n 0 0 600 16000 250 2 0 1000\n";
        assert_eq!(sum(msg, |value| value("cbytes") + value("qnum")), 16_250);
        assert_eq!(sockets("sockets: used 21\nTCP: inuse 4\n"), Some(21));
    }

    #[test]
    fn a_child_that_was_waited_for_counts_and_we_do_not() {
        let account = Account::open_usage();
        let Some(before) = account.traffic() else {
            // A kernel without CONFIG_TASK_IO_ACCOUNTING: there is nothing to be told, and nothing is.
            assert!(!std::path::Path::new("/proc/self/io").exists());
            return;
        };
        let copy = ["if=/dev/zero", "of=/dev/null", "bs=1000000", "count=1", "status=none"];
        assert!(std::process::Command::new("dd").args(copy).status().unwrap().success());
        let after = account.traffic().unwrap();
        assert!(after.read.0 - before.read.0 >= 1_000_000, "{before:?} {after:?}");
        assert!(after.written.0 - before.written.0 >= 1_000_000, "{before:?} {after:?}");
    }
}
