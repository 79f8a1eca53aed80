//! What is told about an attempt that is over.

use super::{Attempt, Ended};
use actum_model::{Bytes, Ending, Span, Stopped, Usage};
use std::time::Duration;

/// What the loop found out beside the ending.
pub(super) struct Found {
    /// Bytes of output that came.
    pub(super) passed: u64,
    pub(super) stopped_within: Option<Duration>,
    pub(super) stopped: Option<Stopped>,
}

impl Attempt {
    pub(super) fn ended(&mut self, ending: Ending, found: Found) -> Ended {
        let used = self.used.unwrap_or_default();
        // Init tells what was used with the end; one that was killed itself tells nothing.
        let told = self.used.is_some();
        let peak = self.counted_peak().unwrap_or(0).max(used.memory_peak);
        let wall = self.begun.elapsed();
        let usage = Usage {
            wall: Span(wall),
            cpu: Some(used.user + used.system)
                .filter(|_| told)
                .or_else(|| self.counted().map(|counted| counted.cpu))
                .map(Span),
            cpu_user: told.then_some(Span(used.user)),
            cpu_system: told.then_some(Span(used.system)),
            memory_peak: (peak > 0).then_some(Bytes(peak)),
            processes_peak: (used.processes_peak > 0).then_some(used.processes_peak),
            processes_started: used.processes_started,
            disk: self
                .disk_used()
                .map(|disk| Bytes(disk.used))
                .or((used.disk > 0).then_some(Bytes(used.disk))),
            traffic: used.traffic,
            output: Bytes(found.passed),
            stopped_within: found.stopped_within.filter(|_| was_stopped(&ending)).map(Span),
            stopped: found
                .stopped
                .map(|stopped| Stopped { signal: self.asked.unwrap_or(stopped.signal), ..stopped }),
            curve: self.curve.finish(wall),
            gpu: Vec::new(),
        };
        let written = if self.counts_writes { Bytes(0) } else { Bytes(used.disk) };
        Ended { phases: self.phases, ending, usage, written, confinement: self.confinement.clone() }
    }
}

/// Whether we ended it, not the program itself.
pub(super) fn was_stopped(ending: &Ending) -> bool {
    ending.limit().is_some() || *ending == Ending::Cancelled
}
