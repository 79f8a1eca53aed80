//! The one place of this crate that reads the clock.

use std::time::Instant;

/// This moment.
pub(crate) fn now() -> Instant {
    Instant::now()
}
