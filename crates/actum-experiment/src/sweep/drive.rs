//! Workers that run trials side by side, until the sweep is over or somebody stops it.
//!
//! One value behind a lock: what is started next is decided and written down under it, the trials themselves run outside of it.

use super::error::SweepError;
use super::journal::TrialRun;
use super::open::Sweep;
use super::settle;
use crate::error::ExperimentError;
use crate::experiment;
use crate::forward::Forward;
use crate::prepared::{PreparedExperiment, prepare};
use actum_engine::{CancelHandle, Engine, EngineError, NoSink, RunState, clock};
use actum_model::{RunId, Span};
use actum_sweep::{Decision, DoneReason, Fact, LossCause, Outcome, Trial, TrialRef};
use rustix::fd::OwnedFd;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A sweep that is being driven.
pub struct Drive<'a> {
    pub(super) engine: &'a Engine,
    pub(super) workers: NonZeroUsize,
    /// Told of each trial that ends, in the order in which they end.
    watcher: &'a (dyn Fn(&Ended) + Sync),
    pub(super) inner: Mutex<Inner>,
    pub(super) changed: Condvar,
    /// How many trials go on that were asked for from outside.
    pub(super) going: AtomicUsize,
    stopping: Arc<Stopping>,
}

/// What the workers share.
pub(super) struct Inner {
    pub(super) sweep: Sweep,
    /// In the latest rung that has a value.
    best: Option<(f64, u64)>,
    rung: u32,
    error: Option<SweepError>,
}

/// Wishes to stop, and whom they are passed to.
#[derive(Default)]
struct Stopping(Mutex<StoppingState>);

#[derive(Default)]
struct StoppingState {
    /// Somebody wants it to stop, or it cannot go on.
    is_wanted: bool,
    /// The sweep is decided: what still runs does not count.
    is_over: bool,
    running: BTreeMap<(u64, u32), CancelHandle>,
}

/// A trial that ended, as far as it is a result.
#[derive(Clone, Debug)]
pub struct Ended {
    pub trial: Trial,
    pub run: TrialRef,
    /// None where it was lost, and is started again if there are retries left.
    pub outcome: Option<Outcome>,
    pub value: Option<f64>,
    pub duration: Span,
    pub id: Option<RunId>,
    /// The best value so far, and its trial.
    pub best: Option<(f64, u64)>,
    /// How many trials have ended, and how many have to.
    pub done: u64,
    pub total: u64,
}

/// How a drive came to its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    Done(DoneReason),
    /// Somebody stopped it. It can be gone on with.
    Interrupted,
    /// Nothing is left to do until somebody asks for more.
    Idle,
}

/// A wish to stop comes without a call: it is looked for now and then.
pub(super) const LOOK: Duration = Duration::from_millis(200);

/// What became of one start of a trial.
struct Attempt {
    fact: Fact,
    duration: Span,
    id: Option<RunId>,
}

impl<'a> Drive<'a> {
    pub fn new(
        (engine, sweep): (&'a Engine, Sweep),
        workers: NonZeroUsize,
        watcher: &'a (dyn Fn(&Ended) + Sync),
    ) -> Self {
        let best = sweep.state.summary().best;
        let rung = best.as_ref().map_or(0, |best| best.run.rung);
        let best = best.map(|best| (best.value, best.trial.index));
        let inner = Mutex::new(Inner { sweep, best, rung, error: None });
        let stopping = Arc::default();
        Self {
            engine,
            workers,
            watcher,
            inner,
            changed: Condvar::new(),
            going: AtomicUsize::new(0),
            stopping,
        }
    }

    /// Runs trials until the sweep is over. Each time that `cancel` becomes readable is a wish to stop: the first ends the programs in
    /// order, the next at once.
    pub fn run(self, cancel: Option<OwnedFd>) -> Result<(Sweep, Ending), SweepError> {
        let forward = self.listen(cancel);
        std::thread::scope(|scope| {
            for number in 1..=self.workers.get() {
                let worker = std::thread::Builder::new().name(format!("worker {number}"));
                let started = worker.spawn_scoped(scope, || self.work());
                if started.is_err() && number == 1 {
                    self.work();
                }
            }
        });
        drop(forward);
        self.end()
    }

    /// Listens for wishes to stop.
    pub(super) fn listen(&self, cancel: Option<OwnedFd>) -> Option<Forward> {
        let stopping = Arc::clone(&self.stopping);
        cancel.and_then(|cancel| Forward::calling(cancel, move || stopping.stop()).ok())
    }

    pub(super) fn end(self) -> Result<(Sweep, Ending), SweepError> {
        let is_interrupted = self.is_stopping();
        let Inner { sweep, error, .. } = self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = error {
            return Err(error);
        }
        let ending = match sweep.state.next(1) {
            Decision::Done(reason) => Ending::Done(reason),
            Decision::Start(_) | Decision::Wait if is_interrupted => Ending::Interrupted,
            Decision::Start(_) | Decision::Wait => Ending::Idle,
        };
        Ok((sweep, ending))
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.lock().is_wanted
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some((trial, run)) = self.take() {
            self.carry_out(&trial, &run);
        }
    }

    /// The next trial, written down as started. None where nothing more is to be started.
    fn take(&self) -> Option<(Trial, TrialRef)> {
        let mut inner = self.lock();
        loop {
            if inner.error.is_some() || self.is_stopping() {
                return None;
            }
            match inner.sweep.state.next(self.workers.get()) {
                Decision::Start(next) => {
                    let run = *next.first()?;
                    let trial = inner.sweep.state.trial(run.index)?;
                    match self.start(&mut inner, &trial, &run) {
                        Ok(()) => return Some((trial, run)),
                        Err(error) => self.give_up(&mut inner, error),
                    }
                }
                Decision::Wait if inner.sweep.state.running().is_empty() => return None,
                Decision::Wait => {
                    let waited = self.changed.wait_timeout(inner, LOOK);
                    inner = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                Decision::Done(_) => {
                    self.stopping.be_over();
                    return None;
                }
            }
        }
    }

    fn start(&self, inner: &mut Inner, trial: &Trial, run: &TrialRef) -> Result<(), SweepError> {
        let worker = std::thread::current().name().unwrap_or("worker").to_owned();
        inner.sweep.record(Fact::Started { index: run.index, rung: run.rung, id: trial.id, worker })
    }

    /// Runs a trial that is written down as started, and writes down how it ended.
    pub(super) fn carry_out(&self, trial: &Trial, run: &TrialRef) {
        let attempt = self.attempt(trial, run);
        self.stopping.lock().running.remove(&(run.index, run.rung));
        let mut inner = self.lock();
        let lost = |cause| Fact::Lost { index: run.index, rung: run.rung, cause };
        let attempt = attempt.unwrap_or_else(|error| {
            let is_stopped =
                matches!(&error, SweepError::Experiment(ExperimentError::Engine(EngineError::Cancelled)));
            if !is_stopped {
                self.give_up(&mut inner, error);
            }
            Attempt { fact: lost(LossCause::Sweep), duration: Span::default(), id: None }
        });
        let Attempt { fact, duration, id } = attempt;
        if let Err(error) = inner.sweep.record(fact.clone()) {
            self.give_up(&mut inner, error);
        } else if let Some(ended) = inner.ended((trial, run), &fact, (duration, id)) {
            (self.watcher)(&ended);
        }
        drop(inner);
        self.changed.notify_all();
    }

    fn attempt(&self, trial: &Trial, run: &TrialRef) -> Result<Attempt, SweepError> {
        let (file, shown) = {
            let inner = self.lock();
            (inner.sweep.file.clone(), inner.sweep.folder.shown.clone())
        };
        let began = clock::now();
        let prepared = prepare(self.engine, file.request(trial, run, &shown))?;
        let id = prepared.manifest.run;
        if !self.stopping.add((run.index, run.rung), &prepared.cancel) {
            prepared.discard();
            let fact = Fact::Lost { index: run.index, rung: run.rung, cause: LossCause::Sweep };
            return Ok(Attempt { fact, duration: Span::default(), id: None });
        }
        let output = prepared.output.shown.clone();
        self.lock().sweep.record_run(TrialRun { index: run.index, rung: run.rung, run: id, output })?;
        let finished = self.carry(prepared)?;
        if let RunState::AwaitingApproval { .. } = finished.run.state {
            return Err(SweepError::Approval { index: run.index });
        }
        let fact = settle::fact(run, (&finished.run.report, finished.result.as_ref()), &file);
        let took = clock::now().0.saturating_sub(began.0);
        Ok(Attempt { fact, duration: Span(Duration::from_micros(took)), id: Some(id) })
    }

    fn carry(&self, prepared: PreparedExperiment) -> Result<experiment::FinishedExperiment, SweepError> {
        Ok(experiment::run(self.engine, prepared, &mut NoSink)?)
    }

    /// Ours failed, not a trial: nothing more is started, and what runs is ended.
    pub(super) fn give_up(&self, inner: &mut Inner, error: SweepError) {
        inner.error.get_or_insert(error);
        self.stopping.stop();
    }
}

impl Inner {
    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// What is told about a trial that ended. Nothing where it only stopped with the sweep.
    fn ended(
        &mut self,
        (trial, run): (&Trial, &TrialRef),
        fact: &Fact,
        (duration, id): (Span, Option<RunId>),
    ) -> Option<Ended> {
        let (outcome, value) = match fact {
            Fact::Finished { outcome, value, .. } => {
                (Some(*outcome), value.filter(|value| value.is_finite()))
            }
            Fact::Lost { cause: LossCause::Trial, .. } => (None, None),
            Fact::Lost { .. }
            | Fact::Proposed { .. }
            | Fact::Started { .. }
            | Fact::Stopped { .. }
            | Fact::Resumed => {
                return None;
            }
        };
        let goal = self.sweep.file.goal();
        if let Some(value) = value
            && run.rung >= self.rung
            && self.best.is_none_or(|(best, index)| {
                run.rung > self.rung || goal.is_better(value, best) || (value == best && trial.index < index)
            })
        {
            (self.best, self.rung) = (Some((value, trial.index)), run.rung);
        }
        let [done, total] = self.sweep.state.progress();
        Some(Ended {
            trial: trial.clone(),
            run: *run,
            outcome,
            value,
            duration,
            id,
            best: self.best,
            done,
            total,
        })
    }
}

impl Stopping {
    fn stop(&self) {
        let mut state = self.lock();
        state.is_wanted = true;
        state.running.values().for_each(CancelHandle::cancel);
    }

    fn be_over(&self) {
        let mut state = self.lock();
        if !std::mem::replace(&mut state.is_over, true) {
            state.running.values().for_each(CancelHandle::cancel);
        }
    }

    /// Passes wishes on to a trial that is about to run. False where it is not to run any more.
    fn add(&self, trial: (u64, u32), cancel: &CancelHandle) -> bool {
        let mut state = self.lock();
        let may_run = !state.is_wanted && !state.is_over;
        if may_run {
            state.running.insert(trial, cancel.clone());
        }
        may_run
    }

    fn lock(&self) -> MutexGuard<'_, StoppingState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
