//! The one place of sessions that reads the clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A moment to measure from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment(Instant);

impl Moment {
    pub(super) fn now() -> Self {
        Self(Instant::now())
    }

    pub(super) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// Milliseconds since 1970.
pub(super) fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
