//! The program that helper processes are started from: this one, or one that was named.
//!
//! Readers, judges and editors of untrusted files run inside a sandbox; the warden and the signer of a process that has threads,
//! the process that places changes, and sessions run outside. All of them are this program started again with a hidden word,
//! which [`run_helper`](crate::run_helper) answers.

use crate::error::EngineError;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this program answers the hidden words. Without that, starting it again would run the caller's `main` once more.
static ANSWERS: AtomicBool = AtomicBool::new(false);

/// The program of helper processes.
#[derive(Debug, Clone)]
pub struct HelperProgram {
    /// What is started outside of sandboxes.
    start: PathBuf,
    /// Its name inside of sandboxes, which show it.
    inside: PathBuf,
}

/// The hidden word; the name of a helper follows.
pub(crate) const WORD: &str = "internal";

impl HelperProgram {
    /// This program. Its `main` must begin with [`run_helper`](crate::run_helper).
    pub fn itself() -> Result<Self, EngineError> {
        if !ANSWERS.load(Ordering::Relaxed) {
            return Err(EngineError::NoHelper);
        }
        let inside = own_program().map_err(|source| EngineError::Itself { source })?;
        // By this name also where the file was replaced meanwhile.
        Ok(Self { start: PathBuf::from("/proc/self/exe"), inside })
    }

    /// The `actum` program at this path.
    pub fn named(path: &Path) -> Self {
        Self { start: path.to_path_buf(), inside: path.to_path_buf() }
    }

    /// What is started outside of sandboxes.
    pub(crate) fn start(&self) -> &Path {
        &self.start
    }

    /// The command of a helper inside a sandbox.
    pub(crate) fn command(&self, helper: &str) -> Vec<OsString> {
        vec![self.inside.clone().into(), WORD.into(), helper.into()]
    }
}

/// Notes that this program answers the hidden words.
pub(crate) fn set_answers() {
    ANSWERS.store(true, Ordering::Relaxed);
}

/// The program that this process runs, wherever its file was moved since.
fn own_program() -> io::Result<PathBuf> {
    let link = rustix::fs::readlink("/proc/self/exe", Vec::new())?;
    Ok(PathBuf::from(OsString::from_vec(link.into_bytes())))
}
