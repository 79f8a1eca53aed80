//! Stopping: first a signal and some time, then the end of everything. Judgement only.

use actum_model::{Ending, Span, Stopped};
use rustix::process::Signal;
use std::time::Duration;

/// How far stopping has come. Times are since the start of the attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopping {
    Not,
    /// The program's group was sent a signal and has until then.
    Asked {
        signal: Signal,
        since: Duration,
        until: Duration,
    },
    /// Everything is being ended.
    Ending {
        since: Duration,
        stopped: Option<Stopped>,
    },
}

/// What there is to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Nothing,
    Ask(Signal),
    /// Kill, and tell what was used.
    End,
    /// The program has ended; only what it left behind is still there.
    Clear,
}

/// What is known at a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Situation<'a> {
    pub(super) now: Duration,
    /// How it ends, once that is known.
    pub(super) end: Option<&'a Ending>,
    /// The program itself has ended.
    pub(super) answered: bool,
    /// Somebody cannot wait: cancelled again, or a limit was met meanwhile.
    pub(super) hurry: bool,
}

impl Stopping {
    /// The next step, and what is to be done for it.
    pub(super) fn next(self, grace: Duration, at: Situation<'_>) -> (Self, Act) {
        match (self, at.end) {
            (Self::Not, None) | (Self::Ending { .. }, _) => (self, Act::Nothing),
            (Self::Not, Some(ending)) => match asks(ending).filter(|_| !grace.is_zero() && !at.answered) {
                Some(signal) => {
                    (Self::Asked { signal, since: at.now, until: at.now + grace }, Act::Ask(signal))
                }
                None => {
                    let act = if at.answered { Act::Clear } else { Act::End };
                    (Self::Ending { since: at.now, stopped: None }, act)
                }
            },
            (Self::Asked { signal, since, until }, _) => {
                if !at.answered && !at.hurry && at.now < until {
                    return (self, Act::Nothing);
                }
                let within = Span(at.now.saturating_sub(since));
                let stopped = Stopped { signal: signal.as_raw(), by_itself: at.answered, within };
                let act = if at.answered { Act::Clear } else { Act::End };
                (Self::Ending { since: at.now, stopped: Some(stopped) }, act)
            }
        }
    }

    pub(super) fn is_asked(self) -> bool {
        matches!(self, Self::Asked { .. })
    }

    /// Since when everything is being ended.
    pub(super) fn ending_since(self) -> Option<Duration> {
        match self {
            Self::Ending { since, .. } => Some(since),
            Self::Not | Self::Asked { .. } => None,
        }
    }

    /// How the program answered, if it was asked.
    pub(super) fn stopped(self) -> Option<Stopped> {
        match self {
            Self::Ending { stopped, .. } => stopped,
            Self::Not | Self::Asked { .. } => None,
        }
    }
}

/// The signal to ask with, where the program catches neither TERM nor INT: init knows. A program that takes too much memory or fills the disk is not given time to take more.
fn asks(ending: &Ending) -> Option<Signal> {
    match ending {
        Ending::TimedOut { .. } => Some(Signal::TERM),
        Ending::Cancelled => Some(Signal::INT),
        Ending::Exited { .. }
        | Ending::Signalled { .. }
        | Ending::OutOfMemory { .. }
        | Ending::OverLimit { .. }
        | Ending::NotStarted { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::{Amount, Limit};

    const GRACE: Duration = Duration::from_secs(2);

    fn at(seconds: u64, end: Option<&Ending>) -> Situation<'_> {
        Situation { now: Duration::from_secs(seconds), end, answered: false, hurry: false }
    }

    fn timed_out() -> Ending {
        let amount = Amount::Seconds(Span::seconds(5));
        Ending::TimedOut { max: amount, used: amount }
    }

    fn stopped(stopping: Stopping) -> (i32, bool, u64) {
        let Stopped { signal, by_itself, within } = stopping.stopped().unwrap();
        (signal, by_itself, within.0.as_secs())
    }

    #[test]
    fn a_program_is_asked_then_ended() {
        for (ending, signal) in [(timed_out(), Signal::TERM), (Ending::Cancelled, Signal::INT)] {
            let (asked, act) = Stopping::Not.next(GRACE, at(5, Some(&ending)));
            assert_eq!(act, Act::Ask(signal));
            assert_eq!(asked.next(GRACE, at(6, Some(&ending))), (asked, Act::Nothing));
            let (over, act) = asked.next(GRACE, at(7, Some(&ending)));
            assert_eq!((act, stopped(over)), (Act::End, (signal.as_raw(), false, 2)));
            assert_eq!(over.next(GRACE, at(8, Some(&ending))), (over, Act::Nothing));
        }
    }

    #[test]
    fn one_that_answers_is_only_cleared_away() {
        let ending = timed_out();
        let (asked, _) = Stopping::Not.next(GRACE, at(5, Some(&ending)));
        let (over, act) = asked.next(GRACE, Situation { answered: true, ..at(6, Some(&ending)) });
        assert_eq!((act, stopped(over)), (Act::Clear, (15, true, 1)));
        assert_eq!(over.ending_since(), Some(Duration::from_secs(6)));
    }

    #[test]
    fn who_cannot_wait_does_not() {
        let ending = Ending::Cancelled;
        let (asked, _) = Stopping::Not.next(GRACE, at(5, Some(&ending)));
        let (over, act) = asked.next(GRACE, Situation { hurry: true, ..at(5, Some(&ending)) });
        assert_eq!((act, stopped(over)), (Act::End, (2, false, 0)));
        let amount = Amount::Count(3);
        let bomb = Ending::OverLimit { limit: Limit::Processes, max: amount, used: amount };
        for (ending, grace) in [(bomb, GRACE), (timed_out(), Duration::ZERO)] {
            let (over, act) = Stopping::Not.next(grace, at(5, Some(&ending)));
            assert_eq!((act, over.stopped()), (Act::End, None));
        }
    }

    #[test]
    fn a_program_s_own_end_is_no_stop() {
        let exited = Ending::Exited { code: 0 };
        let (over, act) = Stopping::Not.next(GRACE, Situation { answered: true, ..at(1, Some(&exited)) });
        assert_eq!((act, over.stopped()), (Act::Clear, None));
        assert_eq!(Stopping::Not.next(GRACE, at(1, None)), (Stopping::Not, Act::Nothing));
    }
}
