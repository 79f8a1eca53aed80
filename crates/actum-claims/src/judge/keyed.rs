//! Tables of how often something occurs: `Word | Count`. Such a row is about its key, and the line that begins with the key tells it.

use super::figured::{Asked, recent};
use super::interval;
use super::scope::Scope;
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::figures::words::keys;
use crate::sentence::Sentence;
use crate::tokens::{Token, tokens};
use actum_model::{ClaimStatus, Unit};

/// What a column of numbers of occurrences is called.
const OCCURRENCES: &[&str] = &[
    "count",
    "counts",
    "occurrences",
    "occurences",
    "frequency",
    "freq",
    "times",
    "hits",
    "appearances",
    "mentions",
    "tally",
];

/// A line that tells how often a key occurs.
struct Told<'e> {
    run: &'e RunFacts,
    piece: String,
    /// The whole numbers behind the key.
    numbers: Vec<f64>,
    line: String,
}

/// What the lines of the row's key say; nothing where the sentence is no such row, or no line begins with its key.
pub(crate) fn occurrences<'e>(scope: &Scope<'e>, asked: &Asked<'_>) -> Option<Verdict<'e>> {
    let key = key(scope.text, asked)?;
    let told = recent(scope).into_iter().find_map(|run| {
        let told = lines(run, &key);
        (!told.is_empty()).then_some(told)
    });
    let Some(told) = told else {
        // A word without a meaning of its own meets no line but its own.
        let why = format!("no line tells how often {key} occurs");
        return keys(&key).is_empty().then(|| Verdict::unsupported(why));
    };
    let is_it = |number: &&f64| **number >= 0.0 && interval::counts(asked.value, **number as u64);
    if let Some((one, number)) = told.iter().find_map(|one| Some((one, one.numbers.iter().find(is_it)?))) {
        let verdict = Verdict::verified(format!("the run told {}", one.line.trim()));
        return Some(verdict.on(one.run, &one.piece, interval::short(*number)));
    }
    let first = told.first()?;
    let is_one = told.iter().all(|one| one.numbers.len() == 1 && one.numbers == first.numbers);
    let why = format!("the run told {}", first.line.trim());
    let verdict = if is_one { Verdict::contradicted(why) } else { Verdict::unsupported(why) };
    Some(verdict.on(
        first.run,
        &first.piece,
        first.numbers.first().copied().map_or_else(String::new, interval::short),
    ))
}

/// Nobody who speaks of one key is denied by a line that never names it.
pub(crate) fn of_key<'e>(verdict: Verdict<'e>, scope: &Scope<'e>, asked: &Asked<'_>) -> Verdict<'e> {
    let Some(key) = key(scope.text, asked).filter(|_| verdict.status == ClaimStatus::Contradicted) else {
        return verdict;
    };
    let line = keys(&verdict.why);
    if keys(&key).iter().any(|word| line.contains(word)) {
        return verdict;
    }
    Verdict::unsupported(format!("no line tells how often {key} occurs"))
}

/// `KEY count: 12`, as a row of a table is said.
fn key(text: &str, asked: &Asked<'_>) -> Option<String> {
    let row = text.strip_suffix(&asked.value.literal)?.strip_suffix(": ")?;
    let (key, column) = row.rsplit_once(' ')?;
    let is_key = key.len() <= 40 && key.split(' ').count() <= 3;
    (is_key && OCCURRENCES.contains(&column)).then(|| key.to_lowercase())
}

fn lines<'e>(run: &'e RunFacts, key: &str) -> Vec<Told<'e>> {
    let printed = run.printed.iter().filter(|line| line.text.len() <= 400);
    let printed = printed
        .map(|line| (format!("{}:L{}-L{}", line.stream, line.number, line.number), line.text.as_str()));
    let written = run.texts.iter().flat_map(|file| {
        file.text
            .lines()
            .filter(|line| line.len() <= 400)
            .map(move |line| (format!("file/{}", file.path), line))
    });
    let told = printed.chain(written).filter_map(|(piece, line)| {
        let numbers = behind(line, key).or_else(|| before(line, key))?;
        Some(Told { run, piece, numbers, line: line.to_owned() })
    });
    told.collect()
}

/// `1. the 259`, `the,259`, `"the": 259`, `- the (259)`: the whole numbers behind a key that the line begins with.
fn behind(line: &str, key: &str) -> Option<Vec<f64>> {
    let lower = line.to_lowercase();
    let is_mark = |c: char| c.is_whitespace() || "\"'`-*|[{(•#".contains(c);
    let mut rest = lower.trim_start_matches(is_mark);
    // Its place in a list.
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let place = digits.trim_start_matches(|c: char| is_mark(c) || ".):,".contains(c));
    if digits.len() < rest.len() && place.len() < digits.len() {
        rest = place;
    }
    let rest = rest.strip_prefix(key)?;
    let rest = rest.strip_prefix(['"', '\'', '`']).unwrap_or(rest);
    // A gap, a comma, a mark, an arrow: then the number.
    let gap = rest.trim_start_matches(|c: char| c.is_whitespace() || ":=,|(x×->→.;".contains(c));
    let is_told = gap.len() < rest.len() && gap.starts_with(|c: char| c.is_ascii_digit());
    is_told.then(|| whole(gap)).filter(|numbers| !numbers.is_empty())
}

/// `259 the`, as `uniq -c` tells it.
fn before(line: &str, key: &str) -> Option<Vec<f64>> {
    let (number, word) = line.trim().split_once(char::is_whitespace)?;
    (word.trim().to_lowercase() == key).then(|| Some(vec![number.parse().ok()?])).flatten()
}

fn whole(text: &str) -> Vec<f64> {
    let sentence = Sentence::plain(text, 1, "");
    let all = tokens(&sentence);
    let numbers = all.iter().filter_map(Token::number);
    let is_count = |number: &&actum_model::Quantity| {
        number.unit == Unit::Plain && number.whole().is_some() && number.half >= 0.5
    };
    numbers.filter(is_count).map(|number| number.value).collect()
}
