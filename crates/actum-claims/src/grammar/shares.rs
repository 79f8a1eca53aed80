//! A part of a whole, told three times over: `12 of the 48 rows, or 25 %`, `25 % (12 of 48)`.

use super::found::Found;
use crate::sentence::Sentence;
use crate::tokens::{Token, tokens};
use actum_model::{Quantity, Ratio, Said, Trend, Unit};

/// What a ratio is of whose ends are a part and the whole.
pub(crate) const SHARE: &str = "share";

/// Words between a part of a whole and its percentage.
const OR: &[&str] =
    &["or", "i.e", "ie", "that's", "about", "roughly", "around", "approximately", "some", "just", "namely"];

pub(super) fn shares(sentence: &mut Sentence, found: &mut Found) {
    let all = tokens(sentence);
    for at in 0..all.len() {
        let Some((part, whole, last)) = part(&all, at) else { continue };
        if is_of_tests(&all, last) {
            continue;
        }
        let Some(place) = behind(&all, last).or_else(|| before(&all, at)) else { continue };
        let by = all[place].number().cloned();
        let said = Said::Ratio(Ratio {
            of: SHARE.to_owned(),
            from: Some(whole),
            to: Some(part),
            by,
            trend: Trend::Any,
        });
        if found.perhaps(all[place].start, said) {
            sentence.hide(all[place].start..all[place].end);
        }
    }
}

/// `12 of the 48`, `12 out of 48`, `12/48`, and where it ends.
fn part(all: &[Token], at: usize) -> Option<(Quantity, Quantity, usize)> {
    let count = |at: usize| {
        let number = all.get(at)?.number()?;
        (number.unit == Unit::Plain && number.whole().is_some()).then(|| number.clone())
    };
    let part = count(at)?;
    let is_between = |token: &&Token| {
        ["out", "of", "the", "all", "these", "those"].iter().any(|word| token.is(word)) || token.is_mark(b'/')
    };
    let between: Vec<&Token> = all[at + 1..].iter().take(3).take_while(is_between).collect();
    let is_part = between.iter().any(|token| token.is("of") || token.is_mark(b'/'));
    let last = at + 1 + between.len();
    let whole = count(last).filter(|whole| is_part && whole.value >= part.value && whole.value > 0.0)?;
    Some((part, whole, last))
}

/// Tests are counted by their runner.
fn is_of_tests(all: &[Token], last: usize) -> bool {
    const OF_TESTS: [&str; 9] =
        ["test", "tests", "specs", "passed", "passing", "pass", "failed", "failing", "cases"];
    all[last + 1..].iter().take(4).any(|token| token.word().is_some_and(|word| OF_TESTS.contains(&word)))
}

/// The percentage behind it, with nothing but its own words and a joint between.
fn behind(all: &[Token], last: usize) -> Option<usize> {
    let place = (last + 1..all.len().min(last + 14)).find(|at| all[*at].number().is_some())?;
    is_percent(&all[place]).then_some(())?;
    let mut joint = place - 1;
    while joint > last && (all[joint].is_mark(b'.') || all[joint].is_mark(b'~')) {
        joint -= 1;
    }
    let is_joint = joint > last
        && (all[joint].word().is_some_and(|word| OR.contains(&word))
            || all[joint].is_mark(b'(')
            || all[joint].is_mark(b'=')
            || all[joint].is_mark(b','));
    is_joint.then_some(place)
}

/// `25 % (12 of 48)`
fn before(all: &[Token], at: usize) -> Option<usize> {
    let place = at.checked_sub(2)?;
    (all[at - 1].is_mark(b'(') && is_percent(&all[place])).then_some(place)
}

fn is_percent(token: &Token) -> bool {
    token.number().is_some_and(|number| number.unit == Unit::Percent)
}
