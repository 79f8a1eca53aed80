//! The name of what a compilation makes, from everything that is known before it. Pure.

use super::Identity;
use crate::Compile;
use actum_model::Digest;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Raised when entries of older versions must not be used.
const FORMAT: &[u8] = b"actum compile 2";

/// A SHA-256 in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Key {
    /// The two parts of its path: 256 folders keep each of them short.
    pub(super) fn parts(&self) -> (&str, &str) {
        (&self.0[..2], &self.0)
    }
}

/// What a program is made from.
#[derive(Debug, Clone, Copy)]
pub struct Made<'a> {
    pub language: &'a str,
    pub source: &'a [u8],
    pub compile: &'a Compile,
    pub compiler: &'a Identity,
    /// Compilers find things in the folder where they are started, and a hostile one may bring its own tools: what was made
    /// in one workspace is never taken for another.
    pub workspace: &'a Path,
}

/// The key of a compilation. The flags hold the source's path, because compilers write it into what they make.
pub fn key(made: &Made<'_>) -> Key {
    let mut digest = Parts(Sha256::new());
    digest.part(FORMAT);
    digest.part(made.language.as_bytes());
    digest.part(made.source);
    digest.part(made.workspace.as_os_str().as_bytes());
    digest.identity(made.compiler);
    digest.list(made.compile.flags.iter().map(|flag| flag.as_bytes()));
    // Where the compiler keeps its own things does not decide what it makes.
    let variables = made.compile.variables.0.iter().filter(|(_, value)| !value.as_bytes().starts_with(b"/"));
    digest.list(variables.flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]));
    Key(digest.hex())
}

/// Lengths go in front, so that no two lists of parts are the same bytes.
pub(super) struct Parts(pub(super) Sha256);

impl Parts {
    pub(super) fn part(&mut self, bytes: &[u8]) {
        self.0.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
        self.0.update(bytes);
    }

    fn list<'a>(&mut self, parts: impl Iterator<Item = &'a [u8]>) {
        let parts: Vec<&[u8]> = parts.collect();
        self.part(&u64::try_from(parts.len()).unwrap_or(u64::MAX).to_le_bytes());
        for part in parts {
            self.part(part);
        }
    }

    fn identity(&mut self, identity: &Identity) {
        match identity {
            Identity::File { path, size, modified } => {
                self.part(b"file");
                self.part(path.as_os_str().as_bytes());
                self.part(format!("{size} {} {}", modified.0, modified.1).as_bytes());
            }
            Identity::Said { path, text } => {
                self.part(b"said");
                self.part(path.as_os_str().as_bytes());
                self.part(text.as_bytes());
            }
        }
    }

    pub(super) fn hex(self) -> String {
        Digest::finish(self.0).to_string()
    }
}
