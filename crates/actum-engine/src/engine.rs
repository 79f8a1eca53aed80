//! The engine: what runs share, and the story of one run.

use crate::approval::{self, Approved};
use crate::cancel::Cancel;
use crate::defaults::RunDefaults;
use crate::error::EngineError;
use crate::ledger::LedgerHandle;
use crate::program::HelperProgram;
use crate::recorder::{Recorder, Sealed};
use crate::request::{Request, RequestBuilder};
use crate::result::{RunResult, RunState};
use crate::settling;
use crate::signing::{EarlySigner, Signing};
use crate::sink::{Attachment, Controls, SharedSink, Sink};
use crate::surroundings::{Surroundings, session_place};
use crate::turns::Turns;
use crate::{stdin, tools, workers};
use actum_changes::settle::{Keeping, Pending};
use actum_model::{Plan, Risk, Tier};
use actum_run::{Account, AnswerReader, Desk, Extracted, House, InSession, Live, RunError, RunPlace};
use actum_sandbox::{Machine, Opening, Resized, SandboxError, Sandboxes, ToolPlaces, Warden};
use actum_store::{Keyring, Store};
use rustix::fd::{AsFd, OwnedFd};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What an engine is made from.
#[derive(Debug)]
pub struct EngineConfig {
    /// Variables and folders, read once by the caller.
    pub surroundings: Surroundings,
    /// What holds where a request says nothing.
    pub defaults: RunDefaults,
    pub lifetime: Lifetime,
    /// The highest tier of confinement to use.
    pub ceiling: Tier,
    /// The program of helper processes.
    pub program: HelperProgram,
    pub warden: WardenSource,
    /// A signer that was forked while this process was small.
    pub signer: Option<EarlySigner>,
    /// How many runs may go on at once; more wait for their turn.
    pub most_runs: NonZeroUsize,
}

impl EngineConfig {
    /// An engine for many runs with Actum's own defaults.
    pub fn new(surroundings: Surroundings, program: HelperProgram) -> Self {
        Self {
            surroundings,
            defaults: RunDefaults::default(),
            lifetime: Lifetime::ManyRuns,
            ceiling: Tier::N,
            program,
            warden: WardenSource::Start,
            signer: None,
            most_runs: default_most_runs(),
        }
    }
}

/// Runs wait for their programs more than they compute, so there may be some for each core.
pub(crate) fn default_most_runs() -> NonZeroUsize {
    const EACH_CORE: usize = 4;
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    NonZeroUsize::new(cores * EACH_CORE).unwrap_or(NonZeroUsize::MIN)
}

/// How many runs an engine is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// One, after which the process ends: nothing is closed in order.
    OneRun,
    /// Any number, several at once.
    ManyRuns,
}

/// Where the process that starts sandboxes comes from.
#[derive(Debug)]
pub enum WardenSource {
    /// Forked by this process while it was small. It is set up when the first run needs it.
    Forked(Warden),
    /// Forked, and being set up already.
    Opening(Opening),
    /// Forked now if this process has one thread, else started as a program of its own.
    Start,
    /// None: nothing runs in a sandbox. For commands of coding agents that run in the agent's own shell.
    Unneeded,
}

/// Runs programs. Everything that runs share is made once and kept here.
pub struct Engine {
    pub(crate) surroundings: Surroundings,
    pub(crate) defaults: RunDefaults,
    pub(crate) store: Store,
    pub(crate) keyring: Keyring,
    program: HelperProgram,
    lifetime: Lifetime,
    ceiling: Tier,
    warden: Mutex<WardenState>,
    signer: Mutex<Option<EarlySigner>>,
    signing: OnceLock<Signing>,
    ledger: OnceLock<Arc<LedgerHandle>>,
    /// Held while the ledger is being opened.
    opening_ledger: Mutex<()>,
    turns: Turns,
}

/// How far the warden is set up.
enum WardenState {
    Forked(Warden),
    Opening(Opening),
    Open(Sandboxes),
    /// It was used up by an engine for one run, or is gone.
    Gone,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { store, lifetime, ceiling, .. } = self;
        formatter
            .debug_struct("Engine")
            .field("store", store)
            .field("lifetime", lifetime)
            .field("ceiling", ceiling)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Makes an engine. Nothing is written yet; the ledger is opened by the first run.
    pub fn new(config: EngineConfig) -> Result<Self, EngineError> {
        let EngineConfig { surroundings, defaults, lifetime, ceiling, program, warden, signer, most_runs } =
            config;
        let warden = match warden {
            WardenSource::Forked(warden) => WardenState::Forked(warden),
            WardenSource::Opening(opening) => WardenState::Opening(opening),
            WardenSource::Start => WardenState::Forked(start_warden(&program)?),
            WardenSource::Unneeded => WardenState::Gone,
        };
        Ok(Self {
            store: Store::at(&surroundings.store),
            keyring: Keyring::at(&surroundings.keys),
            surroundings,
            defaults,
            program,
            lifetime,
            ceiling,
            warden: Mutex::new(warden),
            signer: Mutex::new(signer),
            signing: OnceLock::new(),
            ledger: OnceLock::new(),
            opening_ledger: Mutex::new(()),
            turns: Turns::new(most_runs),
        })
    }

    /// Where its runs are kept.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The folders and variables that it was made with.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// Resolves a request with the defaults of this engine.
    pub fn request(&self, asked: RequestBuilder) -> Result<Request, EngineError> {
        asked.build(&self.surroundings, &self.defaults)
    }

    /// Finishes what a power cut or a kill left unfinished in the store, and gives what cannot be finished.
    pub fn finish_pending(&self) -> Vec<Pending> {
        settling::finish_pending(self.store.root(), &self.keyring)
    }

    /// Carries one request out: extract, weigh, ask, prepare, attempt, recover, validate, settle, report, record.
    ///
    /// A program that fails is a result. An error means that it could not be run or recorded; if it was announced, it is
    /// recorded with that error, so that nobody takes it for lost.
    pub fn run(&self, request: &Request, sink: &mut dyn Sink) -> Result<RunResult, EngineError> {
        let _turn = self.turns.wait(request.cancel.as_ref().map(AsFd::as_fd))?;
        let sandboxes = self.sandboxes(request, Recording::Yes)?;
        let result = self.run_in(&sandboxes, request, sink);
        if let Err(EngineError::Run(error)) = &result
            && let RunError::Sandbox(SandboxError::Talk { .. }) = &**error
        {
            // The warden is gone; the next run starts another one.
            *self.lock_warden() = WardenState::Gone;
        }
        result
    }

    /// Works out what a request needs and what would be done for it. Nothing is installed and nothing of it runs.
    pub fn plan(&self, request: &Request) -> Result<Plan, EngineError> {
        let _turn = self.turns.wait(request.cancel.as_ref().map(AsFd::as_fd))?;
        let sandboxes = self.sandboxes(request, Recording::No)?;
        let extracted = self.extract(request, &sandboxes)?;
        let folder = self.surroundings.cache.join("plans").join(request.id.to_string());
        actum_gate::own::make_folders(&folder).map_err(|source| EngineError::Path {
            path: folder.clone(),
            hint: "set XDG_CACHE_HOME to a cache folder that you can write to",
            source,
        })?;
        let keeping = self.keeping(folder.clone());
        let plan = self.with_house(request, (&sandboxes, &keeping), |house| {
            actum_run::plan(&request.run, house, extracted)
        });
        let _ = actum_gate::own::remove_tree(&folder);
        Ok(plan)
    }

    fn run_in(
        &self,
        sandboxes: &Sandboxes,
        request: &Request,
        sink: &mut dyn Sink,
    ) -> Result<RunResult, EngineError> {
        let extracted = self.extract(request, sandboxes)?;
        let risk = actum_run::weigh(&request.run, sandboxes, &extracted)?;
        match approval::ask(request, (&extracted, &risk), sink)? {
            Approved::Yes => {}
            Approved::Later { digest, question } => {
                return self.keep_until_approved(request, risk, (digest, question));
            }
        }
        let controls = sink.begin();
        let stdin = stdin::handed_in(&request.stdin, request.run.attempt.terminal.is_some())?;
        request.run.attempt.note_written(&self.surroundings.cache);
        let mut recorder = Recorder::begin(self, request.id, &request.run)?;
        let keeping = recorder.keeping();
        let prepared = Prepared { request, sandboxes, keeping: &keeping, controls, stdin };
        let account = self.attempt(prepared, (extracted, risk), sink, &mut recorder);
        let attached = match &account {
            Ok(account) => SharedSink::new(sink).attachments(&account.report),
            Err(_) => Vec::new(),
        };
        let Sealed { report, unsigned } = seal(recorder, account, (request, attached), &keeping)?;
        Ok(RunResult { report, state: RunState::Recorded, unsigned })
    }

    /// Reads the source and tells its programs apart.
    fn extract<'a>(
        &'a self,
        request: &'a Request,
        sandboxes: &Sandboxes,
    ) -> Result<Extracted<'a>, EngineError> {
        let reader = self.program.command(workers::READ);
        let (cache, folder) = (self.surroundings.cache.as_path(), tools::desk(&self.surroundings));
        let desk = Desk { sandboxes, reader: &reader, cache, folder: &folder, attempt: &request.run.attempt };
        let languages = &self.defaults.languages;
        Ok(actum_run::extract(&request.run, languages, &mut AnswerReader { desk, languages })?)
    }

    /// Runs the programs, in sandboxes of their own or by calls of a session.
    fn attempt(
        &self,
        prepared: Prepared<'_>,
        (extracted, risk): (Extracted<'_>, Risk),
        sink: &mut dyn Sink,
        recorder: &mut Recorder<'_>,
    ) -> Result<Account, RunError> {
        let Prepared { request, sandboxes, keeping, controls, stdin } = prepared;
        let cancel = Cancel::either(controls.cancel, request.cancel.as_ref());
        let sink = SharedSink::new(sink);
        let (mut output, mut watcher) = (sink.output(), sink.watcher());
        let resized =
            controls.resized.as_ref().map(|it| Resized { told: it.changed.as_fd(), size: &it.size });
        let live = Live {
            stdin: stdin.as_fd(),
            output: &mut output,
            passing: sink.passing(),
            resized,
            cancel: cancel.as_fd(),
            watcher: &mut watcher,
            journal: recorder,
        };
        let account = match &request.session {
            Some(session) => {
                let place = session_place(&self.surroundings, &self.program);
                let session = InSession {
                    name: session.name.clone(),
                    sandboxes,
                    place: &place,
                    idle: session.idle,
                    ceiling: self.ceiling,
                    run: request.id,
                    folder: &keeping.folder,
                    keeping,
                };
                actum_run::run(&request.run, RunPlace::Session(&session), extracted, risk, live)
            }
            None => self.with_house(request, (sandboxes, keeping), |house| {
                actum_run::run(&request.run, RunPlace::Sandboxes(house), extracted, risk, live)
            }),
        };
        if self.lifetime == Lifetime::OneRun {
            // Nothing more is started: the sandbox is put away while the result is reported.
            sandboxes.leave();
        }
        sink.finish(cancel.as_fd());
        account
    }

    fn with_house<T>(
        &self,
        request: &Request,
        (sandboxes, keeping): (&Sandboxes, &Keeping),
        act: impl FnOnce(&House<'_>) -> T,
    ) -> T {
        let sqlite = self.program.command(workers::SQL);
        let preparing = request.run.packages.preparing;
        let tools = tools::tools(&self.program, (&self.surroundings, &self.defaults), preparing);
        act(&House {
            sandboxes,
            languages: &self.defaults.languages,
            run: request.id,
            folder: &keeping.folder,
            keeping,
            cache: &self.surroundings.cache,
            sqlite: &sqlite,
            tools: &tools,
        })
    }

    /// The sandboxes for a request. What is needed later begins here, while the kernel makes namespaces.
    fn sandboxes(&self, request: &Request, recording: Recording) -> Result<Sandboxes, EngineError> {
        let attempt = &request.run.attempt;
        let machine = self.survey(attempt.tool_places(&self.surroundings.cache));
        if recording == Recording::Yes {
            self.signing();
            self.open_ledger_early();
        }
        let sandboxes = match self.lifetime {
            Lifetime::OneRun => self.open_once(machine)?,
            Lifetime::ManyRuns => self.shared_sandboxes()?.with_machine(machine),
        };
        if recording == Recording::Yes && request.session.is_none() {
            sandboxes.expect(attempt);
        }
        Ok(sandboxes)
    }

    /// Sandboxes for programs of ours that look at a request's workspace before it runs.
    pub(crate) fn sandboxes_for_helpers(&self, request: &Request) -> Result<Sandboxes, EngineError> {
        self.sandboxes(request, Recording::No)
    }

    /// What the machine has for programs that can write these places.
    pub(crate) fn survey(&self, places: ToolPlaces) -> Machine {
        Machine::survey(self.surroundings.path(), self.surroundings.home.as_deref(), places)
    }

    /// The sandboxes of the only run.
    pub(crate) fn open_once(&self, machine: Machine) -> Result<Sandboxes, EngineError> {
        let mut state = self.lock_warden();
        let sandboxes = match std::mem::replace(&mut *state, WardenState::Gone) {
            WardenState::Forked(warden) => Opening::begin(warden, self.ceiling)?.finish(machine)?,
            WardenState::Opening(opening) => opening.finish(machine)?,
            WardenState::Open(_) | WardenState::Gone => return Err(EngineError::Used),
        };
        // Dropped with the engine, which waits until everything is put away.
        *state = WardenState::Open(sandboxes.clone());
        Ok(sandboxes)
    }

    /// The sandboxes that all runs share.
    pub(crate) fn shared_sandboxes(&self) -> Result<Sandboxes, EngineError> {
        let mut state = self.lock_warden();
        let opening = match std::mem::replace(&mut *state, WardenState::Gone) {
            WardenState::Open(sandboxes) => {
                *state = WardenState::Open(sandboxes.clone());
                return Ok(sandboxes);
            }
            WardenState::Opening(opening) => opening,
            WardenState::Forked(warden) => Opening::begin(warden, self.ceiling)?,
            WardenState::Gone => Opening::begin(start_warden(&self.program)?, self.ceiling)?,
        };
        let Surroundings { home, cache, variables, .. } = &self.surroundings;
        let places = ToolPlaces::new(home.as_deref(), &[], Some(cache)).with_variables(variables);
        let sandboxes = opening.finish(self.survey(places))?;
        *state = WardenState::Open(sandboxes.clone());
        Ok(sandboxes)
    }

    fn lock_warden(&self) -> MutexGuard<'_, WardenState> {
        self.warden.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process that signs. It is forked, or started, when the first run begins.
    pub(crate) fn signing(&self) -> &Signing {
        self.signing.get_or_init(|| {
            let early = self.signer.lock().unwrap_or_else(PoisonError::into_inner).take();
            Signing::begin(early, &self.surroundings, &self.program)
        })
    }

    /// Begins to open a ledger that is there, before it is sure that something will be written: none is made.
    fn open_ledger_early(&self) {
        if self.store.ledger_file().symlink_metadata().is_ok() {
            // Whoever records is told what is wrong with it.
            let _ = self.ledger();
        }
    }

    /// The ledger, which may be opening still.
    pub(crate) fn ledger(&self) -> Result<Arc<LedgerHandle>, EngineError> {
        if let Some(ledger) = self.ledger.get() {
            return Ok(Arc::clone(ledger));
        }
        let _one = self.opening_ledger.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ledger) = self.ledger.get() {
            return Ok(Arc::clone(ledger));
        }
        let opened = LedgerHandle::open(&self.store, &self.surroundings.cache, self.lifetime)?;
        Ok(Arc::clone(self.ledger.get_or_init(|| Arc::new(opened))))
    }

    pub(crate) fn lifetime(&self) -> Lifetime {
        self.lifetime
    }

    pub(crate) fn program(&self) -> &HelperProgram {
        &self.program
    }

    /// Where a run with this folder keeps its changes.
    pub(crate) fn keeping(&self, folder: PathBuf) -> Keeping {
        settling::keeping(&self.program, &self.keyring, self.store.root(), folder)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It is waited for like the warden, so that nothing is left of an engine that is gone.
        if let (Lifetime::ManyRuns, Some(signing)) = (self.lifetime, self.signing.take()) {
            signing.end();
        }
    }
}

/// Whether a run will be recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recording {
    Yes,
    No,
}

/// A run that is allowed and not begun.
struct Prepared<'a> {
    request: &'a Request,
    sandboxes: &'a Sandboxes,
    keeping: &'a Keeping,
    controls: Controls,
    stdin: OwnedFd,
}

/// Forks a warden, or starts it as a program where there are threads.
fn start_warden(program: &HelperProgram) -> Result<Warden, SandboxError> {
    let words = [crate::program::WORD, workers::WARDEN];
    Warden::fork().or_else(|_| Warden::start_program(program.start(), &words))
}

/// Seals a run. One that could not be carried out is sealed as such, so that nobody takes it for lost; where that cannot be
/// written either, the first error is the one to report.
fn seal<'a>(
    recorder: Recorder<'a>,
    account: Result<Account, RunError>,
    (request, attached): (&Request, Vec<Attachment>),
    keeping: &Keeping,
) -> Result<Sealed, EngineError> {
    match account {
        Ok(account) => recorder.seal(account, keeping, &request.run, attached),
        Err(error) => {
            let error = EngineError::from(error);
            let _ = recorder.seal(request.account_of(&error), keeping, &request.run, Vec::new());
            Err(error)
        }
    }
}
