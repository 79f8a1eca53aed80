//! What differs from the commit that is checked out, told by `git` inside the walls: the repository read-only, no network, no
//! home, and whatever its configuration starts is confined with it.

use super::Repository;
use actum_model::{Bytes, Digest, Grant, Profile, Span};
use actum_sandbox::{Output, Request, Sandboxes, Start, Streams, TrustedTool, Variable, Watching};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::pipe::{PipeFlags, pipe_with};
use sha2::{Digest as _, Sha256};
use std::io;

/// What was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Anything at all: changed, staged, or not known to the repository and not ignored.
    pub dirty: bool,
    /// Of what `git diff` prints.
    pub diff: Digest,
}

/// Compares with a fresh index and without the repository's own configuration: whoever can write the repository can otherwise make
/// `git` say that nothing differs. `docs/design/record.md` tells how to repeat it.
const QUESTION: &str = include_str!("question.sh");

/// Nothing of the machine's or the user's, nothing that waits for a person, nothing that is written, and no program that
/// watches files. Ownership was judged before, and looks different from inside.
const VARIABLES: [(&str, &str); 12] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("GIT_CONFIG_COUNT", "2"),
    ("GIT_CONFIG_KEY_0", "safe.directory"),
    ("GIT_CONFIG_VALUE_0", "*"),
    ("GIT_CONFIG_KEY_1", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_1", "false"),
];

/// Longer than anybody waits for it.
const LONGEST: Span = Span::seconds(30);

/// Asks, until it is told or `stop` becomes readable. None where it cannot be told: no `git`, no walls to ask it behind.
pub fn difference(
    sandboxes: &Sandboxes,
    run: &Request,
    (repository, commit): (&Repository, &str),
    stop: BorrowedFd<'_>,
) -> Option<Difference> {
    let git = trusted_git(run)?;
    let mut heard = Heard { diff: Sha256::new(), is_silent: true };
    let told = ask(sandboxes, &request(run, repository, (commit, &git)), Some(stop), &mut heard);
    told.is_ok_and(|told| told)
        .then(|| Difference { dirty: !heard.is_silent, diff: Digest::finish(heard.diff) })
}

/// The machine's own `git`: one that the workspace brings would say what it likes.
pub(super) fn trusted_git(run: &Request) -> Option<TrustedTool> {
    let path = run.variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    let cache = run.layers.parent().unwrap_or(&run.layers);
    run.tool_places(cache).find("git", path.unwrap_or_default()).ok()
}

/// Like the run's own attempt, and with nothing that was granted to it.
pub(super) fn request(
    run: &Request,
    repository: &Repository,
    (commit, git): (&str, &TrustedTool),
) -> Request {
    let mut request = run.clone();
    let objects = repository.common.join("objects");
    request.command = ["/bin/sh", "-c", QUESTION, "sh"].map(Into::into).to_vec();
    request.command.extend([repository.top.clone().into(), objects.into(), commit.into()]);
    // `git` and what it starts are found in its own folder and in the system's.
    request.variables.retain(|(name, _)| name != "PATH");
    let own = git.path().parent().map(std::path::Path::to_path_buf);
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(std::path::PathBuf::from);
    let folders = std::env::join_paths(own.into_iter().chain(system));
    request.variables.push(("PATH".into(), folders.unwrap_or_else(|_| "/usr/bin:/bin".into())));
    // No network, nothing written, and namespaces or nothing.
    request.policy = Profile::Locked.policy();
    request.workspace.clone_from(&repository.top);
    request.folder.clone_from(&repository.top);
    let outside = [&repository.folder, &repository.common];
    // A file of the workspace names them: nothing is shown that is no repository.
    let is_repository = |folder: &&std::path::PathBuf| {
        let parts = ["objects", "commondir"].iter().any(|part| folder.join(part).exists());
        folder.join("HEAD").is_file() && parts
    };
    let outside = outside.into_iter().filter(|folder| !folder.starts_with(&repository.top));
    let outside = outside.filter(is_repository);
    request.policy.grants = outside.map(|folder| Grant::Read(folder.clone())).collect();
    request.granted_variables =
        VARIABLES.map(|(name, value)| Variable::Set(name.into(), value.into())).to_vec();
    request.limits.wall = LONGEST;
    request.limits.disk = Bytes::mib(64);
    request.grace = Span::default();
    request.terminal = None;
    request.layer = None;
    request.forwards.clear();
    request.listeners.clear();
    request.shown_at = None;
    request
}

/// Runs one of our scripts inside the walls. False where it did not end well.
pub(super) fn ask(
    sandboxes: &Sandboxes,
    request: &Request,
    stop: Option<BorrowedFd<'_>>,
    heard: &mut dyn Output,
) -> io::Result<bool> {
    let (stdout, stdout_inside) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, stderr_inside) = pipe_with(PipeFlags::CLOEXEC)?;
    let nothing = actum_gate::own::null()?;
    let streams =
        Streams { stdin: nothing.as_fd(), stdout: stdout_inside.as_fd(), stderr: stderr_inside.as_fd() };
    // Fewer walls than expected are not enough for this.
    let started = sandboxes.start(request, streams).map_err(io::Error::other)?;
    let Start::Started(mut attempt) = started else {
        return Err(io::Error::other("the machine refuses the sandbox that git needs"));
    };
    drop((stdout_inside, stderr_inside));
    let watching =
        Watching { stdout: Some(stdout), stderr: Some(stderr), cancel: stop, ..Watching::default() };
    let ended = attempt.supervise(watching, heard);
    sandboxes.forget(&attempt);
    Ok(ended.is_ok_and(|ended| ended.ending.is_success()))
}

struct Heard {
    diff: Sha256,
    is_silent: bool,
}

impl Output for Heard {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.diff.update(bytes);
        self.is_silent &= bytes.is_empty();
        Ok(())
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.is_silent &= bytes.is_empty();
        Ok(())
    }
}
