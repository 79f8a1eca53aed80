//! Where a sweep is: all facts so far, and what is run next.
//!
//! [`SweepState::apply`] is the only way in, live and on replay. [`SweepState::next`] changes nothing. Decisions that end the sweep or
//! promote points are made from the settled trials *in the order of their indices*, and never from who finished first.

mod early;
mod rung;
mod summary;

pub use early::{DoneReason, Rules, RulesError, StopRules};
pub use rung::{Running, Settled, TrialRef};
pub use summary::{Best, PointSummary, SplitSummary, Spread, Summary};

use crate::fact::{Fact, LossCause, Outcome};
use crate::halving::{self, Rung, RungResult};
use crate::trials::MOST_TRIALS;
use crate::{Method, Origin, Parameters, Trial, TrialId, Trials};
use actum_model::Digest;
use early::Early;
use rung::RungState;
use std::collections::HashMap;

/// What all facts so far amount to.
#[derive(Clone, Debug)]
pub struct SweepState {
    trials: Trials,
    rules: Rules,
    /// Trials from outside; their indices follow those of the sweep.
    proposed: Vec<Trial>,
    proposed_ids: HashMap<TrialId, u64>,
    /// The first point with these parameters. By digest: a text among them may be long, and the points many.
    points: HashMap<Digest, u64>,
    plan: Option<Vec<Rung>>,
    /// The rungs that have begun. A sweep without halving has one.
    rungs: Vec<RungState>,
    early: Early,
    stopped: Option<String>,
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Start these, in this order.
    Start(Vec<TrialRef>),
    /// Wait for a fact: all is running that may, or parameters from outside are missing.
    Wait,
    /// Start nothing more. What still runs does not count.
    Done(DoneReason),
}

/// A fact that cannot have happened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum IllegalFact {
    #[error("there is no trial {index} in rung {rung}")]
    Unknown { index: u64, rung: u32 },
    #[error("trial {index} has another id: the fact is of another sweep")]
    OtherTrial { index: u64 },
    #[error("trial {index} is already running on {worker}")]
    AlreadyRunning { index: u64, worker: String },
    #[error("trial {index} has already ended")]
    AlreadySettled { index: u64 },
    #[error("trial {index} is not running")]
    NotRunning { index: u64 },
    #[error("the sweep is stopped")]
    Stopped,
    #[error("the sweep is not stopped")]
    NotStopped,
    #[error("the next trial from outside has the index {expected}, not {index}")]
    WrongIndex { index: u64, expected: u64 },
    #[error("these parameters, seed and split are already trial {first}")]
    Doubled { first: u64 },
    #[error("successive halving takes no trials from outside: its rungs are fixed")]
    Halving,
    #[error("the parameters of a trial in this sweep are {expected}")]
    Parameters { expected: String },
    #[error("the split of a trial in this sweep is {expected}")]
    Split { expected: String },
    #[error("there are more than {MOST_TRIALS} trials")]
    TooMany,
}

impl SweepState {
    /// Before the first fact.
    pub fn new(trials: Trials, rules: Rules) -> Result<Self, RulesError> {
        rules.check(trials.definition())?;
        let mut points = HashMap::new();
        let mut order = Vec::new();
        for point in 0..trials.point_count() {
            let key = trials.parameters(point).digest();
            if let std::collections::hash_map::Entry::Vacant(place) = points.entry(key) {
                place.insert(point);
                order.extend(trials_of(&trials, point));
            }
        }
        let distinct = points.len() as u64;
        let plan =
            trials.definition().method.halving().and_then(|halving| halving::plan(halving, distinct).ok());
        let budget = plan.as_ref().and_then(|plan| plan.first()).map(|rung| rung.budget);
        Ok(Self {
            rungs: vec![RungState::new(0, budget, order)],
            early: Early::default(),
            proposed: Vec::new(),
            proposed_ids: HashMap::new(),
            stopped: None,
            trials,
            rules,
            points,
            plan,
        })
    }

    /// The state after these facts.
    pub fn replay<'f>(
        trials: Trials,
        rules: Rules,
        facts: impl IntoIterator<Item = &'f Fact>,
    ) -> Result<Self, ReplayError> {
        let mut state = Self::new(trials, rules)?;
        for (at, fact) in facts.into_iter().enumerate() {
            state.apply(fact).map_err(|source| ReplayError::Fact { at, source })?;
        }
        Ok(state)
    }

    /// Takes one fact in. Where it is refused nothing has changed.
    pub fn apply(&mut self, fact: &Fact) -> Result<(), IllegalFact> {
        match fact {
            Fact::Proposed { index, by, parameters, seed, split } => {
                let trial = self.check_proposal(*index, parameters, *seed, split.as_deref())?;
                self.add(Trial { origin: Origin::Outside(by.clone()), ..trial });
                Ok(())
            }
            Fact::Started { index, rung, id, worker } => self.start((*index, *rung), *id, worker),
            Fact::Finished { index, rung, outcome, value, values } => {
                let settled = Settled {
                    outcome: Some(*outcome),
                    value: value.filter(|value| value.is_finite() && *outcome == Outcome::Succeeded),
                    values: values.clone(),
                };
                let retries = if *outcome == Outcome::Killed { Some(self.rules.retries) } else { None };
                self.end((*index, *rung), settled, retries)
            }
            Fact::Lost { index, rung, cause } => {
                let retries = match cause {
                    LossCause::Trial => Some(self.rules.retries),
                    LossCause::Sweep => None,
                };
                match retries {
                    Some(_) => self.end((*index, *rung), Settled::lost(), retries),
                    None => self.rung_mut(*index, *rung)?.put_back(*index),
                }
            }
            Fact::Stopped { .. } if self.stopped.is_some() => Err(IllegalFact::Stopped),
            Fact::Stopped { reason } => {
                self.stopped = Some(reason.clone());
                Ok(())
            }
            Fact::Resumed => self.stopped.take().map(drop).ok_or(IllegalFact::NotStopped),
        }
    }

    /// What is run next, where at most `limit` trials run at once.
    pub fn next(&self, limit: usize) -> Decision {
        if let Some(reason) = &self.stopped {
            return Decision::Done(DoneReason::Stopped { reason: reason.clone() });
        }
        if let Some(reason) = self.early.reason() {
            return Decision::Done(reason.clone());
        }
        let Some(rung) = self.rungs.last() else { return Decision::Wait };
        let free = limit.saturating_sub(rung.running_count());
        let start = rung.pending(free);
        if !start.is_empty() {
            return Decision::Start(start);
        }
        if !rung.is_settled() || self.trials.definition().method == Method::Outside {
            return Decision::Wait;
        }
        let is_last = self.plan.as_ref().is_none_or(|plan| plan.len() == self.rungs.len());
        Decision::Done(if is_last {
            DoneReason::Complete
        } else {
            DoneReason::NothingToPromote { rung: rung.number() }
        })
    }

    /// The trial with this index, from the sweep or from outside.
    pub fn trial(&self, index: u64) -> Option<Trial> {
        let outside = index.checked_sub(self.trials.len()).and_then(|at| usize::try_from(at).ok());
        match outside {
            Some(at) => self.proposed.get(at).cloned(),
            None => self.trials.trial(index),
        }
    }

    /// The index of the trial that a proposal would double.
    pub fn find(&self, parameters: &Parameters, seed: u32, split: Option<&str>) -> Option<u64> {
        let id = TrialId::new(parameters, seed, split);
        let own = self.points.get(&parameters.digest()).filter(|point| **point < self.trials.point_count());
        let mut own = own.into_iter().flat_map(|point| trials_of(&self.trials, *point));
        let own = own.find(|index| self.trials.trial(*index).is_some_and(|trial| trial.id == id));
        own.or_else(|| self.proposed_ids.get(&id).copied())
    }

    /// What runs now: after a kill of the whole sweep, each of them is to be recorded as lost.
    pub fn running(&self) -> Vec<Running> {
        self.rungs.iter().flat_map(RungState::running).collect()
    }

    /// How a trial ended in a rung, if it has.
    pub fn settled(&self, index: u64, rung: u32) -> Option<&Settled> {
        self.rungs.get(rung as usize)?.settled(index)
    }

    /// How many trials have ended, once for each rung, and how many have to, where doubles are left out. Before its rungs have begun
    /// successive halving counts what may get there.
    pub fn progress(&self) -> [u64; 2] {
        let begun = self.rungs.iter().map(RungState::counts);
        let [ended, of_begun] = begun.fold([0, 0], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]]);
        let each = self.trials.trials_per_point();
        let later = self.plan.iter().flatten().skip(self.rungs.len()).map(|rung| rung.points * each);
        [ended, of_begun + later.sum::<u64>()]
    }

    /// Trials that have ended and count, in order: the same for any number of workers.
    pub fn counted(&self) -> Vec<TrialRef> {
        self.rungs.iter().flat_map(|rung| rung.ended(|at| self.early.counts(rung.number(), at))).collect()
    }

    /// Trials that ended although the sweep had already been decided before their turn. How many depends on the workers.
    pub fn surplus(&self) -> Vec<TrialRef> {
        self.rungs.iter().flat_map(|rung| rung.ended(|at| !self.early.counts(rung.number(), at))).collect()
    }

    pub fn trials(&self) -> &Trials {
        &self.trials
    }

    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The rungs of successive halving, for the distinct points of the sweep.
    pub fn plan(&self) -> Option<&[Rung]> {
        self.plan.as_deref()
    }

    /// The earlier trial that this one repeats: drawn twice, it is run once.
    pub fn double_of(&self, index: u64) -> Option<u64> {
        let trial = self.trials.trial(index)?;
        let first = self.points.get(&trial.parameters.digest()).copied()?;
        let count = self.trials.trials_per_point();
        (first != trial.point).then(|| first * count + index % count)
    }

    /// The index that the next trial from outside gets.
    pub fn next_index(&self) -> u64 {
        self.trials.len() + self.proposed.len() as u64
    }

    fn start(&mut self, (index, rung): (u64, u32), id: TrialId, worker: &str) -> Result<(), IllegalFact> {
        if self.stopped.is_some() {
            return Err(IllegalFact::Stopped);
        }
        let trial = self.trial(index).ok_or(IllegalFact::Unknown { index, rung })?;
        let rung = self.rung_mut(index, rung)?;
        if trial.id != id {
            return Err(IllegalFact::OtherTrial { index });
        }
        rung.start(index, worker)
    }

    /// Ends a trial, or has it started again where there are retries left.
    fn end(
        &mut self,
        (index, rung): (u64, u32),
        settled: Settled,
        retries: Option<u32>,
    ) -> Result<(), IllegalFact> {
        self.rung_mut(index, rung)?.end(index, settled, retries)?;
        self.advance();
        Ok(())
    }

    fn rung_mut(&mut self, index: u64, rung: u32) -> Result<&mut RungState, IllegalFact> {
        let unknown = IllegalFact::Unknown { index, rung };
        self.rungs.get_mut(rung as usize).filter(|rung| rung.has(index)).ok_or(unknown)
    }

    /// Looks at what has settled since, in order; begins the next rung where this one is decided.
    fn advance(&mut self) {
        let Some(rung) = self.rungs.last_mut() else { return };
        while self.early.reason().is_none()
            && let Some((at, index, settled)) = rung.next_in_order()
        {
            self.early.settle(&self.rules, (rung.number(), at), index, settled);
            rung.pass();
        }
        if self.early.reason().is_some() || !rung.is_settled() {
            return;
        }
        let number = self.rungs.len();
        let Some(next) = self.plan.as_ref().and_then(|plan| plan.get(number)).copied() else { return };
        let order: Vec<u64> = halving::promote(&self.rung_results(number - 1), self.rules.goal, next.points)
            .into_iter()
            .flat_map(|point| trials_of(&self.trials, point))
            .collect();
        if !order.is_empty() {
            self.rungs.push(RungState::new(number as u32, Some(next.budget), order));
        }
    }

    /// The trial that a proposal would be.
    pub(crate) fn check_proposal(
        &self,
        index: u64,
        parameters: &Parameters,
        seed: u32,
        split: Option<&str>,
    ) -> Result<Trial, IllegalFact> {
        let definition = self.trials.definition();
        if self.stopped.is_some() {
            return Err(IllegalFact::Stopped);
        }
        if self.plan.is_some() {
            return Err(IllegalFact::Halving);
        }
        let expected = self.next_index();
        if index != expected {
            return Err(IllegalFact::WrongIndex { index, expected });
        }
        if index >= MOST_TRIALS {
            return Err(IllegalFact::TooMany);
        }
        let space = &definition.space;
        let is_of_space = space.is_empty()
            || space.len() == parameters.len()
                && space.iter().all(|(name, _)| parameters.get(name).is_some());
        if !is_of_space {
            let names: Vec<&str> = space.iter().map(|(name, _)| name).collect();
            return Err(IllegalFact::Parameters { expected: names.join(", ") });
        }
        let splits = &definition.splits;
        let is_split = match split {
            None => splits.is_empty(),
            Some(split) => splits.iter().any(|known| known == split),
        };
        if !is_split {
            let expected = if splits.is_empty() { "absent".to_owned() } else { splits.join(" or ") };
            return Err(IllegalFact::Split { expected });
        }
        if let Some(first) = self.find(parameters, seed, split) {
            return Err(IllegalFact::Doubled { first });
        }
        let key = parameters.digest();
        let next_point = self.trials.point_count() + self.proposed.len() as u64;
        let point = self.points.get(&key).copied().unwrap_or(next_point);
        Ok(Trial::new(index, point, parameters.clone(), (seed, split.map(str::to_owned))))
    }

    fn add(&mut self, trial: Trial) {
        self.points.entry(trial.parameters.digest()).or_insert(trial.point);
        self.proposed_ids.insert(trial.id, trial.index);
        if let Some(rung) = self.rungs.first_mut() {
            rung.add(trial.index);
        }
        self.proposed.push(trial);
    }

    /// The mean of each point of a rung, by number.
    fn rung_results(&self, rung: usize) -> Vec<RungResult> {
        let mut results: Vec<RungResult> = Vec::new();
        let mut sum: Vec<Option<f64>> = Vec::new();
        let close = |results: &mut Vec<RungResult>, sum: &mut Vec<Option<f64>>| {
            if let Some(last) = results.last_mut() {
                let count = sum.len() as f64;
                let total: Option<f64> = sum.drain(..).sum();
                last.value = total.map(|total| total / count);
            }
        };
        for (index, settled) in self.rungs.get(rung).into_iter().flat_map(RungState::in_order) {
            let point = index / self.trials.trials_per_point();
            if results.last().is_none_or(|last| last.point != point) {
                close(&mut results, &mut sum);
                results.push(RungResult { point, value: None });
            }
            sum.push(settled.and_then(|settled| settled.value));
        }
        close(&mut results, &mut sum);
        results
    }
}

/// Why facts could not be replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error("fact {at}, counted from 0, cannot have happened")]
    Fact { at: usize, source: IllegalFact },
}

fn trials_of(trials: &Trials, point: u64) -> std::ops::Range<u64> {
    let count = trials.trials_per_point();
    point * count..(point + 1) * count
}
