//! The one place of this room that reads the clock.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Now, by the clock that file systems use. They may run up to one tick (at most 10 ms) behind it, so what is changed in
/// the first tick after this may look older. The other way round would be worse: what was written just before would look
/// like a conflict.
pub(crate) fn now() -> Timespec {
    clock_gettime(ClockId::Realtime)
}
