//! How far a call has come: running, asked to stop, given up. Judgement only.

use std::time::Duration;

/// 2 s: what an interpreter has after an interrupt before its session is ended. Long enough for `finally` and `trap`.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// Why a call is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    TimedOut,
    Cancelled,
}

/// Where a call stands. Times are since its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Running,
    /// It was interrupted and has until then.
    Asked {
        why: Why,
        until: Duration,
    },
    /// It did not heed: its session is being ended.
    GivenUp {
        why: Why,
    },
}

/// What there is to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Nothing,
    Interrupt,
    End,
}

/// What is known at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Situation {
    pub(super) elapsed: Duration,
    pub(super) timeout: Duration,
    /// Its client wants it to stop, or is gone.
    pub(super) unwanted: bool,
}

impl Stage {
    pub(super) fn next(self, now: Situation) -> (Stage, Act) {
        let reason = match (now.unwanted, now.elapsed >= now.timeout) {
            (true, _) => Some(Why::Cancelled),
            (false, true) => Some(Why::TimedOut),
            (false, false) => None,
        };
        match (self, reason) {
            (Stage::Running, Some(why)) => {
                (Stage::Asked { why, until: now.elapsed.saturating_add(GRACE) }, Act::Interrupt)
            }
            (Stage::Asked { why, until }, _) if now.elapsed >= until => (Stage::GivenUp { why }, Act::End),
            (stage @ (Stage::Running | Stage::Asked { .. } | Stage::GivenUp { .. }), _) => {
                (stage, Act::Nothing)
            }
        }
    }

    /// When it has to be looked at again, if nothing happens before.
    pub(super) fn due(self, timeout: Duration) -> Option<Duration> {
        match self {
            Stage::Running => Some(timeout),
            Stage::Asked { until, .. } => Some(until),
            Stage::GivenUp { .. } => None,
        }
    }

    pub(super) fn why(self) -> Option<Why> {
        match self {
            Stage::Running => None,
            Stage::Asked { why, .. } | Stage::GivenUp { why } => Some(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64, unwanted: bool) -> Situation {
        Situation { elapsed: Duration::from_secs(seconds), timeout: Duration::from_secs(10), unwanted }
    }

    #[test]
    fn a_call_in_time_is_left_alone() {
        assert_eq!(Stage::Running.next(at(9, false)), (Stage::Running, Act::Nothing));
        assert_eq!(Stage::Running.due(Duration::from_secs(10)), Some(Duration::from_secs(10)));
    }

    #[test]
    fn it_is_asked_once_and_then_given_up() {
        let (asked, act) = Stage::Running.next(at(10, false));
        assert_eq!(act, Act::Interrupt);
        assert_eq!(asked.next(at(11, true)), (asked, Act::Nothing), "the first reason stays");
        let (given_up, act) = asked.next(at(12, true));
        assert_eq!((given_up, act), (Stage::GivenUp { why: Why::TimedOut }, Act::End));
        assert_eq!(given_up.next(at(99, true)), (given_up, Act::Nothing));
        assert_eq!(given_up.due(Duration::from_secs(10)), None);
    }

    #[test]
    fn a_client_that_goes_is_a_wish_to_stop() {
        let (asked, act) = Stage::Running.next(at(1, true));
        assert_eq!((asked.why(), act), (Some(Why::Cancelled), Act::Interrupt));
    }
}
