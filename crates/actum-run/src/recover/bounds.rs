//! How long it goes on: every bound has a number, and the report says which one was met.

use actum_model::{Digest, Limits, RemedyKind, Span};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often and how long a run is tried again. Set where the request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Attempts of one program, the first among them.
    pub attempts: u32,
    /// Environments that are built for it, the first among them.
    pub builds: u32,
    /// Limits that are raised.
    pub raises: u32,
    /// All attempts together may take this many times the run's own limit.
    pub times: u32,
    /// What limits may be raised to.
    pub ceiling: Limits,
}

/// One row of the taxonomy leads to this many remedies of a program at most: a third time it would be guessing.
const PER_ROW: u32 = 2;

/// What has been spent on one program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spent {
    pub(crate) attempts: u32,
    pub(crate) builds: u32,
    pub(crate) raises: u32,
    rows: BTreeMap<String, u32>,
    /// Everything that was met so far.
    states: Vec<Digest>,
}

/// Why it is not tried once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Attempts(u32),
    Builds(u32),
    Raises(u32),
    Time(Span),
    Row,
    State,
}

impl Spent {
    pub(crate) fn attempted(&mut self) {
        self.attempts += 1;
    }

    /// Remembers what is met next.
    pub(crate) fn met(&mut self, state: Digest) {
        self.states.push(state);
    }

    pub(crate) fn remedied(&mut self, row: &str, kind: RemedyKind) {
        *self.rows.entry(row.to_owned()).or_default() += 1;
        if kind == RemedyKind::Limit {
            self.raises += 1;
        }
    }

    /// Whether another attempt is allowed at all.
    pub(crate) fn next_attempt(
        &self,
        bounds: &Bounds,
        row: &str,
        elapsed: Duration,
        wall: Span,
    ) -> Option<Over> {
        let most = wall.0.saturating_mul(bounds.times);
        if self.attempts >= bounds.attempts {
            return Some(Over::Attempts(bounds.attempts));
        }
        if elapsed >= most {
            return Some(Over::Time(Span(most)));
        }
        (self.rows.get(row).copied().unwrap_or_default() >= PER_ROW).then_some(Over::Row)
    }

    /// Whether this kind of remedy is allowed once more.
    pub(crate) fn next_remedy(&self, bounds: &Bounds, kind: RemedyKind) -> Option<Over> {
        match kind {
            RemedyKind::Limit if self.raises >= bounds.raises => Some(Over::Raises(bounds.raises)),
            RemedyKind::Packages | RemedyKind::Versions | RemedyKind::Interpreter | RemedyKind::Data
                if self.builds >= bounds.builds =>
            {
                Some(Over::Builds(bounds.builds))
            }
            RemedyKind::Limit
            | RemedyKind::Packages
            | RemedyKind::Versions
            | RemedyKind::Interpreter
            | RemedyKind::Data
            | RemedyKind::Variables
            | RemedyKind::Files
            | RemedyKind::Launcher
            | RemedyKind::Source
            | RemedyKind::Again => None,
        }
    }

    pub(crate) fn has_met(&self, state: &Digest) -> bool {
        self.states.contains(state)
    }
}

impl std::fmt::Display for Over {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Over::Attempts(count) => write!(f, "{count} attempts were made"),
            Over::Builds(count) => write!(f, "{count} environments were built"),
            Over::Raises(1) => write!(f, "a limit was already raised once"),
            Over::Raises(count) => write!(f, "limits were raised {count} times"),
            Over::Time(most) => write!(f, "all attempts together took {most}"),
            Over::Row => write!(f, "the same failure came back after {PER_ROW} remedies"),
            Over::State => write!(f, "the next remedy would repeat an earlier attempt"),
        }
    }
}
