//! The one place of this crate that reads the clock.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// When the machine was started, in nanoseconds since 1970.
pub(crate) fn booted() -> i64 {
    let nanoseconds = |time: Timespec| time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec);
    nanoseconds(clock_gettime(ClockId::Realtime))
        .saturating_sub(nanoseconds(clock_gettime(ClockId::Boottime)))
}

/// Counts from when it was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch(std::time::Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(std::time::Instant::now())
    }

    pub(crate) fn elapsed(self) -> std::time::Duration {
        self.0.elapsed()
    }
}
