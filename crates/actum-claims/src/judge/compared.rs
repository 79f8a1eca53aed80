//! Two things that one run told a number of, both named by the sentence: `quicksort is 3x faster than bubble sort`.

use super::figured::{self, observed, recent};
use super::interval::Observed;
use super::scope::Scope;
use crate::evidence::RunFacts;
use crate::figures::Figure;
use crate::figures::words::{is_optional, keys};
use crate::names::Name;
use crate::tokens::{Token, tokens};
use actum_model::Unit;

/// What both were compared by, and what each of them has.
pub(crate) struct Compared<'e> {
    pub(crate) run: &'e RunFacts,
    /// That which is compared with, then that which is spoken of. Of a rate that is told as speed they change places, for
    /// whoever has more of it needs less time.
    pub(crate) values: [&'e Figure; 2],
    /// The sentence says which is which.
    pub(crate) is_ordered: bool,
}

/// A figure that can be meant, and the words that tell it from others.
struct Named<'e> {
    figure: &'e Figure,
    own: Vec<String>,
}

/// Words of time and of its units say what is measured, never of whom.
const OF_TIME: &[&str] = &[
    "ms",
    "us",
    "ns",
    "sec",
    "second",
    "s",
    "min",
    "minut",
    "latency",
    "duration",
    "elaps",
    "runtim",
    "wall",
    "avg",
    "median",
    "mean",
    "min",
    "max",
    "std",
    "best",
    "worst",
    "est",
    "throughput",
    "persecond",
    "op",
    "took",
];

/// Every pair of figures that the sentence may compare.
pub(crate) fn pairs<'e>(scope: &Scope<'e>, of: &str) -> Vec<Compared<'e>> {
    let said = keys(scope.text);
    let name = Name::read(of);
    let is_time = name.base == "time" || name.base.ends_with(" time") || keys(of).is_empty();
    if let Some(both) = by_setting(scope, of, is_time) {
        return vec![both];
    }
    let mut found: Vec<Compared<'e>> = Vec::new();
    for run in recent(scope) {
        let figures = scope.sheets.figures(run);
        let can_be = |figure: &&Figure| figure.step.is_none() && is_of(figure, of, is_time);
        let named: Vec<Named<'e>> =
            figures.iter().filter(can_be).filter_map(|one| named(one, of, &said)).collect();
        for group in groups(named) {
            let Some(both) = pair(run, &group, (scope, &said), is_time) else { continue };
            // Printed and written into a file, the same two are one pair.
            if !found.iter().any(|other| is_again(&both, other)) {
                found.push(both);
            }
        }
        // The newest run that has both decides.
        if !found.is_empty() {
            return found;
        }
    }
    found
}

fn is_again(one: &Compared<'_>, other: &Compared<'_>) -> bool {
    let mut values = one.values.iter().zip(other.values);
    values.all(|(one, other)| figured::is_same(&one.value, &other.value))
}

/// Whether the sentence compares two values of a setting: then two runs that do not tell of them say nothing about it.
pub(crate) fn names_settings(text: &str) -> bool {
    ends(&tokens(&crate::sentence::Sentence::plain(text, 1, ""))).is_some()
}

/// `raising lr from 0.005 to 0.02`: what was told beside the one value of a setting, and beside the other.
fn by_setting<'e>(scope: &Scope<'e>, of: &str, is_time: bool) -> Option<Compared<'e>> {
    let sentence = crate::sentence::Sentence::plain(scope.text, 1, "");
    let all = tokens(&sentence);
    let numbers: Vec<f64> = all.iter().filter_map(Token::number).map(|one| one.value).collect();
    let (from, to) = ends(&all)?;
    let said = keys(scope.text);
    let others: Vec<f64> = numbers.into_iter().filter(|one| *one != from && *one != to).collect();
    let beside = |setting: f64| -> Option<(&'e RunFacts, &'e Figure)> {
        let mut best: Vec<(i64, &'e RunFacts, &'e Figure)> = Vec::new();
        for run in recent(scope) {
            let is_given = crate::command::options(&run.command).iter().any(|(_, value)| *value == setting);
            let figures = scope.sheets.figures(run).iter();
            for figure in figures.filter(|one| one.step.is_none() && is_of(one, of, is_time)) {
                let is_on_line = figured::beside(figure, &[setting]) > 0;
                let row = keys(&figure.row);
                let is_row = !row.is_empty() && row.iter().all(|word| said.contains(word));
                if (is_given || is_on_line) && figure.value.value != setting {
                    let near =
                        figured::beside(figure, &others) + named_beside(run, figure, (scope, &said), &others);
                    best.push((2 * i64::from(is_row) + near, run, figure));
                }
            }
        }
        let most = best.iter().map(|(score, ..)| *score).max()?;
        best.retain(|(score, ..)| *score == most);
        let (_, run, figure) = *best.first()?;
        let is_one = best.iter().all(|(_, _, other)| figured::is_same(&other.value, &figure.value));
        is_one.then_some((run, figure))
    };
    let ((_, before), (run, after)) = (beside(from)?, beside(to)?);
    (before.value.value != after.value.value).then_some(Compared {
        run,
        values: [before, after],
        is_ordered: true,
    })
}

/// The two values of a setting: `from 10 to 80`, or `at nx=20` against `at nx=40`, which is compared with.
fn ends(all: &[Token]) -> Option<(f64, f64)> {
    let numbers = |from: usize| all[from..].iter().filter_map(Token::number).map(|one| one.value);
    if let Some(at) = all.iter().position(|token| token.is("from")) {
        let to = at + 1 + all[at + 1..].iter().position(|token| token.is("to"))?;
        let first = numbers(at + 1).next()?;
        return Some((first, numbers(to + 1).next()?));
    }
    let is_set =
        |(at, _): &(usize, &Token)| crate::tokens::is_set(all, *at) || crate::grammar::is_set_with(all, *at);
    let set: Vec<f64> =
        all.iter().enumerate().filter(is_set).filter_map(|(_, token)| Some(token.number()?.value)).collect();
    match set[..] {
        [spoken_of, compared_with] => Some((compared_with, spoken_of)),
        _ => None,
    }
}

/// `4 hidden units`: how many of the numbers stand on the figure's line under a name that is said.
fn named_beside(
    run: &RunFacts,
    figure: &Figure,
    (scope, said): (&Scope<'_>, &[String]),
    numbers: &[f64],
) -> i64 {
    let on_line =
        scope.sheets.figures(run).iter().filter(|one| one.piece == figure.piece && one.text == figure.text);
    let is_named =
        |one: &&Figure| numbers.contains(&one.value.value) && one.name.iter().any(|word| said.contains(word));
    on_line.filter(is_named).count() as i64
}

/// Whether the figure is one of what is compared.
fn is_of(figure: &Figure, of: &str, is_time: bool) -> bool {
    if is_time {
        return matches!(observed(figure).unit, Unit::Time(_)) || is_rate(figure);
    }
    let wanted = keys(of);
    wanted.iter().all(|word| figure.name.contains(word) || figure.around.contains(word))
        && wanted.iter().any(|word| figure.name.contains(word))
}

fn is_rate(figure: &Figure) -> bool {
    figure
        .name
        .iter()
        .any(|word| ["throughput", "persecond", "rps", "qps", "ops", "gflop", "fps"].contains(&word.as_str()))
}

/// What tells it from others, where all of that is said.
fn named<'e>(figure: &'e Figure, of: &str, said: &[String]) -> Option<Named<'e>> {
    let words = |topic: &[String]| -> Vec<String> {
        let all = keys(&figure.row).into_iter().chain(figure.name.iter().cloned());
        let mut own: Vec<String> = all
            .filter(|word| !OF_TIME.contains(&word.as_str()) && !is_optional(word) && !topic.contains(word))
            .collect();
        own.sort();
        own.dedup();
        own
    };
    let mut own = words(&keys(of));
    if own.is_empty() {
        own = words(&[]);
    }
    (!own.is_empty() && own.iter().all(|word| said.contains(word))).then_some(Named { figure, own })
}

/// Those that are told of the same: under one name in several rows, or in one unit under several names.
fn groups(named: Vec<Named<'_>>) -> Vec<Vec<Named<'_>>> {
    let mut groups: Vec<Vec<Named<'_>>> = Vec::new();
    for one in named {
        let is_same = |group: &Vec<Named<'_>>| {
            let first = group[0].figure;
            let (row, other) = (&one.figure.row, &first.row);
            let by_row = !row.is_empty() && !other.is_empty() && one.figure.name == first.name;
            by_row
                || row == other
                    && std::mem::discriminant(&one.figure.value.unit)
                        == std::mem::discriminant(&first.value.unit)
        };
        match groups.iter_mut().find(|group| is_same(group)) {
            Some(group) => match group.iter_mut().find(|other| other.own == one.own) {
                // Told again: the last counts.
                Some(again) => *again = one,
                None => group.push(one),
            },
            None => groups.push(vec![one]),
        }
    }
    groups
}

fn pair<'e>(
    run: &'e RunFacts,
    group: &[Named<'e>],
    (scope, said): (&Scope<'e>, &[String]),
    is_time: bool,
) -> Option<Compared<'e>> {
    // `blocked` is not meant by `blocked simd`.
    let is_part = |one: &Named<'_>| {
        group.iter().any(|other| {
            other.own.len() > one.own.len() && one.own.iter().all(|word| other.own.contains(word))
        })
    };
    let meant: Vec<&Named<'e>> = if group.len() > 2 {
        group.iter().filter(|one| !is_part(one)).collect()
    } else {
        group.iter().collect()
    };
    let [one, other] = meant[..] else { return None };
    let place = |one: &Named<'_>, other: &Named<'_>| {
        said.iter().position(|word| one.own.contains(word) && !other.own.contains(word))
    };
    let (first, second) = match (place(one, other)?, place(other, one)?) {
        (at, behind) if at < behind => (one, other),
        (_, _) => (other, one),
    };
    let values = match is_time && is_rate(first.figure) {
        true => [first.figure, second.figure],
        false => [second.figure, first.figure],
    };
    Some(Compared { run, values, is_ordered: is_ordered(scope.text) })
}

/// `A is … than B`, with the number before it: who is spoken of stands first.
fn is_ordered(text: &str) -> bool {
    let text = text.to_lowercase();
    let is_first = |word: &str| text.starts_with(word);
    let is_turned =
        ["compared", "relative to", "versus", "over ", "against", "from ", "going from", "switching", "than"];
    !is_turned.iter().any(|word| is_first(word))
        && !text.contains(" from ")
        && [" than ", " as ", " over "].iter().any(|word| text.contains(word))
}

/// As a value of a pair.
pub(crate) fn value(figure: &Figure) -> (Observed, String) {
    (observed(figure), figure.value.literal.clone())
}
