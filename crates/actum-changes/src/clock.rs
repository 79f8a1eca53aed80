//! The one place of this crate that reads the clock.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// When the machine was started, in nanoseconds since 1970.
pub(crate) fn booted() -> i64 {
    let nanoseconds = |time: Timespec| time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec);
    nanoseconds(clock_gettime(ClockId::Realtime))
        .saturating_sub(nanoseconds(clock_gettime(ClockId::Boottime)))
}
