//! The values of one metric over all attempts of an experiment.

use crate::direction::{Direction, guess_direction};
use crate::summary::{Extremes, Summary};
use actum_model::Moment;
use std::collections::HashMap;

/// One value of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub value: f64,
    pub step: Option<u64>,
    pub time: Option<Moment>,
    /// Of which attempt of the experiment it is, counted from 1.
    pub attempt: u32,
    /// Its source, as a number that [`Curves`](crate::Curves) gave it.
    pub(crate) source: u16,
}

/// The samples of one metric, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Series {
    samples: Vec<Sample>,
    /// Of so many that come one is kept, since it was thinned.
    stride: u64,
    seen: u64,
    /// What was left out, in two values.
    left_out: Extremes,
    /// The newest sample, where it was not kept.
    newest: Option<Sample>,
}

impl Series {
    /// How many samples are held.
    pub fn len(&self) -> usize {
        self.samples.len() + usize::from(self.newest.is_some())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many were dropped to stay within bounds.
    pub fn left_out(&self) -> u64 {
        self.left_out.count
    }

    /// The curve: where several attempts reported one step, what the latest of them reported. Ordered by step where every
    /// sample has one, else as they came.
    pub fn joined(&self) -> Vec<Sample> {
        let all = || self.samples.iter().chain(&self.newest);
        let mut latest: HashMap<u64, u32> = HashMap::new();
        for sample in all() {
            if let Some(step) = sample.step {
                let attempt = latest.entry(step).or_insert(sample.attempt);
                *attempt = sample.attempt.max(*attempt);
            }
        }
        let is_latest = |sample: &&Sample| {
            sample.step.is_none_or(|step| latest.get(&step).is_none_or(|attempt| *attempt == sample.attempt))
        };
        let mut joined: Vec<Sample> = all().filter(is_latest).copied().collect();
        if joined.iter().all(|sample| sample.step.is_some()) {
            // Merges the sorted runs of a few attempts: close to linear.
            joined.sort_by_key(|sample| sample.step);
        }
        joined
    }

    /// The series in a few numbers. `direction` overrides what its name suggests.
    pub fn summarize(&self, key: &str, direction: Option<Direction>) -> Summary {
        let direction = direction.or_else(|| guess_direction(key));
        Summary::of(key, &self.joined(), &self.left_out, direction)
    }

    /// Adds one sample; gives by how many more are held, which is none when it took the place of one that is not kept.
    pub(crate) fn push(&mut self, sample: Sample) -> usize {
        let before = self.len();
        // The newest stays visible until the next one comes.
        if let Some(dropped) = self.newest.take() {
            self.left_out.add(&dropped);
        }
        if self.seen.is_multiple_of(self.stride.max(1)) {
            self.samples.push(sample);
        } else {
            self.newest = Some(sample);
        }
        self.seen += 1;
        self.len().saturating_sub(before)
    }

    /// Drops every second sample, and keeps half as many from now on. Gives how many were dropped.
    pub(crate) fn thin(&mut self) -> usize {
        let before = self.len();
        if let Some(newest) = self.newest.take() {
            self.samples.push(newest);
        }
        let last = self.samples.len().saturating_sub(1);
        let (mut index, left_out) = (0, &mut self.left_out);
        self.samples.retain(|sample| {
            let stays = index % 2 == 0 || index == last;
            index += 1;
            if !stays {
                left_out.add(sample);
            }
            stays
        });
        self.stride = self.stride.max(1).saturating_mul(2);
        before - self.len()
    }

    /// Removes what came from one source since an attempt. Gives how many samples that were.
    pub(crate) fn forget(&mut self, source: u16, attempt: u32) -> usize {
        let before = self.len();
        let stays = |sample: &Sample| sample.source != source || sample.attempt < attempt;
        self.samples.retain(stays);
        self.newest = self.newest.filter(stays);
        before - self.len()
    }
}
