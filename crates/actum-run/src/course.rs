//! Carries the programs of a run out, one after the other.

use crate::attempt::{self, Around, Traces};
use crate::beside::Beside;
use crate::budget::{self, Spent};
use crate::build::{self, Artifact, Built};
use crate::capture::{Capture, Reached};
use crate::clock::Stopwatch;
use crate::error::RunError;
use crate::foresee;
use crate::journal::Journal;
use crate::lasting::Lasting;
use crate::live::Watcher;
use crate::outcome::ProgramResults;
use crate::recover::{self, Care, Failed, Next, Providing};
use crate::request::{AfterFailure, House, Request};
use crate::stage::Ready;
use crate::versions::Versions;
use crate::workspace::Workspace;
use actum_egress::Server;
use actum_gate::own;
use actum_model::{Amount, Change, Compiled, Ending, Grant, Happened, Hosts, Network, Profile, Span};
use actum_output::analyse::Text;
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
    /// Which attempt of the run it was, counted from 1.
    pub(crate) attempt: u32,
    /// What it printed is this part of each stream.
    pub(crate) from: [Reached; 2],
    pub(crate) to: [Reached; 2],
    /// The ends of what it printed before anything was taken out, where something was.
    pub(crate) printed: Option<[Text; 2]>,
}

/// What every program of a run shares.
pub(crate) struct Course<'a, 'b> {
    pub(crate) request: &'a Request,
    pub(crate) house: &'a House<'a>,
    pub(crate) workspace: &'a Workspace,
    pub(crate) stdin: BorrowedFd<'a>,
    /// Where it begins, if it is a file: somebody may have read from it before us.
    pub(crate) stdin_at: Option<u64>,
    pub(crate) cancel: Option<BorrowedFd<'a>>,
    pub(crate) resized: Option<Resized<'a>>,
    pub(crate) watcher: &'b mut dyn Watcher,
    pub(crate) journal: &'b mut dyn Journal,
    /// Absent where nobody looks: a case is one of many.
    pub(crate) beside: Option<&'a Beside>,
    /// Keeps what programs that last have written so far.
    pub(crate) lasting: Option<&'a Lasting<'a>>,
    pub(crate) begun: Stopwatch,
    /// Keeps the workspace's layer between programs, where there are several.
    pub(crate) layer: Option<PathBuf>,
    pub(crate) providing: &'a Providing<'a>,
    /// How many there were so far, compilers among them.
    pub(crate) attempts: u32,
    /// How many programs were started.
    pub(crate) started: u32,
    /// Time that counts for nobody: what was prepared between attempts, and attempts after which recovery raised the limit
    /// on time.
    pub(crate) excused: Duration,
    /// What was used of the limits that count for the whole run.
    pub(crate) spent: Spent,
    /// What earlier programs changed in what they share.
    pub(crate) before: Vec<Change>,
}

/// A folder for the workspace's layer where several programs share it; gone with the run.
pub(crate) struct Layer(Option<PathBuf>);

impl Layer {
    pub(crate) fn for_several(count: usize, layers: &Path) -> Result<Self, RunError> {
        if count < 2 {
            return Ok(Self(None));
        }
        // Named like every layer on disk: when we are killed, the next run takes it away.
        let path = layers.join(format!("run-{}-steps", own::draft_name()));
        actum_sandbox::remove_layer(&path);
        let made = own::make_private_folders(&path);
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
    /// Carries all of them out, until one fails. What was left behind is there also when supervising failed: it has to be put away.
    pub(crate) fn go<'e>(
        &mut self,
        cares: Vec<Care<'e>>,
        ready: Vec<Ready>,
        capture: &mut Capture<'_>,
    ) -> (ProgramResults<'e>, Option<Traces<'a>>) {
        let mut ahead = ready.into_iter();
        let mut results = ProgramResults { cares, ..ProgramResults::default() };
        let mut traces = None;
        for at in 0.. {
            let Some(next) = ahead.next() else { break };
            let before = traces.take();
            let step = match self.step(&mut results.cares[at], next, (capture, &mut results.earlier), before)
            {
                Ok((step, left)) => {
                    traces = left;
                    step
                }
                Err(error) => Err(error),
            };
            match step {
                Ok(step) => results.done.push(step),
                Err(error) => results.failed = Some(error),
            }
            self.remember(traces.as_ref());
            if results.failed.is_some() || !self.goes_on(&results.done) {
                break;
            }
        }
        results.left = ahead.collect();
        (results, traces)
    }

    fn goes_on(&self, done: &[Done]) -> bool {
        match (done.last().map(|done| &done.ended.ending), self.request.after_failure) {
            (None, _) => true,
            (Some(ending), _) if ending.is_success() => true,
            (Some(Ending::Cancelled), _) | (Some(_), AfterFailure::Stop) => false,
            (Some(_), AfterFailure::GoOn) => true,
        }
    }

    /// Carries one program to its end: attempted, and where that fails for a reason that lies around it, attempted again with
    /// one thing changed. `before` is what an earlier program left.
    fn step(
        &mut self,
        care: &mut Care<'_>,
        mut ready: Ready,
        (capture, earlier): (&mut Capture<'_>, &mut Vec<Done>),
        mut before: Option<Traces<'a>>,
    ) -> Result<(Result<Done, RunError>, Option<Traces<'a>>), RunError> {
        loop {
            let begun = Stopwatch::start();
            let (spent, limits) = (self.spent, care.situation.limits);
            let (done, traces) = self.once(care, ready, capture, before)?;
            let attempted = begun.elapsed();
            let done = match done {
                Ok(done) => done,
                Err(error) => return Ok((Err(error), traces)),
            };
            care.spent.attempted();
            if self.recover(care, &done, traces.as_ref(), capture) == Next::Over {
                return Ok((Ok(told(care, done, earlier)), traces));
            }
            if care.speculated {
                care.before_guessing.get_or_insert(earlier.len());
            }
            // One budget for the whole run: only a limit that was raised is granted anew.
            let raised = care.situation.limits;
            self.spent.forgive(spent, (limits, raised));
            let counted = if raised.wall > limits.wall { Duration::ZERO } else { attempted };
            self.excused += begun.elapsed().saturating_sub(counted);
            // A layer of its own is dropped with everything in it; what is shared was not changed, else it would be over.
            before = traces.filter(|traces| self.layer.is_some() || traces.snapshot.is_some());
            if let Some(lasting) = self.lasting.filter(|_| before.is_none()) {
                lasting.forget();
            }
            earlier.push(done);
            ready = match care.ready(&care.dressed(self.request), self.house) {
                Ok(ready) => ready,
                Err(error) => return Ok((Err(error), before)),
            };
        }
    }

    /// Whether it is tried once more, and what is changed for that.
    fn recover(
        &mut self,
        care: &mut Care<'_>,
        done: &Done,
        traces: Option<&Traces<'_>>,
        capture: &mut Capture<'_>,
    ) -> Next {
        let ending = &done.ended.ending;
        // A code that was expected is no failure that anything could mend.
        let is_well = ending.is_success() || self.request.expects(ending);
        if is_well || matches!(ending, Ending::Cancelled | Ending::NotStarted { .. }) {
            care.judge_last(ending, None);
            return Next::Over;
        }
        let left_traces = self.traces_left(care, traces);
        let failed = Failed::of(done, self.house.folder, capture.last());
        let watcher = &mut *self.watcher;
        let mut tell = |what: &str| watcher.happened(Happened::Preparing { what: what.to_owned() });
        let mut around = recover::Around {
            providing: self.providing,
            run: self.house.run,
            attempt: Some(done.attempt),
            elapsed: self.begun.elapsed(),
            left_traces,
            tell: &mut tell,
        };
        let next = recover::after(care, &failed, &mut around);
        if next == Next::Again
            && let Some(step) = care.steps.last()
        {
            let cause = step.because();
            let what = step.remedy.as_ref().map(|one| one.what.clone()).unwrap_or_default();
            self.watcher.happened(Happened::Remedied { step: care.number, cause, what });
        }
        next
    }

    /// Why it cannot be started a second time, in words.
    fn traces_left(&self, care: &Care<'_>, traces: Option<&Traces<'_>>) -> Option<&'static str> {
        let writes = |grant: &Grant| matches!(grant, Grant::Write(_));
        if self.request.attempt.policy.grants.iter().any(writes) {
            return Some("it may have written outside its workspace, which cannot be undone");
        }
        if self.left_traces(care, traces) {
            return Some("it changed files that cannot be restored");
        }
        (!self.rewound(care)).then_some("its input was consumed and cannot be read again")
    }

    /// Whether a failed attempt changed something that stays: in a layer that programs share, or directly.
    fn left_traces(&self, care: &Care<'_>, traces: Option<&Traces<'_>>) -> bool {
        let Some(traces) = traces else { return false };
        if self.layer.is_none() && traces.snapshot.is_none() {
            return false;
        }
        match self.workspace.changes(Some(traces), self.house.keeping) {
            Ok(mut now) => {
                let cares = std::slice::from_ref(care);
                foresee::drop_unused(&mut now.changes, cares, &self.request.attempt.workspace);
                meaningful(&now.changes).ne(meaningful(&self.before))
            }
            Err(_) => true,
        }
    }

    /// What was handed in can be read again from where it began, or was not read.
    fn rewound(&self, care: &Care<'_>) -> bool {
        let reads = care.reading.as_ref().is_none_or(|reading| reading.stdin.is_some());
        let is_back = |at| rustix::fs::seek(self.stdin, rustix::fs::SeekFrom::Start(at)).is_ok();
        self.stdin_at.is_some_and(is_back) || !reads
    }

    /// What programs that share a layer have changed so far.
    fn remember(&mut self, traces: Option<&Traces<'_>>) {
        if self.layer.is_some() {
            self.before =
                self.workspace.changes(traces, self.house.keeping).map(|all| all.changes).unwrap_or_default();
        }
    }

    /// Starts a program once.
    pub(crate) fn once(
        &mut self,
        care: &Care<'_>,
        ready: Ready,
        capture: &mut Capture<'_>,
        before: Option<Traces<'a>>,
    ) -> Result<(Result<Done, RunError>, Option<Traces<'a>>), RunError> {
        let number = care.number;
        let from = capture.reached();
        capture.take_printed([&from, &from]);
        let built = match &ready.program.compile {
            Some(compile) => Some(build::build(self, number, compile, &ready, capture)?),
            None => None,
        };
        self.started += 1;
        let attempt_number = self.started;
        let artifact = match built {
            Some(Built::Failed { ended, compiled }) => {
                let to = capture.reached();
                let printed = capture.take_printed([&from, &to]);
                let compiled = Some(compiled);
                let done =
                    Done { ready, ended: *ended, compiled, attempt: attempt_number, from, to, printed };
                return Ok((Ok(done), before));
            }
            Some(Built::Ready(artifact)) => Some(artifact),
            None => None,
        };
        let command = match &artifact {
            Some(artifact) => ready.program.start(&artifact.path),
            None => ready.program.command.clone(),
        };
        self.journal.will_start(self.request.started(self.house.run, attempt_number, &ready.program));
        let request = self.attempt_of(care, &ready, command, artifact.as_ref())?;
        // Once, before the first of them starts.
        if attempt_number == 1 {
            for what in self.house.sandboxes.limits_not_covered(&request)? {
                self.watcher.happened(Happened::NotCovered { what });
            }
        }
        self.watcher
            .happened(Happened::AttemptStarted { step: number, command: ready.program.shown.clone() });
        let servers: Vec<Server> = ready.server.iter().cloned().collect();
        // The first sandbox is built while it is written down; later ones have something to put back when that fails.
        if before.is_some()
            && let Err(source) = self.journal.wait()
        {
            return Ok((Err(RunError::Journal { source }), before));
        }
        if let Some(beside) = self.beside {
            beside.program_starts();
        }
        let (ended, traces) = self.attempt(&request, &servers, capture, before)?;
        let to = capture.reached();
        let printed = capture.take_printed([&from, &to]);
        let done = ended.map(|mut ended| {
            let whole = care.situation.limits;
            ended.ending = self.spent.of_the_whole(self.of_the_whole(ended.ending, care), &whole);
            budget::restore(&mut ended.confinement.limits, &whole);
            self.spent.add(&ended);
            self.watcher.happened(Happened::AttemptEnded { step: number, ending: ended.ending.clone() });
            let compiled = artifact.map(|artifact| artifact.compiled);
            Done { ready, ended, compiled, attempt: attempt_number, from, to, printed }
        });
        Ok((done, Some(traces)))
    }

    /// Starts its process and waits for the end. `before` is what an earlier program left.
    fn attempt(
        &mut self,
        request: &actum_sandbox::Request,
        servers: &[Server],
        output: &mut Capture<'_>,
        before: Option<Traces<'a>>,
    ) -> Result<(Result<Ended, RunError>, Traces<'a>), RunError> {
        let earlier = before.as_ref().and_then(|traces| traces.hosts.clone());
        let opened = before.as_ref().map(|traces| traces.opened.clone());
        let remembered = before.and_then(|traces| traces.snapshot);
        self.attempts += 1;
        let around = Around {
            stdin: self.stdin,
            output,
            resized: self.resized,
            cancel: self.cancel,
            journal: self.journal,
            watcher: self.watcher,
            servers,
            beside: self.beside,
            lasting: self.lasting,
        };
        let (ended, mut traces) =
            attempt::attempt(self.house.sandboxes, request, self.workspace, around, remembered)?;
        traces.hosts = joined(earlier, traces.hosts.take());
        // Of programs that were not all watched nothing is known.
        traces.opened = match opened {
            Some(earlier) => earlier.zip(traces.opened.take()).map(|(one, other)| one.and(other)),
            None => traces.opened.take(),
        };
        Ok((ended, traces))
    }

    /// What the sandbox is asked for.
    fn attempt_of(
        &self,
        care: &Care<'_>,
        ready: &Ready,
        command: Vec<OsString>,
        artifact: Option<&Artifact>,
    ) -> Result<actum_sandbox::Request, RunError> {
        let dressed = care.dressed(self.request);
        let versions = Versions { house: self.house, attempt: &dressed.attempt };
        let mut request = dressed.attempt.clone();
        request.command = care.situation.command(match ready.program.runtime {
            Some(_) => versions.typed(command),
            None => command,
        });
        request.limits.wall = self.left(care.situation.limits.wall);
        self.spent.lower(&mut request);
        request.layer.clone_from(&self.layer);
        request
            .policy
            .grants
            .extend(ready.grants.iter().cloned().chain(artifact.map(|artifact| artifact.grant.clone())));
        // Ours first: what the user granted by name wins.
        let own = ready.variables.iter().map(|(name, value)| Variable::Set(name.clone(), value.clone()));
        request.granted_variables = own.chain(request.granted_variables).collect();
        self.request.support.lay(self.house.folder, &mut request)?;
        if let Some(server) = &ready.server {
            lead_to(server, &mut request)?;
        }
        Ok(request)
    }

    /// A program that met what was left of the time met the limit of the whole run.
    fn of_the_whole(&self, ending: Ending, care: &Care<'_>) -> Ending {
        match ending {
            Ending::TimedOut { .. } => Ending::TimedOut {
                max: Amount::Seconds(care.situation.limits.wall),
                used: Amount::Seconds(Span(self.begun.elapsed().saturating_sub(self.excused))),
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
    pub(crate) fn left(&self, whole: Span) -> Span {
        const LEAST: Duration = Duration::from_millis(1);
        // Staging takes no time that anybody asked about.
        if self.attempts == 0 {
            return whole;
        }
        let counted = self.begun.elapsed().saturating_sub(self.excused);
        Span(whole.0.saturating_sub(counted).max(LEAST))
    }
}

/// A guess that did not help is no news: what failed before it is.
fn told(care: &Care<'_>, done: Done, earlier: &mut [Done]) -> Done {
    match care.before_guessing.filter(|_| !done.ended.ending.is_success()) {
        Some(at) => std::mem::replace(&mut earlier[at], done),
        None => done,
    }
}

/// Changes that mean something: what Python keeps for itself beside a module is no trace of a program.
pub(crate) fn meaningful(changes: &[Change]) -> impl Iterator<Item = &Change> {
    let is_cache = |change: &&Change| !change.path.windows(11).any(|part| part == b"__pycache__");
    changes.iter().filter(is_cache)
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
