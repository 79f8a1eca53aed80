//! Two values that a change goes from and to.

use super::Asked;
use super::series::candidates;
use super::weighing::{is_distinct, observed, shown_line};
use super::words::Words;
use crate::evidence::RunFacts;
use crate::figures::Figure;
use crate::figures::words::keys;
use crate::judge::interval::{Fit, Observed, fit};
use crate::judge::scope::Scope;
use crate::judge::verdict::Verdict;
use actum_model::{Quantity, Which};

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
    if (first.is_none() || last.is_none())
        && let Some(both) = beside_each_other(scope, from, to)
    {
        return Some(Ok(both));
    }
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
            if let Some((_, other)) = elsewhere(scope, of, missing) {
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

/// Both ends in one run, whatever they are called, or in two by a name that shares a word: numbers of three digits do not
/// meet by chance.
fn beside_each_other<'e>(scope: &Scope<'e>, from: &Quantity, to: &Quantity) -> Option<Both<'e>> {
    if !is_distinct(from) || !is_distinct(to) {
        return None;
    }
    let told = |value: &Quantity| -> Vec<(&'e RunFacts, &'e Figure)> {
        let runs = scope.runs.iter().copied();
        let all = runs.flat_map(|run| scope.sheets.figures(run).iter().map(move |figure| (run, figure)));
        all.filter(|(_, figure)| fit(value, &observed(figure)) >= Fit::Truncated).collect()
    };
    let (firsts, lasts) = (told(from), told(to));
    let pairs = || firsts.iter().flat_map(|first| lasts.iter().map(move |last| (*first, *last)));
    let shares = |one: &Figure, other: &Figure| one.name.iter().any(|word| other.name.contains(word));
    let ((_, first), (run, last)) = pairs()
        .find(|(first, last)| first.0.run == last.0.run)
        .or_else(|| pairs().find(|(first, last)| shares(first.1, last.1)))?;
    let values = [first, last].map(|figure| (observed(figure), figure.value.literal.clone()));
    Some(Both { run, piece: last.piece.clone(), values })
}

/// `baseline_accuracy: 0.54` of another program, where the claim says `test accuracy`: it shares a word, and has the value.
pub(super) fn elsewhere<'e>(
    scope: &Scope<'e>,
    of: &str,
    value: &Quantity,
) -> Option<(&'e RunFacts, &'e Figure)> {
    let wanted = keys(of);
    let runs = scope.evidence.runs.iter();
    let mut told = runs.flat_map(|run| scope.sheets.figures(run).iter().map(move |figure| (run, figure)));
    told.find(|(_, figure)| {
        let shares = figure.name.iter().any(|word| wanted.contains(word));
        shares && fit(value, &observed(figure)) >= Fit::Truncated
    })
}
