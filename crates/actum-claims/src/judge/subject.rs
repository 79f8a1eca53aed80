//! Whom a metric is told of: nobody is contradicted by a run that never spoke of the one that is meant.

use super::scope::Scope;
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::names;
use crate::vocabulary::VOCABULARY;
use actum_model::{Claim, ClaimStatus, Said};

/// Takes a verdict back where it is about somebody else: the statement names a file that the run was not given, or, for a
/// contradiction, a word that the run never speaks of.
pub(super) fn known<'e>(verdict: Verdict<'e>, scope: &Scope<'e>, claim: &Claim) -> Verdict<'e> {
    let Said::Metric { name, value, .. } = &claim.said else { return verdict };
    let is_denied = verdict.status == ClaimStatus::Contradicted;
    let Some(run) = verdict.run.filter(|_| is_denied || verdict.status == ClaimStatus::Verified) else {
        return verdict;
    };
    let (before, behind) = clause(&claim.text, &value.literal);
    let words = || before.split_whitespace().chain(behind.split_whitespace());
    let unsupported = |why: String| Verdict::unsupported(why).considered(scope.looked_at());
    if let Some(file) = words().map(bare).find(|word| is_file(word) && !is_of_run(word, run)) {
        return unsupported(format!("the run tells {name}, and not that of {file}"));
    }
    let of_name = names::words(name);
    // What is joined to the number is its unit: `2,400 req/s`.
    let unit = behind.split_whitespace().next().filter(|word| word.contains('/')).unwrap_or_default();
    let parts = words()
        .filter(|word| *word != unit)
        .flat_map(|word| word.split(|c: char| !(c.is_alphanumeric() || c == '-')));
    let unknown =
        parts.map(str::to_lowercase).find(|word| is_telling(word, &of_name) && !speaks_of(run, word));
    match unknown.filter(|_| is_denied) {
        Some(word) => unsupported(format!("the run that tells {name} never speaks of `{word}`")),
        None => verdict,
    }
}

/// Whether a word may say whose a number is.
fn is_telling(word: &str, of_name: &[String]) -> bool {
    word.len() > 2
        && word.starts_with(char::is_alphabetic)
        && !VOCABULARY.connecting.contains(word)
        && !VOCABULARY.neutral.contains(word)
        && !names::qualifies(word)
        && !names::is_head(None, word)
        && !names::words(word).iter().all(|part| of_name.contains(part))
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !(c.is_alphanumeric() || "._/-".contains(c))).trim_end_matches(['.', '/'])
}

/// `shop/cart.py`: letters behind the last dot, and a name before it.
fn is_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(name, ending)| {
        let is_ending =
            (1..=5).contains(&ending.len()) && ending.starts_with(|c: char| c.is_ascii_alphabetic());
        is_ending && name.len() > 1 && name.chars().any(char::is_alphabetic)
    })
}

/// Whether a run was given a file, or wrote it.
fn is_of_run(file: &str, run: &RunFacts) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    run.command.contains(name) || run.wrote.iter().any(|wrote| wrote.path.ends_with(name))
}

/// What stands before and behind a number in its statement: up to the marks and words that begin another one.
fn clause<'t>(text: &'t str, literal: &str) -> (&'t str, &'t str) {
    let Some(at) = text.find(literal) else { return (text, "") };
    let end = at + literal.len();
    const MARKS: [&str; 9] = [". ", "; ", "\n", " and ", " while ", " but ", " whereas ", "(", ")"];
    let start = MARKS.iter().filter_map(|mark| text[..at].rfind(mark).map(|place| place + mark.len())).max();
    let behind = MARKS.iter().chain(&[", "]).filter_map(|mark| text[end..].find(mark)).min();
    (&text[start.unwrap_or(0)..at], &text[end..behind.map_or(text.len(), |behind| end + behind)])
}

/// Whether a run has the word anywhere: in its command, in what it printed, in what it wrote.
fn speaks_of(run: &RunFacts, word: &str) -> bool {
    // `validations` and `validation` are one.
    let stem = word.strip_suffix('s').filter(|stem| stem.len() > 3).unwrap_or(word);
    let has = |text: &str| text.to_lowercase().contains(stem);
    has(&run.command)
        || run.printed.iter().any(|line| has(&line.text))
        || run.wrote.iter().any(|wrote| has(&wrote.path))
        || run.texts.iter().any(|file| has(&file.text))
        || run.metrics.iter().any(|metric| has(&metric.name))
}
