//! What stands behind a counted noun: `40 guests without a ticket` is told by the line of those without one.

use super::Asked;
use super::series::recent;
use super::weighing::{is_same, observed, shown_line};
use crate::evidence::RunFacts;
use crate::figures::Figure;
use crate::figures::words::keys;
use crate::judge::interval::{Fit, fit};
use crate::judge::scope::Scope;
use crate::judge::verdict::Verdict;
use crate::sentence::Sentence;
use crate::tokens::{Token, tokens};
use actum_model::{Meant, Quantity};

/// What the figures say that are called by what stands behind the noun; nothing where there are none.
pub(crate) fn qualified<'e>(scope: &Scope<'e>, asked: &Asked<'_>) -> Option<Verdict<'e>> {
    let (wanted, noun) = (qualifier(scope.text, &asked.value.literal), keys(asked.name));
    if wanted.is_empty() || asked.value.meant != Meant::Exactly {
        return None;
    }
    let is_it = |figure: &&Figure| {
        let own = || figure.name.iter();
        figure.step.is_none()
            && wanted.iter().all(|word| figure.name.contains(word))
            && own().all(|word| wanted.contains(word) || noun.contains(word))
    };
    let told = |run: &'e RunFacts| {
        let all: Vec<&'e Figure> = scope.sheets.figures(run).iter().filter(is_it).collect();
        Some((run, *all.first()?, all))
    };
    let (run, first, all) = recent(scope).into_iter().find_map(told)?;
    // What was told again and again with other numbers is no count of them all.
    if !all.iter().all(|other| is_same(&other.value, &first.value)) {
        return None;
    }
    let why = format!("the run told {}", shown_line(&first.text));
    let holds = fit(asked.value, &observed(first)) >= Fit::Truncated;
    let verdict = if holds { Verdict::verified(why) } else { Verdict::contradicted(why) };
    Some(verdict.on(run, &first.piece, first.value.literal.clone()))
}

/// The words behind `with`, `without`, `had`, where these stand right behind the noun of a number.
pub(in crate::judge) fn qualifier(text: &str, literal: &str) -> Vec<String> {
    const NOUN: usize = 2;
    const LONGEST: usize = 4;
    let sentence = Sentence::plain(text, 1, "");
    let all = tokens(&sentence);
    let is_own = |token: &Token| token.number().is_some_and(|one: &Quantity| one.literal == literal);
    let Some(at) = all.iter().position(is_own) else { return Vec::new() };
    let links = ["with", "without", "having", "had", "have", "lacking", "missing", "whose"];
    let is_link = |token: &Token| links.iter().any(|link| token.is(link));
    let words = all[at + 1..].iter().take(NOUN + 1).take_while(|token| token.word().is_some());
    let Some(link) = words.into_iter().position(is_link).map(|link| at + 1 + link) else { return Vec::new() };
    let ends = |token: &&Token| {
        token.word().is_some_and(|word| !["and", "but", "or", "in", "on", "to", "at", "from"].contains(&word))
    };
    let behind: Vec<&Token> = all[link + 1..].iter().take(LONGEST).take_while(ends).collect();
    // `129 jobs had completed`: what they did, and nothing that they have.
    let does = behind.first().and_then(|token| token.word()).is_some_and(|word| word.ends_with("ed"));
    if does && (all[link].is("had") || all[link].is("have")) {
        return Vec::new();
    }
    // So many of something else.
    if all.get(link + 1 + behind.len()).is_some_and(|token| token.number().is_some()) {
        return Vec::new();
    }
    let is_denied = ["without", "lacking", "missing"].iter().any(|word| all[link].is(word));
    let is_article =
        |token: &&&Token| ["a", "an", "the", "any", "their", "its"].iter().any(|word| token.is(word));
    let spelled: Vec<&str> = behind
        .iter()
        .filter(|token| !is_article(token))
        .map(|token| sentence.part(token.start..token.end))
        .collect();
    keys(&format!("{}{}", if is_denied { "without " } else { "" }, spelled.join(" ")))
}
