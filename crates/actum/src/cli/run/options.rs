//! Options of `actum run` that other commands take for their runs as well: packages, permissions, limits, files.

use super::call::ProgramTerminal;
use crate::screen;
use actum_engine::{RequestBuilder, StdinChoice};
use actum_model::{Approval, Span};
use actum_run::Keep;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What a run may install, reach and use.
#[derive(Debug, Clone, clap::Args)]
pub(in crate::cli) struct RunOptions {
    /// Install this package, even if Actum does not know it (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Packages and retries")]
    package: Vec<String>,
    /// Use no package released after DATE, such as 2024-06-18
    #[arg(long, value_name = "DATE", help_heading = "Packages and retries")]
    exclude_newer: Option<String>,
    /// Use this Python version, such as 3.11
    #[arg(long, value_name = "VERSION", help_heading = "Packages and retries")]
    python: Option<String>,
    /// Use only packages installed before; do not contact an index
    #[arg(long, conflicts_with = "no_prepare", help_heading = "Packages and retries")]
    offline: bool,
    /// Do not install packages; use what is already installed
    #[arg(long, help_heading = "Packages and retries")]
    no_prepare: bool,
    /// Do not retry after a failure
    #[arg(long, help_heading = "Packages and retries")]
    no_recover: bool,
    /// Retry with a patched copy of the source as a last resort
    #[arg(long, help_heading = "Packages and retries")]
    allow_source_changes: bool,

    /// Set the policy: locked, default, networked, gpu or open
    #[arg(long, value_name = "NAME", help_heading = "Permissions")]
    policy: Option<String>,
    /// Allow network access to HOSTS: a.example,b.example:8080,*.c.example, none, loopback, full
    #[arg(long, value_name = "HOSTS", help_heading = "Permissions")]
    net: Vec<String>,
    /// Pass an environment variable: NAME (your value) or NAME=VALUE (repeatable)
    #[arg(long, value_name = "NAME[=VALUE]", help_heading = "Permissions")]
    env: Vec<OsString>,
    /// Allow reading this file or folder outside the workspace (repeatable)
    #[arg(long, value_name = "PATH", alias = "read", help_heading = "Permissions")]
    input: Vec<PathBuf>,
    /// Allow writing directly to this folder outside the workspace (repeatable)
    #[arg(long, value_name = "PATH", help_heading = "Permissions")]
    write: Vec<PathBuf>,
    /// Allow these GPUs: indexes such as 0,1, or all, or none
    #[arg(long, value_name = "N,…", value_delimiter = ',', help_heading = "Permissions")]
    gpu: Vec<Card>,
    /// Ask for approval before running: never, risky or always
    #[arg(long, value_name = "WHEN", help_heading = "Permissions")]
    approval: Option<Approval>,

    /// Kill the program after TIME, such as 30s or 5m
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    timeout: Option<String>,
    /// Wait TIME between SIGTERM and SIGKILL; 0 kills at once
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    grace: Option<Span>,
    /// Set a limit: wall, cpu, memory, processes, descriptors, file-size, disk, output (repeatable)
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Limits")]
    limit: Vec<String>,

    /// Set the folder that the program may change [default: current]
    #[arg(long, value_name = "FOLDER", help_heading = "Files")]
    workspace: Option<PathBuf>,
    /// Start in this folder of the workspace
    #[arg(long, value_name = "FOLDER", help_heading = "Files")]
    workdir: Option<PathBuf>,
    /// Apply the changes: success (only if the program succeeds) or always [default: success]
    #[arg(long, value_name = "WHEN", conflicts_with_all = ["read_only", "in_place"], help_heading = "Files")]
    keep: Option<Keep>,
    /// List the changes, then discard them
    #[arg(long, conflicts_with = "in_place", help_heading = "Files")]
    read_only: bool,
    /// Write directly to the workspace; changes cannot be undone
    #[arg(long, help_heading = "Files")]
    in_place: bool,
    /// Read stdin from FILE, or - for yours [default: empty]
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    stdin: Option<PathBuf>,
    /// Give the program a terminal (yours, or 24 lines by 80)
    #[arg(long, help_heading = "Files")]
    pty: bool,
}

/// One word of `--gpu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Card {
    Index(u32),
    All,
    None,
}

impl Card {
    fn index(self) -> Option<u32> {
        match self {
            Self::Index(index) => Some(index),
            Self::All | Self::None => None,
        }
    }
}

impl std::str::FromStr for Card {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "all" => Ok(Self::All),
            "none" => Ok(Self::None),
            index => {
                let index =
                    index.parse().map_err(|_| "give the index of a GPU, such as 0, or all, or none")?;
                Ok(Self::Index(index))
            }
        }
    }
}

impl RunOptions {
    /// A request for nothing yet, with these options.
    pub(in crate::cli) fn asked(self) -> RequestBuilder {
        let stdin = match &self.stdin {
            Some(path) if path == Path::new("-") => StdinChoice::Inherit,
            Some(path) => StdinChoice::File(path.clone()),
            None if self.is_typed_at() => StdinChoice::Inherit,
            None => StdinChoice::Nothing,
        };
        RequestBuilder {
            packages: self.package,
            exclude_newer: self.exclude_newer,
            python: self.python,
            offline: self.offline,
            no_prepare: self.no_prepare,
            no_recover: self.no_recover,
            allow_source_changes: self.allow_source_changes,
            policy: self.policy,
            network: self.net,
            variables: self.env,
            inputs: self.input,
            writes: self.write,
            cards: self.gpu.iter().filter_map(|card| card.index()).collect(),
            all_cards: self.gpu.contains(&Card::All),
            no_cards: self.gpu.contains(&Card::None),
            approval: self.approval,
            timeout: self.timeout,
            grace: self.grace,
            limits: self.limit,
            workspace: self.workspace,
            workdir: self.workdir,
            keep: self.keep,
            read_only: self.read_only,
            in_place: self.in_place,
            stdin,
            terminal: self.pty.then(|| screen::size().unwrap_or_default()),
            ..RequestBuilder::default()
        }
    }

    /// Whether the program has a terminal, and whose.
    pub(in crate::cli) fn terminal(&self) -> ProgramTerminal {
        match (self.pty, self.is_typed_at()) {
            (false, _) => ProgramTerminal::None,
            (true, false) => ProgramTerminal::Shown,
            (true, true) => ProgramTerminal::TypedAt,
        }
    }

    /// Whether the user's own keys go to the program's terminal.
    fn is_typed_at(&self) -> bool {
        let own = self.stdin.as_deref().is_none_or(|path| path == Path::new("-"));
        self.pty && own && screen::is_typed_at()
    }
}
