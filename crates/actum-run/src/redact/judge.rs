//! Says what begins at an anchor. Pure.

use super::block::{self, Block};
use super::builtin::{BUILTIN, Builtin};
use super::rules::{Rule, Rules};
use regex::bytes::Regex;
use std::ops::Range;

/// What is there to be read: `bytes` from the last one that was let go, for its neighbour's sake.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) behind: Behind,
}

/// What comes behind a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    Unknown,
    Nothing,
}

/// What was found out about one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// More has to be seen first.
    Wait,
    /// All there is before this place is found; the rule need not look there again.
    Seen(usize),
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) secrets: Vec<Range<usize>>,
    /// Secrets that were longer than is held back.
    pub(super) given_up: u64,
}

/// Longer lines are looked at in parts.
pub(super) const LONGEST_LINE: usize = 4 << 10;

/// Looks for what a rule means at an anchor's place.
pub(super) fn at_anchor(rules: &Rules, rule: Rule, text: Text<'_>, at: usize, found: &mut Found) -> Verdict {
    match rule {
        Rule::Needle(number) => needle(&rules.needles[number], text, at, found),
        Rule::Builtin(number) => builtin(&BUILTIN[number], text, at, found),
        Rule::PrivateKey => private_key(text, at, found),
    }
}

fn needle(needle: &[u8], text: Text<'_>, at: usize, found: &mut Found) -> Verdict {
    let there = &text.bytes[at..text.bytes.len().min(at + needle.len())];
    if there == needle {
        found.secrets.push(at..at + needle.len());
    } else if text.behind == Behind::Unknown && there.len() < needle.len() && needle.starts_with(there) {
        return Verdict::Wait;
    }
    Verdict::Seen(at)
}

fn private_key(text: Text<'_>, at: usize, found: &mut Found) -> Verdict {
    match block::read(&text.bytes[at..], text.behind) {
        Block::Nothing => {}
        Block::Wait => return Verdict::Wait,
        Block::Key { from, to, is_cut } => {
            found.given_up += u64::from(is_cut);
            found.secrets.push(at + from..at + to);
        }
    }
    Verdict::Seen(at)
}

fn builtin(one: &Builtin, text: Text<'_>, at: usize, found: &mut Found) -> Verdict {
    let (there, longest) = (&text.bytes[at..], one.extent.longest());
    let anchors = || one.anchors.iter().map(|anchor| anchor.as_bytes());
    let Some(anchor) = anchors().find(|anchor| there.starts_with(anchor)) else {
        // It was found by a shorter one of another's; its own may not have come whole yet.
        let may_come = text.behind == Behind::Unknown && anchors().any(|anchor| anchor.starts_with(there));
        return if may_come { Verdict::Wait } else { Verdict::Seen(at) };
    };
    let reach = there.len().min(longest);
    let end = there[anchor.len()..reach].iter().position(|byte| one.extent.ends_at(*byte));
    let stretch = match end {
        Some(end) => Stretch { from: at, to: at + anchor.len() + end, cut: None },
        None if reach == longest => Stretch { from: at, to: at + reach, cut: Some(at + longest / 2) },
        None if text.behind == Behind::Nothing => Stretch { from: at, to: at + reach, cut: None },
        None => return Verdict::Wait,
    };
    stretch.look(one.regex(), text.bytes, found, &|secret| one.needs.are_met(secret));
    Verdict::Seen(stretch.cut.unwrap_or(stretch.to))
}

/// Looks through a line, or as much of it as is looked at in one go.
pub(super) fn line(rules: &Rules, text: Text<'_>, at: usize, found: &mut Found) -> Verdict {
    let reach = text.bytes.len().min(at + LONGEST_LINE);
    let end = text.bytes[at..reach].iter().position(|byte| *byte == b'\n').map(|end| at + end);
    let (stretch, next) = match end {
        Some(end) => (Stretch { from: at, to: end, cut: None }, end + 1),
        None if reach - at == LONGEST_LINE => {
            let half = at + LONGEST_LINE / 2;
            (Stretch { from: at, to: reach, cut: Some(half) }, half)
        }
        None if text.behind == Behind::Nothing => (Stretch { from: at, to: reach, cut: None }, reach),
        None => return Verdict::Wait,
    };
    for pattern in &rules.in_lines {
        stretch.look(pattern.regex(), text.bytes, found, &|secret| !secret.is_empty());
    }
    Verdict::Seen(next)
}

/// A stretch of text in which a regular expression is looked for.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    from: usize,
    to: usize,
    /// It ends there only because no more is held back. What begins behind this place is left to the next stretch.
    cut: Option<usize>,
}

impl Stretch {
    fn look(self, regex: &Regex, bytes: &[u8], found: &mut Found, is_meant: &dyn Fn(&[u8]) -> bool) {
        let bytes = &bytes[..self.to];
        let mut at = self.from;
        // Whether it is there at all is told much faster than where its groups are.
        while at <= bytes.len()
            && let Some(whole) = regex.find_at(bytes, at)
        {
            if self.cut.is_some_and(|cut| whole.start() >= cut) {
                return;
            }
            let captures = regex.captures_at(bytes, at);
            let group = captures.as_ref().and_then(|all| (1..all.len()).find_map(|group| all.get(group)));
            let secret = group.unwrap_or(whole);
            if is_meant(secret.as_bytes()) && !secret.is_empty() {
                found.given_up += u64::from(self.cut.is_some() && secret.end() == self.to);
                found.secrets.push(secret.range());
            }
            at = whole.end().max(at + 1);
        }
    }
}
