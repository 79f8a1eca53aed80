//! How a figure meets the words of a claim: whether it can be meant, and how much it shares.

use super::Asked;
use super::weighing::{is_distinct, observed};
use super::words::Words;
use crate::figures::words::{is_measure, is_optional, keys};
use crate::figures::{Figure, ToldAs};
use crate::judge::interval::{Fit, fit};
use actum_model::{Quantity, Unit};

/// Names of numbers that say nothing about what was measured.
pub(super) const STATISTICS: [&str; 9] =
    ["mean", "median", "std", "min", "max", "p90", "p95", "p99", "value"];

/// How a figure meets the words of a claim.
pub(super) struct Meets {
    pub(super) score: i64,
    pub(super) is_whole: bool,
    pub(super) has_row: bool,
    pub(super) has_run: bool,
}

impl Meets {
    pub(super) fn of(
        figure: &Figure,
        (of_run, known): (&[String], &[&String]),
        words: &Words,
        asked: &Asked<'_>,
    ) -> Option<Self> {
        let is_counted = |word: &String| word == "count" && asked.counts;
        let own: Vec<&String> = figure.name.iter().filter(|word| !is_counted(word)).collect();
        // So many of something are whole.
        let is_whole_number = figure.value.value.fract() == 0.0 && figure.value.half >= 0.5;
        if figure.name.is_empty() || !is_comparable(asked.value, figure) || asked.counts && !is_whole_number {
            return None;
        }
        if !are_said(&own, words, asked) {
            return Self::by_row(figure, words, asked);
        }
        if is_done_otherwise(figure, words) || is_of_other_split(figure, words) {
            return None;
        }
        let implied = implied(figure.value.unit, &figure.name);
        // `test_rmse mean=0.356`: what it is the mean of stands before it.
        let is_statistic = own.iter().all(|word| STATISTICS.contains(&word.as_str()));
        let at_it = |word: &String| {
            figure.name.contains(word)
                || implied.contains(&word.as_str())
                || is_statistic && figure.around.contains(word)
        };
        let around = |word: &String| figure.around.contains(word) || of_run.contains(word);
        let row = row_words(&figure.row, words);
        let is_nameless = own.is_empty();
        let is_loose = asked.name.is_empty();
        if is_loose && asked.counts && words.belongs_to_another(&own) {
            return None;
        }
        // A row of its own is a part, and not the whole.
        if words.is_whole
            && figure.told_as != ToldAs::Whole
            && row.iter().any(|word| !words.name.contains(word))
        {
            return None;
        }
        let met = if is_loose { own.len() } else { words.name.iter().filter(|word| at_it(word)).count() };
        if met == 0 && !(is_nameless && row.iter().any(|word| words.all.contains(word))) {
            return None;
        }
        // `45 cancelled orders` of a run that speaks of orders, and tells how many were cancelled.
        // Where a table has the same name for a row and a column, the cell is neither's number.
        let is_crossed = row.iter().any(|word| own.contains(&word));
        let is_part = !own.is_empty() && !is_crossed && own.iter().all(|word| words.name.contains(word));
        let is_there = |word: &&String| {
            at_it(word)
                || around(word)
                || is_optional(word)
                || is_part && asked.counts && known.contains(word)
        };
        let missing = words.name.iter().filter(|word| !is_there(word)).count();
        let has_row = !row.is_empty() && row.iter().all(|word| words.all.contains(word))
            || words.names_number(&figure.row);
        // Half of the words at least, else something else is told that shares a word.
        let is_whole = missing == 0 || is_nameless;
        if !is_whole && missing * 2 > words.name.len() {
            return None;
        }
        // Nothing is held against somebody who speaks of what this run never did.
        let more = words.more.iter().filter(|word| !at_it(word) && !around(word)).count() as i64;
        let by_run = words.near.iter().filter(|word| of_run.contains(word)).count() as i64;
        // A word of a longer name may well be another's.
        let is_meant = row.iter().filter(|word| words.all.contains(word)).count() * 2 >= row.len();
        let is_shared = |word: &&String| !at_it(word) && around(word) && (is_meant || !row.contains(word));
        let shared = |list: &[String]| list.iter().filter(is_shared).count() as i64;
        let near_row = row.iter().filter(|word| is_meant && words.near.contains(word)).count() as i64;
        let own_near = own.iter().filter(|word| words.near.contains(word)).count() as i64;
        let score = 4 * met as i64
            + 2 * own_near
            + 2 * shared(&words.near)
            + shared(&words.all).min(2)
            + 4 * near_row
            + if has_row { 3 } else { 0 }
            - if !row.is_empty() && !has_row { 3 } else { 0 }
            - 4 * missing as i64
            - more
            - 3 * words.taken(figure)
            + 3 * i64::from(words.is_next(&figure.row))
            + by_run;
        let score = score + beside(figure, &words.numbers);
        // Of two that share as much the one is meant which says less beyond it.
        let beyond =
            own.iter().filter(|word| !words.near.contains(word) && !words.name.contains(word)).count();
        Some(Self { score: 4 * score - (beyond as i64).min(3), is_whole, has_row, has_run: by_run > 0 })
    }
}

/// Whether the sentence says every word that belongs to a figure, but for those that may be left out where others are said.
fn are_said(own: &[&String], words: &Words, asked: &Asked<'_>) -> bool {
    let last = own.last().copied();
    let may_go =
        |word: &String| is_optional(word) || last == Some(word) && is_measure(word, asked.value.unit);
    let may_lack = own.iter().any(|word| !may_go(word));
    let is_spoken = |word: &String| words.all.contains(word) || is_short_for(word, &words.text);
    own.iter().all(|word| is_spoken(word) || may_lack && may_go(word))
}

fn is_of_other_split(figure: &Figure, words: &Words) -> bool {
    let splits = split_of(&words.name).zip(split_of(&figure.name));
    splits.is_some_and(|(wanted, told)| wanted != told)
}

/// `wrote 342` is not told by `read 348 records`: what went in, what came out and what fell by the way are three things.
fn is_done_otherwise(figure: &Figure, words: &Words) -> bool {
    const WAYS: [&[&str]; 3] = [&["read"], &["write", "send", "keep"], &["drop", "skip", "reject"]];
    let ways = |list: &[String]| -> Vec<usize> {
        let has = |way: &usize| list.iter().any(|word| WAYS[*way].contains(&word.as_str()));
        (0..WAYS.len()).filter(has).collect()
    };
    let mut of_figure = ways(&figure.name);
    of_figure.extend(ways(&figure.around));
    let said = ways(&words.near);
    !said.is_empty() && !of_figure.is_empty() && !said.iter().any(|way| of_figure.contains(way))
}

impl Meets {
    /// `North leads with 36,258.56`: the number is told by its row alone. It can support, and never contradicts.
    pub(super) fn by_row(figure: &Figure, words: &Words, asked: &Asked<'_>) -> Option<Self> {
        let row = row_words(&figure.row, words);
        let is_named = !row.is_empty() && row.iter().all(|word| words.near.contains(word));
        let holds = fit(asked.value, &observed(figure)) >= Fit::Truncated && is_distinct(asked.value);
        let score = 4 * (4 * row.len() as i64 + beside(figure, &words.numbers));
        (is_named && holds).then_some(Self { score, is_whole: false, has_row: true, has_run: false })
    }
}

/// `logreg` is short for logistic regression, `rf` for a random forest: the words that stand for it.
pub(super) fn expanded(short: &str, text: &str) -> Option<Vec<String>> {
    const LONGEST: usize = 12;
    let short = short.to_lowercase();
    if !(2..=LONGEST).contains(&short.len()) || !short.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let spelled = |window: &&[&str]| is_spelled(&short, window);
    let found = [2, 3].iter().find_map(|count| words.windows(*count).find(spelled))?;
    Some(keys(&found.join(" ")))
}

/// `loo_error` is the leave-one-out error: the first letters of words that follow each other.
fn is_short_for(short: &str, text: &str) -> bool {
    if !(3..=4).contains(&short.len()) || !short.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1).collect();
    words
        .windows(short.len())
        .any(|window| window.iter().zip(short.bytes()).all(|(word, letter)| word.as_bytes()[0] == letter))
}

/// Whether beginnings of all the words, one after the other, make it.
pub(super) fn is_spelled(short: &str, words: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return short.is_empty() };
    let most = first.bytes().zip(short.bytes()).take_while(|(one, other)| one == other).count();
    (1..=most).any(|length| is_spelled(&short[length..], rest))
}

/// The words of a row: of a path what its file is called, of a number that is said nothing, else the number.
pub(super) fn row_words(row: &str, words: &Words) -> Vec<String> {
    let text = &words.text;
    let all = &words.all;
    let file = row.rsplit('/').next().unwrap_or(row);
    if let Some((stem, ending)) = file.rsplit_once('.')
        && (2..=5).contains(&ending.len())
        && ending.chars().all(char::is_alphabetic)
        && !row.contains(' ')
    {
        return keys(stem);
    }
    let words = keys(row);
    if !row.contains(char::is_alphanumeric) && !row.is_empty() {
        return vec![row.to_owned()];
    }
    if !row.contains(' ')
        && !words.iter().any(|word| all.contains(word))
        && let Some(expanded) = expanded(row, text)
    {
        return expanded;
    }
    // `1,200` is no 200.
    let is_said = |row: &str| {
        let mut said = text.split(|c: char| !(c.is_alphanumeric() || "-.,".contains(c)));
        said.any(|word| word.trim_end_matches(['.', ',']) == row)
    };
    if words.is_empty() && !row.is_empty() && !is_said(row) { vec![row.to_owned()] } else { words }
}

/// How many other numbers of the sentence stand on the figure's line.
pub(in crate::judge) fn beside(figure: &Figure, numbers: &[f64]) -> i64 {
    if numbers.is_empty() {
        return 0;
    }
    let told = figure.beside();
    // What another number of the sentence tells is no company of it.
    let is_there = |number: &&f64| told.contains(number) && **number != figure.value.value;
    numbers.iter().filter(is_there).count().min(3) as i64
}

/// The part of the data that is named.
pub(super) fn split_of(words: &[String]) -> Option<&String> {
    words.iter().find(|word| ["train", "val", "test"].contains(&word.as_str()))
}

/// Words that a unit says by itself.
pub(super) fn implied(unit: Unit, name: &[String]) -> &'static [&'static str] {
    match unit {
        Unit::Time(_) => &["latency", "duration", "request", "respons"],
        Unit::Size(_) => &["mem", "size", "usag", "weigh"],
        Unit::Percent => &["rat", "percentag", "percent", "shar"],
        Unit::Plain | Unit::Points | Unit::Times => {
            if name.iter().any(|word| word == "throughput") {
                &["request", "serv", "handl", "second"]
            } else {
                &[]
            }
        }
    }
}

/// Whether both are numbers of the same sort at all.
pub(super) fn is_comparable(told: &Quantity, figure: &Figure) -> bool {
    match (told.unit, figure.value.unit) {
        (Unit::Time(_), Unit::Size(_) | Unit::Percent) | (Unit::Size(_), Unit::Time(_) | Unit::Percent) => {
            false
        }
        (Unit::Percent, Unit::Time(_) | Unit::Size(_)) | (Unit::Times, Unit::Time(_) | Unit::Size(_)) => {
            false
        }
        // A length of time is told with its unit, on one side at least.
        (Unit::Time(_) | Unit::Size(_), Unit::Plain) => figure.name.iter().any(|word| {
            [
                "ms", "sec", "second", "us", "ns", "min", "minut", "hour", "byt", "mb", "gb", "kb", "mib",
                "s", "latency", "duration", "elaps",
            ]
            .contains(&word.as_str())
        }),
        (Unit::Plain, Unit::Percent) if told.half >= 0.5 => fit(told, &observed(figure)) >= Fit::Truncated,
        // A number of things is no share of them, though a share may be told without its sign.
        (Unit::Percent, Unit::Plain) => {
            let seen = observed(figure);
            let may_be = seen.is_fraction
                || seen.unit == Unit::Percent
                || figure.value.half < 0.5 && seen.value <= 100.0;
            may_be || fit(told, &seen) >= Fit::Truncated
        }
        // So many times as much is no number of things.
        (Unit::Times, Unit::Plain) => {
            let is_factor =
                |word: &String| ["speedup", "ratio", "factor", "fold", "x"].contains(&word.as_str());
            figure.name.iter().any(is_factor) || fit(told, &observed(figure)) >= Fit::Truncated
        }
        (_, _) => true,
    }
}
