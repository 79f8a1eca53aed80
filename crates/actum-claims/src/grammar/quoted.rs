//! What stands between backticks as a program tells it: `rows_out: 4`, `size_kb=23`, or a name in brackets behind its number.

use super::found::Found;
use crate::names;
use crate::sentence::Sentence;
use crate::tokens::{Token, tokens};
use actum_model::{Quantity, Said, Which};
use std::ops::Range;

/// Each is told only where a record speaks of it: what is quoted may as well be a setting.
pub(super) fn quoted(sentence: &mut Sentence, found: &mut Found) {
    for code in sentence.code.clone() {
        let text = sentence.part(code.clone()).trim().to_owned();
        let said = pair(&text).or_else(|| Some((text.clone(), number_before(sentence, &code, &text)?)));
        let Some((name, value)) = said.filter(|(name, _)| is_key(name)) else { continue };
        let is_new = !found.any(|said| matches!(said, Said::Metric { name: one, .. } if *one == name));
        if is_new {
            found.perhaps(code.start, Said::Metric { name, value, which: Which::Final });
        }
    }
}

/// `rows_out: 4`, `rows_out = 4`, and nothing else.
fn pair(text: &str) -> Option<(String, Quantity)> {
    let (name, value) = text.split_once([':', '='])?;
    let value = tokens(&Sentence::plain(value.trim(), 1, ""));
    let [Token { what: crate::tokens::What::Number(value), .. }] = &value[..] else { return None };
    Some((name.trim().to_owned(), value.clone()))
}

/// ``needs 14 calls (`calls_per_item`)``: the number right before the brackets.
fn number_before(sentence: &Sentence, code: &Range<usize>, text: &str) -> Option<Quantity> {
    const WORDS_BETWEEN: usize = 3;
    let before = sentence.text[..code.start].trim_end_matches('`').trim_end();
    let behind = sentence.text[code.end..].trim_start_matches('`').trim_start();
    if !before.ends_with('(') || !behind.starts_with(')') || !is_key(text) {
        return None;
    }
    let all = tokens(sentence);
    let end = all.iter().position(|token| token.start >= before.len() - 1)?;
    let number = all[..end].iter().rposition(|token| token.number().is_some())?;
    let between = &all[number + 1..end];
    let are_words = between.len() <= WORDS_BETWEEN && between.iter().all(|token| token.word().is_some());
    all[number].number().filter(|_| are_words).cloned()
}

/// A name as programs write it, and none of a setting.
fn is_key(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.".contains(&byte);
    name.contains('_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(is_part)
        && !names::is_setting(name)
        && !name.contains("seed")
}
