//! The one place of this room that reads the clock, and names what begins now.

use actum_model::RunId;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// A name for a run that begins now.
pub fn new_run() -> RunId {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // The seeds of the standard hash maps come from the system's randomness.
    let draw = || RandomState::new().build_hasher().finish().to_be_bytes();
    let (one, other) = (draw(), draw());
    let random = std::array::from_fn(|at| if at < 8 { one[at] } else { other[at - 8] });
    RunId::new(since.as_millis() as u64, random)
}
