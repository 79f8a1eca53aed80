//! What the processes of a run opened in its workspace, as the kernel tells it.
//!
//! The folders are watched at the very place where the program sees them: where that is an overlay, nobody else opens anything
//! through it. Nothing is traced and nothing waits for us, so the program is not slower for it. See docs/design/record.md.

use super::survey::{COMPILED, Survey};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, sendmsg,
    socketpair,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A watch over folders, from before a program starts until it has ended.
#[derive(Debug)]
pub(crate) struct Opens {
    told: OwnedFd,
    folders: HashMap<i32, PathBuf>,
}

/// What was opened, by paths inside the workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Opened {
    /// Without the right to write, before anybody had that right.
    pub(super) read: BTreeSet<PathBuf>,
    /// With the right to write.
    pub(super) written: BTreeSet<PathBuf>,
    folders: HashSet<PathBuf>,
    /// Nothing was missed in these folders.
    is_whole: bool,
}

impl Opens {
    /// Watches the folders of a survey, those of the workspace below its root. Nothing where the machine has no watch to give.
    pub(crate) fn begin(root: BorrowedFd<'_>, survey: &Survey) -> Option<Self> {
        let told = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        // Opening itself is not told: whatever was opened is closed when its process is gone.
        let wanted = WatchFlags::CLOSE_NOWRITE
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        let root = PathBuf::from(format!("/proc/self/fd/{}/", root.as_raw_fd()));
        let mut opens = Self { told, folders: HashMap::new() };
        for folder in survey.folders.iter().chain(&survey.granted) {
            // A granted folder has a whole path, which takes the place of the root.
            if let Ok(number) = inotify::add_watch(&opens.told, root.join(folder), wanted) {
                opens.folders.insert(number, folder.clone());
            }
        }
        Some(opens)
    }

    /// What was told until now.
    pub(crate) fn end(&self) -> Opened {
        let folders = self.folders.values().cloned().collect();
        let mut opened = Opened { folders, is_whole: true, ..Opened::default() };
        let mut space = vec![MaybeUninit::uninit(); 64 << 10];
        let mut reader = Reader::new(&self.told, &mut space);
        // An error says that nothing more is there.
        while let Ok(event) = reader.next() {
            let flags = event.events();
            // What lies in a folder that was moved can be opened where nobody looks.
            let is_moved = flags.contains(ReadFlags::MOVE_SELF)
                || flags.contains(ReadFlags::MOVED_FROM | ReadFlags::ISDIR);
            opened.is_whole &= !flags.contains(ReadFlags::QUEUE_OVERFLOW) && !is_moved;
            let name = event.file_name().filter(|_| !flags.contains(ReadFlags::ISDIR));
            if let (Some(folder), Some(name)) = (self.folders.get(&event.wd()), name) {
                opened.take(folder, OsStr::from_bytes(name.to_bytes()), flags);
            }
        }
        opened
    }
}

impl Drop for Opens {
    fn drop(&mut self) {
        if let Ok(pair) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None) {
            put_away(self.told.as_fd(), pair);
        }
    }
}

/// Has a watch closed by somebody else. Whoever closes one waits for all readers in the kernel that might still use it: 5 to
/// 30 ms were measured. What lies in the queue of a socket that nothing but this queue holds is closed by the kernel's own
/// collector, and nobody waits for that.
fn put_away(told: BorrowedFd<'_>, (sender, receiver): (OwnedFd, OwnedFd)) {
    let both = [told, receiver.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    if beside.push(SendAncillaryMessage::ScmRights(&both)) {
        // Where it is not taken, whoever holds the watch closes it.
        let _ = sendmsg(&sender, &[IoSlice::new(&[0])], &mut beside, SendFlags::NOSIGNAL);
    }
    // In this order: the collector is called when an end is closed while another is on its way.
    drop(receiver);
    drop(sender);
}

impl Opened {
    fn take(&mut self, folder: &Path, name: &OsStr, flags: ReadFlags) {
        let path = match module(folder, name) {
            Some(module) => module,
            None => folder.join(name),
        };
        // What was written first and then read is the run's own.
        if flags.contains(ReadFlags::CLOSE_NOWRITE) && !self.written.contains(&path) {
            self.read.insert(path);
        } else if flags.contains(ReadFlags::CLOSE_WRITE) {
            self.written.insert(path);
        }
    }

    /// What several programs of a run opened. Where one of them was not watched, nothing is known of what was not opened.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.read.extend(other.read);
        self.written.extend(other.written);
        self.folders.retain(|folder| other.folders.contains(folder));
        self.is_whole &= other.is_whole;
        self
    }

    /// Whether nothing that was opened in the folder of a file was missed.
    pub(super) fn is_seen(&self, path: &Path) -> bool {
        self.is_whole && path.parent().is_some_and(|folder| self.folders.contains(folder))
    }
}

/// The module whose compiled form was opened: `a/__pycache__/b.cpython-312.pyc` stands for `a/b.py`.
fn module(folder: &Path, name: &OsStr) -> Option<PathBuf> {
    let name = name.to_str().filter(|name| folder.ends_with(COMPILED) && name.ends_with(".pyc"))?;
    let (module, _) = name.split_once('.')?;
    Some(folder.parent()?.join(format!("{module}.py")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};

    fn opens(folder: &Path, folders: &[&str]) -> Opens {
        let root = File::open(folder).unwrap();
        let folders = folders.iter().map(PathBuf::from).collect();
        Opens::begin(root.as_fd(), &Survey { folders, ..Survey::default() }).unwrap()
    }

    #[test]
    fn what_was_opened_is_told_and_what_was_not_is_known() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["docs", "docs/__pycache__", "far"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let path = |name: &str| folder.path().join(name);
        for name in ["read", "only named", "docs/a.md", "far/b.md", "docs/__pycache__/m.cpython-312.pyc"] {
            fs::write(path(name), "x").unwrap();
        }
        let opens = opens(folder.path(), &["", "docs", "docs/__pycache__"]);
        for name in ["read", "docs/a.md", "far/b.md", "docs/__pycache__/m.cpython-312.pyc"] {
            fs::read(path(name)).unwrap();
        }
        fs::metadata(path("only named")).unwrap();
        fs::read_dir(path("docs")).unwrap().count();
        fs::write(path("docs/new"), "x").unwrap();
        fs::read(path("docs/new")).unwrap();
        let opened = opens.end();
        assert_eq!(opened.read, ["docs/a.md", "docs/m.py", "read"].map(PathBuf::from).into());
        assert_eq!(opened.written, ["docs/new"].map(PathBuf::from).into());
        for (name, expected) in [("only named", true), ("docs/other.md", true), ("far/b.md", false)] {
            assert_eq!(opened.is_seen(Path::new(name)), expected, "{name}");
        }
        assert!(!opened.and(Opened::default()).is_seen(Path::new("only named")));
    }

    #[test]
    fn when_too_much_was_opened_to_be_told_nothing_is_said_of_the_rest() {
        let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        let most: usize = most.trim().parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "quiet"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let opens = opens(folder.path(), &[""]);
        for _ in 0..=most / 2 {
            File::open(folder.path().join("a")).unwrap();
            File::open(folder.path().join("b")).unwrap();
        }
        let opened = opens.end();
        assert!(opened.read.contains(Path::new("a")));
        assert!(!opened.is_seen(Path::new("quiet")));
    }

    #[test]
    fn what_is_put_away_is_collected() {
        let told = inotify::init(CreateFlags::CLOEXEC).unwrap();
        let pair = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
        let inode = format!(" {}", rustix::fs::fstat(&pair.1).unwrap().st_ino);
        let lives =
            || fs::read_to_string("/proc/net/unix").unwrap().lines().any(|line| line.ends_with(&inode));
        assert!(lives());
        put_away(told.as_fd(), pair);
        let begun = std::time::Instant::now();
        while lives() {
            assert!(begun.elapsed().as_secs() < 30, "nobody collected it");
            std::thread::yield_now();
        }
    }
}
