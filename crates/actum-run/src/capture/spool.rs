//! One stream on disk.

use super::Reached;
use actum_model::Digest;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// A stream's file, made with its first byte.
pub(super) struct Spool {
    path: PathBuf,
    file: Option<File>,
    reached: Reached,
    hash: Sha256,
}

impl Spool {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, file: None, reached: Reached::default(), hash: Sha256::new() }
    }

    pub(super) fn reached(&self) -> Reached {
        self.reached
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.file.is_none() {
            let file = File::options().write(true).create_new(true).mode(0o600).open(&self.path)?;
            self.file = Some(file);
        }
        if let Some(file) = &mut self.file {
            file.write_all(bytes)?;
        }
        self.hash.update(bytes);
        self.reached.bytes += bytes.len() as u64;
        self.reached.line_ends += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        Ok(())
    }

    /// The digest of all of it.
    pub(super) fn finish(self) -> Digest {
        Digest::finish(self.hash)
    }
}
