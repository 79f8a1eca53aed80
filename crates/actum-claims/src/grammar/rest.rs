//! Numbers that no family took: what is said with them is reported as not judged.

use super::found::Found;
use crate::names;
use crate::sentence::Sentence;
use crate::tokens::tokens;
use actum_model::Said;

/// At most one claim for each sentence: it is told that its numbers were seen, and not what they mean.
pub(super) fn rest(sentence: &mut Sentence, found: &mut Found) {
    let all = tokens(sentence);
    for (at, token) in all.iter().enumerate() {
        let is_word = sentence.text.as_bytes().get(token.start).is_some_and(u8::is_ascii_alphabetic);
        let is_numbering = at.checked_sub(1).and_then(|before| all[before].word()).is_some_and(numbers);
        if token.number().is_none() || is_word || is_numbering {
            continue;
        }
        let figure = sentence.part(token.start..token.end).to_owned();
        if found.add(token.start, Said::Figure { figure }) {
            return;
        }
    }
}

/// `step 3`, `Python 3`: a number behind such a word says which one.
fn numbers(word: &str) -> bool {
    const WHICH: [&str; 10] =
        ["line", "lines", "port", "version", "python", "section", "figure", "table", "issue", "phase"];
    names::is_step(word) || WHICH.contains(&word)
}
