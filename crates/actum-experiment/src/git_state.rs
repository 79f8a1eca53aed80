//! The state of the repository around a workspace, as a manifest has it.

use crate::error::ExperimentError;
use crate::manifest::{GitState, PatchFacts};
use actum_engine::{Engine, Request};
use actum_git::GitSnapshot;
use actum_model::{Bytes, path_text};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// More names than anybody reads; the number of the others is told.
const MOST_UNTRACKED: usize = 1000;

/// Looks at the repository, and writes its uncommitted changes to `patch`.
pub(crate) fn look(
    engine: &Engine,
    request: &Request,
    patch: &Path,
) -> Result<Option<GitState>, ExperimentError> {
    Ok(engine.git_snapshot(request, patch)?.map(state))
}

fn state(snapshot: GitSnapshot) -> GitState {
    let GitSnapshot { top, commit, branch, operation, dirty, patch, untracked } = snapshot;
    let names = untracked.iter().take(MOST_UNTRACKED);
    GitState {
        top: path_text(top.as_os_str().as_bytes()),
        commit,
        branch,
        dirty,
        operation: operation.map(str::to_owned),
        patch: patch.map(|patch| PatchFacts { sha256: patch.sha256, bytes: Bytes(patch.bytes) }),
        untracked: names.map(|name| path_text(name.as_os_str().as_bytes())).collect(),
        untracked_left_out: untracked.len().saturating_sub(MOST_UNTRACKED) as u64,
    }
}

impl GitState {
    /// How many things differ from the commit, as far as they are counted: changed files count as one.
    pub fn differences(&self) -> usize {
        let others = self.untracked.len() + self.untracked_left_out as usize;
        others + usize::from(self.patch.is_some())
    }

    /// In one line, for people: `3 uncommitted changes (changed files, 2 untracked files)`.
    pub fn describe(&self) -> String {
        let untracked = self.untracked.len() as u64 + self.untracked_left_out;
        let changed = self.patch.is_some().then(|| "changed files".to_owned());
        let files = if untracked == 1 { "file" } else { "files" };
        let unknown = (untracked > 0).then(|| format!("{untracked} untracked {files}"));
        let operation = self.operation.as_ref().map(|name| format!("in the middle of a {name}"));
        let parts: Vec<String> = [changed, unknown, operation].into_iter().flatten().collect();
        match (self.dirty, parts.is_empty()) {
            (false, true) => "no".to_owned(),
            (true, true) => "yes".to_owned(),
            (true, false) => format!("yes: {}", parts.join(", ")),
            (false, false) => parts.join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_uncommitted_is_told_in_a_line() {
        let clean = GitState {
            top: "/w".to_owned(),
            commit: "a".repeat(40),
            branch: None,
            dirty: false,
            operation: None,
            patch: None,
            untracked: Vec::new(),
            untracked_left_out: 0,
        };
        assert_eq!(clean.describe(), "no");
        let patch = Some(PatchFacts { sha256: actum_model::Digest::of(b""), bytes: Bytes(3) });
        let dirty = GitState { dirty: true, patch, untracked: vec!["a.py".to_owned()], ..clean };
        assert_eq!(dirty.describe(), "yes: changed files, 1 untracked file");
        assert_eq!(dirty.differences(), 2);
    }
}
