//! Points of a list and rows of a table that stand among others which runs told of.
//!
//! `49 lemmas` alone may be anything; below `58 unique words`, which a run told, it is a result as well, and nobody told it. A list would
//! otherwise be as good as its better half.

use crate::grammar::is_of_work;
use actum_model::{Claim, Finding, Said};

/// For each claim whether it is kept though it was only perhaps one and no record speaks of it.
pub(super) fn are_kept(told: &[(&Claim, Finding)]) -> Vec<bool> {
    let mut kept = vec![false; told.len()];
    let mut first = 0;
    while first < told.len() {
        let last = end_of_block(told, first);
        let block = &told[first..last];
        for (at, (claim, finding)) in block.iter().enumerate() {
            let is_silent = |line: u64| !block.iter().any(|one| one.0.line == line && is_told(one));
            let has_neighbour = block.iter().any(is_told);
            let is_open = claim.tentative
                && finding.anchor.is_none()
                && number(claim).is_some_and(|noun| !is_of_work(noun));
            kept[first + at] = is_open && has_neighbour && is_silent(claim.line);
        }
        first = last;
    }
    kept
}

/// Where lines with numbers end that follow each other under one heading.
fn end_of_block(told: &[(&Claim, Finding)], first: usize) -> usize {
    let goes_on = |pair: &[(&Claim, Finding)]| {
        let (one, next) = (pair[0].0, pair[1].0);
        next.line >= one.line && next.line - one.line <= 1 && next.context == one.context
    };
    first + 1 + told[first..].windows(2).take_while(|pair| goes_on(pair)).count()
}

fn is_told((claim, finding): &(&Claim, Finding)) -> bool {
    finding.anchor.is_some() && number(claim).is_some()
}

fn number(claim: &Claim) -> Option<&str> {
    if let Said::Count { noun: name, .. } | Said::Metric { name, .. } = &claim.said {
        Some(name)
    } else {
        None
    }
}
