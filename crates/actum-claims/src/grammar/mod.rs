//! Sentences to claims, one family of kinds a file.
//!
//! A family looks for its patterns in the mask of a sentence, adds what is said firmly, and hides what it took, so that no
//! number is claimed twice. The order of [`FAMILIES`] is therefore part of the grammar: the most particular first.

mod files;
mod found;
mod goes_on;
mod marks;
mod not_judged;
mod numbers;
mod one_test;
mod ran;
mod tables;
mod tests_run;
mod tools;

use crate::bounds;
use crate::markdown::passages;
use crate::plain::plain;
use crate::sentence::{Sentence, sentences};
use actum_model::Claim;
use found::Found;
use goes_on::{Spoken, goes_on};

type Family = fn(&mut Sentence, &mut Found);

const FAMILIES: &[Family] = &[
    marks::anchors,
    marks::run_ids,
    marks::commits,
    files::files,
    one_test::single,
    tests_run::counts,
    tools::clean,
    tools::installed,
    tools::exits,
    marks::seeds,
    marks::devices,
    numbers::metrics,
    tools::absent,
    ran::ran,
    not_judged::work_and_opinions,
    not_judged::numbers,
];

/// The claims of a text, in the order in which they stand.
pub fn extract(text: &str) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    let text = plain(text);
    let (text, mut is_cut) = bounds::bounded(&text);
    for passage in passages(&text) {
        if claims.len() > bounds::CLAIMS {
            is_cut = true;
            break;
        }
        let sentences = match &passage.row {
            Some(row) => tables::sentences(row, passage.line(0), &passage.under),
            None => sentences(&passage),
        };
        let mut spoken = Spoken::default();
        for sentence in sentences {
            if claims.len() > bounds::CLAIMS {
                is_cut = true;
                break;
            }
            let (named, is_on) = (Spoken::of(&sentence), goes_on(&sentence));
            let mut found = of_sentence(sentence.clone());
            if is_on {
                spoken.give(&mut found);
            }
            spoken = named.unwrap_or(if is_on { spoken } else { Spoken::default() });
            for claim in found {
                let about =
                    |one: &Claim| (one.anchor.clone(), one.command.clone(), one.when, one.context.clone());
                let is_new = |one: &Claim| one.said != claim.said || about(one) != about(&claim);
                // A summary often says a thing again; only near repetitions are looked for, so that this stays linear.
                if claims.iter().rev().take(40).all(is_new) {
                    claims.push(claim);
                }
            }
        }
    }
    claims.extend(is_cut.then(bounds::not_read));
    claims
}

fn of_sentence(mut sentence: Sentence) -> Vec<Claim> {
    let mut found = Found::of(&sentence);
    for family in FAMILIES {
        family(&mut sentence, &mut found);
    }
    found.claims()
}
