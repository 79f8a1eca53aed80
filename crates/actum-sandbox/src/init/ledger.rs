//! What processes used up, kept when they are gone.
//!
//! A process that is waited for hands what it used on to its parent; one whose parent ignores its end hands it to nobody.
//! The ledger adds up what appears and keeps what vanishes, so the total never falls.

use std::collections::HashMap;

/// A process by its number and when it started.
pub(super) type Process = (i32, u64);

/// What one process shows at one moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    pub(super) process: Process,
    /// What it used itself.
    pub(super) own: u64,
    /// What it was handed by children that it waited for (with what it used itself, where the two cannot be told apart).
    pub(super) inherited: u64,
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    last: HashMap<Process, Standing>,
    /// What init itself was handed.
    handed: u64,
    /// Sum of what processes used themselves.
    own: u64,
    /// Sum of what was inherited and had not been seen before.
    inherited: u64,
    /// What vanished at the last look and was not inherited yet: it may arrive at the next one.
    owed: u64,
}

impl Ledger {
    /// Begins with processes whose use until now does not count.
    pub(super) fn beginning_at(handed: u64, standing: Vec<Standing>) -> Self {
        let last = standing.into_iter().map(|one| (one.process, one)).collect();
        Self { last, handed, ..Self::default() }
    }

    /// Takes in what is seen now. `handed` is what init was handed by those it waited for. Tells how much was inherited since.
    pub(super) fn advance(&mut self, handed: u64, now: Vec<Standing>) -> u64 {
        let mut arrived = handed.saturating_sub(std::mem::replace(&mut self.handed, handed));
        let mut last = std::mem::take(&mut self.last);
        for one in &now {
            let before = last.remove(&one.process);
            self.own += one.own.saturating_sub(before.map_or(0, |before| before.own));
            arrived += one.inherited.saturating_sub(before.map_or(0, |before| before.inherited));
        }
        let vanished: u64 = last.values().map(|gone| gone.own + gone.inherited).sum();
        // What arrived is first of all what vanished. The rest was used by processes that were never seen.
        let known = vanished + self.owed;
        self.inherited += arrived.saturating_sub(known);
        self.owed = vanished.min(known.saturating_sub(arrived));
        self.last = now.into_iter().map(|one| (one.process, one)).collect();
        arrived
    }

    /// What a process showed at the last look, for one that has ended and shows nothing until it is waited for.
    pub(super) fn last(&self, process: Process) -> Option<Standing> {
        self.last.get(&process).copied()
    }

    pub(super) fn total(&self) -> u64 {
        self.own + self.inherited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(pid: i32, own: u64, inherited: u64) -> Standing {
        Standing { process: (pid, 0), own, inherited }
    }

    #[test]
    fn what_is_waited_for_counts_once() {
        let mut ledger = Ledger::default();
        ledger.advance(0, vec![one(2, 5, 0), one(3, 40, 0)]);
        // The child was waited for; it had used 2 more since the last look.
        ledger.advance(0, vec![one(2, 6, 42)]);
        assert_eq!(ledger.total(), 48);
        // Everybody is gone to init.
        ledger.advance(48, Vec::new());
        assert_eq!(ledger.total(), 48);
    }

    #[test]
    fn what_nobody_waited_for_stays() {
        let mut ledger = Ledger::default();
        for child in 10..20 {
            ledger.advance(0, vec![one(2, 1, 0), one(child, 30, 0)]);
        }
        ledger.advance(0, vec![one(2, 1, 0)]);
        assert_eq!(ledger.total(), 301);
    }

    #[test]
    fn an_inheritance_that_arrives_one_look_later_counts_once() {
        let mut ledger = Ledger::default();
        ledger.advance(0, vec![one(2, 1, 0), one(3, 30, 0)]);
        ledger.advance(0, vec![one(2, 1, 0)]);
        ledger.advance(0, vec![one(2, 1, 30)]);
        assert_eq!(ledger.total(), 31);
    }

    #[test]
    fn short_processes_that_were_never_seen_count_when_they_are_waited_for() {
        let mut ledger = Ledger::default();
        ledger.advance(0, vec![one(2, 1, 0)]);
        ledger.advance(7, vec![one(2, 1, 20)]);
        assert_eq!(ledger.total(), 28);
    }

    #[test]
    fn a_group_that_is_killed_at_once_counts_once() {
        let mut ledger = Ledger::default();
        ledger.advance(0, vec![one(2, 1, 0), one(3, 500, 0), one(4, 500, 0)]);
        // One is reaped by its parent, the orphan by init.
        ledger.advance(500, vec![one(2, 1, 500)]);
        assert_eq!(ledger.total(), 1001);
    }

    #[test]
    fn a_number_that_is_used_again_is_another_process() {
        let mut ledger = Ledger::default();
        ledger.advance(0, vec![Standing { process: (3, 1), own: 9, inherited: 0 }]);
        ledger.advance(0, vec![Standing { process: (3, 2), own: 4, inherited: 0 }]);
        assert_eq!(ledger.total(), 13);
    }
}
