//! What the programs of one run have used of the limits that count for the run as a whole: processor time, output, and bytes
//! written where they stay. (Time by the clock is kept by the course itself; memory, processes and what a layer holds are
//! given back when a program ends.) Pure.

use actum_model::{Amount, Bytes, Ending, Enforced, Limit, Limits, Span};
use actum_sandbox::Ended;
use std::time::Duration;

/// Used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) cpu: Duration,
    pub(crate) output: u64,
    pub(crate) written: u64,
}

/// What is left when nothing is: the least that can be asked for. A program that uses nothing still ends well.
const LEAST_CPU: Duration = Duration::from_millis(1);
const LEAST_OUTPUT: u64 = 1;

impl Spent {
    pub(crate) fn add(&mut self, ended: &Ended) {
        self.cpu += ended.usage.cpu.unwrap_or_default().0;
        self.output += ended.usage.output.0;
        self.written += ended.written.0;
    }

    /// Lowers what a program is given to what is left for the whole run.
    pub(crate) fn lower(self, request: &mut actum_sandbox::Request) {
        let limits = &mut request.limits;
        limits.cpu = Span(limits.cpu.0.saturating_sub(self.cpu).max(LEAST_CPU));
        limits.output = Bytes(limits.output.0.saturating_sub(self.output).max(LEAST_OUTPUT));
        if self.written > 0 {
            let whole = request.written.unwrap_or(limits.disk);
            request.written = Some(Bytes(whole.0.saturating_sub(self.written)));
        }
    }

    /// Forgets what was used of limits that recovery has raised: a raised limit is granted anew.
    pub(crate) fn forgive(&mut self, before: Spent, (old, new): (Limits, Limits)) {
        if new.cpu > old.cpu {
            self.cpu = before.cpu;
        }
        if new.output > old.output {
            self.output = before.output;
        }
        if new.disk > old.disk {
            self.written = before.written;
        }
    }

    /// A program that met what was left of a limit met the limit of the whole run. `self` is what was used before it.
    pub(crate) fn of_the_whole(self, ending: Ending, whole: &Limits) -> Ending {
        let Ending::OverLimit { limit, max, used } = ending else { return ending };
        let bytes = |used: Bytes, before: u64| Amount::Bytes(Bytes(used.0 + before));
        let (max, used) = match (limit, used) {
            (Limit::Cpu, Amount::Seconds(used)) => {
                (whole.get(limit), Amount::Seconds(Span(used.0 + self.cpu)))
            }
            (Limit::Output, Amount::Bytes(used)) => (whole.get(limit), bytes(used, self.output)),
            (Limit::Disk, Amount::Bytes(used)) => (whole.get(limit), bytes(used, self.written)),
            (_, used) => (max, used),
        };
        Ending::OverLimit { limit, max, used }
    }
}

/// The values that were asked for, not what of them was left for one program.
pub(crate) fn restore(enforced: &mut [Enforced], whole: &Limits) {
    for one in enforced.iter_mut().filter(|one| matches!(one.limit, Limit::Cpu | Limit::Output)) {
        one.max = whole.get(one.limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits {
            wall: Span::seconds(60),
            cpu: Span::seconds(10),
            memory: Bytes::gib(1),
            processes: 9,
            descriptors: 9,
            file_size: Bytes::gib(1),
            disk: Bytes(1000),
            output: Bytes(100),
        }
    }

    #[test]
    fn the_ending_names_the_whole() {
        let spent = Spent { cpu: Duration::from_secs(4), output: 70, written: 600 };
        let over = |limit, max, used| Ending::OverLimit { limit, max, used };
        let bytes = |bytes| Amount::Bytes(Bytes(bytes));
        let seconds = |seconds| Amount::Seconds(Span::seconds(seconds));
        for (limit, left, used, whole, in_all) in [
            (Limit::Output, bytes(30), bytes(35), bytes(100), bytes(105)),
            (Limit::Disk, bytes(1000), bytes(450), bytes(1000), bytes(1050)),
            (Limit::Cpu, seconds(6), seconds(7), seconds(10), seconds(11)),
        ] {
            assert_eq!(spent.of_the_whole(over(limit, left, used), &limits()), over(limit, whole, in_all));
        }
        assert_eq!(spent.of_the_whole(Ending::Cancelled, &limits()), Ending::Cancelled);
    }

    #[test]
    fn only_a_limit_that_was_raised_is_granted_anew() {
        let before = Spent { cpu: Duration::from_secs(1), output: 10, written: 100 };
        let used = Spent { cpu: Duration::from_secs(9), output: 90, written: 900 };
        let mut spent = used;
        spent.forgive(before, (limits(), limits()));
        assert_eq!(spent, used);
        spent.forgive(before, (limits(), Limits { output: Bytes(200), ..limits() }));
        assert_eq!(spent, Spent { output: 10, ..used });
    }
}
