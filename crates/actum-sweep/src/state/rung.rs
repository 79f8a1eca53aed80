//! The trials of one rung: waiting, running, ended.

use super::IllegalFact;
use crate::fact::Outcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A trial to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct TrialRef {
    pub rung: u32,
    pub index: u64,
    /// Of successive halving.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
}

/// A trial that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Running {
    pub trial: TrialRef,
    pub worker: String,
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settled {
    /// None where it was lost more often than there are retries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Finite, and only of a trial that succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Option<f64>>,
}

#[derive(Clone, Debug)]
pub(super) struct RungState {
    number: u32,
    budget: Option<u64>,
    order: Vec<u64>,
    known: HashMap<u64, Work>,
    /// In the order of indices, so that a trial that was lost comes before those that were never started.
    pending: BTreeSet<u64>,
    running: BTreeMap<u64, String>,
    /// How many of `order`, from its beginning, were looked at for an early stop.
    passed: usize,
    settled: usize,
}

/// What is known about a trial of a rung.
#[derive(Clone, Debug, Default)]
struct Work {
    losses: u32,
    settled: Option<Settled>,
}

impl Settled {
    pub(super) fn lost() -> Self {
        Self { outcome: None, value: None, values: BTreeMap::new() }
    }

    pub fn is_success(&self) -> bool {
        self.outcome == Some(Outcome::Succeeded)
    }
}

impl RungState {
    pub(super) fn new(number: u32, budget: Option<u64>, order: Vec<u64>) -> Self {
        Self {
            known: order.iter().map(|index| (*index, Work::default())).collect(),
            pending: order.iter().copied().collect(),
            running: BTreeMap::new(),
            passed: 0,
            settled: 0,
            number,
            budget,
            order,
        }
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    pub(super) fn has(&self, index: u64) -> bool {
        self.known.contains_key(&index)
    }

    /// One more trial, at the end.
    pub(super) fn add(&mut self, index: u64) {
        self.order.push(index);
        self.known.insert(index, Work::default());
        self.pending.insert(index);
    }

    pub(super) fn start(&mut self, index: u64, worker: &str) -> Result<(), IllegalFact> {
        if let Some(other) = self.running.get(&index) {
            return Err(IllegalFact::AlreadyRunning { index, worker: other.clone() });
        }
        if !self.pending.remove(&index) {
            return Err(IllegalFact::AlreadySettled { index });
        }
        self.running.insert(index, worker.to_owned());
        Ok(())
    }

    /// Ends a trial. With a number of retries it is a loss, and the trial waits again until there were more losses than that.
    pub(super) fn end(
        &mut self,
        index: u64,
        settled: Settled,
        retries: Option<u32>,
    ) -> Result<(), IllegalFact> {
        self.running.remove(&index).ok_or(IllegalFact::NotRunning { index })?;
        let work = self.known.entry(index).or_default();
        if let Some(retries) = retries {
            work.losses += 1;
            if work.losses <= retries {
                self.pending.insert(index);
                return Ok(());
            }
        }
        work.settled = Some(settled);
        self.settled += 1;
        Ok(())
    }

    /// A trial that was interrupted through no fault of its own waits again.
    pub(super) fn put_back(&mut self, index: u64) -> Result<(), IllegalFact> {
        self.running.remove(&index).ok_or(IllegalFact::NotRunning { index })?;
        self.pending.insert(index);
        Ok(())
    }

    pub(super) fn running_count(&self) -> usize {
        self.running.len()
    }

    /// How many have ended, and how many there are.
    pub(super) fn counts(&self) -> [u64; 2] {
        [self.settled as u64, self.order.len() as u64]
    }

    pub(super) fn is_settled(&self) -> bool {
        self.settled == self.order.len()
    }

    pub(super) fn pending(&self, most: usize) -> Vec<TrialRef> {
        self.pending.iter().take(most).map(|index| self.reference(*index)).collect()
    }

    pub(super) fn running(&self) -> impl Iterator<Item = Running> + '_ {
        let entry = |(index, worker): (&u64, &String)| Running {
            trial: self.reference(*index),
            worker: worker.clone(),
        };
        self.running.iter().map(entry)
    }

    pub(super) fn settled(&self, index: u64) -> Option<&Settled> {
        self.known.get(&index)?.settled.as_ref()
    }

    /// All of its trials in order.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (u64, Option<&Settled>)> + '_ {
        self.order.iter().map(|index| (*index, self.settled(*index)))
    }

    /// The trials that have ended and whose place in the order is wanted.
    pub(super) fn ended<'s>(
        &'s self,
        is_wanted: impl Fn(usize) -> bool + 's,
    ) -> impl Iterator<Item = TrialRef> + 's {
        let ended =
            self.in_order().enumerate().filter(move |(at, (_, settled))| settled.is_some() && is_wanted(*at));
        ended.map(|(_, (index, _))| self.reference(index))
    }

    /// The next trial in order, where it has ended.
    pub(super) fn next_in_order(&self) -> Option<(usize, u64, &Settled)> {
        let index = *self.order.get(self.passed)?;
        Some((self.passed, index, self.settled(index)?))
    }

    pub(super) fn pass(&mut self) {
        self.passed += 1;
    }

    fn reference(&self, index: u64) -> TrialRef {
        TrialRef { rung: self.number, index, budget: self.budget }
    }
}
