//! Judges expectations by what is at hand: facts first, then what a worker says about contents.

use super::worker;
use crate::request::{House, Request};
use actum_judge::{At, Finding, Seen, Slice};
use actum_model::{Anchor, Bytes, Check, Ending, Expected, Metric, Piece, RunId, Span, Stream};

/// Reads as much of a file as is asked for; says why not, where it cannot be had.
type ReadFile<'a> = dyn Fn(&str, Slice) -> Result<Vec<u8>, String> + 'a;

/// What expectations are judged by.
pub(super) struct Judging<'a> {
    pub(super) house: &'a House<'a>,
    pub(super) request: &'a Request,
    pub(super) ending: &'a Ending,
    pub(super) wall: Span,
    pub(super) memory: Option<Bytes>,
    pub(super) metrics: &'a [Metric],
    pub(super) stream: &'a dyn Fn(Stream) -> Result<&'a [u8], String>,
    pub(super) file: &'a dyn Fn(&str) -> At,
    pub(super) contents: &'a ReadFile<'a>,
}

impl Judging<'_> {
    /// What came of each, in their order.
    pub(super) fn judge(&self, all: &[Expected]) -> Vec<Finding> {
        let Self { ending, wall, memory, metrics, stream, file, .. } = *self;
        let seen = Seen { ending, wall, memory, metrics, stream, file };
        let from_facts = actum_judge::judge(all.iter().map(|expected| &expected.what), &seen);
        worker::fill(self, all, from_facts)
    }
}

/// A finding as it is told.
pub(super) fn check(run: RunId, expected: &Expected, finding: Finding, piece: Piece) -> Check {
    Check {
        name: expected.what.name(),
        held: finding.held,
        expected: expected.what.words(),
        found: finding.found,
        quote: finding.quote,
        anchor: Some(Anchor::of(run, piece).to_string()),
        origin: Some(expected.origin.to_string()),
        undecided: finding.undecided,
    }
}
