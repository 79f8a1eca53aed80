//! What the kernel counts about init's descendants, in files that are opened early and read at the end.
//!
//! Early, because init becomes somebody else and hides from the program, and with that its own files from itself, and
//! because a `/proc` of processes only does not have all of them. Whose numbers they tell is decided when they are read.

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
}

/// What stands in one `io` file: read, written, from disk, to disk.
type Counts = [u64; 4];

const NAMES: [&str; 4] = ["rchar: ", "wchar: ", "read_bytes: ", "write_bytes: "];

impl Account {
    pub(super) fn open() -> Self {
        let open = |path: &CStr| rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok();
        Self {
            whole: open(c"/proc/self/io"),
            own: open(c"/proc/thread-self/io"),
            load: open(c"/proc/loadavg"),
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
    fn a_child_that_was_waited_for_counts_and_we_do_not() {
        let account = Account::open();
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
