//! What is reported as not judged: work that no run can show, opinions, and numbers that no family took.

use super::found::Found;
use crate::names;
use crate::sentence::Sentence;
use crate::stance::pattern;
use crate::tokens::tokens;
use actum_model::Said;
use regex::bytes::Regex;
use std::sync::LazyLock;

static DONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^[^a-z]*(?:i|i've|i have|we|we've|we have)?(?: have| also| now| successfully| just| then)* ?\b(?:fixed|implemented|added|refactored|updated|removed|renamed|completed|resolved|finished|cleaned up|improved|introduced|migrated|documented|replaced|extracted|optimi[sz]ed|rewrote|moved|set up|configured|created|wrote|corrected|simplified|addressed|handled|hardened|ensured|wired|integrated|reviewed|deployed|verified|confirmed)\b",
        r"|\b(?:task|feature|everything|work|bug|issue|implementation|fix|refactor\w*|migration|change|changes|feature work|job) (?:is|are|has been|have been|was|were) (?:now )?(?:complete|completed|done|finished|fixed|implemented|resolved|in place|ready|deployed)\b",
        r"|^[^a-z]*(?:done|all done|task complete[d]?|complete[d]?|fixed|finished)\b",
    ))
});
static OPINION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:code|implementation|solution|design|api|module|results?|performance|model|approach|it|this|architecture|structure|interface|output|project|function|change)\b(?: \w+){0,2}? (?:is|are|looks?|feels?|works?|performs?|reads?) (?:\w+ ){0,3}?",
        r"(?:clean(?:er)?|elegant|robust|readable|maintainable|production[- ]ready|well[- ]\w+|excellent|great|good|impressive|solid|nice|nicely|beautiful|easy|simple|simpler|intuitive|efficient|better|perfect(?:ly)?|amazing|modular|flexible|scalable|reliable|well|strong|promising|reasonable|correct|high[- ]quality)\b",
    ))
});

pub(super) fn work_and_opinions(sentence: &mut Sentence, found: &mut Found) {
    if !found.is_empty() {
        return;
    }
    let mask = sentence.mask.clone();
    let text = || sentence.text.chars().take(120).collect::<String>();
    // `Done` over a list is its heading.
    let is_bare = mask.iter().filter(|byte| byte.is_ascii_alphabetic()).count() <= 8
        && !sentence.text.ends_with(['!', '.']);
    if let Some(place) = DONE.find(&mask).filter(|_| !is_bare) {
        found.add(place.start(), Said::Done { task: text() });
    } else if let Some(place) = OPINION.find(&mask) {
        found.add(place.start(), Said::Opinion { of: text() });
    }
}

/// At most one claim for each sentence: it is told that its numbers were seen, and not what they mean.
pub(super) fn numbers(sentence: &mut Sentence, found: &mut Found) {
    let all = tokens(sentence);
    for (at, token) in all.iter().enumerate() {
        let is_word = sentence.text.as_bytes().get(token.start).is_some_and(u8::is_ascii_alphabetic);
        let is_number_of = at.checked_sub(1).and_then(|before| all[before].word()).is_some_and(is_numbering);
        if token.number().is_none() || is_word || is_number_of {
            continue;
        }
        let figure = sentence.part(token.start..token.end).to_owned();
        if found.add(token.start, Said::Figure { figure }) {
            return;
        }
    }
}

/// `step 3`, `Python 3`: a number behind such a word says which one.
fn is_numbering(word: &str) -> bool {
    const WHICH: [&str; 10] =
        ["line", "lines", "port", "version", "python", "section", "figure", "table", "issue", "phase"];
    names::is_step(word) || WHICH.contains(&word)
}
