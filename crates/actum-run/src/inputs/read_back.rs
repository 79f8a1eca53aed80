//! Files that a run opened, by their digests: they are read when it has ended, because nobody knew before which they would be.

use super::opens::Opened;
use super::survey::Survey;
use super::{facts_of, shown};
use crate::request::Tracing;
use actum_gate::File;
use actum_model::{Change, ChangeKind, FileFacts};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, Stat, openat2, statat};
use rustix::time::Timespec;
use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A record is read whole.
const MOST: usize = 500;
/// Where all of it is to be known: the record of a run that reads more names these.
const MOST_OF_WHOLE: usize = 50_000;
/// The end of a run waits for this: some tens of milliseconds. What lies beyond is listed with its size.
const READ: u64 = 64 << 20;

/// A workspace after a run, before anything is applied to it.
#[derive(Clone, Copy)]
pub(crate) struct After<'a> {
    pub(crate) folder: BorrowedFd<'a>,
    /// Where a layer took what was written.
    pub(crate) layer: Option<BorrowedFd<'a>>,
    pub(crate) began: Timespec,
    pub(crate) changes: &'a [Change],
}

/// What a run opened, and what was read of it.
#[derive(Debug)]
pub(crate) struct ReadBack {
    opened: Opened,
    files: Vec<FileFacts>,
    /// Code that may have been opened by another name: a link to it was made, or it was moved away and back.
    renamed: HashSet<String>,
}

impl ReadBack {
    /// Reads what was opened, but for code that was read when the run began.
    pub(crate) fn of(opened: Opened, survey: &Survey, after: After<'_>) -> Self {
        let files = after.read(&opened, survey);
        let unread = survey.code.iter().filter(|path| !opened.read.contains(*path));
        let touched = unread.filter(|path| after.is_touched(path));
        let renamed = touched.map(|path| shown(path, Path::new(""))).collect();
        Self { opened, files, renamed }
    }

    /// Puts it beside the inputs that were known before.
    pub(crate) fn onto(self, inputs: &mut Vec<FileFacts>) {
        let read: HashSet<String> = self.opened.read.iter().map(|path| shown(path, Path::new(""))).collect();
        for input in inputs.iter_mut() {
            let is_opened = read.contains(&input.path);
            let is_seen = self.opened.is_seen(Path::new(&input.path)) && !self.renamed.contains(&input.path);
            let is_known = is_opened || is_seen;
            input.opened = is_known.then_some(is_opened);
        }
        let known: HashSet<String> = inputs.iter().map(|input| input.path.clone()).collect();
        inputs.extend(self.files.into_iter().filter(|file| !known.contains(&file.path)));
    }
}

impl After<'_> {
    /// The files that were opened to be read and were there before.
    fn read(self, opened: &Opened, survey: &Survey) -> Vec<FileFacts> {
        let changed: HashMap<&[u8], ChangeKind> =
            self.changes.iter().map(|change| (change.path.as_slice(), change.kind)).collect();
        let kind = |path: &Path| changed.get(path.as_os_str().as_bytes()).copied();
        let written = opened.written.difference(&opened.read);
        let asked = written.filter(|path| kind(path).is_none() && self.is_as_before(path));
        let (most, mut left) = match survey.tracing {
            Tracing::Bounded => (MOST, READ),
            Tracing::Whole => (MOST_OF_WHOLE, u64::MAX),
        };
        let is_wanted =
            |path: &&PathBuf| kind(path) != Some(ChangeKind::Created) && !survey.code.contains(path);
        let known = |path: &PathBuf| {
            let facts = self.facts(path, &mut left)?;
            // Where nothing lies between, what stands there now is what the run left.
            let is_own = self.layer.is_none() && kind(path).is_some();
            Some(if is_own { unknown(facts) } else { facts })
        };
        opened.read.iter().chain(asked).filter(is_wanted).filter_map(known).take(most).collect()
    }

    /// A database is opened to be written also by those who only ask; then it has its old time.
    fn is_as_before(self, path: &Path) -> bool {
        let stat = |root: BorrowedFd<'_>| statat(root, path, AtFlags::SYMLINK_NOFOLLOW).ok();
        let written = |stat: Stat| (stat.st_mtime, stat.st_mtime_nsec);
        match self.layer {
            Some(layer) => stat(layer).map(written) == stat(self.folder).map(written),
            None => {
                stat(self.folder).is_some_and(|now| !is_since(self.began, now.st_mtime, now.st_mtime_nsec))
            }
        }
    }

    /// Whether something was done to the file itself, as linking and moving do: then it is in the layer, or has a new time of change.
    fn is_touched(self, path: &Path) -> bool {
        let stat = |root: BorrowedFd<'_>| statat(root, path, AtFlags::SYMLINK_NOFOLLOW).ok();
        match self.layer {
            Some(layer) => stat(layer).is_some(),
            None => stat(self.folder).is_none_or(|now| is_since(self.began, now.st_ctime, now.st_ctime_nsec)),
        }
    }

    fn facts(self, path: &Path, left: &mut u64) -> Option<FileFacts> {
        // What stands there now may have been put there by the program: no link is followed, no pipe waited for.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let file = match path.is_absolute() {
            // In a folder that the user granted.
            true => OwnedFd::from(actum_gate::open_named(path).ok()?.0),
            false => openat2(self.folder, path, flags, Mode::empty(), within).ok()?,
        };
        let stat = rustix::fs::fstat(file.as_fd()).ok()?;
        let mut facts = facts_of(File::from(file), shown(path, Path::new("")), left)?;
        facts.opened = Some(true);
        let is_meanwhile = is_since(self.began, stat.st_ctime, stat.st_ctime_nsec);
        Some(if is_meanwhile { unknown(facts) } else { facts })
    }
}

/// Somebody changed it meanwhile: what the program saw is not known.
fn unknown(facts: FileFacts) -> FileFacts {
    FileFacts { sha256: None, size: None, ..facts }
}

fn is_since<N: TryInto<i64>>(began: Timespec, seconds: i64, nanoseconds: N) -> bool {
    (seconds, nanoseconds.try_into().unwrap_or_default()) >= (began.tv_sec, began.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::super::opens::Opens;
    use super::*;
    use std::fs::{self, OpenOptions};
    use std::os::unix::fs::symlink;

    /// A workspace, what is opened in it while a closure runs, and what is read back of that.
    fn read_back(work: impl FnOnce(&Path), changes: &[Change]) -> Vec<(String, bool)> {
        let folder = tempfile::tempdir().unwrap();
        for name in ["read.csv", "asked.db", "result.txt", "secret", "unread.csv", "known.py"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let began = next_tick(folder.path());
        let root = File::open(folder.path()).unwrap();
        let opens =
            Opens::begin(root.as_fd(), &Survey { folders: vec![PathBuf::new()], ..Survey::default() })
                .unwrap();
        work(folder.path());
        let survey = Survey { code: vec!["known.py".into()], ..Survey::default() };
        let after = After { folder: root.as_fd(), layer: None, began, changes };
        let files = ReadBack::of(opens.end(), &survey, after).files;
        assert!(files.iter().all(|file| file.opened == Some(true)));
        files.into_iter().map(|file| (file.path, file.sha256.is_some())).collect()
    }

    /// A moment after which nothing was stamped yet: stamps of files are as coarse as a tick.
    fn next_tick(folder: &Path) -> Timespec {
        let stamp = || {
            fs::write(folder.join("probe"), "x").unwrap();
            let stat = rustix::fs::stat(folder.join("probe")).unwrap();
            Timespec { tv_sec: stat.st_ctime, tv_nsec: stat.st_ctime_nsec.try_into().unwrap() }
        };
        let before = stamp();
        loop {
            let now = stamp();
            if now != before {
                return now;
            }
        }
    }

    fn opened(path: &Path) {
        OpenOptions::new().read(true).write(true).open(path).unwrap();
    }

    #[test]
    fn what_was_read_is_an_input_and_what_was_written_is_not() {
        let found = read_back(
            |folder| {
                fs::read(folder.join("read.csv")).unwrap();
                fs::read(folder.join("known.py")).unwrap();
                opened(&folder.join("asked.db"));
                fs::write(folder.join("result.txt"), "new").unwrap();
                fs::read(folder.join("result.txt")).unwrap();
            },
            &[],
        );
        assert_eq!(found, [("read.csv".to_owned(), true), ("asked.db".to_owned(), true)]);
    }

    #[test]
    fn what_was_changed_after_it_was_read_has_no_digest_and_no_link_is_followed() {
        let found = read_back(
            |folder| {
                fs::read(folder.join("read.csv")).unwrap();
                fs::write(folder.join("read.csv"), "another").unwrap();
                fs::read(folder.join("unread.csv")).unwrap();
                fs::remove_file(folder.join("unread.csv")).unwrap();
                symlink("secret", folder.join("unread.csv")).unwrap();
            },
            &[],
        );
        assert_eq!(found, [("read.csv".to_owned(), false)]);
    }

    #[test]
    fn under_a_layer_the_time_tells_whether_a_file_was_written() {
        let (lower, upper) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["asked.db", "filled.db"] {
            fs::write(lower.path().join(name), "x").unwrap();
            fs::write(upper.path().join(name), "x").unwrap();
        }
        let before = fs::metadata(lower.path().join("asked.db")).unwrap().modified().unwrap();
        let copied = File::options().write(true).open(upper.path().join("asked.db")).unwrap();
        copied.set_modified(before).unwrap();
        let written = File::options().write(true).open(upper.path().join("filled.db")).unwrap();
        written.set_modified(before + std::time::Duration::from_secs(1)).unwrap();
        let (lower, upper) = (File::open(lower.path()).unwrap(), File::open(upper.path()).unwrap());
        let began = crate::clock::now();
        let after = After { folder: lower.as_fd(), layer: Some(upper.as_fd()), began, changes: &[] };
        assert!(after.is_as_before(Path::new("asked.db")));
        assert!(!after.is_as_before(Path::new("filled.db")));
    }
}
