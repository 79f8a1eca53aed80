//! Writes a commit, and a patch on top of it, into a folder: by `git` inside the walls, which sees the objects, the patch and the folder.

use super::difference::{ask, request, trusted_git};
use super::{Repository, snapshot::SnapshotError};
use actum_model::{Bytes, Grant, Network, Policy, Profile, Span, WorkspaceMode};
use actum_sandbox::{Output, Request, Sandboxes};
use std::io;
use std::path::{Path, PathBuf};

/// Why a commit could not be written into a folder.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    #[error("there is no git repository at {}", top.display())]
    NoRepository { top: PathBuf },
    #[error(transparent)]
    Git(#[from] SnapshotError),
    #[error("cannot check out commit {commit} of {}: {why}", top.display())]
    Failed { top: PathBuf, commit: String, why: String },
}

const SCRIPT: &str = include_str!("checkout.sh");
const LONGEST: Span = Span::seconds(600);
const LARGEST: Bytes = Bytes::gib(64);
/// Of what `git` says about a failure.
const MOST_WORDS: usize = 4 << 10;

/// Writes the commit of the repository around `top` into `folder`, which is empty, and applies the patch.
pub fn checkout(
    sandboxes: &Sandboxes,
    run: &Request,
    (top, commit): (&Path, &str),
    folder: &Path,
    patch: Option<&Path>,
) -> Result<(), CheckoutError> {
    let no_repository = || CheckoutError::NoRepository { top: top.to_path_buf() };
    let repository = Repository::around(top).ok_or_else(no_repository)?;
    let git = trusted_git(run).ok_or(SnapshotError::NoGit)?;
    let mut request = request(run, &repository, (commit, &git));
    // The policy of questions writes nothing.
    let (grants, network) = (std::mem::take(&mut request.policy.grants), Network::None);
    request.policy =
        Policy { grants, network, workspace: WorkspaceMode::InPlace, ..Profile::Default.policy() };
    let objects = repository.common.join("objects");
    request.policy.grants.retain(|grant| !objects.starts_with(grant.path()));
    request.policy.grants.push(Grant::Read(objects.clone()));
    request.policy.grants.extend(patch.map(|patch| Grant::Read(patch.to_path_buf())));
    request.workspace = folder.to_path_buf();
    request.folder = folder.to_path_buf();
    request.command = ["/bin/sh", "-c", SCRIPT, "sh"].map(Into::into).to_vec();
    request.command.extend([objects.into(), commit.into(), patch.unwrap_or(Path::new("")).into()]);
    request.limits.wall = LONGEST;
    request.limits.disk = LARGEST;
    request.limits.file_size = LARGEST;
    let mut heard = Words::default();
    let failed = |why: String| CheckoutError::Failed {
        top: top.to_path_buf(),
        commit: commit.to_owned(),
        why: actum_model::path_text(why.trim().as_bytes()),
    };
    match ask(sandboxes, &request, None, &mut heard) {
        Ok(true) => Ok(()),
        Ok(false) => Err(failed(String::from_utf8_lossy(&heard.0).into_owned())),
        Err(error) => Err(failed(actum_model::with_causes(&error))),
    }
}

#[derive(Default)]
struct Words(Vec<u8>);

impl Output for Words {
    fn stdout(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = MOST_WORDS.saturating_sub(self.0.len()).min(bytes.len());
        self.0.extend_from_slice(&bytes[..room]);
        Ok(())
    }
}
