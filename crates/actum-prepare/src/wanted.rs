//! The words of this room: what is wanted, what it is prepared with, and what came of it.

use super::cache::InUse;
use super::error::PrepareError;
use super::interpreter::Interpreter;
use actum_model::{Digest, Grant, Span};
use actum_sandbox::{Sandboxes, ToolPlaces, TrustedTool};
use rustix::fd::BorrowedFd;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// One environment, as it is wanted.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Packages with their versions, as PEP 508 writes them.
    pub requirements: Vec<String>,
    /// Versions of packages, wherever these come from; they do not add one.
    pub constraints: Vec<String>,
    pub newest: Newest,
    pub interpreter: Interpreter,
    /// A lock that the project brings; then nothing is resolved.
    pub lock: Option<ProjectLock>,
    /// Indexes that the project's files name. Each must be one that the user named, or the client's own.
    pub indexes: Vec<String>,
    pub builds: Builds,
    /// Files that packages carry and that programs look for elsewhere.
    pub data: Vec<Carrier>,
}

impl Wanted {
    /// These packages for this interpreter, and nothing special.
    pub fn new(interpreter: Interpreter, requirements: Vec<String>) -> Self {
        Self {
            requirements,
            constraints: Vec::new(),
            newest: Newest::Any,
            interpreter,
            lock: None,
            indexes: Vec::new(),
            builds: Builds::Refused,
            data: Vec::new(),
        }
    }
}

/// Which releases count.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub enum Newest {
    Any,
    /// What was there at this moment: a date, or a date with a time, as RFC 3339 writes them.
    At(String),
    /// What has been there for this many days. Releases with a harmful intent rarely live longer.
    OlderThan(u32),
}

/// What `uv.lock` and the project file beside it say, written anew from what was parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectLock {
    pub project: String,
    pub lock: String,
    /// The packages in it.
    pub names: Vec<String>,
}

/// Whether packages may be built from their sources. Building runs their code: inside the walls, without a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Builds {
    Refused,
    Confined,
}

/// A file or folder that one release of a package carries, and where it is wanted below `share/` of the environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Carrier {
    /// As in `name==1.0`.
    pub package: String,
    /// Below the folder that the package is installed in.
    pub path: String,
    /// Below `share/`.
    pub target: String,
}

/// What is known about the machine's packages: `[packages]` in `actum.toml`, and what the clients' own settings say.
#[derive(Debug, Clone, Default)]
pub struct Packages {
    /// The address of the index, where the user named one. Else the clients' variables, their settings and their own default.
    pub index: Option<String>,
    /// Further indexes, asked first.
    pub more: Vec<String>,
    /// The address of npm's registry, where the user named one.
    pub registry: Option<String>,
    /// A folder of wheels.
    pub wheels: Option<PathBuf>,
    pub reach: Reach,
    /// Files in which the clients keep their settings (`pip.conf`, `uv.toml`), the most important one first.
    pub settings: Vec<PathBuf>,
}

/// Whether an index may be asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    #[default]
    Online,
    /// Only what is in the cache and in the folder of wheels.
    Offline,
}

/// What an environment is prepared with.
#[derive(Clone, Copy)]
pub struct Kit<'a> {
    pub sandboxes: &'a Sandboxes,
    /// The caller's variables and folders, as a run has them. Nothing that was granted to the run is handed on.
    pub attempt: &'a actum_sandbox::Request,
    /// Our own folder of what can be made again.
    pub cache: &'a Path,
    pub packages: &'a Packages,
    /// Every `uv` that may be used, the first one preferred.
    pub uv: &'a [TrustedTool],
    /// Which programs may be used as tools.
    pub places: &'a ToolPlaces,
    /// Which packages may be installed.
    pub judge: &'a dyn Judge,
    /// Becomes readable when the user has had enough.
    pub cancel: Option<BorrowedFd<'a>>,
}

impl Kit<'_> {
    /// The caller's variable `PATH`.
    pub fn path(&self) -> &OsStr {
        let found = self.attempt.variables.iter().find(|(name, _)| name == "PATH");
        found.map(|(_, value)| value.as_os_str()).unwrap_or_default()
    }

    /// The machine's own Python, for small tasks that the interpreter of a program is too old for.
    pub(super) fn python(&self) -> Result<TrustedTool, PrepareError> {
        let found = self.places.find("python3", self.path());
        let found = found.or_else(|_| self.places.find("python3", OsStr::new("/usr/local/bin:/usr/bin")));
        let tool = found.map_err(|why| PrepareError::untrusted("python3", why))?;
        let behind = super::shim::behind(tool.path(), self.attempt);
        self.places.tool(&behind).map_err(|why| PrepareError::untrusted("python3", Some(why)))
    }
}

/// Where packages come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registry {
    Python,
    Node,
}

/// Decides about every package of a lock, also about those that other packages ask for.
pub trait Judge {
    fn judge(&self, registry: Registry, name: &str) -> Result<(), PrepareError>;
}

/// One package of a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    pub name: String,
    pub version: String,
}

/// An environment that is there. It stays as long as this lives.
#[derive(Debug)]
pub struct Prepared {
    pub key: Digest,
    pub folder: PathBuf,
    /// What runs a program with its packages.
    pub interpreter: PathBuf,
    pub packages: Vec<Locked>,
    /// Of the lock's text, which [`Prepared::lock_text`] reads.
    pub lock: Digest,
    /// What built it, as in `uv 0.13.7`.
    pub tool: String,
    /// Whether it was there already.
    pub cached: bool,
    pub took: Span,
    /// What a run needs to see it.
    pub grants: Vec<Grant>,
    /// What leads programs to what it holds.
    pub variables: Vec<(OsString, OsString)>,
    /// Its folders of commands, to be put in front of `PATH`.
    pub path: Vec<PathBuf>,
    /// What a reader of the report should know about how it came to be.
    pub notes: Vec<String>,
    pub(super) _in_use: InUse,
}

/// How far a preparation is. Shown and forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Somebody else builds the same.
    Waiting,
    /// Looking for the tool that resolves and installs.
    Finding {
        tool: &'static str,
    },
    /// Fetching that tool, because none is installed.
    Fetching {
        tool: &'static str,
    },
    Resolving {
        requirements: usize,
    },
    Installing {
        packages: usize,
    },
    /// Building a package from its sources.
    Building {
        package: String,
    },
    /// Fetching data that a package carries.
    Carrying {
        package: String,
    },
    Compiling,
    Ready {
        cached: bool,
    },
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Waiting => write!(f, "waiting for another run to build the same environment"),
            Self::Finding { tool } => write!(f, "looking for {tool}"),
            Self::Fetching { tool } => write!(f, "downloading {tool}"),
            Self::Resolving { requirements: 1 } => write!(f, "resolving 1 requirement"),
            Self::Resolving { requirements } => write!(f, "resolving {requirements} requirements"),
            Self::Installing { packages: 1 } => write!(f, "installing 1 package"),
            Self::Installing { packages } => write!(f, "installing {packages} packages"),
            Self::Carrying { package } => write!(f, "downloading data of {package}"),
            Self::Building { .. } => write!(f, "building packages that have no wheel"),
            Self::Compiling => write!(f, "compiling the installed packages"),
            Self::Ready { cached: true } => write!(f, "the environment is ready"),
            Self::Ready { cached: false } => write!(f, "the environment is built"),
        }
    }
}
