//! `actum run`

use super::{OWN_ERROR, fail};
use crate::config::{Config, Surroundings};
use crate::screen;
use actum_model::{Network, Profile, Tier, WorkspaceMode};
use actum_sandbox::{Machine, Output, Request, SandboxError, Sandboxes, Streams, Variable, Warden, Watching};
use rustix::fd::AsFd;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Run a command confined, pass its output through, end with its exit code
#[derive(Debug, clap::Args)]
pub struct Run {
    /// What the program may touch
    #[arg(long, value_name = "NAME")]
    policy: Option<Profile>,
    #[arg(long, value_name = "NAME=VALUE")]
    limit: Vec<String>,
    #[arg(long)]
    net: Option<String>,
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<OsString>,
    #[arg(long)]
    in_place: bool,
    #[arg(long)]
    read_only: bool,
    #[arg(long, hide = true)]
    tier: Option<String>,
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

struct Through;
impl Output for Through {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        io::stdout().write_all(bytes)?;
        io::stdout().flush()
    }
    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        io::stderr().write_all(bytes)
    }
}

impl Run {
    pub fn execute(self, warden: Warden) -> ExitCode {
        match self.go(warden) {
            Ok(code) => ExitCode::from(code),
            Err(error) => {
                let hint = error.hint();
                fail(&error, hint.as_deref())
            }
        }
    }
    fn go(self, warden: Warden) -> Result<u8, SandboxError> {
        let surroundings = Surroundings::read().expect("x");
        let config = Config::resolve(&surroundings).expect("x");
        let mut policy = self.policy.unwrap_or(config.profile).policy();
        if let Some(net) = &self.net { policy.network = Network::parse(net)?; }
        if self.in_place { policy.workspace = WorkspaceMode::InPlace; }
        if self.read_only { policy.workspace = WorkspaceMode::ReadOnly; }
        let mut limits = config.limits;
        for l in &self.limit { limits.set(l)?; }
        let machine = Machine::survey(surroundings.path(), surroundings.home.as_deref());
        let ceiling = match self.tier.as_deref() { Some("L") => Tier::L, Some("none") => Tier::None, _ => Tier::N };
        let sandboxes = Sandboxes::open(warden, machine, ceiling)?;
        let request = Request {
            policy, limits, workspace: surroundings.folder.clone(), folder: surroundings.folder.clone(),
            command: self.command.clone(), variables: surroundings.variables.clone(),
            granted_variables: self.env.iter().map(|e| Variable::Inherited(e.clone())).collect(),
            layers: surroundings.layers.clone(), home: surroundings.home.clone(),
        };
        let (out_r, out_w) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).expect("pipe");
        let (err_r, err_w) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).expect("pipe");
        let null = std::fs::File::open("/dev/null").expect("null");
        let mut attempt = sandboxes.start(&request, Streams { stdin: null.as_fd(), stdout: out_w.as_fd(), stderr: err_w.as_fd() })?;
        drop((out_w, err_w));
        let ended = attempt.supervise(Watching { stdout: out_r, stderr: err_r, cancel: None }, &mut Through)?;
        sandboxes.forget(&attempt);
        screen::note(&screen::summary(&ended.ending, &ended.usage, &ended.confinement, &[], "applied"));
        let _ = (PathBuf::new(), OWN_ERROR);
        Ok(ended.ending.exit_code())
    }
}
