//! A part of a whole: both as one run told them, and the percentage that follows.

use super::figured::observed;
use super::interval::{Fit, Observed, fit, short};
use super::scope::Scope;
use super::verdict::Verdict;
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
    let is_said = |figure: &Figure| {
        let mut own = figure.name.iter().filter(|word| !is_optional(word)).peekable();
        own.peek().is_some() && own.all(|word| words.contains(word))
    };
    let found = scope.runs.iter().find_map(|run| {
        let figures = scope.sheets.figures(run);
        let told = |value: &Quantity| {
            let is_it = |figure: &&Figure| is_said(figure) && fit(value, &observed(figure)) == Fit::Yes;
            figures.iter().find(is_it)
        };
        Some((*run, told(part)?, told(whole)?))
    });
    let Some((run, first, second)) = found else { return unknown() };
    let percent = 100.0 * first.value.value / second.value.value;
    let seen = Observed { value: percent, half: 0.0, unit: Unit::Percent, is_fraction: false };
    let why = format!("{} of {} is {}%", first.value.literal, second.value.literal, short(percent));
    let held = fit(by, &seen) >= Fit::Truncated;
    let verdict = if held { Verdict::verified(why.clone()) } else { Verdict::contradicted(why.clone()) };
    verdict.on(run, &first.piece, why)
}
