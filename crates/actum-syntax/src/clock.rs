//! The only clock of this room: it says when a grammar has taken too long.

use std::time::{Duration, Instant};

/// Grammars read megabytes in a second; one that was given five and is not done goes over the same text again and again.
const LONGEST: Duration = Duration::from_secs(5);

/// When a grammar is to be stopped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    pub(crate) fn from_now() -> Self {
        Deadline(Instant::now() + LONGEST)
    }

    pub(crate) fn is_over(self) -> bool {
        Instant::now() >= self.0
    }
}
