//! What a compiler read besides the source, and whether it is still the same.

use super::{CompileCacheError, depfile};
use crate::{Compile, Reads};
use actum_model::{Digest, IdentityHash};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A header or module larger than this is not read again and again.
const LARGEST: u64 = 64 * 1024 * 1024;
/// Nor is more than this read of a workspace, which takes half a second.
const LARGEST_TOGETHER: u64 = 256 * 1024 * 1024;

/// What lies beside an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Of the artifact, so that one that was damaged or exchanged is not used.
    pub digest: String,
    pub reads: Vec<Read>,
}

/// One file that was read, and what it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    pub path: PathBuf,
    pub stamp: Stamp,
}

/// What a file was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stamp {
    /// Of the workspace, where times mean nothing: a checkout sets them anew.
    Digest(String),
    /// Of the system, where packages set both and hundreds of headers are read.
    File { size: u64, seconds: i64, nanoseconds: i64 },
    /// Of a folder: which files below it count. One more is another program.
    Listing { extensions: Vec<String>, names: Vec<String>, digest: String },
    /// Not there, or not to be read.
    Absent,
}

/// Whether everything that was read is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gathered {
    All(Vec<Read>),
    /// So what was made is used once and not kept.
    Unknown,
}

impl Manifest {
    /// Whether every file is what it was.
    pub fn is_fresh(&self, stamp: impl Fn(&Path, &Stamp) -> Stamp) -> bool {
        self.reads.iter().all(|read| stamp(&read.path, &read.stamp) == read.stamp)
    }

    /// Names one state of the files that were read: artifacts of the same key lie apart by it.
    pub(super) fn variant(&self) -> String {
        let mut hash = IdentityHash::new("actum compile variant 2");
        for read in &self.reads {
            hash.bytes(read.path.as_os_str().as_bytes());
            hash.value(&read.stamp);
        }
        hash.finish().to_string()[..16].to_owned()
    }
}

/// What the compiler read besides the source at `file`. Paths are those of the sandbox, which shows the workspace where it
/// is; relative ones begin at `folder`, where the compiler was started.
pub fn gather(
    compile: &Compile,
    (file, folder): (&Path, &Path),
    workspace: &Path,
) -> Result<Gathered, CompileCacheError> {
    let mut left = LARGEST_TOGETHER;
    let mut stamped = |path: PathBuf| {
        let path = folder.join(path);
        let stamp = if path.starts_with(workspace) { digest(&path, &mut left) } else { by_times(&path) };
        Read { path, stamp }
    };
    let reads: Vec<Read> = match &compile.reads {
        Reads::Unknown => return Ok(Gathered::Unknown),
        Reads::Told => {
            let Some(paths) = told(&compile.reads_file)? else { return Ok(Gathered::Unknown) };
            paths.into_iter().map(&mut stamped).collect()
        }
        Reads::Beside { extensions, names } => {
            let root = top(&compile.root, names, workspace);
            let Some(paths) = below(&root, extensions, names) else { return Ok(Gathered::Unknown) };
            let listing = listing(&root, extensions, names);
            [Read { path: root, stamp: listing }]
                .into_iter()
                .chain(paths.into_iter().map(&mut stamped))
                .collect()
        }
    };
    let reads: Vec<Read> = reads.into_iter().filter(|read| read.path != file).collect();
    // What cannot be read now cannot be compared later.
    let is_whole = reads.iter().all(|read| read.stamp != Stamp::Absent);
    Ok(if is_whole { Gathered::All(reads) } else { Gathered::Unknown })
}

/// What a file is now, looked at in the way that it was looked at before.
pub(super) fn now(path: &Path, before: &Stamp) -> Stamp {
    match before {
        // No more than was read when it was made: the first that differs ends it.
        Stamp::Digest(_) => digest(path, &mut LARGEST.clone()),
        Stamp::Listing { extensions, names, .. } => listing(path, extensions, names),
        Stamp::File { .. } | Stamp::Absent => by_times(path),
    }
}

fn told(reads_file: &Path) -> Result<Option<Vec<PathBuf>>, CompileCacheError> {
    let Some(mut file) = open(reads_file) else { return Ok(None) };
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(CompileCacheError::read(reads_file))?;
    Ok(depfile::read(&text))
}

/// The highest folder of the workspace above `root` that describes it (`go.mod`, `go.work`); `root` where none does.
fn top(root: &Path, names: &[String], workspace: &Path) -> PathBuf {
    let inside = root.ancestors().take_while(|above| above.starts_with(workspace));
    let described = inside.filter(|above| names.iter().any(|name| above.join(name).is_file()));
    described.last().unwrap_or(root).to_path_buf()
}

fn listing(root: &Path, extensions: &[String], names: &[String]) -> Stamp {
    let Some(files) = below(root, extensions, names) else { return Stamp::Absent };
    let mut hash = IdentityHash::new("actum listing 1");
    files.iter().for_each(|file| hash.bytes(file.as_os_str().as_bytes()));
    let digest = hash.finish().to_string();
    Stamp::Listing { extensions: extensions.to_vec(), names: names.to_vec(), digest }
}

/// Every file below a folder whose name counts. None where there are too many to look at each time.
fn below(folder: &Path, extensions: &[String], names: &[String]) -> Option<Vec<PathBuf>> {
    let is_in = |part: Option<&OsStr>, list: &[String]| list.iter().any(|one| part == Some(OsStr::new(one)));
    let top = folder.canonicalize().ok()?;
    let (mut found, mut folders, mut seen) = (Vec::new(), vec![folder.to_path_buf()], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).ok()? {
            let entry = entry.ok()?;
            let (path, kind) = (entry.path(), entry.file_type().ok()?);
            seen += 1;
            if seen > depfile::MOST {
                return None;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if is_in(path.extension(), extensions) || is_in(path.file_name(), names) {
                // Where a link leads is none of a repository's business.
                let is_inside = |path: &Path| path.canonicalize().is_ok_and(|real| real.starts_with(&top));
                if kind.is_symlink() && !is_inside(&path) {
                    return None;
                }
                found.push(path);
            }
        }
    }
    found.sort();
    Some(found)
}

/// What is more than may still be read is as good as absent.
fn digest(path: &Path, left: &mut u64) -> Stamp {
    let Some(mut file) = open(path) else { return Stamp::Absent };
    let size = file.metadata().map_or(u64::MAX, |about| about.len());
    let Some(rest) = left.checked_sub(size) else { return Stamp::Absent };
    *left = rest;
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Stamp::Digest(Digest::finish(digest).to_string()),
            Ok(count) => digest.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Stamp::Absent,
        }
    }
}

fn by_times(path: &Path) -> Stamp {
    let regular = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    regular.map_or(Stamp::Absent, |about| Stamp::File {
        size: about.len(),
        seconds: about.mtime(),
        nanoseconds: about.mtime_nsec(),
    })
}

/// A regular file of a reasonable size. The list of names comes from a compiler that read a stranger's source: a pipe or a
/// device among them is not even opened.
fn open(path: &Path) -> Option<actum_gate::File> {
    let (file, about) = actum_gate::open_named(path).ok()?;
    (about.size <= LARGEST).then_some(file)
}
