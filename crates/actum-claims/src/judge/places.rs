//! Places in a series that are no steps: folds, seeds, trials, batches. Whoever names one is held against that one alone.

use super::figured::{self, Asked};
use super::interval::{Fit, fit};
use super::scope::Scope;
use super::settings;
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::figures::{Figure, is_step, words};
use crate::sentence::Sentence;
use crate::tokens::{Token, What, tokens};
use actum_model::Quantity;

/// One of several that a run went through.
#[derive(PartialEq)]
struct Place {
    word: String,
    number: u64,
}

/// What a run told at the place that the sentence names; nothing where it names none that some run went through.
pub(crate) fn at_place<'e>(scope: &Scope<'e>, asked: &Asked<'_>) -> Option<Verdict<'e>> {
    let named = named(scope.text, &asked.value.literal);
    if named.is_empty() {
        return None;
    }
    let told = figured::told_by_run(scope, asked);
    named.iter().find_map(|place| {
        let series: Vec<&(&'e RunFacts, Vec<&'e Figure>)> =
            told.iter().filter(|(_, figures)| is_series(figures, place)).collect();
        let (run, figures) = series.first()?;
        let here = of_place(figures, place);
        let holds = |figure: &&Figure| fit(asked.value, &figured::observed(figure)) >= Fit::Truncated;
        if let Some(figure) = here.iter().copied().find(holds) {
            let verdict = Verdict::verified(format!("the run told {}", figure.text));
            return Some(verdict.on(run, &figure.piece, figure.value.literal.clone()));
        }
        // Another run went through the same places, and told just this there: who is meant is not known.
        let other = series.iter().skip(1).find_map(|(other, figures)| {
            let figure = of_place(figures, place).into_iter().find(|figure| holds(figure))?;
            (other.command != run.command).then_some((*other, figure))
        });
        if let Some((other, figure)) = other {
            let why = format!("another run told {}, and the newest did not", figure.text);
            return Some(Verdict::ambiguous(why).on(other, &figure.piece, figure.value.literal.clone()));
        }
        let Some(first) = here.first() else {
            let why = format!("no run tells {} at {} {}", asked.name, place.word, place.number);
            return Some(Verdict::unsupported(why));
        };
        let are_one = here.iter().all(|other| figured::is_same(&other.value, &first.value));
        let verdict = match are_one && fit(asked.value, &figured::observed(first)) == Fit::No {
            true => Verdict::contradicted(format!("the run told {}", first.text)),
            false => Verdict::unsupported(format!("the run told {}, and not only that", first.text)),
        };
        Some(verdict.on(run, &first.piece, first.value.literal.clone()))
    })
}

/// Whether figures were told at several places of one word.
fn is_series(figures: &[&Figure], place: &Place) -> bool {
    let mut numbers = figures.iter().filter_map(|figure| of_line(&figure.text));
    let is_word = |one: &Place| one.word == place.word;
    let first = numbers.by_ref().find(is_word);
    first.is_some_and(|first| numbers.any(|one| is_word(&one) && one.number != first.number))
}

fn of_place<'e>(figures: &[&'e Figure], place: &Place) -> Vec<&'e Figure> {
    figures.iter().copied().filter(|figure| of_line(&figure.text).as_ref() == Some(place)).collect()
}

/// The places that a sentence names, but for the number that it claims: by a word for such, or by what names a row of a table.
fn named(text: &str, own: &str) -> Vec<Place> {
    let is_row = text.rsplit_once(": ").is_some_and(|(_, cell)| cell.starts_with(own));
    let all = tokens(&Sentence::plain(text, 1, ""));
    let is_it = |at: &usize| is_row && *at == 0 || all[*at].word().is_some_and(words::is_place);
    (0..all.len()).filter(is_it).filter_map(|at| place(&all, at, own)).collect()
}

/// The place that a line begins with: `Fold 2/5: `, `[batch 9] `, `seed=3 `.
fn of_line(text: &str) -> Option<Place> {
    let all = tokens(&Sentence::plain(text, 1, ""));
    let first = all.iter().position(|token| !matches!(token.what, What::Mark(_)))?;
    place(&all, first, "")
}

/// `fold 2`: a word for one thing, and a whole number right behind it.
fn place(all: &[Token], at: usize, own: &str) -> Option<Place> {
    let word = all[at].word().filter(|word| word.len() > 1 && !is_step(word) && !word.ends_with('s'))?;
    let marks = all[at + 1..].iter().take_while(|token| b"=:#".iter().any(|mark| token.is_mark(*mark)));
    let number = all.get(at + 1 + marks.take(2).count()).and_then(Token::number)?;
    let whole = number.whole().filter(|_| number.half >= 0.5 && number.literal != own)?;
    Some(Place { word: words::keys(word).pop()?, number: whole })
}

/// Whether a value is told of a run that counts the same thing otherwise: `2 features` of one that told `4 features`.
pub(crate) fn is_of_other(scope: &Scope<'_>, run: &RunFacts, own: &str) -> bool {
    labels(scope.text, own, own).iter().any(|(noun, value)| {
        let told = counted(scope, run, noun);
        !told.is_empty() && !told.contains(value)
    })
}

/// Chooses the runs that tell the number of a row's label with its noun, where some do.
pub(crate) fn choose<'e>(scope: &mut Scope<'e>, own: &str) {
    for (noun, value) in labels(scope.text, own, "") {
        let has = |run: &&'e RunFacts| counted(scope, run, &noun).contains(&value);
        let with: Vec<&'e RunFacts> = scope.runs.iter().copied().filter(|run| has(run)).collect();
        if !with.is_empty() {
            scope.runs = with;
        }
    }
}

/// `2 features, test error: 31.4`, `batch 8: 0.93`, `with 2 features the error is`: a number that names a run, with its noun.
fn labels(text: &str, own: &str, with_own: &str) -> Vec<(Vec<String>, f64)> {
    let all = tokens(&Sentence::plain(text, 1, ""));
    let is_end = |token: &Token| token.is_mark(b',') || token.is_mark(b':');
    // A row of a table: what is claimed stands alone at its end.
    let is_row = text.rsplit_once(": ").is_some_and(|(_, cell)| cell.starts_with(own));
    let end = all.iter().position(is_end).filter(|end| *end <= 4 && is_row);
    let label = end.map(|end| &all[..end]).unwrap_or_default();
    let mut found: Vec<(Vec<String>, f64)> = of_label(label, own).into_iter().collect();
    for at in 0..all.len() {
        let is_with = all[at].is("with") || all[at].is("using");
        let rest = all.get(at + 1..at + 3).filter(|_| is_with).unwrap_or_default();
        if rest.first().is_some_and(|first| first.number().is_some()) {
            found.extend(of_label(rest, with_own));
        }
    }
    found
}

fn of_label(label: &[Token], own: &str) -> Option<(Vec<String>, f64)> {
    let mut numbers = label.iter().filter_map(Token::number);
    let number: &Quantity = numbers.next().filter(|_| label.len() > 1)?;
    let nouns: Vec<&str> = label.iter().filter_map(Token::word).collect();
    let is_plain = numbers.next().is_none() && nouns.len() + 1 == label.len() && number.literal != own;
    let noun = names(&nouns.join(" "));
    (is_plain && !noun.is_empty() && !nouns.iter().any(|word| is_step(word))).then_some((noun, number.value))
}

/// The words of what is counted, without those that only say that it is.
fn names(text: &str) -> Vec<String> {
    settings::bare(text).into_iter().filter(|word| word != "count").collect()
}

/// Numbers that a run was given or told of something.
fn counted(scope: &Scope<'_>, run: &RunFacts, noun: &[String]) -> Vec<f64> {
    let given = crate::command::options(&run.command).into_iter();
    let given = given.filter(|(option, _)| names(option) == noun).map(|(_, value)| value);
    let is_it = |figure: &&Figure| {
        let own = figure.name.iter().filter(|word| !["siz", "count"].contains(&word.as_str()));
        own.eq(noun)
    };
    let told = scope.sheets.figures(run).iter().filter(is_it).map(|figure| figure.value.value);
    given.chain(told).collect()
}
