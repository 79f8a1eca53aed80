//! How long added patterns may look, so that a line that was made to be slow holds nobody up.
//!
//! A regular expression takes linear time for one search, and a line can have it searched thousands of times. Whoever waits
//! for the redactor keeps the limits and hears the signals, so the time that all searches take together is bounded by
//! a moment and by what was printed. Patterns of the user and of a project have a budget each: a project's slow pattern
//! does not use up the user's.

use super::pattern::Origin;
use crate::clock::Stopwatch;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The time that searches have taken and the bytes that they looked at.
#[derive(Debug, Default)]
pub(super) struct Fuel {
    users: Spent,
    projects: Spent,
}

#[derive(Debug, Default)]
struct Spent {
    nanoseconds: AtomicU64,
    bytes: AtomicU64,
}

/// What may be spent before anything is printed: a quarter of the shortest time in which somebody notices.
const AT_FIRST: Duration = Duration::from_millis(250);
/// What may be spent for each byte. Fifty ordinary patterns take half of it.
const PER_BYTE: Duration = Duration::from_micros(1);

impl Fuel {
    /// Counts bytes that are going to be looked at.
    pub(super) fn earn(&self, bytes: usize) {
        for spent in [&self.users, &self.projects] {
            spent.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// Whether there is time for one more search.
    pub(super) fn is_left(&self, origin: Origin) -> bool {
        let spent = self.of(origin);
        let bytes = spent.bytes.load(Ordering::Relaxed);
        let allowed = AT_FIRST.as_nanos() as u64 + bytes.saturating_mul(PER_BYTE.as_nanos() as u64);
        spent.nanoseconds.load(Ordering::Relaxed) <= allowed
    }

    /// Does one search and counts its time.
    pub(super) fn spend<T>(&self, origin: Origin, search: impl FnOnce() -> T) -> T {
        let watch = Stopwatch::start();
        let found = search();
        let taken = u64::try_from(watch.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.of(origin).nanoseconds.fetch_add(taken, Ordering::Relaxed);
        found
    }

    fn of(&self, origin: Origin) -> &Spent {
        match origin {
            Origin::User => &self.users,
            Origin::Project => &self.projects,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_budget_does_not_use_up_the_other() {
        let fuel = Fuel::default();
        assert!(fuel.is_left(Origin::User) && fuel.is_left(Origin::Project));
        fuel.projects.nanoseconds.store(AT_FIRST.as_nanos() as u64 + 1, Ordering::Relaxed);
        assert!(fuel.is_left(Origin::User) && !fuel.is_left(Origin::Project));
        fuel.earn(1000);
        assert!(fuel.is_left(Origin::Project), "more output, more time");
    }
}
