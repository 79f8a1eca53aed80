//! Figures: which of the numbers that runs told a claim is about, by the words of both.
//!
//! Every word that belongs to a figure alone (its key, its column, the noun behind it) has to be said in the claim's sentence; then
//! the figure whose row, line, heading and command share most words with it is the one that is meant. A claim is contradicted
//! only where every word of its name is found at a figure, and that figure is one.

use super::interval::{Fit, Observed, fit, shown};
use super::scope::{Scope, program};
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::figures::words::{is_measure, is_optional, keys, said};
use crate::figures::{Figure, ToldAs};
use crate::names::Name;
use crate::tokens::{Token, tokens};
use actum_model::{ClaimStatus, Quantity, Unit, When, Which};
use std::collections::HashMap;

/// A claimed number with its words.
pub(crate) struct Asked<'c> {
    /// Empty where the sentence does not say it beside the number: any figure may be meant that all its words are said of.
    pub(crate) name: &'c str,
    pub(crate) value: &'c Quantity,
    pub(crate) which: Which,
    /// It counts something.
    pub(crate) counts: bool,
}

/// The words of a claim, in one form.
struct Words {
    name: Vec<String>,
    /// What is said about it behind its name: `of treatment over control`.
    more: Vec<String>,
    /// Those around the number.
    near: Vec<String>,
    all: Vec<String>,
    text: String,
    /// The other numbers of the sentence: what is told on one line belongs together.
    numbers: Vec<f64>,
    /// It is the whole that something is a part of: `3 of the 45`.
    is_whole: bool,
}

/// Figures of one name and row in one run, in the order in which they were told.
struct Series<'e> {
    run: &'e RunFacts,
    figures: Vec<&'e Figure>,
    score: i64,
    /// Every word of the claim's name is found at it.
    is_whole: bool,
    /// Its row is named by the claim.
    has_row: bool,
    /// Its command is named by words beside the number.
    has_run: bool,
    /// A newer run of the same program told it too.
    is_old: bool,
    /// The other numbers of the claim's sentence.
    numbers: Vec<f64>,
}

/// What figures say about it; nothing where none can be meant.
pub(crate) fn figure<'e>(scope: &Scope<'e>, asked: &Asked<'_>) -> Option<Verdict<'e>> {
    let words = Words::of(scope, asked);
    let mut all = candidates(scope, asked, &words);
    if all.iter().any(|one| one.is_whole) {
        all.retain(|one| one.is_whole);
    }
    let considered: Vec<String> =
        std::iter::once(shown(asked.value)).chain(all.iter().take(12).map(Series::line)).collect();
    let verdict = weigh(&all, asked, scope)?;
    Some(verdict.considered(considered))
}

impl Words {
    fn of(scope: &Scope<'_>, asked: &Asked<'_>) -> Self {
        let text = if scope.text.is_empty() { asked.name } else { scope.text };
        let mut all = said(text);
        all.extend(said(asked.name));
        all.extend(said(scope.context));
        let (name, more) = core(asked.name);
        let sentence = tokens(&crate::sentence::Sentence::plain(text, 1, ""));
        let others =
            sentence.iter().filter_map(Token::number).filter(|one| one.literal != asked.value.literal);
        let numbers = others.map(|one| one.value).collect();
        let is_whole = is_whole(text, asked.value);
        Self { name, more, near: near(text, asked.value), all, text: text.to_lowercase(), numbers, is_whole }
    }
}

impl Words {
    /// Whether a figure is told by another number of the sentence, and its words stand there.
    fn is_of_another(&self, figure: &Figure) -> bool {
        self.numbers.contains(&figure.value.value) && !figure.name.iter().all(|word| self.near.contains(word))
    }
}

/// `19 of 45`, `19 of the 45`, `19 out of 45`: whether the number is the second of these.
fn is_whole(text: &str, value: &Quantity) -> bool {
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
fn core(name: &str) -> (Vec<String>, Vec<String>) {
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
fn near(text: &str, value: &Quantity) -> Vec<String> {
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
    let is_seam = |token: &Token| {
        token.is_mark(b',') || token.is_mark(b':') || token.is("and") || token.is("but") || token.is("while")
    };
    let start = all[first..at.saturating_sub(2).max(first)]
        .iter()
        .rposition(is_seam)
        .map_or(first, |seam| first + seam + 1);
    let end = all[at + 1..last].iter().position(is_seam).map_or(last, |seam| at + 1 + seam);
    let spelled = |from: usize, to: usize| {
        let words = all[from..to].iter().filter(|token| token.word().is_some());
        said(&words.map(|token| sentence.part(token.start..token.end)).collect::<Vec<_>>().join(" "))
    };
    let close = spelled(start, end);
    if close.is_empty() { spelled(first, last) } else { close }
}

fn candidates<'e>(scope: &Scope<'e>, asked: &Asked<'_>, words: &Words) -> Vec<Series<'e>> {
    let mut found: Vec<Series<'e>> = Vec::new();
    // By name and row: where it is in this run, and which run of the program told it last.
    let mut newest: HashMap<(Option<String>, &[String], &str), &str> = HashMap::new();
    for run in recent(scope) {
        let (of_run, of) = (keys(&run.command.replace(['/', '.'], " ")), work(&run.command));
        let figures = scope.sheets.figures(run);
        let speaks =
            |word: &&String| figures.iter().any(|one| one.name.contains(word) || one.around.contains(word));
        let known: Vec<&String> = words.name.iter().filter(speaks).collect();
        let mut places: HashMap<(&[String], &str), usize> = HashMap::new();
        for figure in figures {
            let Some(Meets { score, is_whole, has_row, has_run }) =
                Meets::of(figure, (&of_run, &known), words, asked)
            else {
                continue;
            };
            let (name, row) = (figure.name.as_slice(), figure.row.as_str());
            if let Some(series) = places.get(&(name, row)).and_then(|at| found.get_mut(*at)) {
                series.figures.push(figure);
                series.score = series.score.max(score);
                series.is_whole |= is_whole;
                continue;
            }
            let is_old = *newest.entry((of.clone(), name, row)).or_insert(&run.run) != run.run;
            places.insert((name, row), found.len());
            let numbers = words.numbers.clone();
            found.push(Series {
                run,
                figures: vec![figure],
                score,
                is_whole,
                has_row,
                has_run,
                is_old,
                numbers,
            });
        }
    }
    found
}

/// A program, and the files of data that it was given: another file is other work, and makes nothing old.
fn work(command: &str) -> Option<String> {
    const DATA: [&str; 12] =
        ["csv", "tsv", "json", "jsonl", "log", "txt", "parquet", "db", "sqlite", "xml", "gz", "ndjson"];
    let words = crate::command::words(command);
    let is_data = |word: &&String| {
        let ending = word.rsplit_once('.').map_or("", |(_, ending)| ending);
        DATA.contains(&ending) && !word.starts_with('-') && !word.contains('=')
    };
    let files: Vec<&str> = words.iter().filter(is_data).map(String::as_str).collect();
    program(command).map(|program| format!("{program} {}", files.join(" ")))
}

/// Runs that can decide: of one command the newest, and the one before it to tell whose value it was.
pub(super) fn recent<'e>(scope: &Scope<'e>) -> Vec<&'e RunFacts> {
    const OF_ONE: usize = 3;
    let mut recent: Vec<&RunFacts> = Vec::new();
    for run in scope.runs.iter().copied() {
        let of_it = recent.iter().filter(|one| one.command == run.command).count();
        if of_it < OF_ONE || scope.when == When::Before {
            recent.push(run);
        }
    }
    recent
}

/// Names of numbers that say nothing about what was measured.
const STATISTICS: [&str; 9] = ["mean", "median", "std", "min", "max", "p90", "p95", "p99", "value"];

/// How a figure meets the words of a claim.
struct Meets {
    score: i64,
    is_whole: bool,
    has_row: bool,
    has_run: bool,
}

impl Meets {
    fn of(
        figure: &Figure,
        (of_run, known): (&[String], &[&String]),
        words: &Words,
        asked: &Asked<'_>,
    ) -> Option<Self> {
        let is_counted = |word: &String| word == "count" && asked.counts;
        let own: Vec<&String> = figure.name.iter().filter(|word| !is_counted(word)).collect();
        let last = own.last().copied();
        let may_go =
            |word: &String| is_optional(word) || last == Some(word) && is_measure(word, asked.value.unit);
        let may_lack = own.iter().any(|word| !may_go(word));
        let is_said = own.iter().all(|word| words.all.contains(word) || may_lack && may_go(word));
        let is_whole_number = figure.value.value.fract() == 0.0 && figure.value.half >= 0.5;
        if figure.name.is_empty() || !is_comparable(asked.value, figure) || asked.counts && !is_whole_number {
            return None;
        }
        // So many of something are whole.
        if asked.counts && figure.value.value.fract() != 0.0 {
            return None;
        }
        if !is_said {
            return Self::by_row(figure, words, asked);
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
        if split_of(&words.name)
            .is_some_and(|wanted| split_of(&figure.name).is_some_and(|split| split != wanted))
        {
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
        let is_part = !own.is_empty() && own.iter().all(|word| words.name.contains(word));
        let is_there = |word: &&String| {
            at_it(word)
                || around(word)
                || is_optional(word)
                || is_part && asked.counts && known.contains(word)
        };
        let missing = words.name.iter().filter(|word| !is_there(word)).count();
        let has_row = !row.is_empty() && row.iter().all(|word| words.all.contains(word));
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
            + by_run;
        Some(Self { score: score + beside(figure, &words.numbers), is_whole, has_row, has_run: by_run > 0 })
    }
}

impl Meets {
    /// `North leads with 36,258.56`: the number is told by its row alone. It can support, and never contradicts.
    fn by_row(figure: &Figure, words: &Words, asked: &Asked<'_>) -> Option<Self> {
        let row = row_words(&figure.row, words);
        let is_named = !row.is_empty() && row.iter().all(|word| words.near.contains(word));
        let holds = fit(asked.value, &observed(figure)) >= Fit::Truncated && is_distinct(asked.value);
        let score = 4 * row.len() as i64 + beside(figure, &words.numbers);
        (is_named && holds).then_some(Self { score, is_whole: false, has_row: true, has_run: false })
    }
}

/// `logreg` is short for logistic regression, `rf` for a random forest: the words that stand for it.
fn expanded(short: &str, text: &str) -> Option<Vec<String>> {
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

/// Whether beginnings of all the words, one after the other, make it.
fn is_spelled(short: &str, words: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return short.is_empty() };
    let most = first.bytes().zip(short.bytes()).take_while(|(one, other)| one == other).count();
    (1..=most).any(|length| is_spelled(&short[length..], rest))
}

/// The words of a row: of a path what its file is called, of a number that is said nothing, else the number.
fn row_words(row: &str, words: &Words) -> Vec<String> {
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
    if !row.contains(' ')
        && !words.iter().any(|word| all.contains(word))
        && let Some(expanded) = expanded(row, text)
    {
        return expanded;
    }
    let is_said =
        |row: &str| text.split(|c: char| !(c.is_alphanumeric() || "-.".contains(c))).any(|word| word == row);
    if words.is_empty() && !row.is_empty() && !is_said(row) { vec![row.to_owned()] } else { words }
}

/// How many other numbers of the sentence stand on the figure's line.
pub(super) fn beside(figure: &Figure, numbers: &[f64]) -> i64 {
    if numbers.is_empty() {
        return 0;
    }
    let told = figure.text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-')));
    let told: Vec<f64> = told.filter_map(Quantity::read).map(|one| one.value).collect();
    numbers.iter().filter(|number| told.contains(number)).count().min(3) as i64
}

/// The part of the data that is named.
fn split_of(words: &[String]) -> Option<&String> {
    words.iter().find(|word| ["train", "val", "test"].contains(&word.as_str()))
}

/// Words that a unit says by itself.
fn implied(unit: Unit, name: &[String]) -> &'static [&'static str] {
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
fn is_comparable(told: &Quantity, figure: &Figure) -> bool {
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
        (_, _) => true,
    }
}

fn weigh<'e>(all: &[Series<'e>], asked: &Asked<'_>, scope: &Scope<'e>) -> Option<Verdict<'e>> {
    // A baseline may be a run or a row of its own.
    let is_named = all.iter().any(|one| {
        let own = keys(&one.run.command);
        one.figures.iter().any(|figure| figure.around.iter().chain(&own).any(|word| word == "baselin"))
    });
    let has_row = all.iter().any(|one| one.has_row);
    let is_open = !scope.bound || scope.runs.len() > 1;
    let is_before = scope.when == When::Before && is_open && !is_named && !has_row;
    // What has no value at the step that is named is not meant.
    let can_be = |one: &&Series<'e>| (is_before || !one.is_old) && one.pick(asked, scope).is_some();
    let current: Vec<&Series<'e>> = all.iter().filter(can_be).collect();
    let best = current.iter().map(|one| one.score).max()?;
    let top: Vec<&Series<'e>> = current.iter().copied().filter(|one| one.score == best).collect();
    let picked: Vec<(&Series<'e>, &'e Figure)> =
        top.iter().filter_map(|one| Some((*one, one.pick(asked, scope)?))).collect();
    let holds = |figure: &Figure| fit(asked.value, &observed(figure)) >= Fit::Truncated;
    let fits_sum = sum_of(&picked, asked, scope).filter(|(_, figure)| holds(figure));
    let fitting = fits_sum.or_else(|| picked.iter().copied().find(|(_, figure)| holds(figure)));
    if let Some((series, figure)) = fitting {
        let differ = fits_sum.is_none() && picked.iter().any(|(_, other)| !holds(other));
        let is_told = !differ || is_before;
        return match (series.is_whole || is_distinct(asked.value), is_told) {
            (true, true) => Some(series.verified(figure, asked)),
            (true, false) => Some(several(&picked)),
            (false, _) => None,
        };
    }
    let (series, figure) = *picked.first()?;
    let has_others = current.iter().any(|one| {
        one.score < best
            && one.is_whole
            && one.has_row == series.has_row
            && one.has_run == series.has_run
            && one.pick(asked, scope).is_some_and(holds)
    });
    let is_one = picked.iter().all(|(_, other)| is_same(&other.value, &figure.value));
    let perhaps = fit(asked.value, &observed(figure)) == Fit::Perhaps
        || figure.told_as == ToldAs::Best && asked.which == Which::Final;
    // `of 90 rows 12 were lost and 78 kept`: how many were kept is told beside it, and says nothing about the rest.
    let is_taken = Words::of(scope, asked).is_of_another(figure);
    if is_taken
        || !series.is_whole
        || is_before
        || perhaps
        || asked.name.is_empty()
        || !series.knows(asked, scope)
    {
        return None;
    }
    if has_others {
        return Some(
            Verdict::ambiguous(format!("the run told {}, and {} elsewhere", figure.text, asked.value)).on(
                series.run,
                &figure.piece,
                figure.value.literal.clone(),
            ),
        );
    }
    if !is_one {
        return Some(Verdict::unsupported(format!(
            "runs told several numbers that may be meant, and none is {}",
            asked.value
        )));
    }
    // The same line tells this number too, with the same noun.
    if asked.counts && is_told_of(&figure.text, asked) {
        let verdict = Verdict::verified(format!("the run told {}", shown_line(&figure.text)));
        return Some(verdict.on(series.run, &figure.piece, asked.value.literal.clone()));
    }
    let verdict = Verdict::contradicted(format!("the run told {}", shown_line(&figure.text)));
    let verdict = verdict.on(series.run, &figure.piece, figure.value.literal.clone());
    let elsewhere = all.iter().find_map(|one| one.figures.iter().find(|other| holds(other)));
    Some(match elsewhere {
        Some(other) => {
            verdict.note(format!("{} is told elsewhere: {}", asked.value, shown_line(&other.text)))
        }
        None => verdict,
    })
}

/// Whether a line has the number with the noun right behind it, or one word between.
fn is_told_of(line: &str, asked: &Asked<'_>) -> bool {
    let sentence = crate::sentence::Sentence::plain(line, 1, "");
    let all = tokens(&sentence);
    let wanted = keys(asked.name);
    all.iter().enumerate().any(|(at, token)| {
        let is_it = token.number().is_some_and(|one| one.value == asked.value.value);
        let behind = all[at + 1..].iter().take(2).filter_map(Token::word);
        is_it && behind.flat_map(keys).any(|word| wanted.contains(&word))
    })
}

/// The row of the sum, where no other row is spoken of: `coverage 92 %` of a table by file is that of all files.
fn sum_of<'s, 'e>(
    picked: &[(&'s Series<'e>, &'e Figure)],
    asked: &Asked<'_>,
    scope: &Scope<'e>,
) -> Option<(&'s Series<'e>, &'e Figure)> {
    let is_sum =
        |figure: &Figure| keys(&figure.row).iter().any(|word| ["total", "overall"].contains(&word.as_str()));
    let mut sums = picked.iter().copied().filter(|(_, figure)| is_sum(figure));
    let sum = sums.next()?;
    let text = said(scope.text);
    let is_other =
        |figure: &Figure| !is_sum(figure) && keys(&figure.row).iter().any(|word| text.contains(word));
    let is_meant = core(asked.name).1.is_empty() && !picked.iter().any(|(_, figure)| is_other(figure));
    (is_meant && sums.all(|(_, other)| is_same(&other.value, &sum.1.value))).then_some(sum)
}

fn several<'e>(picked: &[(&Series<'e>, &'e Figure)]) -> Verdict<'e> {
    let told: Vec<String> = picked.iter().take(4).map(|(_, figure)| shown_line(&figure.text)).collect();
    let verdict = Verdict::ambiguous(format!("several numbers may be meant: {}", told.join("; ")));
    match picked.first() {
        Some((series, figure)) => verdict.on(series.run, &figure.piece, told.join("; ")),
        None => verdict,
    }
}

/// Whether two values are one, perhaps told with another number of digits, or as a fraction and in percent.
pub(super) fn is_same(one: &Quantity, other: &Quantity) -> bool {
    let near = |a: f64, b: f64, half: f64| (a - b).abs() <= half * 1.000_001;
    let half = one.half.max(other.half);
    near(one.value, other.value, half)
        || near(one.value * 100.0, other.value, (one.half * 100.0).max(other.half))
        || near(one.value, other.value * 100.0, one.half.max(other.half * 100.0))
}

/// Three digits or more: a number that is not met by chance.
pub(super) fn is_distinct(value: &Quantity) -> bool {
    let digits: String = value.literal.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').len() >= 3
}

fn shown_line(text: &str) -> String {
    text.chars().take(120).collect()
}

pub(crate) fn observed(figure: &Figure) -> Observed {
    let name = Name::read(&figure.name.join(" "));
    let is_fraction = name.is_fraction() || figure.name.iter().any(|word| word == "acc" || word == "prec");
    let by_name = figure.name.last().and_then(|last| match last.as_str() {
        "ms" => Some(Unit::Time(1e-3)),
        "second" | "sec" => Some(Unit::Time(1.0)),
        "minut" => Some(Unit::Time(60.0)),
        "hour" => Some(Unit::Time(3600.0)),
        "byt" => Some(Unit::Size(1.0)),
        "pct" => Some(Unit::Percent),
        _ => None,
    });
    let unit = by_name.filter(|_| figure.value.unit == Unit::Plain).unwrap_or(figure.value.unit);
    Observed { value: figure.value.value, half: figure.value.half, unit, is_fraction }
}

impl<'e> Series<'e> {
    /// Whether the run speaks of everything that the claim says about its number.
    fn knows(&self, asked: &Asked<'_>, scope: &Scope<'e>) -> bool {
        let (_, more) = core(asked.name);
        let command = keys(&self.run.command);
        let figures = scope.sheets.figures(self.run);
        more.iter().all(|word| {
            command.contains(word)
                || figures.iter().any(|one| one.name.contains(word) || one.around.contains(word))
        })
    }

    /// The one that is meant: of one step, the best, the first, or how it ended.
    fn pick(&self, asked: &Asked<'_>, scope: &Scope<'e>) -> Option<&'e Figure> {
        let wants_whole =
            ["of", "of the"].iter().any(|of| scope.text.contains(&format!("{of} {}", asked.value.literal)));
        let is_other = |figure: &&Figure| {
            figure.told_as == ToldAs::Best
                || (figure.told_as == ToldAs::Whole) != wants_whole && self.has_whole()
        };
        let plain = || self.figures.iter().copied().filter(|figure| !is_other(figure));
        let marked =
            |as_what: ToldAs| self.figures.iter().copied().rev().find(|figure| figure.told_as == as_what);
        let says_best = ["best", "lowest", "highest", "peak"].iter().any(|word| scope.says(word));
        match asked.which {
            Which::Step(step) if says_best => {
                let best = self.extreme(asked.value)?;
                let at_step = self.figures.iter().copied().find(|figure| figure.step == Some(step));
                // What is told as the best has to be that, at that step too.
                if at_step.is_some_and(|figure| figure.value.value != best.value.value) {
                    Some(best)
                } else {
                    at_step.or(Some(best))
                }
            }
            Which::Step(step) => plain().rfind(|figure| figure.step == Some(step)),
            Which::Best => marked(ToldAs::Best).or_else(|| self.extreme(asked.value)),
            Which::First => marked(ToldAs::First).or_else(|| plain().next()),
            Which::Final => {
                let last = plain().filter_map(|figure| figure.step).max();
                self.beside_others(&is_other)
                    .or_else(|| marked(ToldAs::Final))
                    .or_else(|| plain().rfind(|figure| figure.step == last))
                    .or_else(|| self.figures.last().copied())
            }
        }
    }

    /// `hidden 4 with lr 0.02`: of several lines the one that has most of the sentence's other numbers.
    fn beside_others(&self, is_other: &dyn Fn(&&Figure) -> bool) -> Option<&'e Figure> {
        let on_line = |figure: &&Figure| beside(figure, &self.numbers);
        let own = || self.figures.iter().copied().filter(|figure| !is_other(figure) && figure.step.is_none());
        let most = own().map(|figure| on_line(&figure)).max().filter(|most| *most > 0)?;
        let is_choice = own().any(|figure| on_line(&figure) < most);
        own().rfind(|figure| on_line(figure) == most).filter(|_| is_choice)
    }

    fn has_whole(&self) -> bool {
        self.figures.iter().any(|figure| figure.told_as == ToldAs::Whole)
    }

    /// The largest or the smallest, as it is better; where nobody knows which, the one that is meant.
    fn extreme(&self, told: &Quantity) -> Option<&'e Figure> {
        let by = |one: &&Figure, other: &&Figure| one.value.value.total_cmp(&other.value.value);
        let (least, most) =
            (self.figures.iter().copied().min_by(by)?, self.figures.iter().copied().max_by(by)?);
        Some(match Name::read(&self.figures[0].name.join(" ")).lower_is_better() {
            Some(true) => least,
            Some(false) => most,
            None if fit(told, &observed(least)) > Fit::No => least,
            None => most,
        })
    }

    fn verified(&self, figure: &Figure, asked: &Asked<'_>) -> Verdict<'e> {
        let verdict = Verdict::verified(format!("the run told {}", shown_line(&figure.text)));
        let verdict = verdict.on(self.run, &figure.piece, figure.value.literal.clone());
        let verdict =
            verdict.notes((self.run.exit != 0).then(|| format!("the run ended with {}", self.run.exit)));
        match fit(asked.value, &observed(figure)) {
            Fit::Truncated => verdict.note("truncated"),
            Fit::No | Fit::Perhaps | Fit::Yes => verdict,
        }
    }

    fn line(&self) -> String {
        let values: Vec<&str> =
            self.figures.iter().rev().take(5).map(|figure| figure.value.literal.as_str()).collect();
        let row = if self.figures[0].row.is_empty() {
            String::new()
        } else {
            format!(" of {}", self.figures[0].row)
        };
        format!(
            "actum:{}: {}{row}, newest first: {}",
            self.run.run,
            self.figures[0].name.join(" "),
            values.join(", ")
        )
    }
}

/// Two values of one thing, each as some run told it.
pub(crate) struct Both<'e> {
    pub(crate) run: &'e RunFacts,
    pub(crate) piece: String,
    pub(crate) values: [(Observed, String); 2],
}

/// Values that a change goes from and to, wherever they were told; or why they cannot be these.
pub(crate) fn both<'e>(
    scope: &Scope<'e>,
    of: &str,
    from: &Quantity,
    to: &Quantity,
) -> Option<Result<Both<'e>, Verdict<'e>>> {
    let found = |value: &Quantity| -> (bool, Option<(&'e RunFacts, &'e Figure)>) {
        let asked = Asked { name: of, value, which: Which::Final, counts: false };
        let mut all = candidates(scope, &asked, &Words::of(scope, &asked));
        all.retain(|one| one.is_whole || of.is_empty() && one.has_row);
        all.sort_by_key(|one| std::cmp::Reverse(one.score));
        let mut told = all.iter().flat_map(|one| one.figures.iter().map(move |figure| (one.run, *figure)));
        let fitting = told.find(|(_, figure)| fit(value, &observed(figure)) >= Fit::Truncated);
        (!all.is_empty(), fitting)
    };
    let ((any, first), (_, last)) = (found(from), found(to));
    match (first, last) {
        (Some((_, first)), Some((run, last))) => Some(Ok(Both {
            run,
            piece: last.piece.clone(),
            values: [first, last].map(|figure| (observed(figure), figure.value.literal.clone())),
        })),
        (None, None) => None,
        (Some((run, figure)), None) | (None, Some((run, figure)))
            if any && (!of.is_empty() || is_distinct(&figure.value)) =>
        {
            let missing = if first.is_some() { to } else { from };
            if let Some(other) = elsewhere(scope, of, missing) {
                let both = [
                    if first.is_some() { figure } else { other },
                    if first.is_some() { other } else { figure },
                ];
                let values = both.map(|figure| (observed(figure), figure.value.literal.clone()));
                return Some(Ok(Both { run, piece: figure.piece.clone(), values }));
            }
            let why = format!("runs told {}, and nowhere {missing}", shown_line(&figure.text));
            Some(Err(Verdict::contradicted(why).on(run, &figure.piece, figure.value.literal.clone())))
        }
        (_, _) => None,
    }
}

/// `baseline_accuracy: 0.54` of another program, where the claim says `test accuracy`: it shares a word, and has the value.
fn elsewhere<'e>(scope: &Scope<'e>, of: &str, value: &Quantity) -> Option<&'e Figure> {
    let wanted = keys(of);
    let runs = scope.evidence.runs.iter();
    let mut told = runs.flat_map(|run| scope.sheets.figures(run));
    told.find(|figure| {
        let shares = figure.name.iter().any(|word| wanted.contains(word));
        shares && fit(value, &observed(figure)) >= Fit::Truncated
    })
}

/// `strike_seconds: 1800`: how long something lasted of which the sentence speaks, by a name that is a time's.
pub(crate) fn lasted<'e>(scope: &Scope<'e>, value: &Quantity) -> Option<Verdict<'e>> {
    let asked = Asked { name: "", value, which: Which::Final, counts: false };
    let mut all = candidates(scope, &asked, &Words::of(scope, &asked));
    let is_time = |one: &Series<'e>| {
        let name = &one.figures[0].name;
        let own = name.iter().filter(|word| !is_optional(word)).count();
        own > 1 && name.last().is_some_and(|word| is_measure(word, Unit::Time(1.0)))
    };
    all.retain(|one| !one.is_old && is_time(one) && (one.has_row || one.figures[0].row.is_empty()));
    // A sentence that tells several times of rows says which by its order, and not by its words.
    let sentence = crate::sentence::Sentence::plain(scope.text, 1, "");
    let is_time_told = |token: &Token| token.number().is_some_and(|one| matches!(one.unit, Unit::Time(_)));
    let times = tokens(&sentence).iter().filter(|token| is_time_told(token)).count();
    let named = all.iter().filter(|one| one.has_row).count();
    if named > 1 || named == 1 && times > 1 {
        return None;
    }
    let best = all.iter().map(|one| one.score).max()?;
    all.retain(|one| one.score == best);
    let [series] = &all[..] else { return None };
    let figure = series.pick(&asked, scope)?;
    if fit(value, &observed(figure)) >= Fit::Truncated {
        return Some(series.verified(figure, &asked));
    }
    let verdict = Verdict::contradicted(format!("the run told {}", shown_line(&figure.text)));
    Some(verdict.on(series.run, &figure.piece, figure.value.literal.clone()))
}

/// A number that a run printed and nothing else: `answer.py prints 38`.
pub(crate) fn alone<'e>(scope: &Scope<'e>, value: &Quantity) -> Option<Verdict<'e>> {
    let run = scope.runs.first().filter(|_| scope.bound)?;
    let mut bare = scope.sheets.figures(run).iter().filter(|figure| figure.name.is_empty());
    let figure = bare.next().filter(|_| bare.next().is_none())?;
    let why = format!("the run printed {}", figure.text);
    let holds = fit(value, &observed(figure)) >= Fit::Truncated;
    let verdict = if holds { Verdict::verified(why) } else { Verdict::contradicted(why) };
    Some(verdict.on(run, &figure.piece, figure.value.literal.clone()))
}

/// Whether a run told several things under this name, each in a row of its own: then the name alone says too little.
pub(crate) fn has_rows(scope: &Scope<'_>, asked: &Asked<'_>) -> bool {
    let all = candidates(scope, asked, &Words::of(scope, asked));
    let has = |one: &&Series<'_>| {
        one.is_whole
            && !one.figures[0].row.is_empty()
            && one.figures.iter().all(|figure| figure.step.is_none())
    };
    let rows: Vec<&Series<'_>> = all.iter().filter(has).collect();
    rows.iter().any(|one| {
        rows.iter().any(|other| {
            other.run.run == one.run.run
                && other.figures[0].name == one.figures[0].name
                && other.figures[0].row != one.figures[0].row
        })
    })
}

/// `lr 0.02` names an option that runs were given, and with which value.
pub(crate) fn given<'e>(scope: &Scope<'e>, name: &str, value: &Quantity) -> Option<Verdict<'e>> {
    let wanted = keys(name);
    let holds = |run: &RunFacts| {
        let options = crate::command::options(&run.command).into_iter();
        let mut of_it = options.filter(|(option, _)| keys(option) == wanted).peekable();
        of_it.peek()?;
        Some(of_it.any(|(_, one)| one == value.value))
    };
    let told: Vec<(&'e RunFacts, bool)> =
        scope.evidence.runs.iter().filter_map(|run| Some((run, holds(run)?))).collect();
    let is_option = !told.is_empty() && !wanted.is_empty();
    is_option.then(|| match told.iter().find(|(_, held)| *held) {
        Some((run, _)) => {
            Verdict::verified(format!("a run was given {name} {value}")).on(run, "cmd", run.command.clone())
        }
        None => Verdict::unsupported(format!("no recorded run was given {name} {value}")),
    })
}

/// What a family found, and what figures say: figures support where the family had nothing, and never overrule what it verified.
pub(crate) fn or<'e>(first: Verdict<'e>, scope: &Scope<'e>, asked: &Asked<'_>) -> Verdict<'e> {
    if first.status == ClaimStatus::Verified {
        return first;
    }
    let second = figure(scope, asked);
    let has_nothing = matches!(first.status, ClaimStatus::Unsupported | ClaimStatus::Ambiguous);
    // `96 % for one and 95 % for the other`: the second one's name stands at the first.
    if has_nothing && second.as_ref().is_none_or(|second| second.status == ClaimStatus::Unsupported) {
        let loose = Asked { name: "", ..*asked };
        if let Some(third) = figure(scope, &loose).filter(|third| third.status == ClaimStatus::Verified)
            && is_distinct(asked.value)
        {
            return third;
        }
    }
    let Some(second) = second else { return first };
    // Another program told just this: who is meant is not known.
    let program_of = |verdict: &Verdict<'e>| verdict.run.and_then(|run| program(&run.command));
    let is_other = second.status == ClaimStatus::Ambiguous && program_of(&first) != program_of(&second);
    if first.status == ClaimStatus::Contradicted && is_other {
        return second;
    }
    let is_told = matches!(second.status, ClaimStatus::Contradicted | ClaimStatus::Ambiguous);
    if second.status == ClaimStatus::Verified || is_told && has_nothing { second } else { first }
}
