//! Runs a tool of ours (uv, an interpreter, npm) inside the walls and takes what it says.
//!
//! It sees the system, what it was given to read, and folders of our cache to write; of the network the hosts of one index or
//! nothing; no workspace and no home. Fewer walls than that are not accepted: namespaces are required.

use super::error::{PrepareError, Trouble};
use super::wanted::{Kit, Prepared};
use actum_egress::{self as egress, Server};
use actum_model::{
    Bytes, Decision, Ending, Grant, HostRule, Limits, Network, Profile, Requirement, Span, Verdict,
    WorkspaceMode,
};
use actum_sandbox::{Output, Request, Start, Streams, TrustedTool, Variable, Watching};
use rustix::fd::AsFd;
use rustix::pipe::{PipeFlags, pipe_with};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// One thing that a tool is to do.
pub(super) struct Task<'t> {
    pub(super) doing: &'static str,
    pub(super) program: Program<'t>,
    pub(super) arguments: Vec<OsString>,
    /// Where it starts; below what it may see.
    pub(super) folder: &'t Path,
    pub(super) reads: Vec<PathBuf>,
    pub(super) writes: Vec<PathBuf>,
    pub(super) variables: Vec<(OsString, OsString)>,
    /// What it may reach; nothing else.
    pub(super) hosts: Option<&'t Reachable>,
    pub(super) wall: Span,
}

/// What a task starts. There is no way to name a program by a path or by `PATH`.
pub(super) enum Program<'t> {
    Tool(TrustedTool),
    /// The interpreter of an environment that we made.
    Environment(&'t Prepared),
    /// The system's.
    Shell,
}

impl Program<'_> {
    fn path(&self) -> &Path {
        match self {
            Self::Tool(tool) => tool.path(),
            Self::Environment(prepared) => &prepared.interpreter,
            Self::Shell => Path::new("/bin/sh"),
        }
    }

    /// The variable `PATH` for it: where it lies itself, and the system's folders. A script that names its interpreter by
    /// `env` would otherwise be run by whatever a project has put on the caller's.
    fn search_path(&self) -> OsString {
        let folder = |path: &Path| path.parent().map(Path::to_path_buf);
        let own = match self {
            Self::Tool(tool) => vec![folder(tool.path()), folder(tool.real())],
            Self::Environment(prepared) => vec![folder(&prepared.interpreter)],
            Self::Shell => Vec::new(),
        };
        let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
        std::env::join_paths(own.into_iter().flatten().chain(system))
            .unwrap_or_else(|_| "/usr/bin:/bin".into())
    }
}

/// Hosts that a tool may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reachable {
    pub(super) rules: Vec<HostRule>,
    /// Those on the machine's own loopback, which a proxy is never asked for.
    pub(super) servers: Vec<Server>,
}

/// The result.
pub(super) struct Said {
    pub(super) ending: Ending,
    pub(super) stdout: Vec<u8>,
    /// The end of it.
    pub(super) stderr: String,
    pub(super) decisions: Vec<Decision>,
}

impl Said {
    pub(super) fn is_success(&self) -> bool {
        self.ending.is_success()
    }

    /// What it printed, as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Much more than the lock of the largest environment.
const MOST_STDOUT: usize = 32 << 20;
/// The words that matter come last.
const MOST_STDERR: usize = 16 << 10;
/// Wheels of machine learning hold libraries of gigabytes.
const LIMITS: Limits = Limits {
    wall: Span::seconds(600),
    cpu: Span::seconds(3600),
    memory: Bytes::gib(4),
    processes: 512,
    descriptors: 4096,
    file_size: Bytes::gib(32),
    disk: Bytes::mib(512),
    output: Bytes::mib(64),
};

/// What a tool may write to our own folders: as much as the largest file.
const MOST_WRITTEN: Bytes = Bytes::gib(32);

/// Carries it out. That it was cancelled is an error whatever it was for.
pub(super) fn carry_out(kit: &Kit<'_>, task: &Task<'_>) -> Result<Said, PrepareError> {
    let request = request(kit, task);
    let failed = |source: io::Error| PrepareError::io("communicate with a tool in", task.folder)(source);
    let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|error| failed(error.into()));
    let ((stdout, stdout_inside), (stderr, stderr_inside)) = (pipe()?, pipe()?);
    let nothing = actum_gate::own::null().map_err(failed)?;
    let streams =
        Streams { stdin: nothing.as_fd(), stdout: stdout_inside.as_fd(), stderr: stderr_inside.as_fd() };
    let mut attempt = loop {
        match kit.sandboxes.start(&request, streams)? {
            Start::Started(attempt) => break attempt,
            Start::Lowered => {}
            Start::Withheld => unreachable!("BUG: approval was denied, but none was requested"),
        }
    };
    drop((stdout_inside, stderr_inside));
    let servers = task.hosts.map(|hosts| hosts.servers.as_slice()).unwrap_or_default();
    let serving = egress::serve(&request.policy, attempt.take_gates(), servers);
    let mut heard = Heard::default();
    let watching =
        Watching { stdout: Some(stdout), stderr: Some(stderr), cancel: kit.cancel, ..Watching::default() };
    let ended = match &serving {
        Ok(_) => Some(attempt.supervise(watching, &mut heard)),
        Err(_) => None,
    };
    kit.sandboxes.forget(&attempt);
    let serving = serving.map_err(|source| PrepareError::Serve { source })?;
    let decisions = serving.map(|egress| egress::stop(egress).decisions).unwrap_or_default();
    let ended = ended.expect("the server was asked and has answered")?;
    let stderr = String::from_utf8_lossy(&heard.stderr).into_owned();
    let said = Said { ending: ended.ending, stdout: heard.stdout, stderr, decisions };
    if matches!(said.ending, Ending::Cancelled) { Err(refused(task.doing, &said)) } else { Ok(said) }
}

/// The same, where nothing but success will do.
pub(super) fn succeed(kit: &Kit<'_>, task: &Task<'_>) -> Result<Said, PrepareError> {
    let said = carry_out(kit, task)?;
    if said.is_success() { Ok(said) } else { Err(refused(task.doing, &said)) }
}

/// What a tool that did not succeed means.
pub(super) fn refused(doing: &'static str, said: &Said) -> PrepareError {
    let (trouble, names) = match &said.ending {
        Ending::Cancelled => (Trouble::Cancelled, Vec::new()),
        Ending::TimedOut { .. } => (Trouble::TimedOut, Vec::new()),
        Ending::Exited { .. }
        | Ending::Signalled { .. }
        | Ending::OutOfMemory { .. }
        | Ending::OverLimit { .. }
        | Ending::NotStarted { .. } => super::words::judge(&said.stderr),
    };
    let mut words = super::words::last_lines(&said.stderr);
    if words.is_empty() {
        words = format!("{:?}", said.ending);
    }
    for decision in said.decisions.iter().filter(|one| matches!(one.verdict, Verdict::Refused(_))).take(4) {
        let Verdict::Refused(refusal) = decision.verdict else { continue };
        words.push_str(&format!("\nactum blocked access to `{}`: {}", decision.shown_host(), refusal.word()));
    }
    PrepareError::Tool { doing, trouble, names, said: words }
}

/// Nothing of the run's but its variables and folders.
fn request(kit: &Kit<'_>, task: &Task<'_>) -> Request {
    let mut request = kit.attempt.clone();
    request.command = vec![task.program.path().into()];
    request.command.extend_from_slice(&task.arguments);
    request.variables.retain(|(name, _)| name != "PATH");
    request.variables.push(("PATH".into(), task.program.search_path()));
    request.policy = Profile::Default.policy();
    // Who reaches out has to be held by all walls; who only reads and writes our own folders may have fewer.
    request.policy.namespaces =
        if task.hosts.is_some() { Requirement::Required } else { Requirement::Optional };
    request.policy.workspace = WorkspaceMode::ReadOnly;
    request.policy.network = match task.hosts {
        Some(hosts) => Network::Hosts(hosts.rules.clone()),
        None => Network::None,
    };
    let reads = task.reads.iter().cloned().map(Grant::Read);
    request.policy.grants = reads.chain(task.writes.iter().cloned().map(Grant::Write)).collect();
    request.workspace = task.folder.to_path_buf();
    request.folder = task.folder.to_path_buf();
    request.limits = Limits { wall: task.wall, ..LIMITS };
    request.written = Some(MOST_WRITTEN);
    request.searched = Vec::new();
    request.grace = Span::default();
    request.terminal = None;
    request.layer = None;
    request.listeners.clear();
    request.shown_at = None;
    let set = |(name, value): &(OsString, OsString)| Variable::Set(name.clone(), value.clone());
    request.granted_variables = task.variables.iter().map(set).collect();
    request.gate_variables = egress::proxy_variables(actum_sandbox::PROXY_PORT);
    request.forwards =
        task.hosts.map(|hosts| hosts.servers.iter().map(|server| server.port).collect()).unwrap_or_default();
    request
}

#[derive(Default)]
struct Heard {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Output for Heard {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = MOST_STDOUT.saturating_sub(self.stdout.len()).min(bytes.len());
        self.stdout.extend_from_slice(&bytes[..room]);
        Ok(())
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stderr.extend_from_slice(bytes);
        // Twice as much is let in before the beginning is let go, so that little is moved often.
        if self.stderr.len() > 2 * MOST_STDERR {
            self.stderr.drain(..self.stderr.len() - MOST_STDERR);
        }
        Ok(())
    }
}
