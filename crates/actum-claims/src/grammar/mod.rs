//! Sentences to claims, one family of kinds a file.
//!
//! A family looks for its patterns in the mask of a sentence, adds what is said firmly, and hides what it took, so that no
//! number is claimed twice. The order of [`FAMILIES`] is therefore part of the grammar: the most particular first.

mod files;
mod found;
mod goes_on;
mod marks;
mod numbers;
mod one_test;
mod quoted;
mod ran;
mod ratios;
mod shares;
mod tables;
mod tests_run;
mod told;
mod tools;
mod work;

pub(crate) use ratios::is_set_with;
pub(crate) use shares::SHARE;
pub(crate) use told::is_of_work;

use crate::bounds;
use crate::markdown::passages;
use crate::plain::plain;
use crate::sentence::{Sentence, sentences};
use actum_model::Claim;
use found::Found;
use goes_on::{Earlier, Spoken, Told, goes_on, tells_parts};

type Family = fn(&mut Sentence, &mut Found);

const FAMILIES: &[Family] = &[
    marks::anchors,
    marks::run_ids,
    marks::commits,
    shares::shares,
    files::files,
    one_test::single,
    tests_run::counts,
    tools::clean,
    tools::installed,
    tools::exits,
    marks::seeds,
    marks::devices,
    ratios::ratios,
    numbers::metrics,
    numbers::durations,
    numbers::counts,
    told::told,
    quoted::quoted,
    tools::absent,
    ran::ran,
    work::work,
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
        let (mut spoken, mut told, mut earlier) = (Spoken::default(), Told::default(), Earlier::default());
        let mut before = String::new();
        for sentence in sentences {
            if claims.len() > bounds::CLAIMS {
                is_cut = true;
                break;
            }
            let (named, is_on) = (Spoken::of(&sentence), goes_on(&sentence));
            // Parts of what was counted are called by what they are parts of.
            let whole = std::mem::replace(&mut before, sentence.text.clone());
            let whole = Some(whole).filter(|_| tells_parts(&sentence));
            // Whoever does not go on speaks of the numbers of this sentence alone.
            if !is_on {
                told = Told::default();
            }
            told.add(&sentence);
            let mut found = of_sentence(sentence.clone());
            told.give(&mut found);
            whole.iter().for_each(|whole| found.iter_mut().for_each(|claim| add_context(claim, whole)));
            earlier.give(&sentence, &mut found);
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

fn add_context(claim: &mut Claim, text: &str) {
    claim.context = format!("{} {text}", claim.context).trim_start().to_owned();
}

fn of_sentence(mut sentence: Sentence) -> Vec<Claim> {
    let mut found = Found::of(&sentence);
    for family in FAMILIES {
        family(&mut sentence, &mut found);
    }
    found.claims()
}
