//! The repository around a workspace: what somebody needs to have its work tree again, and how to get it.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::request::Request;
use actum_git::GitSnapshot;
use actum_model::{Network, Tier};
use std::path::Path;

/// A commit with the uncommitted changes on top of it.
#[derive(Debug, Clone, Copy)]
pub struct WorkTree<'a> {
    /// The folder that is checked out in the repository.
    pub top: &'a Path,
    pub commit: &'a str,
    /// `git diff --binary` against the commit.
    pub patch: Option<&'a Path>,
}

impl Engine {
    /// Compares the work tree around the workspace with its commit, and writes what differs to `patch`. None where there is no
    /// repository. `git` runs in a sandbox: a repository's configuration names programs.
    pub fn git_snapshot(&self, request: &Request, patch: &Path) -> Result<Option<GitSnapshot>, EngineError> {
        let sandboxes = self.sandboxes_for_helpers(request)?;
        Ok(actum_git::snapshot(&sandboxes, &request.run.attempt, patch)?)
    }

    /// Writes a work tree into an empty folder. The repository itself is not changed, not even by a list of its work trees.
    pub fn check_out(&self, request: &Request, tree: WorkTree<'_>, folder: &Path) -> Result<(), EngineError> {
        let sandboxes = self.sandboxes_for_helpers(request)?;
        let WorkTree { top, commit, patch } = tree;
        Ok(actum_git::checkout(&sandboxes, &request.run.attempt, (top, commit), folder, patch)?)
    }

    /// Whether the program of a request gets a loopback of its own, on which [`Sink::serve`](crate::Sink::serve) can listen.
    pub fn serves_ports(&self, request: &Request) -> Result<bool, EngineError> {
        let attempt = &request.run.attempt;
        let has_loopback = matches!(attempt.policy.network, Network::Loopback | Network::Hosts(_));
        let tier = self.sandboxes_for_helpers(request)?.tier(attempt)?;
        Ok(has_loopback && tier == Tier::N)
    }
}
