//! What somebody needs to have a work tree again: the commit, what differs from it, and the names of files that git does not know.

use super::difference::{ask, request, trusted_git};
use super::{Head, Repository};
use actum_gate::File;
use actum_model::{Bytes, Digest, Span};
use actum_sandbox::{Output, Request, Sandboxes};
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A work tree beside its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitSnapshot {
    /// The folder that is checked out.
    pub top: PathBuf,
    pub commit: String,
    /// None when a commit is checked out by itself.
    pub branch: Option<String>,
    /// The work tree is in the middle of one: `merge`, `rebase`, `cherry-pick`, `revert` or `bisect`.
    pub operation: Option<&'static str>,
    /// Anything differs: changed, staged, or unknown to git and not ignored.
    pub dirty: bool,
    /// `git diff --binary` between the commit and the work tree; none where they are equal.
    pub patch: Option<PatchFacts>,
    /// Files that git does not know and does not ignore, below `top`.
    pub untracked: Vec<PathBuf>,
}

/// A patch that was written to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatchFacts {
    pub sha256: Digest,
    pub bytes: u64,
}

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("cannot read the git repository at {}: it has no commit, or keeps its references in a form that is not supported", top.display())]
    NoCommit { top: PathBuf },
    #[error("cannot find git on this machine")]
    NoGit,
    #[error("cannot compare {} with commit {commit}", top.display())]
    Compare { top: PathBuf, commit: String },
    #[error("the uncommitted changes in {} are larger than {LARGEST}", top.display())]
    TooLarge { top: PathBuf },
    #[error("cannot write the patch of the uncommitted changes to {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl SnapshotError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoCommit { .. } => "make a first commit, or run outside of a repository",
            Self::NoGit => "install git",
            Self::Compare { .. } => {
                "check the repository with `git fsck`; user namespaces are needed, see `actum doctor`"
            }
            Self::TooLarge { .. } => "commit the large files, or list them in .gitignore",
            Self::Write { .. } => "check the free space and permissions",
        }
    }
}

/// More is no patch that anybody applies.
const LARGEST: Bytes = Bytes(256 << 20);
/// Names of untracked files that are listed.
const MOST_NAMES: usize = 8 << 20;
const LONGEST: Span = Span::seconds(120);

/// Compares the work tree around a workspace with its commit. None where there is no repository. The patch is written to `patch`.
pub fn snapshot(
    sandboxes: &Sandboxes,
    run: &Request,
    patch: &Path,
) -> Result<Option<GitSnapshot>, SnapshotError> {
    let Some(repository) = Repository::around(&run.workspace) else { return Ok(None) };
    let top = repository.top.clone();
    let Some(Head { commit, branch }) = repository.head() else {
        return Err(SnapshotError::NoCommit { top });
    };
    let git = trusted_git(run).ok_or(SnapshotError::NoGit)?;
    let mut request = request(run, &repository, (&commit, &git));
    request.limits.wall = LONGEST;
    request.limits.output = Bytes(LARGEST.0 + MOST_NAMES as u64);
    let failed = |source| SnapshotError::Write { path: patch.to_path_buf(), source };
    let mut heard = Heard::new(actum_gate::own::create(patch).map_err(failed)?);
    let told = ask(sandboxes, &request, None, &mut heard).map_err(failed)?;
    if let Some(source) = heard.failed.take() {
        return Err(failed(source));
    }
    if heard.bytes > LARGEST.0 {
        return Err(SnapshotError::TooLarge { top });
    }
    if !told {
        return Err(SnapshotError::Compare { top, commit });
    }
    let operation = repository.operation();
    Ok(Some(heard.snapshot(GitSnapshot {
        top,
        commit,
        branch,
        operation,
        dirty: false,
        patch: None,
        untracked: Vec::new(),
    })))
}

impl Repository {
    /// What the work tree is in the middle of.
    fn operation(&self) -> Option<&'static str> {
        let marks = [
            ("MERGE_HEAD", "merge"),
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
            ("BISECT_LOG", "bisect"),
        ];
        let is_there = |name: &str| self.folder.join(name).symlink_metadata().is_ok();
        marks.into_iter().find(|(mark, _)| is_there(mark)).map(|(_, operation)| operation)
    }
}

struct Heard {
    patch: File,
    hash: Sha256,
    bytes: u64,
    words: Vec<u8>,
    failed: Option<io::Error>,
}

impl Heard {
    fn new(patch: File) -> Self {
        Self { patch, hash: Sha256::new(), bytes: 0, words: Vec::new(), failed: None }
    }

    fn snapshot(self, bare: GitSnapshot) -> GitSnapshot {
        let words = self.words.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        let name = |word: &[u8]| word.strip_prefix(b"?").map(|name| OsString::from_vec(name.to_vec()).into());
        let untracked: Vec<PathBuf> = words.clone().filter_map(name).collect();
        let patch =
            (self.bytes > 0).then(|| PatchFacts { sha256: Digest::finish(self.hash), bytes: self.bytes });
        GitSnapshot { dirty: words.count() > 0 || patch.is_some(), patch, untracked, ..bare }
    }
}

impl Output for Heard {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        if self.bytes > LARGEST.0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.hash.update(bytes);
        self.patch.write_all(bytes).inspect_err(|error| self.failed = Some(error.kind().into()))
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = MOST_NAMES.saturating_sub(self.words.len()).min(bytes.len());
        self.words.extend_from_slice(&bytes[..room]);
        Ok(())
    }
}
