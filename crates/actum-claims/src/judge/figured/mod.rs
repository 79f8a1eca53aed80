//! Figures: which of the numbers that runs told a claim is about, by the words of both.
//!
//! Every word that belongs to a figure alone (its key, its column, the noun behind it) has to be said in the claim's sentence; then
//! the figure whose row, line, heading and command share most words with it is the one that is meant. A claim is contradicted
//! only where every word of its name is found at a figure, and that figure is one.
//!
//! | part | what |
//! |---|---|
//! | `words` | the words of a claim |
//! | `meets` | whether a figure can be meant |
//! | `series` | figures of one name and row |
//! | `weighing` | what follows |
//! | `qualified` | what stands behind a counted noun |
//! | `ends` | the two ends of a change |

mod ends;
mod meets;
mod qualified;
mod series;
mod weighing;
mod words;

pub(crate) use ends::{Both, both};
pub(super) use meets::beside;
pub(super) use qualified::{qualified, qualifier};
pub(super) use series::{newest, recent};
pub(crate) use weighing::observed;
pub(super) use weighing::{is_distinct, is_same};

use super::interval::{Fit, fit, shown};
use super::scope::{Scope, program};
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::figures::Figure;
use crate::figures::words::{is_measure, is_optional, keys};
use crate::tokens::{Token, tokens};
use actum_model::{ClaimStatus, Quantity, Unit, Which};
use series::{Series, candidates};
use weighing::{shown_line, weigh};
use words::Words;

/// A claimed number with its words.
pub(crate) struct Asked<'c> {
    /// Empty where the sentence does not say it beside the number: any figure may be meant that all its words are said of.
    pub(crate) name: &'c str,
    pub(crate) value: &'c Quantity,
    pub(crate) which: Which,
    /// It counts something.
    pub(crate) counts: bool,
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
    let weighed = weigh(&all, asked, scope);
    let is_open = weighed.as_ref().is_none_or(|verdict| verdict.status == ClaimStatus::Unsupported);
    let exact = is_open.then(|| to_the_digit(scope, asked)).flatten();
    let verdict = exact.or(weighed).or_else(|| other_in_row(scope, asked, &words))?;
    Some(verdict.considered(considered))
}

/// `East brought in 18,701.58`: the row is named, and has one number like it, which is another one.
fn other_in_row<'e>(scope: &Scope<'e>, asked: &Asked<'_>, words: &Words) -> Option<Verdict<'e>> {
    const DIGITS: usize = 5;
    let digits = asked.value.literal.bytes().filter(u8::is_ascii_digit).count();
    if asked.counts || asked.value.half >= 0.5 || digits < DIGITS {
        return None;
    }
    let is_like = |figure: &Figure| {
        let ratio = figure.value.value / asked.value.value;
        let is_unit = std::mem::discriminant(&figure.value.unit) == std::mem::discriminant(&asked.value.unit);
        figure.value.half < 0.5 && is_unit && figure.step.is_none() && (0.5..2.0).contains(&ratio)
    };
    let is_named = |figure: &Figure| {
        let row = meets::row_words(&figure.row, words);
        !row.is_empty() && row.iter().all(|word| words.near.contains(word))
    };
    let all =
        recent(scope).into_iter().flat_map(|run| scope.sheets.figures(run).iter().map(move |one| (run, one)));
    let mut told = all.filter(|(_, figure)| is_like(figure) && is_named(figure));
    let (run, first) = told.next()?;
    let is_one = told.all(|(_, other)| is_same(&other.value, &first.value));
    let holds = fit(asked.value, &observed(first)) > Fit::No;
    (is_one && !holds).then(|| {
        let verdict = Verdict::contradicted(format!("the run told {}", shown_line(&first.text)));
        verdict.on(run, &first.piece, first.value.literal.clone())
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

/// Figures that can be meant, run by run, those with all the words of the claim where there are some.
pub(crate) fn told_by_run<'e>(scope: &Scope<'e>, asked: &Asked<'_>) -> Vec<(&'e RunFacts, Vec<&'e Figure>)> {
    let mut all = candidates(scope, asked, &Words::of(scope, asked));
    if all.iter().any(|one| one.is_whole) {
        all.retain(|one| one.is_whole);
    }
    let mut told: Vec<(&RunFacts, Vec<&Figure>)> = Vec::new();
    for series in &all {
        match told.iter_mut().find(|(run, _)| run.run == series.run.run) {
            Some((_, figures)) => figures.extend(&series.figures),
            None => told.push((series.run, series.figures.clone())),
        }
    }
    told
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

/// `recall 0.87` of a run that tells it of every class: one of them may be meant, and none is contradicted.
pub(crate) fn of_parts<'e>(scope: &Scope<'e>, asked: &Asked<'_>) -> Option<Verdict<'e>> {
    let (wanted, _) = words::core(asked.name);
    let is_part = |figure: &&Figure| {
        let name = &figure.name;
        !wanted.is_empty()
            && name.len() == wanted.len() + 1
            && name.ends_with(&wanted)
            && figure.step.is_none()
    };
    recent(scope).into_iter().find_map(|run| {
        let parts: Vec<&Figure> = scope.sheets.figures(run).iter().filter(is_part).collect();
        let first = parts.first()?;
        let are_several = parts.iter().any(|part| part.name[0] != first.name[0]);
        let meant =
            parts.iter().find(|part| fit(asked.value, &observed(part)) >= Fit::Truncated && are_several)?;
        let why = format!("the run told {}, and {} of others", shown_line(&meant.text), asked.name);
        Some(Verdict::ambiguous(why).on(run, &meant.piece, meant.value.literal.clone()))
    })
}

/// `total value 298,201.69` of a run that told `total_amount: 298201.69`: six digits do not meet by chance, where a word is shared.
fn to_the_digit<'e>(scope: &Scope<'e>, asked: &Asked<'_>) -> Option<Verdict<'e>> {
    const DIGITS: usize = 6;
    let digits = asked.value.literal.bytes().filter(u8::is_ascii_digit).count();
    if asked.name.is_empty() || digits < DIGITS || asked.value.meant != actum_model::Meant::Exactly {
        return None;
    }
    let (wanted, near) = (keys(asked.name), words::near(scope.text, asked.value));
    let is_it = |figure: &&Figure| {
        let shares = figure.name.iter().any(|word| wanted.contains(word) || near.contains(word));
        shares && figure.step.is_none() && fit(asked.value, &observed(figure)) == Fit::Yes
    };
    let told = |run: &'e RunFacts| Some((run, scope.sheets.figures(run).iter().find(is_it)?));
    let (run, figure) = newest(scope).into_iter().find_map(told)?;
    let verdict = Verdict::verified(format!("the run told {}", shown_line(&figure.text)));
    Some(verdict.on(run, &figure.piece, figure.value.literal.clone()))
}

/// What a family found, and what figures say: figures support where the family had nothing, and never overrule what it verified.
pub(crate) fn or<'e>(first: Verdict<'e>, scope: &Scope<'e>, asked: &Asked<'_>) -> Verdict<'e> {
    if first.status == ClaimStatus::Verified {
        return first;
    }
    let second = figure(scope, asked);
    // Another program told just this, by a name that shares a word: who is meant is not known.
    let is_open = first.status == ClaimStatus::Contradicted && is_distinct(asked.value) && !scope.bound;
    if let Some((run, other)) = is_open.then(|| ends::elsewhere(scope, asked.name, asked.value)).flatten()
        && second.as_ref().is_none_or(|second| second.status != ClaimStatus::Verified)
        && first.run.is_some_and(|first| program(&first.command) != program(&run.command))
    {
        let why = format!("{}, and `{}` told {}", first.why, run.command, shown_line(&other.text));
        return Verdict::ambiguous(why).on(run, &other.piece, other.value.literal.clone());
    }
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
