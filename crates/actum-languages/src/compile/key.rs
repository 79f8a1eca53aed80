//! The name of what a compilation makes, from everything that is known before it. Pure.

use super::Identity;
use crate::Compile;
use actum_model::IdentityHash;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Raised when entries of older versions must not be used.
const FORMAT: &str = "actum compile 3";

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
    let mut hash = IdentityHash::new(FORMAT);
    hash.bytes(made.language);
    hash.bytes(made.source);
    hash.bytes(made.workspace.as_os_str().as_bytes());
    add_compiler(&mut hash, made.compiler);
    hash.list(made.compile.flags.iter().map(|flag| flag.as_bytes()));
    // Where the compiler keeps its own things does not decide what it makes.
    let variables = made.compile.variables.0.iter().filter(|(_, value)| !value.as_bytes().starts_with(b"/"));
    hash.list(variables.flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]));
    Key(hash.finish().to_string())
}

/// What a compiler is.
fn add_compiler(hash: &mut IdentityHash, compiler: &Identity) {
    match compiler {
        Identity::File { path, size, modified } => {
            hash.bytes("file");
            hash.bytes(path.as_os_str().as_bytes());
            hash.value(&(size, modified));
        }
        Identity::Said { path, text } => {
            hash.bytes("said");
            hash.bytes(path.as_os_str().as_bytes());
            hash.bytes(text);
        }
    }
}
