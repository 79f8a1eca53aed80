//! Metrics: numbers beside a name that is known to be one.

use super::found::Found;
use crate::names;
use crate::sentence::Sentence;
use crate::stance;
use crate::tokens::{Token, What, tokens};
use crate::vocabulary::VOCABULARY;
use actum_model::{Quantity, Said, Unit, Which};
use std::ops::Range;

/// Parts of the data.
pub(super) const SPLITS: [&str; 9] =
    ["test", "validation", "val", "training", "train", "dev", "eval", "held-out", "holdout"];

/// A name and where it stands.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) range: Range<usize>,
}

pub(super) fn metrics(sentence: &mut Sentence, found: &mut Found) {
    let all = tokens(sentence);
    let mut taken: Vec<Range<usize>> = Vec::new();
    for (at, token) in all.iter().enumerate() {
        // `epoch 3`; `loss improves for 5 epochs`
        let is_plural = |word: &str| names::is_step(word) && word.ends_with('s');
        let is_step = at.checked_sub(1).is_some_and(|before| all[before].word().is_some_and(names::is_step))
            || all.get(at + 1).and_then(Token::word).is_some_and(is_plural);
        // A number in letters counts things.
        let is_word = sentence.text.as_bytes().get(token.start).is_some_and(u8::is_ascii_alphabetic);
        let Some(value) = token.number().filter(|_| !is_step && !is_word) else { continue };
        // A difference or a factor is no value of a metric, and of two values of a change neither is the one that is meant.
        let is_change = matches!(value.unit, Unit::Points | Unit::Times) || is_of_change(&all, at);
        if is_change || crate::tokens::is_set(&all, at) || is_chosen(sentence, &all, at, &taken) {
            continue;
        }
        let Some(named) = left_name(sentence, &all, at).or_else(|| right_name(sentence, &all, at)) else {
            continue;
        };
        let which = which(sentence, &all, at, &named.name);
        if found.add(token.start, Said::Metric { name: named.name, value: value.clone(), which }) {
            taken.push(token.start..token.end);
            taken.push(named.range);
        }
    }
    taken.into_iter().for_each(|range| sentence.hide(range));
}

/// `from 0.85 to 0.91`, `120 ms → 85 ms`.
fn is_of_change(all: &[Token], at: usize) -> bool {
    let is_arrow = |place: Option<usize>| {
        let token = place.and_then(|place| all.get(place));
        token.is_some_and(|token| b"->=\x01".iter().any(|mark| token.is_mark(*mark)) && !token.is_mark(b'='))
    };
    let number = |place: Option<usize>| place.and_then(|place| all.get(place)?.number()).is_some();
    let before = at.checked_sub(1).map(|place| &all[place]);
    let is_to = |place: usize| all.get(place).is_some_and(|token| token.is("to"));
    before.is_some_and(|token| token.is("from"))
        || is_to(at + 1) && number(Some(at + 2))
        || at.checked_sub(1).is_some_and(is_to) && number(at.checked_sub(2))
        || is_arrow(Some(at + 1)) && (number(Some(at + 2)) || is_arrow(Some(at + 2)) && number(Some(at + 3)))
        || is_arrow(at.checked_sub(1))
            && (number(at.checked_sub(2)) || is_arrow(at.checked_sub(2)) && number(at.checked_sub(3)))
}

/// `trial 2 has an error of 3.87`, `with lr 0.1 the loss is 0.4`: a number before it chooses among several runs or values.
fn is_chosen(sentence: &Sentence, all: &[Token], at: usize, taken: &[Range<usize>]) -> bool {
    let clause = stance::clause(&sentence.mask, all[at].start);
    let before = all[..at].iter().enumerate().filter(|(_, token)| token.start >= clause.start);
    let mut numbers = before.filter(|(_, token)| token.number().is_some());
    numbers.any(|(place, token)| {
        let near = [place.checked_sub(1), Some(place + 1)];
        let is_step = near.iter().flatten().filter_map(|near| all.get(*near)?.word()).any(names::is_step);
        !is_step && !taken.iter().any(|range| range.start <= token.start && token.end <= range.end)
    })
}

/// The name of a metric before its number.
pub(super) fn left_name(sentence: &Sentence, all: &[Token], at: usize) -> Option<Named> {
    let mut split = Vec::new();
    for back in (at.saturating_sub(12)..at).rev() {
        let token = &all[back];
        match &token.what {
            What::Word(word) => {
                let before = back.checked_sub(1).and_then(|before| all[before].word());
                if names::is_head(before, word) && is_meant(sentence, token, word) {
                    return named(sentence, all, back, &split);
                }
                if !VOCABULARY.connecting.contains(word) {
                    return None;
                }
                if ["averaged", "averages"].contains(&word.as_str()) {
                    split.push("mean".to_owned());
                }
                let is_time = back
                    .checked_sub(1)
                    .is_some_and(|before| all[before].is("after") || all[before].is("during"));
                if SPLITS.contains(&word.as_str()) && !is_time {
                    split.push(word.clone());
                }
            }
            What::Mark(mark) if b":=(-|~<>*@".contains(mark) => {}
            // `at epoch 5`, `after 10 epochs`
            What::Number(_) => {
                let near = [back.checked_sub(1), Some(back + 1)];
                let is_step = near.iter().flatten().filter_map(|at| all.get(*at)?.word()).any(|word| {
                    word.starts_with("epoch") || word.starts_with("step") || word.starts_with("iter")
                });
                if !is_step {
                    return None;
                }
            }
            What::Mark(_) => return None,
        }
    }
    None
}

/// Mean average precision is told from a map by its letters.
fn is_meant(sentence: &Sentence, token: &Token, word: &str) -> bool {
    let text = sentence.part(token.start..token.end);
    match word {
        "map" => text.ends_with("AP"),
        "lr" | "ap" | "fid" | "wer" | "cer" | "dice" => {
            text != "dice" || sentence.part(token.end..token.end + 2) != " r"
        }
        _ => true,
    }
}

/// The name whose head is at a place: with what qualifies it, and with a split that is named behind it.
fn named(sentence: &Sentence, all: &[Token], head: usize, split: &[String]) -> Option<Named> {
    let mut first = head;
    while first > 0 && head - first < 4 && all[first - 1].word().is_some_and(names::qualifies) {
        first -= 1;
    }
    let range = all[first].start..all[head].end;
    let mut name = sentence.part(range.clone()).to_owned();
    for word in split {
        name = format!("{word} {name}");
    }
    Some(Named { name, range })
}

/// `93.1 % accuracy on the test set`.
pub(super) fn right_name(sentence: &Sentence, all: &[Token], at: usize) -> Option<Named> {
    // `at level 2 the accuracy is 0.93` begins to speak of something else.
    if all.get(at + 1).is_some_and(|token| token.is("the")) {
        return None;
    }
    // `0.93 on accuracy`
    let skipped = all[at + 1..]
        .iter()
        .take(2)
        .take_while(|token| token.is("on") || token.is("for") || token.is("the"))
        .count();
    let first = at + 1 + skipped;
    let mut head = first;
    while head < all.len() && head - first < 5 {
        let word = all[head].word()?;
        let before = (head > first).then(|| all[head - 1].word()).flatten();
        let is_head = names::is_head(before, word) && is_meant(sentence, &all[head], word);
        let goes_on =
            all.get(head + 1).and_then(Token::word).is_some_and(|next| names::is_head(Some(word), next));
        if is_head && !goes_on {
            let range = all[first].start..all[head].end;
            let mut name = sentence.part(range.clone()).to_owned();
            let behind = all[head + 1..].iter().take(4).map_while(Token::word);
            if let Some(split) = behind.into_iter().find(|word| SPLITS.contains(word)) {
                name = format!("{split} {name}");
            }
            return Some(Named { name, range });
        }
        if !is_head && !names::qualifies(word) {
            return None;
        }
        head += 1;
    }
    None
}

/// Which value is meant, by the words around the number.
pub(super) fn which(sentence: &Sentence, all: &[Token], at: usize, name: &str) -> Which {
    let clause = stance::clause(&sentence.mask, all[at].start);
    let within = |token: &&Token| token.start >= clause.start && token.end <= clause.end;
    let words: Vec<&Token> = all.iter().filter(within).collect();
    // `the final loss is higher than epoch 4's`
    if names::words(name).iter().any(|word| word == "final") {
        return Which::Final;
    }
    let steps = words.windows(2).filter_map(|pair| {
        let is_step = pair[0].word().is_some_and(|word| ["epoch", "step", "iteration"].contains(&word));
        let step = pair[1].number().filter(|_| is_step).and_then(Quantity::whole)?;
        Some((pair[0].start.abs_diff(all[at].start), step))
    });
    // Of several the one that stands nearest.
    if let Some((_, step)) = steps.min_by_key(|(distance, _)| *distance) {
        return Which::Step(step);
    }
    let has = |list: &[&str]| words.iter().any(|token| token.word().is_some_and(|word| list.contains(&word)));
    let is_memory = name.to_lowercase().contains("memory");
    match () {
        () if has(&["best", "highest", "peaked", "lowest", "bottomed"])
            || (has(&["peak", "maximum", "max", "minimum"]) && !is_memory) =>
        {
            Which::Best
        }
        () if has(&["initial", "initially"]) => Which::First,
        () => Which::Final,
    }
}
