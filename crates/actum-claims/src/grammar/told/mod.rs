//! Any other number with words that say what it is: `the net total is 430`, `841 users migrated`, `p = 0.003`.
//!
//! The last family for numbers. What is told as a value, with digits behind the point, a unit or money, or is told to have
//! been done, is a claim; the rest is one only where a record speaks of it.

mod lists;

use super::found::Found;
use super::numbers::MEASURED;
use crate::figures::{is_step, words};
use crate::names;
use crate::sentence::{HIDDEN, Sentence};
use crate::stance::{self, pattern};
use crate::tokens::{Token, What, tokens};
use actum_model::{Quantity, Said, Unit};
pub(crate) use lists::is_of_work;
use lists::{BINDS, GOT, PREPOSITIONS, STOPS, WHO};
use regex::bytes::Regex;
use std::sync::LazyLock;

static DONE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b[a-z]{2,}(?:ed|ten)\b|\b(?:wrote|found|sent|kept|read|left|built)\b"));

pub(super) fn told(sentence: &mut Sentence, found: &mut Found) {
    printed(sentence, found);
    none(sentence, found);
    some(sentence, found);
    let all = tokens(sentence);
    for (at, token) in all.iter().enumerate() {
        let Some(value) = token.number() else { continue };
        let is_step_number = at.checked_sub(1).is_some_and(|before| all[before].word().is_some_and(is_step));
        let Some(named) = named(sentence, &all, at).filter(|_| !is_step_number) else { continue };
        let said = said(sentence, &all, at, &named, value);
        // Failures that are told with tests are the tests'.
        let is_failure = |noun: &str| words::keys(noun).iter().any(|word| word == "fail");
        if matches!(&said, Said::Count { noun, .. } if is_failure(noun))
            && found.any(|said| matches!(said, Said::Tests(_)))
        {
            continue;
        }
        let clause = stance::clause(&found.whole.mask, token.start);
        let is_firm = if let Said::Count { noun, .. } = &said {
            named.is_behind && DONE.is_match(&found.whole.mask[clause]) && !is_of_work(noun)
        } else {
            let is_setting = names::is_never(head(&named.name));
            named.is_bound && !is_setting && (is_exact(sentence, &all, at, value) || is_measured(&all, at))
        };
        // A number in letters is often said by the way.
        let is_word = sentence.text.as_bytes().get(token.start).is_some_and(u8::is_ascii_alphabetic);
        if !is_firm || is_word {
            found.perhaps(token.start, said);
        } else if found.add(token.start, said) {
            sentence.hide(token.start..token.end);
        }
    }
}

/// `the queue hovered around 12`: whoever says so has measured it.
fn is_measured(all: &[Token], at: usize) -> bool {
    let near = &all[at.saturating_sub(3)..at];
    near.iter().any(|token| token.word().is_some_and(|word| MEASURED.contains(&word)))
}

/// Told as a result is told: with digits behind the point, a unit, or as money.
fn is_exact(sentence: &Sentence, all: &[Token], at: usize, value: &Quantity) -> bool {
    let has_rate = all.get(at + 1).and_then(Token::word).is_some_and(|word| word.ends_with("/s"));
    let has_digits = value.half < 0.5 || value.unit != Unit::Plain;
    has_digits || has_rate || is_money(sentence, &all[at]) || has_unit(sentence, &all[at])
}

static PRINTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:print(?:s|ed)|output(?:s|ted)?|show(?:s|ed)|report(?:s|ed)|log(?:s|ged)|return(?:s|ed)|says|said|displayed|displays|emits|emitted|reads|(?:end|close|finishe|start|begin|open)(?:s|ed)? with)\b[ a-z:]{0,20}$",
    )
});

/// `found no duplicates`: so many, and that is none.
fn none(sentence: &Sentence, found: &mut Found) {
    static NONE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:found|finds|reports?|reported|detected|detects|there (?:are|were)|had|has|contains?|contained|shows?|showed) (?:no|zero) ((?:[a-z-]+ )?[a-z]{3,}s)\b",
        )
    });
    let nouns = NONE.captures(&sentence.mask).and_then(|captures| captures.get(1));
    let Some((noun, value)) = nouns.zip(Quantity::read("0")) else { return };
    let text = String::from_utf8_lossy(noun.as_bytes()).into_owned();
    let is_other = ["errors", "warnings", "issues", "exceptions", "tests", "changes", "differences"];
    if !is_other.iter().any(|other| text.ends_with(other)) {
        found.perhaps(noun.start(), Said::Count { noun: text, value, file: None });
    }
}

/// `42 of them had a blank address`: so many of what was told before.
fn some(sentence: &Sentence, found: &mut Found) {
    static SOME: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(\d[\d,]*) of (?:them|these|those|which) (?:had|have|were|are|was|lacked|contained?) (?:an? |the |no )?([a-z][a-z -]{2,40})",
        )
    });
    let Some(captures) = SOME.captures(&sentence.mask) else { return };
    let (Some(number), Some(noun)) = (captures.get(1), captures.get(2)) else { return };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if let Some(value) = Quantity::read(&text(number.as_bytes())) {
        found.perhaps(number.start(), Said::Count { noun: text(noun.as_bytes()), value, file: None });
    }
}

/// ``it printed `rate for NL: 21%` ``: what is quoted is what a run is said to have printed.
fn printed(sentence: &Sentence, found: &mut Found) {
    for range in &sentence.code {
        let before = &sentence.mask[..range.start.saturating_sub(1)];
        if !PRINTS.is_match(before) || crate::grammar::found::looks_like_command(sentence.part(range.clone()))
        {
            continue;
        }
        let quoted = Sentence::plain(sentence.part(range.clone()), sentence.line, "");
        let all = tokens(&quoted);
        for at in 0..all.len() {
            let Some(value) = all[at].number() else { continue };
            if let Some(named) = named(&quoted, &all, at).filter(|named| named.is_bound) {
                found.add(range.start, said(&quoted, &all, at, &named, value));
            }
        }
    }
}

/// The words of a number.
struct Named {
    name: String,
    /// A mark or a verb stands between.
    is_bound: bool,
    is_behind: bool,
}

fn said(sentence: &Sentence, all: &[Token], at: usize, named: &Named, value: &Quantity) -> Said {
    let is_count =
        value.unit == Unit::Plain && value.whole().is_some() && value.half >= 0.5 && named.is_behind;
    if is_count && !is_money(sentence, &all[at]) {
        return Said::Count { noun: named.name.clone(), value: value.clone(), file: None };
    }
    let which = crate::grammar::numbers::which(sentence, all, at, &named.name);
    Said::Metric { name: named.name.clone(), value: value.clone(), which }
}

fn is_money(sentence: &Sentence, token: &Token) -> bool {
    let before = &sentence.text[..token.start];
    before.ends_with(['$', '€', '£'])
}

/// `fold 1, MAE: 1.7`, `batch 4 took longest`, `the k = 5 model`: a number that names a row, or one of several.
fn is_key(all: &[Token], at: usize) -> bool {
    let is_short = |at: usize| all[at].word().is_some_and(|word| word.len() <= 2);
    let is_pair = at > 1 && all[at - 1].is_mark(b'=') && is_short(at - 2);
    let is_noun = |word: &str| !PREPOSITIONS.contains(&word) && !STOPS.contains(&word);
    if is_pair && all.get(at + 1).and_then(Token::word).is_some_and(is_noun) {
        return true;
    }
    let is_whole = all[at].number().is_some_and(|value| value.whole().is_some() && value.unit == Unit::Plain);
    let before = at.checked_sub(1).and_then(|before| all[before].word());
    let is_listed = all.get(at + 1).is_some_and(|token| token.is_mark(b','));
    is_whole && (before.is_some_and(words::is_place) || is_listed && before.is_some_and(names::is_setting))
}

fn named(sentence: &Sentence, all: &[Token], at: usize) -> Option<Named> {
    if crate::tokens::is_set(all, at) || is_key(all, at) {
        return None;
    }
    if let Some(name) = being(all, at) {
        return Some(Named { name, is_bound: false, is_behind: false });
    }
    let (left, is_bound) = before(sentence, all, at);
    let right = behind(sentence, all, at);
    let says = |name: &String| !words::keys(name).is_empty();
    let (left, right) = (Some(left).filter(says), Some(right).filter(says));
    let is_whole = all[at].number().is_some_and(|value| value.unit == Unit::Plain && value.whole().is_some());
    let has_colon = at > 0 && all[at - 1].is_mark(b':');
    let named = match (left, right) {
        // `the model is tiny: 729 parameters` counts what stands behind.
        (_, Some(name)) if is_whole && is_plural(&name) => Named { name, is_bound, is_behind: true },
        // `Refunds: 37 read` are refunds that were read.
        (Some(of), Some(name)) if is_whole && has_colon && is_participle(&name) => {
            Named { name: format!("{of} {name}"), is_bound, is_behind: true }
        }
        (_, Some(name)) if is_whole && has_colon => Named { name, is_bound, is_behind: true },
        (Some(name), _) if is_bound => Named { name, is_bound, is_behind: false },
        (_, Some(name)) => Named { name, is_bound, is_behind: true },
        (Some(name), None) => Named { name, is_bound, is_behind: false },
        (None, None) if PRINTS.is_match(sentence.mask[..all[at].start].trim_ascii_end()) => {
            Named { name: "output".to_owned(), is_bound: true, is_behind: false }
        }
        // `West trails with 7,838.79`
        (None, None) => Named { name: beginning(sentence, all, at)?, is_bound: false, is_behind: false },
    };
    let is_file = named.name.split(' ').any(|word| word.contains('/') && !word.ends_with("/s"));
    // A change is told by its own family, or by nobody.
    const CHANGES: [&str; 9] =
        ["factor", "gain", "took", "improvement", "reduction", "increas", "decreas", "differenc", "speedup"];
    let keys = words::keys(&named.name);
    if !keys.is_empty() && keys.iter().all(|key| CHANGES.contains(&key.as_str())) {
        return None;
    }
    let is_never =
        names::is_never(head(&named.name)) && !words::keys(&named.name).iter().any(|key| key == "coverage");
    // `duplicate_id: 12`: a key as programs write it may be anything, and is told where a record has it.
    let is_key = named.is_bound && named.name.contains('_') && !named.name.contains(' ');
    ((!is_never || is_key) && !is_file && named.name.len() <= 60).then_some(named)
}

/// `is empty in 4.1 % of the rows`, `4.1 % of the rows are empty`: the share of those that are so.
fn being(all: &[Token], at: usize) -> Option<String> {
    all[at].number().filter(|value| value.unit == Unit::Percent)?;
    all.get(at + 1).filter(|token| token.is("of"))?;
    let is = |token: &Token| ["is", "are", "was", "were"].iter().any(|word| token.is(word));
    let so = |at: usize| {
        let word = all.get(at)?.word()?;
        let is_so = all.get(at.checked_sub(1)?).is_some_and(is) && word.len() > 2;
        (is_so && !STOPS.contains(&word) && !PREPOSITIONS.contains(&word)).then(|| format!("{word} share"))
    };
    let is_in = at > 2 && ["in", "for", "on"].iter().any(|word| all[at - 1].is(word));
    let behind = || {
        let verb = at + 2 + all[at + 2..].iter().take(6).position(is)?;
        so(verb + 1).filter(|_| all.get(verb + 2).is_none_or(|token| token.word().is_none()))
    };
    is_in.then(|| so(at - 2)).flatten().or_else(behind)
}

/// Whom an exact number is told of, where nothing stands beside it: what its statement begins with.
fn beginning(sentence: &Sentence, all: &[Token], at: usize) -> Option<String> {
    let value = all[at].number().filter(|value| value.half < 0.5 && value.value.abs() >= 1.0)?;
    let is_seam = |token: &Token| {
        token.number().is_some() || token.is_mark(b';') || token.is_mark(b',') || token.is("and")
    };
    let first = all[..at].iter().rposition(is_seam).map_or(0, |seam| seam + 1);
    let count = all[first..at].iter().take(2).take_while(|token| token.word().is_some()).count();
    let is_name = value.literal.len() >= 5 && count > 0;
    is_name.then(|| sentence.part(all[first].start..all[first + count - 1].end).to_owned())
}

fn is_participle(name: &str) -> bool {
    !name.contains(' ')
        && (name.ends_with("ed") || ["read", "sent", "found", "kept", "written", "left"].contains(&name))
}

/// `total revenue` of `total revenue for the year`.
fn head(name: &str) -> &str {
    let place = |word: &str| name.find(&format!(" {word} "));
    PREPOSITIONS.iter().filter_map(|word| place(word)).min().map_or(name, |at| &name[..at])
}

fn is_plural(name: &str) -> bool {
    name.split(' ').any(words::is_plural) && !name.ends_with("/s")
}

/// The words before a number, and whether something binds them to it.
fn before(sentence: &Sentence, all: &[Token], at: usize) -> (String, bool) {
    let mut first = at;
    let mut is_bound = false;
    while first > 0 && at - first < 8 {
        let is_link = match &all[first - 1].what {
            What::Mark(b':' | b'=') => true,
            What::Mark(b'$' | b'(' | b'~' | b'*' | b'>' | b'<') => false,
            // `the best loss, 2.69, came later`
            What::Mark(b',') if first == at && ends(all, at) => true,
            // `the best score that we got is 73`
            What::Word(word)
                if WHO.contains(&word.as_str())
                    && first < at
                    && all[first].word().is_some_and(|next| GOT.contains(&next)) =>
            {
                false
            }
            // `refunds account for 12 %`, `drafts made up 40 %`
            What::Word(word) if is_share(all, first - 1, word) => true,
            // `remained: 5`: a label is what it says, and binds nothing.
            What::Word(_) if first == 1 && is_label(&all[1]) => break,
            What::Word(word) if [BINDS, GOT, MEASURED].iter().any(|list| list.contains(&word.as_str())) => {
                !["a", "an", "the", "over", "under", "about"].contains(&word.as_str())
            }
            What::Word(_) | What::Mark(_) | What::Number(_) => break,
        };
        is_bound |= is_link;
        first -= 1;
    }
    if is_bound && first > 2 && all[first - 1].is_mark(HIDDEN) && super::numbers::is_about(all, first - 1) {
        first -= 2;
    }
    let last = first;
    // `in batches of 100`, `one in 100`: a size, and no value of what stands before.
    let head = last.checked_sub(1).and_then(|at| all[at].word()).unwrap_or_default();
    let is_size = all.get(last).is_some_and(|token| token.is("of")) && is_plural(head) && !head.contains('_');
    if PREPOSITIONS.contains(&head) || is_size {
        return (String::new(), false);
    }
    let in_letters = |token: &Token| {
        token.number().is_some()
            && sentence.text.as_bytes().get(token.start).is_some_and(u8::is_ascii_alphabetic)
    };
    let is_part = |token: &Token| {
        in_letters(token) || token.word().is_some_and(|word| !STOPS.contains(&word) && !is_step(word))
    };
    while first > 0 && last - first < 8 {
        // `revenue for 2025`
        let is_year = |value: &Quantity| value.literal.len() == 4 && (1900.0..2100.0).contains(&value.value);
        let is_dated = first == last
            && first > 1
            && all[first - 1].number().is_some_and(is_year)
            && (all[first - 2].is("for") || all[first - 2].is("in"));
        if is_dated {
            first -= 2;
            continue;
        }
        // `over the three pairs`: what stands before is still part of it.
        let is_article = all[first - 1].is("the") || all[first - 1].is("a");
        let goes_on =
            is_article && first > 1 && all[first - 2].word().is_some_and(|word| PREPOSITIONS.contains(&word));
        // `standard error (se) of the slope`: what is called so stands before the brackets.
        let opened = all[..first].iter().rposition(|token| token.is_mark(b'('));
        if all[first - 1].is_mark(b')')
            && (first == last || all.get(first).is_some_and(|token| token.is("of")))
            && let Some(opened) = opened.filter(|opened| first - opened <= 5 && *opened > 0)
        {
            first = opened;
            continue;
        }
        if !(is_part(&all[first - 1]) || goes_on && first < last) {
            break;
        }
        first -= 1;
    }
    let mut who = first;
    while who > 0
        && all[who - 1].word().is_some_and(|word| ["had", "has", "have", "was", "is"].contains(&word))
    {
        who -= 1;
    }
    if who > 0 && all[who - 1].word().is_some_and(|word| WHO.contains(&word)) {
        return (String::new(), false);
    }
    // `of 50 rows: 1`
    let is_counted = |token: &Token| token.word().is_some_and(is_plural);
    if first > 0 && last == first + 1 && all[first - 1].number().is_some() && is_counted(&all[first]) {
        return (String::new(), false);
    }
    // `85 rows, 6,581 bytes`: the rows have a number of their own.
    let is_listed = all.get(last).is_some_and(|token| token.is_mark(b','));
    if is_listed && first > 0 && all[first - 1].number().is_some() {
        return (String::new(), false);
    }
    let name = if first < last { sentence.part(all[first].start..all[last - 1].end) } else { "" };
    (name.to_owned(), is_bound)
}

fn is_label(mark: &Token) -> bool {
    mark.is_mark(b':') || mark.is_mark(b'=')
}

/// Verbs by which something is told as a part of the whole.
fn is_share(all: &[Token], at: usize, word: &str) -> bool {
    let before = |list: &[&str]| at > 0 && all[at - 1].word().is_some_and(|word| list.contains(&word));
    let behind = |next: &str| all.get(at + 1).is_some_and(|token| token.is(next));
    match word {
        "for" => before(&["account", "accounts", "accounted"]),
        "account" | "accounts" | "accounted" => behind("for"),
        "make" | "makes" | "made" => behind("up"),
        _ => ["represent", "represents", "represented", "constitute", "constitutes", "comprise", "comprises"]
            .contains(&word),
    }
}

/// A unit that is no unit of time or size: `38 W`.
fn has_unit(sentence: &Sentence, token: &Token) -> bool {
    const UNITS: [&str; 16] = [
        "W", "kW", "kWh", "Wh", "Hz", "kHz", "MHz", "GHz", "dB", "GFLOPS", "TFLOPS", "FPS", "fps", "rpm",
        "GFLOP/s", "mAh",
    ];
    let word = sentence.text[token.end..].trim_start().split([' ', ',', '.', ')']).next().unwrap_or_default();
    UNITS.contains(&word)
}

/// Whether a mark or the end stands behind a number.
fn ends(all: &[Token], at: usize) -> bool {
    all.get(at + 1).is_none_or(|token| {
        token.is_mark(b',') || token.is_mark(b'.') || token.is_mark(b')') || token.is_mark(b'(')
    })
}

/// `40 had no ticket`, `rejected: 61 with a cracked neck`: what those have or lack of which so many are told.
fn having(sentence: &Sentence, all: &[Token], at: usize) -> Option<String> {
    let before = at.checked_sub(1).map(|before| &all[before]);
    let begins = before.is_none_or(|token| {
        token.is_mark(b',')
            || token.is_mark(b'(')
            || ["and", "while", "but", "whereas", "only"].iter().any(|word| token.is(word))
    });
    let is_done = at > 1 && all[at - 1].is_mark(b':') && all[at - 2].word().is_some_and(is_participle);
    let link = all.get(at + 1).filter(|_| begins || is_done)?;
    let is_link = ["had", "have", "has", "lacked", "lack"].iter().any(|word| link.is(word))
        || is_done && (link.is("with") || link.is("without"));
    let is_denied = ["lacked", "lack", "without"].iter().any(|word| link.is(word));
    // `129 had completed`
    if all.get(at + 2).and_then(Token::word).is_some_and(is_participle) {
        return None;
    }
    let articles = all
        .get(at + 2..)?
        .iter()
        .take(1)
        .filter(|token| ["a", "an", "the"].iter().any(|word| token.is(word)));
    let first = at + 2 + articles.count();
    let is_part = |token: &&Token| {
        token
            .word()
            .is_some_and(|word| word == "no" || !STOPS.contains(&word) && !PREPOSITIONS.contains(&word))
    };
    let count = all.get(first..)?.iter().take(3).take_while(is_part).count();
    let is_whole = all[at].number().is_some_and(|value| value.unit == Unit::Plain && value.whole().is_some());
    (is_link && is_whole && count > 0).then(|| {
        let words = sentence.part(all[first].start..all[first + count - 1].end);
        if is_denied { format!("no {words}") } else { words.to_owned() }
    })
}

/// The words behind it.
fn behind(sentence: &Sentence, all: &[Token], at: usize) -> String {
    // `250 of 5,230 lines`
    let is_share = all.get(at + 1).is_some_and(|token| token.is("of"))
        && all.get(at + 2).is_some_and(|token| token.number().is_some());
    let at = if is_share { at + 2 } else { at };
    if let Some(having) = having(sentence, all, at) {
        return having;
    }
    // `1,229 were kept`
    let is_passive = all.get(at + 1).is_some_and(|token| token.is("were") || token.is("was"));
    let done = all.get(at + 2).filter(|token| is_passive && token.word().is_some_and(is_participle));
    if let Some(done) = done {
        return sentence.part(done.start..done.end).to_owned();
    }
    let skipped = all[at + 1..]
        .iter()
        .take(2)
        .take_while(|token| token.is("for") || token.is("the") || token.is("in"))
        .count();
    let first = at + 1 + skipped;
    let is_part = |token: &&Token| {
        token
            .word()
            .is_some_and(|word| !STOPS.contains(&word) && (word == "per" || !PREPOSITIONS.contains(&word)))
    };
    let count = all[first.min(all.len())..].iter().take(4).take_while(is_part).count();
    let words = &all[first.min(all.len())..(first + count).min(all.len())];
    let plural = words.iter().position(|token| token.word().is_some_and(is_plural));
    let count = plural.map_or(count, |plural| {
        let is_done = words.get(plural + 1).and_then(Token::word).is_some_and(|word| word.ends_with("ed"));
        plural + 1 + usize::from(is_done)
    });
    if count == 0 {
        String::new()
    } else {
        sentence.part(all[first].start..all[first + count - 1].end).to_owned()
    }
}
