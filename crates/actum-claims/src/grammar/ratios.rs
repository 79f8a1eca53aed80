//! How two values relate: from one to the other, so much faster, so many percent better.

use super::found::Found;
use super::numbers::{Named, left_name, right_name};
use crate::sentence::Sentence;
use crate::stance::{self, pattern};
use crate::tokens::{Token, What, tokens};
use actum_model::{Meant, Quantity, Ratio, Said, Trend, Unit};
use regex::bytes::Regex;
use std::sync::LazyLock;

static UP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:increas\w+|rose|grew|higher|more|larger|gain(?:ed|s)?|up|climbed|boost(?:ed|s)?|raised|jumped)\b",
    )
});
static DOWN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:decreas\w+|reduc\w+|drop(?:ped|s)?|fell|lower(?:ed)?|cut|down|less|fewer|smaller|shrunk|shrank|sav(?:ed|ing))\b",
    )
});
static BETTER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:improv\w+|better|faster|speed-?ups?|sped)\b"));
static WORSE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:worse|slower|regress\w+|degrad\w+)\b"));
static TIMELY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:fast(?:er)?|slow(?:er)?|quick(?:er)?|long(?:er)?|speed-?ups?|sped|runtime|run[- ]time|execution time|wall time|duration|took|takes|training time|build time|time)\b",
    )
});

/// Words of a change, whatever it is that changed.
static TOLD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:halved|doubled|tripled|quadrupled|grew|grows|grown|rose|rises|fell|falls|dropped|drops|went|goes|improved|improves|reduced|reduces|increased|increases|decreased|climbed|jumped|shrank|lifts?|lifted|slid|down|up|cuts?|lowers?|lowered|going|took|takes|brought|brings|shrinks?|squeezed|compressed)\b",
    )
});

/// Words right behind a number by which it is a change.
const BEHIND: &[&str] = &[
    "faster",
    "slower",
    "improvement",
    "reduction",
    "increase",
    "decrease",
    "speedup",
    "speed-up",
    "better",
    "worse",
    "higher",
    "lower",
    "smaller",
    "larger",
    "less",
    "drop",
    "gain",
    "fewer",
    "relative",
    "absolute",
    "boost",
    "quicker",
    "that",
    "as",
    "the",
];
/// Words before `by` and a number.
const BY: &[&str] = &[
    "improved",
    "increased",
    "reduced",
    "decreased",
    "dropped",
    "cut",
    "fell",
    "rose",
    "grew",
    "boosted",
    "lowered",
    "raised",
    "improves",
    "reduces",
    "went",
    "increases",
    "sped",
    "up",
    "down",
    "improving",
    "reducing",
    "shrank",
    "climbed",
    "latency",
    "accuracy",
    "loss",
    "time",
    "runtime",
    "throughput",
    "memory",
    "usage",
];

pub(super) fn ratios(sentence: &mut Sentence, found: &mut Found) {
    let all = tokens(sentence);
    if between(sentence, found, &all) || settings(sentence, found, &all) {
        return;
    }
    for (at, token) in all.iter().enumerate() {
        let is_factor = at >= 2 && all[at - 1].is("of") && all[at - 2].is("factor");
        let change = token.number().map(|number| match is_factor {
            true => Quantity { unit: Unit::Times, ..number.clone() },
            false => number.clone(),
        });
        let Some(by) = change.as_ref().filter(|number| is_change(number)) else { continue };
        let is_often = by.unit == Unit::Times && often(sentence, &all, at).is_some();
        let behind =
            is_often || all.get(at + 1).and_then(Token::word).is_some_and(|word| BEHIND.contains(&word));
        // What makes up so much of something did not move.
        let makes = |token: &Token| ["make", "makes", "made", "making"].iter().any(|word| token.is(word));
        let is_share = at >= 2 && makes(&all[at - 2]);
        let moved = at > 0 && !is_share && (all[at - 1].is("up") || all[at - 1].is("down"));
        let before =
            at.checked_sub(1).is_some_and(|before| all[before].is("by") || is_by(&all, before)) || moved;
        let named = at >= 2
            && (all[at - 1].is("of") || all[at - 1].is_mark(b':'))
            && all[at - 2].word().is_some_and(|word| {
                ["speedup", "speed-up", "improvement", "reduction", "increase", "decrease", "gain"]
                    .contains(&word)
            });
        if !(behind || before || named || is_factor) {
            continue;
        }
        let range = stance::clause(&sentence.mask, token.start);
        let clause = sentence.mask[range].to_vec();
        let ends = against(&all, at).or_else(|| sizes(&all, at)).or_else(|| multiple(&all, at));
        let has_sizes = ends.as_ref().is_some_and(|(from, ..)| is_size(from));
        let of = of_clause(sentence, &all, at, &clause)
            .filter(|of| of != "time" || !has_sizes)
            .or_else(|| often(sentence, &all, at))
            .or_else(|| ends.is_some().then(String::new))
            .or_else(|| moved.then(|| beginning(sentence, &all)))
            // `that is a 45 % improvement`, of whatever it was that was spoken of.
            .or_else(|| {
                let is_told = BETTER.is_match(&clause) || DOWN.is_match(&clause) || UP.is_match(&clause);
                (named || behind && is_told).then(String::new)
            });
        let Some(of) = of else { continue };
        let told = trend(&clause);
        let is_more = told == Trend::Any && is_as_many(&all, at) && by.value >= 1.0;
        let trend = if is_more { Trend::Up } else { told };
        let (from, to) = ends.clone().map_or((None, None), |(from, to, _)| as_told(from, to, trend));
        let said = Said::Ratio(Ratio { of, from, to, by: Some(by.clone()), trend });
        if found.add(token.start, said) {
            sentence.hide(token.start..token.end);
            ends.into_iter().for_each(|(_, _, range)| sentence.hide(range));
        }
    }
}

/// `40x as many`
fn is_as_many(all: &[Token], at: usize) -> bool {
    let is = |at: usize, word: &str| all.get(at).is_some_and(|token| token.is(word));
    is(at + 1, "as") && (is(at + 2, "many") || is(at + 2, "much"))
}

/// `40x as many divisions as`, `40 times the divisions of`, `40x fewer divisions than`: what there is so much more of.
fn often(sentence: &Sentence, all: &[Token], at: usize) -> Option<String> {
    const LONGEST: usize = 3;
    let is =
        |at: usize, words: &[&str]| words.iter().any(|word| all.get(at).is_some_and(|token| token.is(word)));
    let (first, end) = match () {
        () if is_as_many(all, at) => (at + 3, "as"),
        () if is(at + 1, &["the"]) => (at + 2, "of"),
        () if is(at + 1, &["more", "fewer", "less"]) => (at + 2, "than"),
        () => return None,
    };
    let count = all
        .iter()
        .skip(first)
        .take(LONGEST + 1)
        .position(|token| token.is(end))
        .filter(|count| *count > 0)?;
    let words = &all[first..first + count];
    let are_words = words.iter().all(|token| token.word().is_some());
    are_words.then(|| sentence.part(words[0].start..words[count - 1].end).to_owned())
}

/// `lr 0.02 has a lower error than lr 0.005`: which of two settings has more of something, and nothing of how much.
fn settings(sentence: &mut Sentence, found: &mut Found, all: &[Token]) -> bool {
    const MORE: [&str; 10] =
        ["lower", "higher", "smaller", "larger", "better", "worse", "faster", "slower", "fewer", "greater"];
    let before = |at: &usize| at.checked_sub(1).and_then(|before| all[before].word());
    let is_set = |at: &usize| all[*at].number().is_some_and(|one| !is_change(one)) && is_set_with(all, *at);
    let set: Vec<usize> = (0..all.len()).filter(is_set).collect();
    let [first, second] = set[..] else { return false };
    let than = all.iter().position(|token| token.is("than"));
    let more = all.iter().position(|token| token.word().is_some_and(|word| MORE.contains(&word)));
    let (Some(than), Some(more)) = (than, more) else { return false };
    let is_told = more < than && than < second && before(&first) == before(&second);
    let is_sized = all.iter().any(|token| token.number().is_some_and(is_change));
    if !is_told || is_sized {
        return false;
    }
    let clause = sentence.mask[stance::clause(&sentence.mask, all[more].start)].to_vec();
    let Some(of) = of_clause(sentence, all, more, &clause) else { return false };
    let said = Said::Ratio(Ratio { of, from: None, to: None, by: None, trend: trend(&clause) });
    let is_added = found.add(all[more].start, said);
    if is_added {
        [first, second].iter().for_each(|at| sentence.hide(all[at - 1].start..all[*at].end));
    }
    is_added
}

/// `27x fewer (1,030 vs 37)`: whichever stands first, what there is less of now is the smaller one.
fn as_told(from: Quantity, to: Quantity, trend: Trend) -> (Option<Quantity>, Option<Quantity>) {
    let is_turned = match trend {
        Trend::Down => from.value < to.value,
        Trend::Up => from.value > to.value,
        Trend::Better | Trend::Worse | Trend::Any => false,
    };
    if is_turned { (Some(to), Some(from)) } else { (Some(from), Some(to)) }
}

/// The words that a sentence begins with: `Revenue 87,136, up 12 %`.
fn beginning(sentence: &Sentence, all: &[Token]) -> String {
    let words: Vec<&Token> = all.iter().take(4).take_while(|token| token.word().is_some()).collect();
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => sentence.part(first.start..last.end).to_owned(),
        (_, _) => String::new(),
    }
}

/// `11 % lower (23.7 vs 26.7)`: what it is against what it is compared with, and where both stand.
fn against(all: &[Token], at: usize) -> Option<(Quantity, Quantity, std::ops::Range<usize>)> {
    let is_between = |token: &Token| ["vs", "versus", "against", "than"].iter().any(|word| token.is(word));
    all.iter().find(|token| is_between(token))?;
    let is_value = |(place, token): &(usize, &Token)| {
        let is_step = *place > 0 && all[*place - 1].word().is_some_and(crate::figures::is_step);
        let is_step = is_step || is_set_with(all, *place);
        *place != at && !is_step && token.number().is_some_and(|number| !is_change(number))
    };
    let values: Vec<(usize, &Token)> = all.iter().enumerate().filter(is_value).collect();
    let [(one, first), (other, second)] = values[..] else { return None };
    // `50 rows against 51 before`: two numbers of different things.
    let counted = |at: usize| all.get(at + 1).and_then(Token::word);
    if counted(one).is_some() && counted(other).is_some() && counted(one) != counted(other) {
        return None;
    }
    let (now, mut then) = (first.number()?.clone(), second.number()?.clone());
    if then.unit == Unit::Plain {
        then.unit = now.unit;
    }
    Some((then, now, first.start..second.end))
}

/// `with batch size 8 than with batch size 1`, `at lanes 4 than at lanes 2`: a number of how something is set.
pub(crate) fn is_set_with(all: &[Token], at: usize) -> bool {
    let before = |at: usize| at.checked_sub(1).and_then(|before| all[before].word());
    let Some(word) = before(at) else { return false };
    let is_said_again = |(other, token): (usize, &Token)| {
        other != at && token.number().is_some() && before(other) == Some(word)
    };
    let is_thing =
        word.len() > 2 && !crate::figures::words::is_empty(word) && !crate::names::is_head(None, word);
    crate::names::is_setting(word) || is_thing && all.iter().enumerate().any(is_said_again)
}

/// `9 times smaller (38 kB in, 4 kB out)`: the only two sizes of a sentence.
fn sizes(all: &[Token], at: usize) -> Option<(Quantity, Quantity, std::ops::Range<usize>)> {
    let values: Vec<&Token> =
        all.iter().filter(|token| token.number().is_some_and(|number| !is_change(number))).collect();
    let [first, second] = values[..] else { return None };
    let (then, now) = (first.number()?, second.number()?);
    let is_told = is_size(then) && is_size(now) && second.end <= all[at].start;
    is_told.then(|| (then.clone(), now.clone(), first.start..second.end))
}

/// `480 lines, 4 times the 120 of the other`: the number before it is so many times the one behind it.
fn multiple(all: &[Token], at: usize) -> Option<(Quantity, Quantity, std::ops::Range<usize>)> {
    const NEAREST: usize = 6;
    let then = all.get(at + 2).filter(|_| all[at + 1].is("the"))?;
    let is_plain = |token: &&Token| token.number().is_some_and(|number| !is_change(number));
    let now = all[..at].iter().rev().take(NEAREST).find(is_plain)?;
    Some((then.number()?.clone(), now.number()?.clone(), now.start..then.end))
}

fn is_size(number: &Quantity) -> bool {
    matches!(number.unit, Unit::Size(_))
}

fn is_change(number: &Quantity) -> bool {
    matches!(number.unit, Unit::Percent | Unit::Points | Unit::Times)
}

/// `by about 3 %`
fn is_by(all: &[Token], before: usize) -> bool {
    before > 0
        && all[before].word().is_some_and(|word| {
            ["about", "roughly", "approximately", "around", "nearly", "over", "almost"].contains(&word)
        })
        && all[before - 1].is("by")
        && before > 1
        && all[before - 2].word().is_some_and(|word| BY.contains(&word) || !word.is_empty())
}

/// `latency dropped from 120 ms to 85 ms (29 % faster)`, `0.85 -> 0.91`.
fn between(sentence: &mut Sentence, found: &mut Found, all: &[Token]) -> bool {
    let mut any = false;
    let mut at = 0;
    while at < all.len() {
        let Some((from, to, start)) = pair(all, at) else {
            at += 1;
            continue;
        };
        let (mut first, last) = match (all[from].number(), all[to].number()) {
            (Some(first), Some(last)) => (first.clone(), last.clone()),
            (_, _) => return any,
        };
        if first.unit == Unit::Plain {
            first.unit = last.unit;
        }
        if is_setting_changed(all, (from, to, start)) {
            sentence.hide(all[from].start..all[to].end);
            at = to + 1;
            continue;
        }
        let clause = sentence.mask[stance::clause(&sentence.mask, all[from].start)].to_vec();
        let named = name(sentence, all, start).or_else(|| right_name(sentence, all, to));
        let is_time = matches!(last.unit, Unit::Time(_)) && TIMELY.is_match(&clause);
        let is_told = TOLD.is_match(&clause);
        let of = named
            .as_ref()
            .map(|named| named.name.clone())
            .or_else(|| is_time.then(|| "time".to_owned()))
            .or_else(|| of_clause(sentence, all, from, &clause).filter(|of| of != "time" || !is_size(&last)))
            .or_else(|| is_told.then(String::new));
        // A setting that was changed is no result.
        let is_setting = |of: &String| {
            crate::names::is_never(of) || crate::figures::words::keys(of).iter().any(|key| key == "lr")
        };
        if let Some(of) = of.filter(|of| !is_setting(of)) {
            let by = all[to + 1..]
                .iter()
                .take(8)
                .chain(all[..start].iter().rev().take(3))
                .find_map(|token| token.number().filter(|number| is_change(number)))
                .cloned()
                .or_else(|| factor(all));
            let by_place = by.as_ref().and_then(|by| {
                all.iter().find(|token| token.number() == Some(by)).map(|token| token.start..token.end)
            });
            let said =
                Said::Ratio(Ratio { of, from: Some(first), to: Some(last), by, trend: trend(&clause) });
            if found.add(all[from].start, said) {
                any = true;
                sentence.hide(all[from].start..all[to].end);
                by_place
                    .into_iter()
                    .chain(named.map(|named| named.range))
                    .for_each(|range| sentence.hide(range));
            }
        }
        at = to + 1;
    }
    any
}

/// `Raising lr from 0.005 to 0.02 cuts the loss by 15 %`: what somebody did, and not what came of it.
fn is_setting_changed(all: &[Token], (from, to, start): (usize, usize, usize)) -> bool {
    let before: Vec<&str> = all[..start].iter().rev().map_while(Token::word).collect();
    let is_going = before.last() == Some(&"going") && before.len() <= 3;
    let begins = is_going || before.iter().rev().take(3).any(|word| word.len() > 5 && word.ends_with("ing"));
    let is_result = |(at, token): (usize, &Token)| {
        let is_factor = at > 0 && all[at - 1].is("of");
        token.number().is_some_and(|number| is_change(number) || number.half < 0.5 || is_factor)
    };
    let goes_on = all.iter().enumerate().skip(to + 1).any(is_result);
    let is_plain = |at: usize| all[at].number().is_some_and(|number| !is_change(number));
    // `from nx=10 to nx=80`
    let is_set = |at: usize| at > 1 && all[at - 1].is_mark(b'=') && all[at - 2].word().is_some();
    is_plain(from) && is_plain(to) && (begins && goes_on || is_set(from) && is_set(to))
}

/// `more than doubled`
fn factor(all: &[Token]) -> Option<Quantity> {
    const WORDS: [(&str, &str); 6] = [
        ("doubled", "2x"),
        ("tripled", "3x"),
        ("quadrupled", "4x"),
        ("halved", "2x"),
        ("doubles", "2x"),
        ("halves", "2x"),
    ];
    let (at, times) = all
        .iter()
        .enumerate()
        .find_map(|(at, token)| Some((at, WORDS.iter().find(|(word, _)| token.is(word))?.1)))?;
    let before = at.checked_sub(1).and_then(|before| all[before].word()).unwrap_or_default();
    let meant = match before {
        "than" => Meant::Over,
        "nearly" | "almost" | "roughly" | "about" => Meant::About,
        _ => Meant::Exactly,
    };
    let read = Quantity::read(times.trim_end_matches('x'))?;
    Some(Quantity { unit: Unit::Times, meant, literal: times.to_owned(), ..read })
}

/// The two numbers of a change that begins here, and where its words begin.
pub(super) fn pair(all: &[Token], at: usize) -> Option<(usize, usize, usize)> {
    if all[at].is("from") {
        let is_value = |at: &usize| {
            let is_set = |word: &str| crate::figures::is_step(word) || crate::names::is_setting(word);
            all[*at].number().is_some() && !all[*at - 1].word().is_some_and(is_set)
        };
        let from = (at + 1..all.len().min(at + 6)).find(is_value)?;
        let word = (from + 1..all.len().min(from + 8)).find(|at| all[*at].is("to"));
        let first = word.map_or(from + 1, |word| word + 1);
        let to = (first..all.len().min(first + 8)).find(is_value)?;
        let is_to = all[from + 1..to]
            .iter()
            .any(|token| token.is("to") || token.is_mark(b'>') || token.is("down") || token.is("up"));
        return is_to.then_some((from, to, at));
    }
    all[at].number()?;
    let (dash, arrow) = (all.get(at + 1)?, all.get(at + 2)?);
    let is_arrow = dash.is_mark(b'-') && arrow.is_mark(b'>');
    (is_arrow && all.get(at + 3)?.number().is_some()).then_some((at, at + 3, at))
}

/// The name before a change: its verb stands between.
fn name(sentence: &Sentence, all: &[Token], start: usize) -> Option<Named> {
    left_name(sentence, all, start)
}

/// What changed: a name in the clause, else time where words of speed say so.
fn of_clause(sentence: &Sentence, all: &[Token], at: usize, clause: &[u8]) -> Option<String> {
    let range = stance::clause(&sentence.mask, all[at].start);
    for (place, token) in all.iter().enumerate() {
        let What::Word(word) = &token.what else { continue };
        let before = place.checked_sub(1).and_then(|before| all[before].word());
        if token.start >= range.start
            && token.end <= range.end
            && crate::names::is_head(before, word)
            && !crate::names::is_setting(word)
            && !word.starts_with("speed")
        {
            let mut first = place;
            while first > 0 && place - first < 4 && all[first - 1].word().is_some_and(crate::names::qualifies)
            {
                first -= 1;
            }
            return Some(sentence.part(all[first].start..token.end).to_owned());
        }
    }
    // `eight times the error at nx=40`: one error, and nothing that is counted.
    if let Some(at) = all.iter().position(|token| token.is("error") && range.contains(&token.start)) {
        let first = if at > 0 && all[at - 1].word().is_some_and(|word| word != "the") { at - 1 } else { at };
        return Some(sentence.part(all[first].start..all[at].end).to_owned());
    }
    let has = |word: &[u8]| clause.windows(word.len()).any(|part| part == word);
    match () {
        () if has(b"memory") => Some("memory".to_owned()),
        () if TIMELY.is_match(clause) => Some("time".to_owned()),
        () => None,
    }
}

fn trend(clause: &[u8]) -> Trend {
    match () {
        () if BETTER.is_match(clause) => Trend::Better,
        () if WORSE.is_match(clause) => Trend::Worse,
        () if DOWN.is_match(clause) => Trend::Down,
        () if UP.is_match(clause) => Trend::Up,
        () => Trend::Any,
    }
}
