//! Why an environment could not be prepared.

use actum_model::ExitCode;
use actum_packages::npm_files::OddNpmFile;
use actum_sandbox::{Distrust, SandboxError};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// A tool said no. What it said is kept; which kind of no it was decides what can be tried next.
    #[error("cannot {doing}: {}", trouble.words(names, said))]
    Tool { doing: &'static str, trouble: Trouble, names: Vec<String>, said: String },
    #[error("cannot find uv, which Actum needs to install Python packages")]
    NoUv { said: String },
    #[error("no Python interpreter at {}", path.display())]
    Interpreter { path: PathBuf },
    #[error("cannot find a trusted installation of {name}")]
    Untrusted { name: String, refused: Option<Distrust> },
    #[error("cannot use the line `{line}` of {}: {why}", path.display())]
    Line { path: PathBuf, line: String, why: &'static str },
    #[error("cannot use the index `{url}`: {why}")]
    Index { url: String, why: &'static str },
    #[error("cannot install `{name}`: {why}")]
    Refused { name: String, why: &'static str, nearest: Vec<String> },
    #[error("cannot use the cache folder {}: {why}", path.display())]
    Foreign { path: PathBuf, why: &'static str },
    #[error("cannot {doing} {}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot prepare {what}: {why}")]
    Unsupported { what: String, why: String, command: String },
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("cannot give the installer access to the package index")]
    Serve { source: actum_egress::EgressError },
}

/// Kinds of no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// No index knows the package.
    NotFound,
    /// It exists, and no release fits what is asked.
    NoVersion,
    /// The requirements contradict each other.
    Unsatisfiable,
    /// No release has a wheel for this interpreter and machine, and building was not allowed.
    NoWheel,
    /// There are wheels, for other versions of Python.
    OtherPython,
    /// The index could not be reached, or did not answer in time.
    Unreachable,
    /// The index does not tell when its files were published, and only those of a certain age were wanted.
    Undated,
    /// What was fetched is not what the lock says.
    Mismatch,
    /// A requirement cannot be read.
    Malformed,
    /// Building from sources failed.
    Build,
    DiskFull,
    Cancelled,
    TimedOut,
    /// Anything else; the tool's own words tell.
    Other,
}

impl Trouble {
    /// The word for it in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::NoVersion => "no-version",
            Self::Unsatisfiable => "unsatisfiable",
            Self::NoWheel => "no-wheel",
            Self::OtherPython => "other-python",
            Self::Unreachable => "unreachable",
            Self::Undated => "undated",
            Self::Mismatch => "mismatch",
            Self::Malformed => "malformed",
            Self::Build => "build",
            Self::DiskFull => "disk-full",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed-out",
            Self::Other => "other",
        }
    }

    fn words(self, names: &[String], said: &str) -> String {
        let named = |otherwise: &str| if names.is_empty() { otherwise.to_owned() } else { names.join(", ") };
        match self {
            Self::NotFound => format!("{} is not on the package index", named("a package")),
            Self::NoVersion => format!("no release of {} matches the requested version", named("a package")),
            Self::Unsatisfiable => "the requirements conflict with each other".to_owned(),
            Self::NoWheel => {
                format!("{} has no wheel for this Python and platform", named("a package"))
            }
            Self::OtherPython => format!("{} needs another version of Python", named("a package")),
            Self::Unreachable if is_kept_offline(said) => {
                "not all packages are in the cache, and downloads are disabled".to_owned()
            }
            Self::Unreachable => "the package index could not be reached".to_owned(),
            Self::Undated => "the package index does not report upload dates".to_owned(),
            Self::Mismatch => "a downloaded file does not match its hash in the lock file".to_owned(),
            Self::Malformed => "a requirement cannot be parsed".to_owned(),
            Self::Build => format!("building {} from source failed", named("a package")),
            Self::DiskFull => "the disk is full".to_owned(),
            Self::Cancelled => "it was cancelled".to_owned(),
            Self::TimedOut => "it timed out".to_owned(),
            Self::Other => match said.lines().map(str::trim).rfind(|line| !line.is_empty()) {
                Some(last) => format!("the tool failed: {last}"),
                None => "the tool failed and printed nothing".to_owned(),
            },
        }
    }

    fn hint(self, said: &str) -> Option<&'static str> {
        match self {
            Self::Unreachable if is_kept_offline(said) => {
                Some("run once without --offline, or configure a folder of wheels in [packages]")
            }
            Self::NotFound => Some("check the spelling; the name may be invented"),
            Self::NoVersion | Self::Unsatisfiable => Some("relax one of the version constraints"),
            Self::NoWheel => Some("allow builds in [packages], or choose a release that has a wheel"),
            Self::OtherPython => Some("choose another Python with --python"),
            Self::Unreachable => {
                Some("check the network, or configure an index or a folder of wheels in [packages]")
            }
            Self::Undated => Some("set the release age in [packages] to 0 for this index"),
            Self::Mismatch => {
                Some("do not install it: resolve the lock file again, and find out why the file changed")
            }
            Self::DiskFull => Some("free disk space, or remove unused environments with `actum gc`"),
            Self::TimedOut => Some("try again: downloads are kept"),
            Self::Malformed | Self::Build | Self::Cancelled | Self::Other => None,
        }
    }
}

/// Whether a tool was not allowed to ask anybody, as against not being answered.
fn is_kept_offline(said: &str) -> bool {
    ["not found in the cache", "network was disabled", "network connectivity is disabled"]
        .iter()
        .any(|words| said.contains(words))
}

impl From<OddNpmFile> for PrepareError {
    fn from(odd: OddNpmFile) -> Self {
        Self::Line { path: "package.json".into(), line: odd.part, why: odd.why }
    }
}

impl PrepareError {
    pub fn untrusted(name: &str, refused: Option<Distrust>) -> Self {
        Self::Untrusted { name: name.to_owned(), refused }
    }

    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| {
            let is_full = matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
            if !is_full {
                return Self::Io { doing, path, source };
            }
            let said = format!("{}: {source}", path.display());
            Self::Tool { doing, trouble: Trouble::DiskFull, names: Vec::new(), said }
        }
    }

    /// Which kind of no it was, where a tool said no.
    pub fn trouble(&self) -> Option<Trouble> {
        if let Self::Tool { trouble, .. } = self { Some(*trouble) } else { None }
    }

    /// The packages that it is about.
    pub fn names(&self) -> &[String] {
        if let Self::Tool { names, .. } = self { names } else { &[] }
    }

    /// The tool's own words, at most their last lines.
    pub fn said(&self) -> Option<&str> {
        let (Self::Tool { said, .. } | Self::NoUv { said }) = self else { return None };
        Some(said.as_str()).filter(|said| !said.is_empty())
    }

    /// The same, where what a tool said means something else.
    pub(super) fn meaning(self, trouble: Trouble, name: &str) -> Self {
        match self {
            Self::Tool { doing, trouble: before, said, .. } if before != Trouble::Cancelled => {
                Self::Tool { doing, trouble, names: vec![name.to_owned()], said }
            }
            Self::Tool { .. }
            | Self::NoUv { .. }
            | Self::Interpreter { .. }
            | Self::Untrusted { .. }
            | Self::Line { .. }
            | Self::Index { .. }
            | Self::Foreign { .. }
            | Self::Refused { .. }
            | Self::Io { .. }
            | Self::Unsupported { .. }
            | Self::Sandbox(_)
            | Self::Serve { .. } => self,
        }
    }

    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Tool { trouble, said, .. } => trouble.hint(said).map(str::to_owned),
            Self::NoUv { .. } => Some("install uv, or set ACTUM_UV to its path".to_owned()),
            Self::Interpreter { .. } => Some("choose an installed Python with --python".to_owned()),
            Self::Untrusted { name, refused } => Some(match refused {
                Some(refused) => format!("{refused}; install {name} system-wide or in your home folder"),
                None => format!("install {name} in a folder that PATH names by its absolute path"),
            }),
            Self::Line { .. } => Some("declare the package with its name and version".to_owned()),
            Self::Index { .. } => Some("set it in [packages] as https://…".to_owned()),
            Self::Foreign { path, .. } => {
                Some(format!("move {} away, or set XDG_CACHE_HOME to a folder of your own", path.display()))
            }
            Self::Refused { name, nearest, .. } => Some(match nearest.as_slice() {
                [] => format!("remove it, or allow it with --package {name}"),
                near => format!(
                    "did you mean {}? If the name is correct, pass --package {name}",
                    near.join(" or ")
                ),
            }),
            Self::Unsupported { command, .. } => Some(command.clone()).filter(|command| !command.is_empty()),
            Self::Sandbox(error) => error.hint(),
            Self::Io { .. } | Self::Serve { .. } => None,
        }
    }

    /// The exit code that goes with it.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Sandbox(error) => error.exit_code(),
            Self::Serve { .. } => ExitCode::OWN_ERROR,
            Self::Tool { trouble: Trouble::Cancelled, .. } => ExitCode::CANCELLED,
            Self::Tool { .. }
            | Self::NoUv { .. }
            | Self::Interpreter { .. }
            | Self::Untrusted { .. }
            | Self::Line { .. }
            | Self::Index { .. }
            | Self::Foreign { .. }
            | Self::Refused { .. }
            | Self::Io { .. }
            | Self::Unsupported { .. } => ExitCode::NOT_PREPARED,
        }
    }
}
