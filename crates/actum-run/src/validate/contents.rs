//! What a run left: streams that were captured, and files where they lie before they are settled.

use super::{LARGEST, Matter};
use crate::capture::{Part, Reached, View};
use actum_gate::File;
use actum_judge::{At, Slice};
use actum_model::{Bytes, Change, Digest, Expectation, FileTest, Node, Standing, Stream};
use rustix::fd::BorrowedFd;
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
use sha2::{Digest as _, Sha256};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// What can be looked at, each read when it is first asked for.
pub(super) struct Kept<'a> {
    matter: &'a Matter<'a>,
    streams: [OnceCell<Result<Vec<u8>, String>>; 2],
    /// Digests of files that the run left alone, where one is asked for.
    hashes: RefCell<BTreeMap<String, Digest>>,
}

/// The size of a picture stands at its beginning.
const HEAD: u64 = 1 << 20;
/// A footer of Parquet is some hundred bytes a column.
const TAIL: u64 = 16 << 20;
/// A digest is reckoned of what the run did not touch, up to here.
const LARGEST_HASHED: u64 = 1 << 30;

impl<'a> Kept<'a> {
    pub(super) fn of(matter: &'a Matter<'a>) -> Self {
        Self { matter, streams: [const { OnceCell::new() }; 2], hashes: RefCell::default() }
    }

    /// What came out on a stream, as it is kept.
    pub(super) fn stream(&self, stream: Stream) -> Result<&[u8], String> {
        let read = || {
            // Nothing of it is read where not all of it can be.
            if self.length(stream) > LARGEST.0 {
                return Err(format!("it is longer than {LARGEST}"));
            }
            let (path, at) = (self.matter.house.folder.join(stream.name()), stream.index());
            stretch(&path, self.matter.outcome.stretch[0][at], self.matter.outcome.stretch[1][at])
        };
        let kept = self.streams[stream.index()].get_or_init(read);
        kept.as_deref().map_err(Clone::clone)
    }

    /// How long it is.
    pub(super) fn length(&self, stream: Stream) -> u64 {
        let at = stream.index();
        self.matter.outcome.stretch[1][at].bytes.saturating_sub(self.matter.outcome.stretch[0][at].bytes)
    }

    /// A stream that is short enough to be looked through unasked.
    pub(super) fn short(&self, stream: Stream, most: u64) -> Option<&[u8]> {
        if self.length(stream) > most { None } else { self.stream(stream).ok() }
    }

    /// What stands at a path of the workspace after the run.
    pub(super) fn at(&self, path: &str) -> At {
        if let Some(change) = self.change(path) {
            return At { standing: change.after.clone(), untouched: false };
        }
        let gone = |change: &Change| {
            change.after.is_nothing()
                && path.as_bytes().strip_prefix(change.path.as_slice()).is_some_and(is_below)
        };
        if self.matter.outcome.changes.changes.iter().any(gone) {
            return At::default();
        }
        let mut standing = standing(self.matter.workspace.folder(), path).unwrap_or_default();
        standing.sha256 = self.hashes.borrow().get(path).copied();
        let untouched = !standing.is_nothing();
        At { standing, untouched }
    }

    fn change(&self, path: &str) -> Option<&Change> {
        self.matter.outcome.changes.changes.iter().find(|change| change.path == path.as_bytes())
    }

    /// Reckons the digest of a file that the run left alone, where one is expected: a list of changes does not have it.
    pub(super) fn hash(&self, expectation: &Expectation) {
        let Expectation::File { path, test: FileTest::Sha256 { .. } } = expectation else { return };
        if self.change(path).is_some() {
            return;
        }
        if let Ok(digest) = open(self.matter.workspace.folder(), path).and_then(hashed) {
            self.hashes.borrow_mut().insert(path.clone(), digest);
        }
    }

    /// As much of a file as is asked for; why not, where it cannot be had.
    pub(super) fn file(&self, path: &str, slice: Slice) -> Result<Vec<u8>, String> {
        let At { standing, .. } = self.at(path);
        if standing.node != Node::File {
            return Err("there is no such file".to_owned());
        }
        let size = standing.size.unwrap_or_default();
        let folder = match self.change(path) {
            Some(_) => self.matter.workspace.written(self.matter.traces),
            None => self.matter.workspace.folder(),
        };
        let bytes = match slice {
            Slice::Whole if size > LARGEST => Err(format!("it is {size}; at most {LARGEST} is parsed"))?,
            Slice::Whole => read(folder, path, 0, LARGEST.0),
            Slice::Head => read(folder, path, 0, HEAD),
            Slice::Tail => read(folder, path, size.0.saturating_sub(TAIL), TAIL),
        };
        let bytes = bytes.map_err(|error| format!("it cannot be read: {error}"))?;
        let is_listed =
            slice != Slice::Whole || standing.sha256.is_none_or(|listed| listed == Digest::of(&bytes));
        is_listed.then_some(bytes).ok_or_else(|| "it was changed after the run".to_owned())
    }
}

/// A part of a stream that was captured, whole.
pub(super) fn stretch(path: &Path, from: Reached, to: Reached) -> Result<Vec<u8>, String> {
    match View::read(path, from, to, Part { head: LARGEST.0, tail: 0 }) {
        Ok(view) if view.left_out > 0 => Err(format!("it is longer than {LARGEST}")),
        Ok(view) => Ok(view.head),
        Err(error) => Err(format!("it cannot be read again: {error}")),
    }
}

fn hashed(file: File) -> io::Result<Digest> {
    let (mut hash, mut piece, mut all) = (Sha256::new(), vec![0; 64 << 10], 0);
    let mut file = file.take(LARGEST_HASHED + 1);
    loop {
        match file.read(&mut piece)? {
            0 if all > LARGEST_HASHED => return Err(io::ErrorKind::FileTooLarge.into()),
            0 => return Ok(Digest::finish(hash)),
            count => {
                hash.update(&piece[..count]);
                all += count as u64;
            }
        }
    }
}

/// Whether what is left of a path behind a folder's begins below it.
fn is_below(rest: &[u8]) -> bool {
    rest.first() == Some(&b'/')
}

/// No link is followed, and nothing is opened that is no file.
fn open(folder: BorrowedFd<'_>, path: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    Ok(File::from(openat2(folder, path, flags, Mode::empty(), inside)?))
}

fn read(folder: BorrowedFd<'_>, path: &str, from: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open(folder, path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What stands in the workspace itself.
fn standing(folder: BorrowedFd<'_>, path: &str) -> io::Result<Standing> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let stat = fstat(&openat2(folder, path, flags, Mode::empty(), inside)?)?;
    let node = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Node::File,
        FileType::Directory => Node::Folder,
        FileType::Symlink => Node::Link { target: Vec::new() },
        FileType::Fifo => Node::Fifo,
        FileType::Socket => Node::Socket,
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => Node::Device,
    };
    let size = (node == Node::File).then_some(Bytes(stat.st_size as u64));
    Ok(Standing { node, size, sha256: None, mode: None })
}
