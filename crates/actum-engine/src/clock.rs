//! The one place of this crate that reads the clock, and names runs that begin now.

use actum_model::{Moment, RunId};
use std::time::{SystemTime, UNIX_EPOCH};

/// The time of day.
pub fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}

/// A name for a run that begins now.
pub fn new_run() -> RunId {
    let mut random = [0; 10];
    // Ten bytes never come short, and the kernel's source never waits once the machine is up.
    let filled = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    filled.expect("BUG: the kernel gives random bytes");
    RunId::new(now().milliseconds(), random)
}
