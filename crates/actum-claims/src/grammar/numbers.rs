//! Numbers with a name: metrics, lengths of time, counts.

use super::found::Found;
use crate::figures::is_step;
use crate::names;
use crate::sentence::{HIDDEN, Sentence};
use crate::stance::{self, pattern};
use crate::tokens::{Token, What, tokens};
use actum_model::{Quantity, Said, Unit, Which};
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What only who has measured says: `the queue hovered around 12`.
pub(super) const MEASURED: &[&str] = &[
    "averaged",
    "averages",
    "averaging",
    "hovers",
    "hovered",
    "hovering",
    "peaked",
    "plateaued",
    "levelled",
    "leveled",
];

/// Words that may stand between a name and its number.
const CONNECT: &[&str] = &[
    "is",
    "was",
    "are",
    "were",
    "of",
    "at",
    "to",
    "a",
    "an",
    "the",
    "now",
    "reached",
    "reaches",
    "reaching",
    "achieved",
    "achieves",
    "achieving",
    "hit",
    "hits",
    "stands",
    "stood",
    "sits",
    "sat",
    "clocked",
    "clocks",
    "stayed",
    "remained",
    "held",
    "holds",
    "with",
    "score",
    "scores",
    "scored",
    "value",
    "currently",
    "improved",
    "improves",
    "increased",
    "rose",
    "dropped",
    "drops",
    "decreased",
    "went",
    "up",
    "down",
    "climbed",
    "fell",
    "reduced",
    "about",
    "approximately",
    "roughly",
    "around",
    "nearly",
    "almost",
    "over",
    "under",
    "above",
    "below",
    "least",
    "most",
    "than",
    "more",
    "less",
    "on",
    "set",
    "split",
    "data",
    "dataset",
    "for",
    "after",
    "epoch",
    "epochs",
    "step",
    "steps",
    "model",
    "came",
    "out",
    "in",
    "just",
    "only",
    "approx",
    "also",
    "final",
    "best",
    "this",
    "our",
    "it",
    "has",
    "have",
    "been",
    "got",
    "gets",
    "obtained",
    "yields",
    "yielded",
    "remains",
    "stays",
    "exceeds",
    "exceeding",
    "exceeded",
    "test",
    "validation",
    "val",
    "training",
    "train",
    "dev",
    "held-out",
    "holdout",
    "as",
    "high",
    "low",
    "rate",
    "comes",
    "lands",
    "landed",
    "ended",
    "finished",
    "measured",
    "observed",
    "equals",
    "settled",
    "converged",
    "per",
    "still",
    "time",
    "iteration",
    "run",
    "last",
    "no",
    "up",
    "up",
    "grew",
    "iterations",
    "reported",
    "reports",
    "shows",
    "showed",
    "full",
    "of",
    "bottomed",
    "macro",
    "both",
    "that",
];

static TIME_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:took|taking|takes|in|after|runtime|run[- ]time|ran for|elapsed|duration|time|lasted|finished|finishes|completed|completes|within|wall|spent|total|ran|runs|need(?:ed|s)?)\b",
    )
});
static NO_TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:timeouts?|limits?|sleeps?|intervals?|delays?|ttl|retry|retries|backoff|every|window|cooldown|polls?|waits?|expires?|expiry|debounce|budget|cap|deadline|cached for|ago|later|old|schedule)\b",
    )
});
static COUNTING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:processed|wrote|written|generated|loaded|found|contains?|containing|totals?|totalled|totaling|exported|saved|read|parsed|inserted|downloaded|imported|matched|returned|detected|collected|converted|trained|evaluated|ingested|scraped|indexed|fetched|extracted|produced|handled|there (?:are|were)|yielded|resulting|printed|dropped|filtered|kept|analy[sz]ed|counted|identified|sampled|simulated|completed|outputs?|migrated|created|removed|has|have|had|ran|labell?ed|classified|sent|received|queried|over|on|using)\b",
    )
});
/// Things of which the number says nothing about a run.
const NOT_COUNTED: &[&str] = &[
    "tests",
    "test",
    "issues",
    "bugs",
    "changes",
    "improvements",
    "options",
    "ways",
    "points",
    "parts",
    "places",
    "commits",
    "endpoints",
    "classes",
    "methods",
    "functions",
    "sections",
    "days",
    "weeks",
    "years",
    "times",
    "reasons",
    "features",
    "modules",
    "scripts",
    "cases",
    "scenarios",
    "approaches",
    "things",
    "months",
    "workers",
    "threads",
    "cores",
    "retries",
    "attempts",
    "layers",
    "dimensions",
    "parameters",
    "steps",
    "tasks",
    "passed",
    "failed",
    "failures",
    "errors",
    "warnings",
    "x",
    "fixes",
    "edge",
    "paragraphs",
    "questions",
    "helpers",
    "types",
    "vulnerabilities",
    "unit",
    "integration",
    "new",
    "different",
    "main",
    "more",
    "other",
    "additional",
    "of",
    "or",
    "and",
    "to",
    "in",
    "is",
    "was",
    "for",
    "by",
    "as",
    "percent",
    "points",
    "lines",
    "characters",
    "seconds",
    "minutes",
    "hours",
    "bytes",
    "assertions",
    "specs",
    "gpus",
    "cpus",
    "users",
    "spaces",
    "columns",
    "requests",
    "has",
    "problems",
    "violations",
    "concerns",
    "examples",
    "components",
    "phases",
    "stages",
    "hits",
    "backends",
];

/// A name and where it stands.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) range: Range<usize>,
}

pub(super) fn metrics(sentence: &mut Sentence, found: &mut Found) {
    let all = tokens(sentence);
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut last: Option<String> = None;
    for (at, token) in all.iter().enumerate() {
        // `epoch 3`; `loss improves for 5 epochs`
        let is_plural = |word: &str| is_step(word) && word.ends_with('s');
        let is_step = at.checked_sub(1).is_some_and(|before| all[before].word().is_some_and(is_step))
            || all.get(at + 1).and_then(Token::word).is_some_and(is_plural);
        // A number in letters counts things.
        let is_word = sentence.text.as_bytes().get(token.start).is_some_and(u8::is_ascii_alphabetic);
        let Some(value) = token.number().filter(|_| !is_step && !is_word) else { continue };
        if crate::tokens::is_set(&all, at) {
            continue;
        }
        let named = left_name(sentence, &all, at)
            .or_else(|| right_name(sentence, &all, at))
            .or_else(|| Some(Named { name: last.clone().filter(|_| is_said_of_it(&all, at))?, range: 0..0 }));
        last = named.as_ref().map(|named| named.name.clone()).or(last);
        let (named, said) = match named {
            Some(named) => {
                let (name, which) = (named.name.clone(), which(sentence, &all, at, &named.name));
                (named, Said::Metric { name, value: value.clone(), which })
            }
            None => match label(sentence, &all, at) {
                Some(named) => {
                    let said = labelled(sentence, &all, at, &named, value);
                    (named, said)
                }
                None => continue,
            },
        };
        if found.add(token.start, said) {
            taken.push(token.start..token.end);
            taken.push(named.range);
        }
    }
    taken.into_iter().for_each(|range| sentence.hide(range));
}

/// `it drops to 7.85 ms`: a number of what the sentence spoke of before.
fn is_said_of_it(all: &[Token], at: usize) -> bool {
    const VERBS: [&str; 22] = [
        "is", "was", "drops", "dropped", "falls", "fell", "rises", "rose", "goes", "went", "climbs",
        "climbed", "grows", "grew", "shrinks", "shrank", "jumps", "jumped", "comes", "came", "reaches",
        "reached",
    ];
    let mut before = all[..at].iter().rev();
    let is_way = |token: &&Token| {
        ["to", "at", "down", "up", "only", "just", "about"].iter().any(|word| token.is(word))
    };
    let verb = before.find(|token| !is_way(token));
    let is_verb = verb.and_then(Token::word).is_some_and(|word| VERBS.contains(&word));
    is_verb && before.next().is_some_and(|token| token.is("it"))
}

/// A label and a number: a fraction is a metric, a length of time is one, and a whole number counts something.
fn labelled(sentence: &Sentence, all: &[Token], at: usize, named: &Named, value: &Quantity) -> Said {
    let is_time = names::words(&named.name)
        .iter()
        .any(|word| ["time", "duration", "runtime", "took", "elapsed"].contains(&word.as_str()));
    match value.unit {
        Unit::Time(_) if is_time => Said::Duration { of: named.name.clone(), value: value.clone() },
        Unit::Plain if value.whole().is_some() && value.half >= 0.5 => {
            Said::Count { noun: named.name.clone(), value: value.clone(), file: None }
        }
        Unit::Plain | Unit::Percent | Unit::Points | Unit::Time(_) | Unit::Size(_) | Unit::Times => {
            let which = which(sentence, all, at, &named.name);
            Said::Metric { name: named.name.clone(), value: value.clone(), which }
        }
    }
}

/// The name of a metric before its number.
pub(super) fn left_name(sentence: &Sentence, all: &[Token], at: usize) -> Option<Named> {
    let mut split = Vec::new();
    let mut has_setting = false;
    for back in (at.saturating_sub(12)..at).rev() {
        let token = &all[back];
        match &token.what {
            What::Word(word) => {
                let before = back.checked_sub(1).and_then(|before| all[before].word());
                // `latency at batch size 8: 7.85 ms`
                let is_set = has_setting && names::is_setting(word);
                if !is_set && names::is_head(before, word) && is_meant(sentence, token, word) {
                    return named(sentence, all, back, &split);
                }
                if !CONNECT.contains(&word.as_str()) && !MEASURED.contains(&word.as_str()) && !is_set {
                    return None;
                }
                if ["averaged", "averages"].contains(&word.as_str()) {
                    split.push("mean".to_owned());
                }
                let is_time = back
                    .checked_sub(1)
                    .is_some_and(|before| all[before].is("after") || all[before].is("during"));
                if ["test", "validation", "val", "training", "train", "dev", "held-out", "holdout"]
                    .contains(&word.as_str())
                    && !is_time
                {
                    split.push(word.clone());
                }
            }
            What::Mark(mark) if b":=(-|~<>*@".contains(mark) => {}
            // `the rate for `a.csv` was 3 %`
            What::Mark(HIDDEN) if is_about(all, back) => {}
            // `at epoch 5`, `after 10 epochs`
            What::Number(_) => {
                let near = [back.checked_sub(1), Some(back + 1)];
                let is_step = near.iter().flatten().filter_map(|at| all.get(*at)?.word()).any(|word| {
                    word.starts_with("epoch") || word.starts_with("step") || word.starts_with("iter")
                });
                has_setting |= is_setting(all, back);
                if !is_step && !has_setting {
                    return None;
                }
            }
            What::Mark(_) => return None,
        }
    }
    None
}

/// `at batch size 8`, `with 4 threads`: a number of how something is set.
fn is_setting(all: &[Token], at: usize) -> bool {
    let near = [at.checked_sub(1), Some(at + 1)];
    near.iter().flatten().filter_map(|at| all.get(*at)?.word()).any(names::is_setting)
}

/// Whether what is hidden at a place is what something is said of: `for`, `in` or `on` stands before it.
pub(super) fn is_about(all: &[Token], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| all[before].word())
        .is_some_and(|word| ["for", "in", "on", "of"].contains(&word))
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
            if let Some(split) = behind.into_iter().find(|word| {
                ["test", "validation", "val", "training", "train", "dev", "held-out", "holdout"]
                    .contains(word)
            }) {
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

/// `Cache hit ratio: 0.87` at the beginning of a sentence.
fn label(sentence: &Sentence, all: &[Token], at: usize) -> Option<Named> {
    let mark = at.checked_sub(1).filter(|before| all[*before].is_mark(b':') || all[*before].is_mark(b'='))?;
    // `Build output: 2 modules` counts what stands behind.
    let is_counted = all[at]
        .number()
        .is_some_and(|value| value.unit == Unit::Plain && value.whole().is_some())
        && all.get(at + 1).and_then(Token::word).is_some_and(|word| !crate::figures::words::is_empty(word));
    if is_counted {
        return None;
    }
    let words: Vec<&Token> = all[..mark].iter().skip_while(|token| token.word().is_none()).collect();
    let is_named = |word: &str| !word.contains('.') && !["i", "we", "it", "you", "they"].contains(&word);
    let are_words = words.iter().all(|token| token.word().is_some_and(is_named));
    if words.is_empty() || words.len() > 4 || !are_words {
        return None;
    }
    let range = words[0].start..all[mark].start;
    let name = sentence.part(range.clone()).trim().to_owned();
    let is_other = names::is_never(&name)
        || name.len() > 50
        || names::words(&name).iter().any(|word| {
            ["test", "tests", "note", "exit", "run", "passed", "failed", "total", "summary"]
                .contains(&word.as_str())
                && !name.contains(' ')
        });
    (!is_other).then_some(Named { name, range })
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

/// How long something took.
pub(super) fn durations(sentence: &mut Sentence, found: &mut Found) {
    let all = tokens(sentence);
    for token in &all {
        let Some(value) = token.number().filter(|value| matches!(value.unit, Unit::Time(_))) else {
            continue;
        };
        let range = stance::clause(&found.whole.mask, token.start);
        let clause = &found.whole.mask[range];
        if !TIME_WORDS.is_match(clause) || NO_TIME.is_match(clause) {
            continue;
        }
        let of = if found.any(|said| matches!(said, Said::Tests(_))) {
            "tests".to_owned()
        } else {
            String::from_utf8_lossy(clause).chars().filter(|c| !c.is_control()).take(80).collect()
        };
        if found.add(token.start, Said::Duration { of, value: value.clone() }) {
            sentence.hide(token.start..token.end);
        }
    }
}

/// How many of something there were.
pub(super) fn counts(sentence: &mut Sentence, found: &mut Found) {
    let all = tokens(sentence);
    for (at, token) in all.iter().enumerate() {
        let is_word = sentence.text.as_bytes().get(token.start).is_some_and(u8::is_ascii_alphabetic);
        let is_whole = |value: &&Quantity| value.unit == Unit::Plain && value.whole().is_some() && !is_word;
        let Some(value) = token.number().filter(is_whole) else { continue };
        let words: Vec<&str> = all[at + 1..].iter().take(3).map_while(Token::word).collect();
        let Some(noun) = noun(&words) else { continue };
        let clause = stance::clause(&found.whole.mask, token.start);
        if !COUNTING.is_match(&found.whole.mask[clause]) {
            continue;
        }
        let said = Said::Count { noun, value: value.clone(), file: None };
        if found.add(token.start, said) {
            sentence.hide(token.start..token.end);
        }
    }
}

/// A word for several things, perhaps with one before it: `rows`, `training samples`.
fn noun(words: &[&str]) -> Option<String> {
    let is_plural = |word: &str| {
        crate::figures::words::is_plural(word)
            && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
    };
    let is_other = |word: &str| NOT_COUNTED.contains(&word);
    let first = words.first().filter(|word| !is_other(word))?;
    if is_plural(first) {
        return Some((*first).to_owned());
    }
    let second = words.get(1).filter(|word| is_plural(word) && !is_other(word))?;
    first.bytes().all(|byte| byte.is_ascii_alphabetic()).then(|| (*second).to_owned())
}
