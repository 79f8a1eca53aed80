//! `actum run`

use super::report_file::ReportFile;
use super::{OWN_ERROR, fail};
use crate::config::{Config, ConfigError, Surroundings};
use crate::{screen, signals};
use actum_model::{
    Ending, Grant, Limits, LimitsError, Network, Policy, PolicyError, Profile, Span, Tier, WorkspaceMode,
    path_text,
};
use actum_run::{Live, Passing, RunError};
use actum_sandbox::{Machine, Opening, Request, Resized, SandboxError, Variable, Warden};
use rustix::fd::{AsFd, OwnedFd};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Run a command confined, pass its output through, and end with its exit code
///
/// The command sees the system's programs and libraries, the runtimes on your PATH, and the workspace (this folder unless
/// --workspace names another). It sees nothing else of your home and has no network. Files are transactional: changes
/// to the workspace are applied when the command succeeds, and discarded when it does not.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum run -- python3 -c 'print(6*7)'
  actum run --limit memory=512MiB --limit wall=30s -- pytest -q
  actum run --net api.example.org -- ./client --once
  actum run --policy locked -- ./from-a-stranger
  actum run --read-only --report report.json -- make check
  actum run --pty -- python3

Exit codes: the command's own; 123 a limit was met; 124 the wall time was met; 125 Actum's own error;
126 not executable; 127 not found; 130 cancelled; 128+n ended by signal n.")]
pub struct Run {
    /// What the command may touch: locked, default, networked, gpu or open
    #[arg(long, value_name = "NAME", help_heading = "What it may touch")]
    policy: Option<String>,
    /// Hosts it may reach (host, host:port, *.domain, comma-separated), or none, loopback, full
    #[arg(long, value_name = "HOSTS", help_heading = "What it may touch")]
    net: Vec<String>,
    /// A variable it gets: NAME with your value, or NAME=VALUE
    #[arg(long, value_name = "NAME[=VALUE]", help_heading = "What it may touch")]
    env: Vec<OsString>,
    /// A file or folder it may read, beside the workspace
    #[arg(long, value_name = "PATH", help_heading = "What it may touch")]
    read: Vec<PathBuf>,
    /// A folder it may write directly, beside the workspace
    #[arg(long, value_name = "PATH", help_heading = "What it may touch")]
    write: Vec<PathBuf>,
    /// Graphics cards it may use, by index
    #[arg(long, value_name = "N,…", value_delimiter = ',', help_heading = "What it may touch")]
    gpu: Vec<u32>,

    /// A limit: wall, cpu, memory, processes, descriptors, file-size, disk or output
    #[arg(long, value_name = "NAME=VALUE", help_heading = "What it may use")]
    limit: Vec<String>,
    /// How long it has to end by itself when its time is over or you cancel it; 0 kills at once
    #[arg(long, value_name = "TIME", help_heading = "What it may use")]
    grace: Option<Span>,

    /// The folder it may change
    #[arg(long, value_name = "FOLDER", help_heading = "Files")]
    workspace: Option<PathBuf>,
    /// Where it starts, inside the workspace
    #[arg(long, value_name = "FOLDER", help_heading = "Files")]
    workdir: Option<PathBuf>,
    /// List its changes and discard them
    #[arg(long, conflicts_with = "in_place", help_heading = "Files")]
    read_only: bool,
    /// Let it write directly into the workspace
    #[arg(long, help_heading = "Files")]
    in_place: bool,
    /// A file to read from instead of nothing; - is your own stdin
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    stdin: Option<PathBuf>,

    /// Give it a terminal: yours if you are at one, else one of 24 lines by 80
    #[arg(long, help_heading = "What is shown")]
    pty: bool,
    /// Write the report as JSON to a file
    #[arg(long, value_name = "FILE", help_heading = "What is shown")]
    report: Option<PathBuf>,
    /// No summary line
    #[arg(long, short, help_heading = "What is shown")]
    quiet: bool,

    /// The highest tier of walls to use: N, L or none
    #[arg(long, value_name = "TIER", hide = true)]
    tier: Option<Ceiling>,

    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "verbatim")]
enum Ceiling {
    N,
    L,
    #[value(name = "none")]
    None,
}

/// What can go wrong before or around a run.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("use {}", path.display())]
    Path { path: PathBuf, hint: &'static str, source: std::io::Error },
    #[error("write the report to {}", path.display())]
    Report { path: PathBuf, source: std::io::Error },
    #[error("start {command}: {reason}")]
    NotStarted { command: String, reason: String, code: u8 },
    #[error("start in {}: it is not inside the workspace {}", folder.display(), workspace.display())]
    Outside { folder: PathBuf, workspace: PathBuf },
}

impl From<SandboxError> for Problem {
    fn from(error: SandboxError) -> Self {
        Self::Run(error.into())
    }
}

impl From<PolicyError> for Problem {
    fn from(error: PolicyError) -> Self {
        SandboxError::from(error).into()
    }
}

impl From<LimitsError> for Problem {
    fn from(error: LimitsError) -> Self {
        SandboxError::from(error).into()
    }
}

impl Problem {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Run(error) => error.exit_code(),
            Self::NotStarted { code, .. } => *code,
            Self::Config(_) | Self::Path { .. } | Self::Report { .. } | Self::Outside { .. } => OWN_ERROR,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Run(error) => error.hint(),
            Self::Path { hint, .. } => Some((*hint).to_owned()),
            Self::Config(_) => {
                Some("`actum config` shows the defaults and where your own file is looked for".to_owned())
            }
            Self::Outside { .. } => Some("name a folder below it, or another --workspace".to_owned()),
            Self::NotStarted { code: 126, .. } => {
                Some("make it executable with chmod +x, or put the interpreter before it".to_owned())
            }
            Self::NotStarted { code: 127, .. } => {
                Some("the file is there, but not the interpreter or loader that it names".to_owned())
            }
            Self::NotStarted { .. } => None,
            Self::Report { .. } => Some("name a file in a folder that you can write".to_owned()),
        }
    }
}

impl Run {
    pub fn execute(self, warden: Warden) -> ExitCode {
        match self.go(warden) {
            Ok(code) => ExitCode::from(code),
            Err(problem) => {
                fail(&problem, problem.hint().as_deref());
                ExitCode::from(problem.exit_code())
            }
        }
    }

    fn go(self, warden: Warden) -> Result<u8, Problem> {
        let ceiling = match self.tier {
            None | Some(Ceiling::N) => Tier::N,
            Some(Ceiling::L) => Tier::L,
            Some(Ceiling::None) => Tier::None,
        };
        // First: the ground is broken beside everything that is read and looked at here.
        let opening = Opening::begin(warden, ceiling)?;
        let surroundings = Surroundings::read()?;
        let config = Config::resolve(&surroundings)?;
        let request = self.request(&surroundings, &config)?;
        // A contradiction is told before anything is built.
        request.policy.check()?;
        // Before any thread: one that did not know would be the one that the signal finds.
        let cancel = signals::cancel();
        let stdin = self.open_stdin()?;
        // A report that cannot be written is told before an hour was spent.
        let report_file = self.report.as_deref().map(ReportFile::prepare).transpose()?;
        let machine = Machine::survey(surroundings.path(), surroundings.home.as_deref());
        let sandboxes = opening.finish(machine)?;
        let mut output = if self.pty { screen::Through::whole() } else { screen::Through::new() };
        let window = self.pty.then(signals::resized).flatten();
        let live = Live {
            stdin: stdin.as_fd(),
            output: Passing::Through(&mut output),
            resized: window.as_ref().map(|told| Resized { told: told.as_fd(), size: &screen::size }),
            cancel: cancel.as_ref().map(AsFd::as_fd),
        };
        let raw = self.is_typed_at().then(screen::Raw::enter).flatten();
        let report = actum_run::run(&sandboxes, &request, live);
        output.finish(cancel.as_ref().map(AsFd::as_fd));
        drop(raw);
        let report = report?;
        if let Some(file) = report_file {
            file.write(&report)?;
        }
        if let Ending::NotStarted { reason, .. } = &report.ending {
            let command = path_text(self.command[0].as_bytes());
            return Err(Problem::NotStarted { command, reason: reason.clone(), code: report.exit_code });
        }
        if !self.quiet {
            screen::note(&screen::summary(&report));
        }
        Ok(report.exit_code)
    }

    fn request(&self, surroundings: &Surroundings, config: &Config) -> Result<Request, Problem> {
        let hint = "name an existing folder";
        let real = |path: &Path| {
            let path = surroundings.folder.join(path);
            path.canonicalize().map_err(|source| Problem::Path { path, hint, source })
        };
        let workspace = real(self.workspace.as_deref().unwrap_or(Path::new(".")))?;
        let folder = match (&self.workdir, &self.workspace) {
            (Some(folder), _) => a_folder(real(&workspace.join(folder))?, hint)?,
            (None, _) => workspace.clone(),
        };
        if !folder.starts_with(&workspace) {
            return Err(Problem::Outside { folder, workspace });
        }
        Ok(Request {
            policy: self.policy(config, &real)?,
            limits: self.limits(config)?,
            grace: self.grace.unwrap_or(config.grace),
            terminal: self.pty.then(|| screen::size().unwrap_or_default()),
            workspace,
            folder,
            command: self.command.clone(),
            variables: surroundings.variables.clone(),
            granted_variables: self.env.iter().map(variable).collect(),
            gate_variables: actum_run::gate_variables(),
            layers: surroundings.layers.clone(),
            home: surroundings.home.clone(),
            layer: None,
            forwards: Vec::new(),
        })
    }

    fn policy(
        &self,
        config: &Config,
        real: &dyn Fn(&Path) -> Result<PathBuf, Problem>,
    ) -> Result<Policy, Problem> {
        let profile = self.policy.as_deref().map(str::parse::<Profile>).transpose()?;
        let network = (!self.net.is_empty()).then(|| Network::parse(&self.net.join(","))).transpose()?;
        // Granting hosts or cards says which profile is meant, unless one is named.
        let meant = match (&network, self.gpu.is_empty()) {
            (Some(Network::Hosts(_)), _) => Profile::Networked,
            (_, false) => Profile::Gpu,
            (Some(_) | None, true) => config.profile,
        };
        let mut policy = profile.unwrap_or(meant).policy();
        match network {
            // Said with an empty list it is nothing; not said at all it was forgotten.
            Some(network) => policy.network = network,
            None if policy.profile == Profile::Networked => {
                return Err(PolicyError::NetworkedWithoutHosts.into());
            }
            None => {}
        }
        for path in &self.read {
            policy.grants.push(Grant::Read(real(path)?));
        }
        for path in &self.write {
            policy.grants.push(Grant::Write(real(path)?));
        }
        policy.cards =
            if policy.profile == Profile::Gpu && self.gpu.is_empty() { vec![0] } else { self.gpu.clone() };
        if self.in_place {
            policy.workspace = WorkspaceMode::InPlace;
        } else if self.read_only {
            policy.workspace = WorkspaceMode::ReadOnly;
        }
        Ok(policy)
    }

    fn limits(&self, config: &Config) -> Result<Limits, Problem> {
        let mut limits = config.limits;
        self.limit.iter().try_for_each(|assignment| limits.set(assignment))?;
        Ok(limits)
    }

    /// Whether the user's own keys go to the program's terminal.
    fn is_typed_at(&self) -> bool {
        let own = self.stdin.as_deref().is_none_or(|path| path == Path::new("-"));
        self.pty && own && screen::is_typed_at()
    }

    fn open_stdin(&self) -> Result<OwnedFd, Problem> {
        let nothing = Path::new(if self.is_typed_at() { "-" } else { "/dev/null" });
        let path = self.stdin.as_deref().unwrap_or(nothing);
        let hint = "name a file that you can read, or - for your own stdin";
        let opened = match path == Path::new("-") {
            // Not by the name /dev/stdin: opening a pipe or socket again needs rights that its user may not have.
            true => std::io::stdin().as_fd().try_clone_to_owned(),
            false => std::fs::File::open(path).map(OwnedFd::from),
        };
        opened.and_then(handed_in).map_err(|source| Problem::Path { path: path.to_path_buf(), hint, source })
    }
}

/// The path, if it is a folder.
fn a_folder(path: PathBuf, hint: &'static str) -> Result<PathBuf, Problem> {
    let source = std::io::ErrorKind::NotADirectory.into();
    if path.is_dir() { Ok(path) } else { Err(Problem::Path { path, hint, source }) }
}

/// `NAME` or `NAME=VALUE`, as bytes.
fn variable(text: &OsString) -> Variable {
    let bytes = text.as_bytes();
    match bytes.iter().position(|byte| *byte == b'=') {
        Some(at) => Variable::Set(
            OsString::from_vec(bytes[..at].to_vec()),
            OsString::from_vec(bytes[at + 1..].to_vec()),
        ),
        None => Variable::Inherited(text.clone()),
    }
}

/// A descriptor is a handle on its file: whoever has it can change the file's mode, or walk on from a folder. So a file is
/// poured into a pipe, and a folder is refused.
fn handed_in(input: OwnedFd) -> std::io::Result<OwnedFd> {
    let mut file = std::fs::File::from(input);
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Ok(file.into());
    }
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    // Ends with the file, or with its reader.
    std::thread::spawn(move || std::io::copy(&mut file, &mut std::fs::File::from(writer)));
    Ok(reader)
}
