//! The one place of this room that reads the clock, and names what begins now.

use actum_model::{Moment, RunId};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// The time of day.
pub fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}

/// A name for a run that begins now.
pub fn new_run() -> RunId {
    // The seeds of the standard hash maps come from the system's randomness.
    let draw = || RandomState::new().build_hasher().finish().to_be_bytes();
    let (one, other) = (draw(), draw());
    let random = std::array::from_fn(|at| if at < 8 { one[at] } else { other[at - 8] });
    RunId::new(now().milliseconds(), random)
}
