//! The files that a run was given and those that it opened, by their digests: so that somebody can tell later whether they
//! are still the same.

mod opens;
mod read_back;
mod survey;

use crate::request::{Request, Tracing};
use crate::source::Source;
use actum_gate::File;
use actum_model::{Bytes, Digest, FileFacts, Grant, path_text};
pub(crate) use opens::{Opened, Opens};
pub(crate) use read_back::{After, ReadBack};
use rustix::fs::{Mode, OFlags};
use sha2::{Digest as _, Sha256};
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
pub(crate) use survey::Survey;

/// More than anybody names; a folder counts as one.
const MOST: usize = 100;
/// Read together: a quarter of a second of work beside the run. What lies beyond is listed with its size.
const READ: u64 = 256 << 20;

/// Looks at the files that a request names, beside its source: granted ones, the database, and files of the workspace that
/// are words of a command; then at the code of the workspace, which a program may import and tests are about.
pub(crate) fn read(request: &Request, survey: &Survey) -> Vec<FileFacts> {
    let workspace = &request.attempt.workspace;
    let mut left = if request.tracing == Tracing::Whole { u64::MAX } else { READ };
    let mut all = named(request);
    for path in &survey.code {
        let path = workspace.join(path);
        if !all.contains(&path) {
            all.push(path);
        }
    }
    all.iter().filter_map(|path| facts(path, workspace, &mut left)).collect()
}

/// A path as records have it: inside the workspace, or absolute.
pub(crate) fn shown(path: &Path, workspace: &Path) -> String {
    path_text(path.strip_prefix(workspace).unwrap_or(path).as_os_str().as_bytes())
}

fn named(request: &Request) -> Vec<PathBuf> {
    let attempt = &request.attempt;
    let granted = attempt.policy.grants.iter().filter_map(|grant| match grant {
        Grant::Read(path) => Some(path.clone()),
        Grant::Write(_) => None,
    });
    let in_workspace = |word: &OsStr| {
        let path = attempt.folder.join(word).canonicalize().ok()?;
        (path.starts_with(&attempt.workspace) && path.is_file()).then_some(path)
    };
    let words: Vec<OsString> = match &request.source {
        Source::Command(words) => words.clone(),
        Source::Shell(line) => line.to_string_lossy().split_whitespace().map(OsString::from).collect(),
        Source::File(_) | Source::Inline(_) | Source::Stdin(_) => Vec::new(),
    };
    let words = words.iter().take(MOST).filter_map(|word| in_workspace(word));
    let mut all: Vec<PathBuf> = granted.chain(request.database.clone()).chain(words).collect();
    all.sort();
    all.dedup();
    all.truncate(MOST);
    all
}

fn facts(path: &Path, workspace: &Path, left: &mut u64) -> Option<FileFacts> {
    // A pipe is not waited for: it is for the program.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    facts_of(file, shown(path, workspace), left)
}

fn facts_of(file: File, path: String, left: &mut u64) -> Option<FileFacts> {
    let metadata = file.metadata().ok()?;
    let mut facts = FileFacts { path, kind: None, sha256: None, size: None, kept: false, opened: None };
    if metadata.is_file() {
        facts.size = Some(Bytes(metadata.len()));
        if metadata.len() <= *left {
            *left -= metadata.len();
            facts.sha256 = hashed(file, metadata.len());
        }
    }
    Some(facts)
}

/// None for a file that is not what its size said: it is being written.
fn hashed(file: File, size: u64) -> Option<actum_model::Digest> {
    let mut file = file.take(size + 1);
    let (mut hash, mut read) = (Sha256::new(), 0);
    let mut piece = vec![0; (64 << 10).min(size as usize + 1)];
    loop {
        match file.read(&mut piece).ok()? {
            0 => break,
            count => {
                hash.update(&piece[..count]);
                read += count as u64;
            }
        }
    }
    (read == size).then(|| Digest::finish(hash))
}
