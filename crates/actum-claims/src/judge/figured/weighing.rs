//! What follows from the figures that can be meant.

use super::Asked;
use super::series::{Series, recent};
use super::words::{Words, core, near};
use crate::evidence::RunFacts;
use crate::figures::words::{is_optional, keys, said};
use crate::figures::{Figure, ToldAs};
use crate::judge::interval::{Fit, Observed, fit};
use crate::judge::scope::{Scope, program};
use crate::judge::verdict::Verdict;
use crate::names::Name;
use crate::tokens::{Token, tokens};
use actum_model::{Quantity, Unit, When, Which};

/// A figure that may be meant, with its series.
type Picked<'s, 'e> = (&'s Series<'e>, &'e Figure);

pub(super) fn weigh<'e>(all: &[Series<'e>], asked: &Asked<'_>, scope: &Scope<'e>) -> Option<Verdict<'e>> {
    let is_before = is_before(all, scope);
    let current = current(all, asked, scope, is_before);
    let best = current.iter().map(|one| one.score).max()?;
    let top = current.iter().copied().filter(|one| one.score == best);
    let picked: Vec<Picked<'_, 'e>> = top.filter_map(|one| Some((one, one.pick(asked, scope)?))).collect();
    let fits_sum = sum_of(&picked, asked, scope).filter(|(_, figure)| holds(asked, figure));
    let fitting = fits_sum.or_else(|| picked.iter().copied().find(|(_, figure)| holds(asked, figure)));
    if let Some((series, figure)) = fitting {
        // Another number of the sentence is told by itself.
        let numbers = Words::of(scope, asked).numbers;
        let is_other = |other: &Figure| !holds(asked, other) && !numbers.contains(&other.value.value);
        let differ = fits_sum.is_none() && picked.iter().any(|(_, other)| is_other(other));
        let is_told = !differ || is_before;
        return match (series.is_whole || is_distinct(asked.value), is_told) {
            (true, true) => Some(series.verified(figure, asked)),
            (true, false) => Some(several(&picked)),
            (false, _) => None,
        };
    }
    let sum = sum_of(&picked, asked, scope);
    let (series, figure) = sum.or(picked.first().copied())?;
    if is_before || !can_contradict((series, figure), asked, scope) {
        return None;
    }
    let on = |verdict: Verdict<'e>| verdict.on(series.run, &figure.piece, figure.value.literal.clone());
    let has_others = current.iter().any(|one| {
        let is_alike = one.has_row == series.has_row && one.has_run == series.has_run;
        let has_it = || one.pick(asked, scope).is_some_and(|figure| holds(asked, figure));
        one.score < best && one.is_whole && is_alike && has_it()
    });
    if has_others {
        let why = format!("the run told {}, and {} elsewhere", figure.text, asked.value);
        return Some(on(Verdict::ambiguous(why)));
    }
    if sum.is_none() && !picked.iter().all(|(_, other)| is_same(&other.value, &figure.value)) {
        let why = format!("runs told several numbers that may be meant, and none is {}", asked.value);
        return Some(Verdict::unsupported(why));
    }
    if is_of_others(figure, asked, scope) {
        return None;
    }
    if let Some(verdict) = told_too((series, figure), asked, scope) {
        return Some(verdict);
    }
    let verdict = on(Verdict::contradicted(format!("the run told {}", shown_line(&figure.text))));
    let elsewhere = all.iter().find_map(|one| one.figures.iter().find(|other| holds(asked, other)));
    let note =
        elsewhere.map(|other| format!("{} is told elsewhere: {}", asked.value, shown_line(&other.text)));
    Some(verdict.notes(note))
}

fn holds(asked: &Asked<'_>, figure: &Figure) -> bool {
    fit(asked.value, &observed(figure)) >= Fit::Truncated
}

/// Whether an earlier run is spoken of, and not a baseline that is a run or a row of its own.
fn is_before(all: &[Series<'_>], scope: &Scope<'_>) -> bool {
    let is_named = all.iter().any(|one| {
        let own = keys(&one.run.command);
        one.figures.iter().any(|figure| figure.around.iter().chain(&own).any(|word| word == "baselin"))
    });
    let has_row = all.iter().any(|one| one.has_row);
    let is_open = !scope.bound || scope.runs.len() > 1;
    scope.when == When::Before && is_open && !is_named && !has_row
}

/// Those that can decide. What has no value at the step that is named is not meant. Where the number says alone which is
/// meant, those that do not have it are not, nor rows that nobody speaks of.
fn current<'s, 'e>(
    all: &'s [Series<'e>],
    asked: &Asked<'_>,
    scope: &Scope<'e>,
    is_before: bool,
) -> Vec<&'s Series<'e>> {
    let can_be = |one: &&Series<'e>| (is_before || !one.is_old) && one.pick(asked, scope).is_some();
    let current: Vec<&Series<'e>> = all.iter().filter(can_be).collect();
    let is_it = |one: &&&Series<'e>| {
        let has_it = one.pick(asked, scope).is_some_and(|figure| holds(asked, figure));
        has_it && (one.has_row || one.figures[0].row.is_empty())
    };
    let alone: Vec<&Series<'e>> = current.iter().filter(is_it).copied().collect();
    let is_loose = asked.name.is_empty() && is_distinct(asked.value) && !alone.is_empty();
    if is_loose { alone } else { current }
}

/// Whether a figure that is another number can be held against the claim at all.
fn can_contradict<'e>((series, figure): Picked<'_, 'e>, asked: &Asked<'_>, scope: &Scope<'e>) -> bool {
    let perhaps = fit(asked.value, &observed(figure)) == Fit::Perhaps
        || figure.told_as == ToldAs::Best && asked.which == Which::Final;
    // `of 90 rows 12 were lost and 78 kept`: how many were kept is told beside it, and says nothing about the rest.
    let is_taken = Words::of(scope, asked).is_of_another(figure);
    let is_key = figure.told_as == ToldAs::Key;
    series.is_whole
        && !is_taken
        && !perhaps
        && !is_key
        && !asked.name.is_empty()
        && series.knows(asked, scope)
}

/// What is told of something that nobody speaks of, or is another number of the sentence, contradicts nothing.
fn is_of_others(figure: &Figure, asked: &Asked<'_>, scope: &Scope<'_>) -> bool {
    let words = Words::of(scope, asked);
    let row = super::meets::row_words(&figure.row, &words);
    let is_unsaid = |word: &String| !words.all.contains(word) && !is_optional(word);
    let is_unsaid_row = asked.counts && row.len() <= 3 && row.iter().any(is_unsaid);
    is_unsaid_row || words.numbers.contains(&figure.value.value)
}

/// What takes a contradiction back: the number is told too.
fn told_too<'e>(
    (series, figure): Picked<'_, 'e>,
    asked: &Asked<'_>,
    scope: &Scope<'e>,
) -> Option<Verdict<'e>> {
    // The same line tells this number too, with the same noun.
    if asked.counts && is_told_of(&figure.text, asked, scope.text) {
        let verdict = Verdict::verified(format!("the run told {}", shown_line(&figure.text)));
        return Some(verdict.on(series.run, &figure.piece, asked.value.literal.clone()));
    }
    // Another program told just so many of these: who is meant is not known.
    let tells = |run: &&RunFacts| {
        program(&run.command) != program(&series.run.command)
            && run.printed.iter().any(|line| is_told_of(&line.text, asked, scope.text))
    };
    let runs = recent(scope);
    let other = runs.iter().find(|run| asked.counts && tells(run))?;
    let told = shown_line(&figure.text);
    let why = format!("the run told {told}, and `{}` told {}", other.command, asked.value);
    Some(Verdict::ambiguous(why).on(series.run, &figure.piece, figure.value.literal.clone()))
}

/// Whether a line has the number with the noun right behind it, or one word between.
pub(super) fn is_told_of(line: &str, asked: &Asked<'_>, text: &str) -> bool {
    let sentence = crate::sentence::Sentence::plain(line, 1, "");
    let all = tokens(&sentence);
    let mut wanted = keys(asked.name);
    wanted.extend(near(text, asked.value));
    all.iter().enumerate().any(|(at, token)| {
        let is_it = token.number().is_some_and(|one| one.value == asked.value.value);
        let behind: Vec<&str> = all[at + 1..].iter().take(2).map_while(Token::word).collect();
        // `258, malformed: 107`: the next number's key.
        let next = all.get(at + 1 + behind.len());
        let is_key = next.is_some_and(|token| token.is_mark(b':') || token.is_mark(b'='));
        is_it && !is_key && behind.into_iter().flat_map(keys).any(|word| wanted.contains(&word))
    })
}

/// The row of the sum, where no other row is spoken of: `coverage 92 %` of a table by file is that of all files.
pub(super) fn sum_of<'s, 'e>(
    picked: &[(&'s Series<'e>, &'e Figure)],
    asked: &Asked<'_>,
    scope: &Scope<'e>,
) -> Option<(&'s Series<'e>, &'e Figure)> {
    let is_sum = |figure: &Figure| {
        let row = figure.row.to_lowercase();
        row == "all files" || keys(&row).iter().any(|word| ["total", "overall"].contains(&word.as_str()))
    };
    let mut sums = picked.iter().copied().filter(|(_, figure)| is_sum(figure));
    let sum = sums.next()?;
    let text = said(scope.text);
    let is_other =
        |figure: &Figure| !is_sum(figure) && keys(&figure.row).iter().any(|word| text.contains(word));
    let is_meant = core(asked.name).1.is_empty() && !picked.iter().any(|(_, figure)| is_other(figure));
    (is_meant && sums.all(|(_, other)| is_same(&other.value, &sum.1.value))).then_some(sum)
}

pub(super) fn several<'e>(picked: &[(&Series<'e>, &'e Figure)]) -> Verdict<'e> {
    let told: Vec<String> = picked.iter().take(4).map(|(_, figure)| shown_line(&figure.text)).collect();
    let verdict = Verdict::ambiguous(format!("several numbers may be meant: {}", told.join("; ")));
    match picked.first() {
        Some((series, figure)) => verdict.on(series.run, &figure.piece, told.join("; ")),
        None => verdict,
    }
}

/// Whether two values are one, perhaps told with another number of digits, or as a fraction and in percent.
pub(in crate::judge) fn is_same(one: &Quantity, other: &Quantity) -> bool {
    let near = |a: f64, b: f64, half: f64| (a - b).abs() <= half * 1.000_001;
    let half = one.half.max(other.half);
    near(one.value, other.value, half)
        || near(one.value * 100.0, other.value, (one.half * 100.0).max(other.half))
        || near(one.value, other.value * 100.0, one.half.max(other.half * 100.0))
}

/// Three digits or more: a number that is not met by chance.
pub(in crate::judge) fn is_distinct(value: &Quantity) -> bool {
    let digits: String = value.literal.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').len() >= 3
}

pub(super) fn shown_line(text: &str) -> String {
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
