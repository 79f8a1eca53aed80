//! Collects the decisions of a run: the same one is counted, not repeated, and the number of different ones is bounded.

use actum_model::{Decision, Refusal, Untrusted, Verdict, Via};
use std::{collections::HashMap, net::IpAddr};

/// A program can ask for ever new names; the record stays readable.
const KEPT: usize = 1_000;

/// What was decided, in the order in which it first came up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    pub decisions: Vec<Decision>,
    /// How many decisions, beyond the thousand different ones that are kept, were only counted.
    pub beyond: u64,
}

/// Takes decisions as they fall.
#[derive(Default)]
pub(crate) struct Collector {
    decided: Decided,
    places: HashMap<Key, usize>,
}

type Key = (Via, Untrusted, Option<u16>, Verdict, Option<IpAddr>);

impl Collector {
    pub(crate) fn note(&mut self, decision: Decision) {
        let Decision { via, host, port, verdict, dialled, times: _ } = &decision;
        let key = (*via, host.clone(), *port, *verdict, *dialled);
        let known = self.places.get(&key).and_then(|place| self.decided.decisions.get_mut(*place));
        if let Some(same) = known {
            same.times += decision.times;
        } else if self.decided.decisions.len() < KEPT {
            self.places.insert(key, self.decided.decisions.len());
            self.decided.decisions.push(decision);
        } else {
            self.decided.beyond += decision.times;
        }
    }

    pub(crate) fn take(&mut self) -> Decided {
        self.places.clear();
        std::mem::take(&mut self.decided)
    }
}

/// A refusal of something that could not be read far enough to name a host.
pub(crate) fn unnamed(via: Via, refusal: Refusal) -> Decision {
    let verdict = Verdict::Refused(refusal);
    Decision { via, host: Untrusted::default(), port: None, verdict, dialled: None, times: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(host: &str) -> Decision {
        Decision { host: Untrusted::new(host), ..unnamed(Via::Dns, Refusal::Unlisted) }
    }

    #[test]
    fn the_same_is_counted_and_the_rest_is_bounded() {
        let mut collector = Collector::default();
        for round in 0..2 {
            for number in 0..KEPT + 7 {
                collector.note(about(&format!("{number}.example.com")));
            }
            assert_eq!(collector.decided.beyond, 7 * (round + 1));
        }
        let decided = collector.take();
        assert_eq!(decided.decisions.len(), KEPT);
        assert!(decided.decisions.iter().all(|decision| decision.times == 2));
        assert_eq!(decided.decisions[0].host.as_str(), "0.example.com");
        assert_eq!(collector.take(), Decided::default());
    }
}
