//! The one place of this crate that reads the clock.

use actum_model::Moment;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::time::Duration;

/// Now, by the clock that file systems use. They may run up to one tick (at most 10 ms) behind it, so what is changed in
/// the first tick after this may look older. The other way round would be worse: what was written just before would look
/// like a conflict.
pub(crate) fn now() -> Timespec {
    clock_gettime(ClockId::Realtime)
}

/// The time of day, as it is written down.
pub(crate) fn moment() -> Moment {
    let now = now();
    Moment(now.tv_sec as u64 * 1_000_000 + now.tv_nsec as u64 / 1000)
}

/// Counts from when it was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch(std::time::Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(std::time::Instant::now())
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
