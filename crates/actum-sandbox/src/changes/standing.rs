//! What stands at a path, in the words of the model.

use super::copy;
use super::listing::node_of;
use super::reach::Entry;
use actum_model::{Bytes, Digest, Node, Standing};
use rustix::fs::FileType;
use rustix::io::Result;
use sha2::{Digest as _, Sha256};
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
            return Ok(Digest(hasher.finalize().into()));
        }
        offset += length as u64;
    }
}

/// How much is read to tell what stood there before. A run that deletes a large tree must not cost the reading of it.
pub(super) struct Budget(pub(super) u64);

impl Budget {
    /// Looks closely while there is something left, then only at a glance.
    pub(super) fn standing(&mut self, entry: &Entry) -> Result<Standing> {
        let size = if entry.kind() == FileType::RegularFile { entry.stat.st_size as u64 } else { 0 };
        match self.0.checked_sub(size) {
            Some(left) => {
                self.0 = left;
                standing(entry, Depth::Whole)
            }
            None => standing(entry, Depth::Glance),
        }
    }
}
