//! Which compiler it is: by its file where that tells, else by what it says.

use super::CompileCacheError;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What makes one compiler another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// The file behind all links.
    File { path: PathBuf, size: u64, modified: (i64, i64) },
    /// What it said about its version, where the file stands for several compilers.
    Said { path: PathBuf, text: String },
}

/// Programs that choose among several compilers each time they are started.
const CHOOSERS: [&str; 5] = ["rustup", "mise", "asdf", "volta-shim", "ccache"];

/// The identity of a compiler by its file. None where it has to be asked: a script or a chooser stays the same file when
/// the compiler behind it changes.
pub fn identify(compiler: &Path) -> Result<Option<Identity>, CompileCacheError> {
    let path = compiler.canonicalize().map_err(CompileCacheError::read(compiler))?;
    let name = path.file_name().unwrap_or_default();
    let mut file = File::open(&path).map_err(CompileCacheError::read(&path))?;
    let mut start = [0; 2];
    let is_script = file.read(&mut start).map_err(CompileCacheError::read(&path))? == 2 && &start == b"#!";
    if is_script || CHOOSERS.iter().any(|chooser| name == *chooser) {
        return Ok(None);
    }
    let about = file.metadata().map_err(CompileCacheError::read(&path))?;
    let modified = (about.mtime(), about.mtime_nsec());
    Ok(Some(Identity::File { path, size: about.len(), modified }))
}
