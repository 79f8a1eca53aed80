//! A part of a whole: both as one run told them, and the percentage that follows.

use super::figured::{is_distinct, observed};
use super::interval::{Fit, Observed, fit, short};
use super::scope::Scope;
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::figures::Figure;
use crate::figures::words::{is_optional, said};
use actum_model::{Quantity, Ratio, Unit};

pub(crate) fn share<'e>(scope: &Scope<'e>, claimed: &Ratio) -> Verdict<'e> {
    let unknown = || Verdict::unsupported("no run told both the part and the whole");
    let (Some(whole), Some(part), Some(by)) = (&claimed.from, &claimed.to, &claimed.by) else {
        return unknown();
    };
    let mut words = said(scope.text);
    words.extend(said(scope.context));
    // Of a number that is not met by chance one word is enough.
    let is_said = |figure: &Figure| {
        let own: Vec<&String> = figure.name.iter().filter(|word| !is_optional(word)).collect();
        let said = own.iter().filter(|word| words.contains(word)).count();
        said > 0 && (said == own.len() || is_distinct(&figure.value))
    };
    let told = |run: &RunFacts, value: &Quantity, is_named: bool| {
        let is_it =
            |figure: &&Figure| (!is_named || is_said(figure)) && fit(value, &observed(figure)) == Fit::Yes;
        scope.sheets.figures(run).iter().find(is_it)
    };
    let mut wholes = scope.runs.iter().filter_map(|run| Some((*run, told(run, whole, true)?)));
    let Some(first) = wholes.next() else { return unknown() };
    let all: Vec<(&'e RunFacts, &'e Figure)> = std::iter::once(first).chain(wholes).collect();
    let named = all.iter().find_map(|(run, second)| Some((*run, told(run, part, true)?, *second)));
    let found =
        named.or_else(|| all.iter().find_map(|(run, second)| Some((*run, told(run, part, false)?, *second))));
    // Half of it is told, so that it is no number of somebody else.
    let (run, second) = first;
    let Some((run, first, second)) = found else {
        return Verdict::unsupported(format!(
            "the run told {}, and nowhere {part} of it",
            second.text.trim()
        ))
        .on(run, &second.piece, second.value.literal.clone());
    };
    let percent = 100.0 * first.value.value / second.value.value;
    let seen = Observed { value: percent, half: 0.0, unit: Unit::Percent, is_fraction: false };
    let why = format!("{} of {} is {}%", first.value.literal, second.value.literal, short(percent));
    let verdict = match (fit(by, &seen) >= Fit::Truncated, named.is_some()) {
        (true, _) => Verdict::verified(why.clone()),
        (false, true) => Verdict::contradicted(why.clone()),
        (false, false) => Verdict::unsupported(why.clone()),
    };
    verdict.on(run, &first.piece, why)
}
