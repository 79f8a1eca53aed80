//! What stands at a path, in the words of the model.

use super::copy;
use super::listing::node_of;
use super::reach::Entry;
use actum_model::{Bytes, Digest, Node, Standing};
use rustix::fs::FileType;
use rustix::io::{Errno, Result};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd};

/// How closely something is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Kind, length, mode, target: what costs no reading.
    Glance,
    /// The digest of contents too.
    Whole,
}

/// Tells what an entry is.
pub(super) fn standing(entry: &Entry, depth: Depth) -> Result<Standing> {
    let node = node_of(entry)?;
    let is_file = node == Node::File;
    let sha256 = match depth {
        Depth::Whole if is_file => Some(digest(entry.open()?.as_fd(), entry.stat.st_size as u64)?),
        Depth::Whole | Depth::Glance => None,
    };
    let size = is_file.then_some(Bytes(entry.stat.st_size as u64));
    let mode = (entry.kind() != FileType::Symlink).then(|| entry.mode());
    Ok(Standing { node, size, sha256, mode })
}

/// Reads to the end, whatever the length was said to be. Most files are small, and one byte more than the length shows
/// the end in the same step.
fn digest(file: BorrowedFd<'_>, length: u64) -> Result<Digest> {
    let piece = length.saturating_add(1).min(copy::PIECE as u64) as usize;
    let (mut hasher, mut buffer, mut offset) = (Sha256::new(), vec![0; piece], 0);
    loop {
        let length = copy::read_full(file, &mut buffer, offset)?;
        hasher.update(&buffer[..length]);
        if length < buffer.len() {
            return Ok(Digest::finish(hasher));
        }
        offset += length as u64;
    }
}

/// How much is read to tell what stands in a tree. By length, not by blocks: a sparse file costs no disk, but reading it
/// costs time, and a program can make a thousand of them. A file with many names is read once.
pub(super) struct Budget {
    left: u64,
    /// Digests of files that have more than one name, by inode: a tree is on one file system.
    seen: HashMap<u64, Digest>,
}

impl Budget {
    pub(super) fn new(bytes: Bytes) -> Self {
        Self { left: bytes.0, seen: HashMap::new() }
    }

    /// Looks closely while there is something left, then only at a glance.
    pub(super) fn standing(&mut self, entry: &Entry) -> Result<Standing> {
        let glance = standing(entry, Depth::Glance)?;
        if glance.node != Node::File {
            return Ok(glance);
        }
        if let Some(digest) = self.seen.get(&entry.stat.st_ino) {
            return Ok(Standing { sha256: Some(*digest), ..glance });
        }
        let Some(left) = self.left.checked_sub(entry.stat.st_size as u64) else { return Ok(glance) };
        self.left = left;
        let whole = match standing(entry, Depth::Whole) {
            // Another user's file, which can be deleted and not be read.
            Err(Errno::ACCESS | Errno::PERM) => return Ok(glance),
            whole => whole?,
        };
        if let Some(digest) = whole.sha256.filter(|_| entry.stat.st_nlink > 1) {
            self.seen.insert(entry.stat.st_ino, digest);
        }
        Ok(whole)
    }
}
