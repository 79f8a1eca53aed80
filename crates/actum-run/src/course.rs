//! Carries the programs of a run out, one after the other.

use crate::attempt::{self, Around, Traces};
use crate::beside::Beside;
use crate::build::{self, Artifact, Built};
use crate::capture::{Capture, Reached};
use crate::clock::Stopwatch;
use crate::egress::Server;
use crate::error::RunError;
use crate::journal::Journal;
use crate::live::Watcher;
use crate::request::{AfterFailure, House, Request};
use crate::stage::Ready;
use crate::versions::Versions;
use crate::workspace::Workspace;
use actum_model::{Amount, Compiled, Ending, Happened, Hosts, Network, Profile, Span};
use actum_sandbox::{Ended, Resized, Variable};
use rustix::fd::BorrowedFd;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What one program came to.
pub(crate) struct Done {
    pub(crate) ready: Ready,
    pub(crate) ended: Ended,
    pub(crate) compiled: Option<Compiled>,
    /// What it printed is this part of each stream.
    pub(crate) from: [Reached; 2],
    pub(crate) to: [Reached; 2],
}

/// What every program of a run shares.
pub(crate) struct Course<'a, 'b> {
    pub(crate) request: &'a Request,
    pub(crate) house: &'a House<'a>,
    pub(crate) workspace: &'a Workspace,
    pub(crate) stdin: BorrowedFd<'a>,
    pub(crate) cancel: Option<BorrowedFd<'a>>,
    pub(crate) resized: Option<Resized<'a>>,
    pub(crate) watcher: &'b mut dyn Watcher,
    pub(crate) journal: &'b mut dyn Journal,
    pub(crate) beside: &'a Beside,
    pub(crate) begun: Stopwatch,
    /// Keeps the workspace's layer between programs, where there are several.
    pub(crate) layer: Option<PathBuf>,
    /// How many there were so far, compilers among them.
    pub(crate) attempts: u32,
}

/// What all programs came to.
pub(crate) struct Went<'a> {
    pub(crate) done: Vec<Done>,
    /// Those that were not run.
    pub(crate) left: Vec<Ready>,
    /// What was left behind, also when supervising failed: it has to be put away.
    pub(crate) traces: Option<Traces<'a>>,
    pub(crate) failed: Option<RunError>,
}

/// A folder for the workspace's layer where several programs share it; gone with the run.
pub(crate) struct Layer(Option<PathBuf>);

impl Layer {
    pub(crate) fn for_several(count: usize, layers: &Path) -> Result<Self, RunError> {
        if count < 2 {
            return Ok(Self(None));
        }
        // Named like every layer on disk: when we are killed, the next run takes it away.
        let path = layers.join(format!("run-{}-steps", std::process::id()));
        actum_sandbox::remove_layer(&path);
        let made = std::os::unix::fs::DirBuilderExt::mode(std::fs::DirBuilder::new().recursive(true), 0o700)
            .create(&path);
        made.map_err(|source| RunError::Keep { path: path.clone(), source })?;
        Ok(Self(Some(path)))
    }

    pub(crate) fn path(&self) -> Option<PathBuf> {
        self.0.clone()
    }
}

impl Drop for Layer {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            actum_sandbox::remove_layer(path);
        }
    }
}

impl<'a> Course<'a, '_> {
    /// Carries all of them out, until one fails.
    pub(crate) fn go(&mut self, ready: Vec<Ready>, capture: &mut Capture<'_>) -> Went<'a> {
        let mut ahead = ready.into_iter();
        let mut went = Went { done: Vec::new(), left: Vec::new(), traces: None, failed: None };
        for number in 1.. {
            let Some(next) = ahead.next() else { break };
            let step = match self.step(number, next, capture, went.traces.take()) {
                Ok((step, traces)) => {
                    went.traces = traces;
                    step
                }
                Err(error) => Err(error),
            };
            match step {
                Ok(step) => went.done.push(step),
                Err(error) => went.failed = Some(error),
            }
            if went.failed.is_some() || !self.goes_on(&went.done) {
                break;
            }
        }
        went.left = ahead.collect();
        went
    }

    fn goes_on(&self, done: &[Done]) -> bool {
        match (done.last().map(|done| &done.ended.ending), self.request.after_failure) {
            (None, _) => true,
            (Some(ending), _) if ending.is_success() => true,
            (Some(Ending::Cancelled), _) | (Some(_), AfterFailure::Stop) => false,
            (Some(_), AfterFailure::GoOn) => true,
        }
    }

    /// Carries one program to its end. `before` is what an earlier one left.
    pub(crate) fn step(
        &mut self,
        number: u32,
        ready: Ready,
        capture: &mut Capture<'_>,
        before: Option<Traces<'a>>,
    ) -> Result<(Result<Done, RunError>, Option<Traces<'a>>), RunError> {
        let from = capture.reached();
        let built = match &ready.program.compile {
            Some(compile) => Some(build::build(self, number, compile, &ready, capture)?),
            None => None,
        };
        let artifact = match built {
            Some(Built::Failed { ended, compiled }) => {
                let to = capture.reached();
                let done = Done { ready, ended: *ended, compiled: Some(compiled), from, to };
                return Ok((Ok(done), before));
            }
            Some(Built::Ready(artifact)) => Some(artifact),
            None => None,
        };
        let command = match &artifact {
            Some(artifact) => ready.program.start(&artifact.path),
            None => ready.program.command.clone(),
        };
        self.journal.will_start(self.request.started(self.house.run, number, &ready.program));
        let request = self.attempt_of(&ready, command, artifact.as_ref())?;
        self.watcher
            .happened(Happened::AttemptStarted { step: number, command: ready.program.shown.clone() });
        let servers: Vec<Server> = ready.server.iter().cloned().collect();
        // The first sandbox is built while it is written down; later ones have something to put back when that fails.
        if before.is_some()
            && let Err(source) = self.journal.wait()
        {
            return Ok((Err(RunError::Journal { source }), before));
        }
        self.beside.program_starts();
        let earlier = before.as_ref().and_then(|traces| traces.hosts.clone());
        let remembered = before.and_then(|traces| traces.snapshot);
        self.attempts += 1;
        let around = Around {
            stdin: self.stdin,
            output: capture,
            resized: self.resized,
            cancel: self.cancel,
            journal: self.journal,
            servers: &servers,
        };
        let (ended, mut traces) =
            attempt::attempt(self.house.sandboxes, &request, self.workspace, around, remembered)?;
        traces.hosts = joined(earlier, traces.hosts.take());
        let to = capture.reached();
        let done = ended.map(|mut ended| {
            ended.ending = self.of_the_whole(ended.ending);
            self.watcher.happened(Happened::AttemptEnded { step: number, ending: ended.ending.clone() });
            let compiled = artifact.map(|artifact| artifact.compiled);
            Done { ready, ended, compiled, from, to }
        });
        Ok((done, Some(traces)))
    }

    /// What the sandbox is asked for.
    fn attempt_of(
        &self,
        ready: &Ready,
        command: Vec<OsString>,
        artifact: Option<&Artifact>,
    ) -> Result<actum_sandbox::Request, RunError> {
        let mut request = self.request.attempt.clone();
        request.command = match ready.program.runtime {
            Some(_) => Versions { house: self.house, attempt: &self.request.attempt }.typed(command),
            None => command,
        };
        request.limits.wall = self.left();
        request.layer.clone_from(&self.layer);
        request
            .policy
            .grants
            .extend(ready.grants.iter().cloned().chain(artifact.map(|artifact| artifact.grant.clone())));
        // Ours first: what the user granted by name wins.
        let own = ready.variables.iter().map(|(name, value)| Variable::Set(name.clone(), value.clone()));
        request.granted_variables = own.chain(request.granted_variables).collect();
        if let Some(server) = &ready.server {
            lead_to(server, &mut request)?;
        }
        Ok(request)
    }

    /// A program that met what was left of the time met the limit of the whole run.
    fn of_the_whole(&self, ending: Ending) -> Ending {
        match ending {
            Ending::TimedOut { .. } => Ending::TimedOut {
                max: Amount::Seconds(self.request.attempt.limits.wall),
                used: Amount::Seconds(Span(self.begun.elapsed())),
            },
            other @ (Ending::Exited { .. }
            | Ending::Signalled { .. }
            | Ending::OutOfMemory { .. }
            | Ending::OverLimit { .. }
            | Ending::Cancelled
            | Ending::NotStarted { .. }) => other,
        }
    }

    /// What is left of the time that the whole run has.
    pub(crate) fn left(&self) -> Span {
        const LEAST: Duration = Duration::from_millis(1);
        let whole = self.request.attempt.limits.wall;
        // Staging takes no time that anybody asked about.
        if self.attempts == 0 {
            return whole;
        }
        Span(whole.0.saturating_sub(self.begun.elapsed()).max(LEAST))
    }
}

/// What several programs tried to reach.
fn joined(earlier: Option<Hosts>, later: Option<Hosts>) -> Option<Hosts> {
    match (earlier, later) {
        (Some(mut earlier), Some(later)) => {
            earlier.decisions.extend(later.decisions);
            earlier.beyond += later.beyond;
            Some(earlier)
        }
        (one, other) => one.or(other),
    }
}

/// Grants one server and nothing else, unless more was granted.
fn lead_to(server: &Server, request: &mut actum_sandbox::Request) -> Result<(), RunError> {
    let policy = &mut request.policy;
    if policy.network == Network::Host {
        // All of the network is there; nothing needs to be led.
        return Ok(());
    }
    let mut rules = match std::mem::take(&mut policy.network) {
        Network::Hosts(rules) => rules,
        Network::None | Network::Loopback | Network::Host => Vec::new(),
    };
    rules.push(server.rule()?);
    policy.network = Network::Hosts(rules);
    if policy.profile == Profile::Default {
        policy.profile = Profile::Networked;
    }
    // `locked` has no network: that is told now, not when the client cannot connect.
    policy.check().map_err(actum_sandbox::SandboxError::from)?;
    request.forwards.push(server.port);
    Ok(())
}
