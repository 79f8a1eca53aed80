//! The words of a claim, in one form.

use super::Asked;
use super::weighing::is_distinct;
use crate::figures::words::{is_empty, keys, said};
use crate::figures::{Figure, is_step};
use crate::judge::scope::Scope;
use crate::names;
use crate::tokens::{Token, tokens};
use actum_model::Quantity;

/// The words of a claim, in one form.
pub(super) struct Words {
    pub(super) name: Vec<String>,
    /// What is said about it behind its name: `of treatment over control`.
    pub(super) more: Vec<String>,
    /// Those around the number.
    pub(super) near: Vec<String>,
    pub(super) all: Vec<String>,
    pub(super) text: String,
    /// The other numbers of the sentence: what is told on one line belongs together.
    pub(super) numbers: Vec<f64>,
    /// Each of them with the words around it.
    pub(super) others: Vec<(f64, Vec<String>)>,
    /// The number behind it.
    pub(super) next: Option<f64>,
    /// It is the whole that something is a part of: `3 of the 45`.
    pub(super) is_whole: bool,
}

impl Words {
    pub(super) fn of(scope: &Scope<'_>, asked: &Asked<'_>) -> Self {
        let text = if scope.text.is_empty() { asked.name } else { scope.text };
        let mut all = said(text);
        all.extend(said(asked.name));
        all.extend(said(scope.context));
        let symbols = symbols(text);
        all.extend(symbols.iter().map(|(_, symbol)| symbol.clone()));
        let end = text.find(&asked.value.literal).unwrap_or_default();
        let is_near = |at: usize| at < end && !text[at..end].contains(|c: char| c.is_ascii_digit());
        let mut near = near(text, asked.value);
        near.extend(symbols.into_iter().filter(|(at, _)| is_near(*at)).map(|(_, symbol)| symbol));
        let (name, more) = core(asked.name);
        let sentence = tokens(&crate::sentence::Sentence::plain(text, 1, ""));
        let others =
            sentence.iter().filter_map(Token::number).filter(|one| one.literal != asked.value.literal);
        let others: Vec<(f64, Vec<String>)> = others.map(|one| (one.value, self::near(text, one))).collect();
        let numbers = others.iter().map(|(value, _)| *value).collect();
        let mut from = sentence.iter().filter_map(Token::number);
        from.find(|one| one.literal == asked.value.literal);
        let next = from.next().map(|one| one.value);
        let is_whole = is_whole(text, asked.value);
        Self { name, more, near, all, text: text.to_lowercase(), numbers, others, next, is_whole }
    }
}

impl Words {
    /// Whether a figure is told by another number of the sentence, and its words stand there.
    pub(super) fn is_of_another(&self, figure: &Figure) -> bool {
        self.numbers.contains(&figure.value.value) && !figure.name.iter().all(|word| self.near.contains(word))
    }
}

impl Words {
    /// `60 requests ended in a 404, 15 in a 503`: whether a row that is a number stands right behind the claimed one.
    pub(super) fn is_next(&self, row: &str) -> bool {
        self.next.is_some_and(|next| row.parse() == Ok(next))
    }

    /// `33 had a cracked neck and 61 were short`: whether the words of a figure stand at another number, and none at this one.
    pub(super) fn belongs_to_another(&self, own: &[&String]) -> bool {
        let is_there = |near: &Vec<String>| !own.is_empty() && own.iter().all(|word| near.contains(word));
        self.others.iter().any(|(_, near)| is_there(near)) && !own.iter().any(|word| self.near.contains(word))
    }

    /// `8 probes ran, 0 failed`: how many words of a figure stand at that other number of the sentence which it is.
    pub(super) fn taken(&self, figure: &Figure) -> i64 {
        let is_it = |(value, _): &&(f64, Vec<String>)| *value == figure.value.value;
        let Some((_, near)) = self.others.iter().find(is_it) else { return 0 };
        figure.name.iter().filter(|word| near.contains(word) && !self.near.contains(word)).count() as i64
    }
}

/// Words without letters, with their places: the path `/`.
fn symbols(text: &str) -> Vec<(usize, String)> {
    let words = text.split_whitespace().map(|word| word.trim_end_matches([',', '.', ':', ';', ')']));
    let bare = words.filter(|word| !word.is_empty() && !word.contains(char::is_alphanumeric));
    bare.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word.to_owned())).collect()
}

impl Words {
    /// Whether a row that is called by a number is named: by one of three digits, or with a word for what it sets or counts.
    pub(super) fn names_number(&self, row: &str) -> bool {
        let Some(row) = Quantity::read(row) else { return false };
        if !self.numbers.contains(&row.value) {
            return false;
        }
        let all = tokens(&crate::sentence::Sentence::plain(&self.text, 1, ""));
        let is_named = |token: Option<&Token>| {
            token.and_then(Token::word).is_some_and(|word| is_step(word) || names::is_setting(word))
        };
        let is_beside = |at: usize| {
            let is_it = all[at].number().is_some_and(|one| one.value == row.value);
            let before = at.checked_sub(1).and_then(|before| all.get(before));
            is_it && (is_named(before) || is_named(all.get(at + 1)))
        };
        is_distinct(&row) || (0..all.len()).any(is_beside)
    }
}

/// `19 of 45`, `19 of the 45`, `19 out of 45`: whether the number is the second of these.
pub(super) fn is_whole(text: &str, value: &Quantity) -> bool {
    let Some((before, _)) = text
        .split_once(&format!("of {}", value.literal))
        .or_else(|| text.split_once(&format!("of the {}", value.literal)))
    else {
        return false;
    };
    let before = before.trim_end().trim_end_matches("out").trim_end();
    let number = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    Quantity::read(number.trim_matches(['*', '`', '('])).is_some()
}

/// The head of a name, and what is said about it behind.
pub(super) fn core(name: &str) -> (Vec<String>, Vec<String>) {
    const BEHIND: [&str; 12] =
        ["of", "over", "between", "in", "for", "on", "after", "with", "during", "across", "at", "per"];
    let words: Vec<&str> = name.split_whitespace().collect();
    let cut = (1..words.len()).find(|at| {
        let head = keys(&words[..*at].join(" "));
        let is_said =
            head.iter().any(|word| !["count", "percentag", "shar", "percent"].contains(&word.as_str()));
        BEHIND.contains(&words[*at].to_lowercase().as_str()) && is_said && words[*at] != "per"
    });
    match cut {
        Some(cut) => (keys(&words[..cut].join(" ")), keys(&words[cut..].join(" "))),
        None => (keys(name), Vec::new()),
    }
}

/// The words between the number before and the number behind.
pub(super) fn near(text: &str, value: &Quantity) -> Vec<String> {
    let sentence = crate::sentence::Sentence::plain(text, 1, "");
    let all = tokens(&sentence);
    let Some(at) =
        all.iter().position(|token| token.number().is_some_and(|one| one.literal == value.literal))
    else {
        return Vec::new();
    };
    let is_edge = |token: &Token| token.number().is_some() || token.is_mark(b';');
    let first = all[..at].iter().rposition(is_edge).map_or(0, |edge| edge + 1);
    let last = all[at + 1..].iter().position(is_edge).map_or(all.len(), |edge| at + 1 + edge);
    // The statement alone, where it has words; a mark right beside the number belongs to it.
    let is_word = |token: &Token| token.is("and") || token.is("but") || token.is("while");
    let is_seam = |token: &Token| token.is_mark(b',') || token.is_mark(b':') || is_word(token);
    // `348 records read, 342 rows written`: what stands before the mark is told of the number before it.
    let has_noun = all.get(at + 1).and_then(Token::word).is_some_and(|word| !is_empty(word));
    let is_next =
        first > 0 && at > first + 1 && is_seam(&all[at - 1]) && !all[at - 1].is_mark(b':') && has_noun;
    let start = all[first..at.saturating_sub(2).max(first)]
        .iter()
        .rposition(is_seam)
        .map_or(first, |seam| first + seam + 1);
    // `33 had a cracked neck and 61 were short`
    let is_joined = at > first && is_word(&all[at - 1]);
    let start = if is_next || is_joined { at } else { start };
    let end = all[at + 1..last].iter().position(is_seam).map_or(last, |seam| at + 1 + seam);
    let spelled = |from: usize, to: usize| {
        let words = all[from..to].iter().filter(|token| token.word().is_some());
        said(&words.map(|token| sentence.part(token.start..token.end)).collect::<Vec<_>>().join(" "))
    };
    let close = spelled(start, end);
    if close.is_empty() { spelled(first, last) } else { close }
}
