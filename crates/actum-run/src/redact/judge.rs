//! Says what begins at an anchor. Pure.

use super::block::{self, Block};
use super::builtin::{BUILTIN, Builtin};
use super::needles::Needles;
use super::pattern::{Origin, Pattern};
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
        Rule::Needles(from, to) => needles(&rules.needles, from..to, text, (at, found)),
        Rule::Builtin(number) => builtin(&BUILTIN[number], text, at, found),
        Rule::PrivateKey => private_key(text, at, found),
    }
}

fn needles(all: &Needles, range: Range<usize>, text: Text<'_>, (at, found): (usize, &mut Found)) -> Verdict {
    let there = &text.bytes[at..];
    let begun = all.at(range, there);
    found.secrets.extend(begun.whole.map(|length| at..at + length));
    if begun.may_go_on && text.behind == Behind::Unknown { Verdict::Wait } else { Verdict::Seen(at) }
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
    stretch.look(
        text.bytes,
        found,
        &mut |at| search(one.regex(), &text.bytes[..stretch.to], at),
        &|secret| one.needs.are_met(secret),
    );
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
    if !rules.in_lines.is_empty() {
        rules.fuel.earn(next - at);
        rules.in_lines.iter().for_each(|pattern| stretch.look_in_time(pattern, rules, text.bytes, found));
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

/// One search: where the whole match is, and what of it is the secret.
fn search(regex: &Regex, bytes: &[u8], at: usize) -> Option<(Range<usize>, Range<usize>)> {
    // Whether it is there at all is told much faster than where its groups are.
    let whole = regex.find_at(bytes, at)?.range();
    let group = match regex.captures_len() {
        1 => None,
        count => {
            let captures = regex.captures_at(bytes, at);
            captures.and_then(|all| (1..count).find_map(|group| Some(all.get(group)?.range())))
        }
    };
    Some((whole.clone(), group.unwrap_or(whole)))
}

/// What a search finds from a place on.
type Search<'s> = dyn FnMut(usize) -> Option<(Range<usize>, Range<usize>)> + 's;

impl Stretch {
    /// Looks for an added pattern while there is time. When there is none, a project's pattern is not looked for, and for one of
    /// the user's all that was not looked at is taken out: it may hold a secret.
    fn look_in_time(self, pattern: &Pattern, rules: &Rules, bytes: &[u8], found: &mut Found) {
        let (origin, mut stopped) = (pattern.origin(), None);
        let mut look = |at: usize| {
            if !rules.fuel.is_left(origin) {
                stopped = Some(at);
                return None;
            }
            rules.fuel.spend(origin, || search(pattern.regex(), &bytes[..self.to], at))
        };
        self.look(bytes, found, &mut look, &|secret| !secret.is_empty());
        let Some(at) = stopped.filter(|at| *at < self.to) else { return };
        found.given_up += 1;
        if origin == Origin::User {
            found.secrets.push(at..self.to);
        }
    }

    fn look(
        self,
        bytes: &[u8],
        found: &mut Found,
        search: &mut Search<'_>,
        is_meant: &dyn Fn(&[u8]) -> bool,
    ) {
        let mut at = self.from;
        while at <= self.to
            && let Some((whole, secret)) = search(at)
        {
            if self.cut.is_some_and(|cut| whole.start >= cut) {
                return;
            }
            if is_meant(&bytes[secret.clone()]) && !secret.is_empty() {
                found.given_up += u64::from(self.cut.is_some() && secret.end == self.to);
                found.secrets.push(secret);
            }
            at = whole.end.max(at + 1);
        }
    }
}
