//! What an attempt used.

use crate::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The resources that an attempt used. Absent values could not be measured on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    pub wall: Span,
    /// CPU time of the process tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_user: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_system: Option<Span>,
    /// Peak memory of the process tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_peak: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes_peak: Option<u64>,
    /// Processes that were started, the program itself among them. As with the limit of that name, threads count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes_started: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<Bytes>,
    /// What the process tree read and wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    pub output: Bytes,
    /// Time from the order to kill until the last process ended; present if the run was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_within: Option<Span>,
    /// How the program reacted to a signal to stop; present if one was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Memory, CPU and processes over time; empty for runs of less than a second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<Sample>,
    /// The granted GPUs during the run; empty if there are none or they cannot be measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpu: Vec<CardUsage>,
}

impl Usage {
    /// What this attempt and a later one used together.
    pub fn and(self, later: Usage) -> Usage {
        let sum =
            |one: Option<Span>, other: Option<Span>| both(one, other, |one, other| Span(one.0 + other.0));
        Usage {
            curve: joined(&self, later.curve),
            gpu: cards(self.gpu, later.gpu),
            wall: Span(self.wall.0 + later.wall.0),
            cpu: sum(self.cpu, later.cpu),
            cpu_user: sum(self.cpu_user, later.cpu_user),
            cpu_system: sum(self.cpu_system, later.cpu_system),
            memory_peak: self.memory_peak.max(later.memory_peak),
            processes_peak: self.processes_peak.max(later.processes_peak),
            processes_started: both(self.processes_started, later.processes_started, |one, other| {
                one + other
            }),
            disk: later.disk.or(self.disk),
            traffic: both(self.traffic, later.traffic, Traffic::and),
            output: Bytes(self.output.0 + later.output.0),
            stopped_within: later.stopped_within.or(self.stopped_within),
            stopped: later.stopped.or(self.stopped),
        }
    }
}

fn both<T>(one: Option<T>, other: Option<T>, together: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(together(one, other)),
        (one, other) => one.or(other),
    }
}

/// A later curve goes on where the earlier attempt ended, in time and in processor time, and stays as short as one.
fn joined(before: &Usage, later: Vec<Sample>) -> Vec<Sample> {
    let on = |sample: Sample| Sample {
        at: Span(before.wall.0 + sample.at.0),
        cpu: sample.cpu.map(|cpu| Span(before.cpu.unwrap_or_default().0 + cpu.0)),
        ..sample
    };
    let mut curve: Vec<Sample> = before.curve.iter().copied().chain(later.into_iter().map(on)).collect();
    while curve.len() > Sample::MOST {
        curve = curve.into_iter().step_by(2).collect();
    }
    curve
}

fn cards(mut cards: Vec<CardUsage>, later: Vec<CardUsage>) -> Vec<CardUsage> {
    for card in later {
        match cards.iter_mut().find(|known| known.index == card.index) {
            Some(known) => *known = known.clone().and(card),
            None => cards.push(card),
        }
    }
    cards
}

/// Bytes that a process tree read and wrote, as the kernel counts them. Processes that were not waited for are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// Requested with system calls: files, pipes and terminals, cached or not.
    pub read: Bytes,
    pub written: Bytes,
    /// The part that was read from a disk or written to one.
    pub read_from_disk: Bytes,
    pub written_to_disk: Bytes,
}

impl Traffic {
    fn and(self, later: Self) -> Self {
        let sum = |one: Bytes, other: Bytes| Bytes(one.0 + other.0);
        Self {
            read: sum(self.read, later.read),
            written: sum(self.written, later.written),
            read_from_disk: sum(self.read_from_disk, later.read_from_disk),
            written_to_disk: sum(self.written_to_disk, later.written_to_disk),
        }
    }
}

/// The signal that a program got before it was killed, and its reaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stopped {
    /// The signal: 15 at the timeout, 2 when the run was cancelled.
    pub signal: i32,
    /// Whether it exited because of the signal. Otherwise it was killed.
    pub by_itself: bool,
    /// From the signal until it ended or was killed.
    pub within: Span,
}

/// One point of a run's curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Since the start.
    pub at: Span,
    /// Of the process tree, at that moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
    /// CPU time so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Span>,
    /// Processes and threads, at that moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
}

impl Sample {
    /// 240: twice what a line of text or a small picture can show.
    pub const MOST: usize = 240;
}

/// Measurements of one GPU. GPUs are shared: the use by other processes is included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CardUsage {
    pub index: u32,
    pub name: String,
    pub memory_total: Bytes,
    pub memory_peak: Bytes,
    pub memory_mean: Bytes,
    /// Percent of the time in which the GPU was busy.
    pub busy_peak: u32,
    pub busy_mean: u32,
    /// The number of samples.
    pub looks: u32,
}

impl CardUsage {
    fn and(self, later: Self) -> Self {
        let looks = self.looks + later.looks;
        let mean = |one: u64, other: u64| {
            let sum = u128::from(one) * u128::from(self.looks) + u128::from(other) * u128::from(later.looks);
            (sum / u128::from(looks.max(1))) as u64
        };
        Self {
            memory_peak: self.memory_peak.max(later.memory_peak),
            memory_mean: Bytes(mean(self.memory_mean.0, later.memory_mean.0)),
            busy_peak: self.busy_peak.max(later.busy_peak),
            busy_mean: mean(self.busy_mean.into(), later.busy_mean.into()) as u32,
            looks,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(seconds: u64, points: u64) -> Usage {
        let point =
            |at: u64| Sample { at: Span::seconds(at), cpu: Some(Span::seconds(at)), ..Sample::default() };
        let card = CardUsage {
            index: 0,
            name: "card".to_owned(),
            memory_total: Bytes(100),
            memory_peak: Bytes(seconds),
            memory_mean: Bytes(seconds),
            busy_peak: 1,
            busy_mean: 1,
            looks: points as u32,
        };
        Usage {
            wall: Span::seconds(seconds),
            cpu: Some(Span::seconds(seconds)),
            processes_started: Some(2),
            curve: (0..points).map(point).collect(),
            gpu: vec![card],
            ..Usage::default()
        }
    }

    #[test]
    fn a_later_attempt_goes_on_where_the_first_ended() {
        let both = attempt(10, 1).and(attempt(40, 3));
        let at: Vec<u64> = both.curve.iter().map(|point| point.at.0.as_secs()).collect();
        assert_eq!(at, [0, 10, 11, 12]);
        assert_eq!(both.curve[3].cpu, Some(Span::seconds(12)));
        assert_eq!((both.processes_started, both.traffic), (Some(4), None));
        assert_eq!((both.gpu.len(), both.gpu[0].looks, both.gpu[0].memory_mean), (1, 4, Bytes(32)));
        let many = attempt(200, 200).and(attempt(200, 200));
        assert_eq!(many.curve.len(), 200);
    }
}
