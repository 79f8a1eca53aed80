//! Whom a metric is told of: nobody is contradicted by a run that never spoke of the one that is meant.

use super::scope::Scope;
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::grammar::CONNECT;
use crate::names;
use actum_model::{Claim, ClaimStatus, Said};

/// Words that any run may be called by, and words that say nothing about whose a number is.
const ANYBODY: &[&str] = &[
    "and",
    "but",
    "while",
    "whereas",
    "by",
    "from",
    "using",
    "we",
    "you",
    "they",
    "its",
    "these",
    "there",
    "model",
    "models",
    "network",
    "classifier",
    "regressor",
    "pipeline",
    "benchmark",
    "experiment",
    "version",
    "code",
    "script",
    "program",
    "job",
    "result",
    "results",
    "evaluation",
    "performance",
    "quality",
    "output",
    "approach",
    "solution",
    "implementation",
    "tool",
    "app",
    "service",
    "command",
    "overall",
    "current",
    "new",
    "updated",
    "tuned",
    "trained",
    "retrained",
    "finetuned",
    "fine-tuned",
    "fixed",
    "selected",
    "chosen",
    "exported",
    "saved",
    "complete",
    "completed",
    "done",
    "successfully",
    "great",
    "good",
    "very",
    "very",
    "excellent",
    "impressive",
    "strong",
    "solid",
    "already",
    "again",
    "today",
    "gives",
    "gave",
    "shows",
    "achieve",
    "reach",
    "hitting",
    "landing",
    "metric",
    "metrics",
    "key",
    "performs",
    "performed",
    "works",
    "worked",
    "value",
];

/// Takes a contradiction back where the run has never spoken of a word that says whose the number is.
pub(super) fn known<'e>(verdict: Verdict<'e>, scope: &Scope<'e>, claim: &Claim) -> Verdict<'e> {
    let Said::Metric { name, value, .. } = &claim.said else { return verdict };
    let Some(run) = verdict.run.filter(|_| verdict.status == ClaimStatus::Contradicted) else {
        return verdict;
    };
    let clause = clause(&claim.text, &value.literal);
    let of_name = names::words(name);
    let unknown = clause.split(|c: char| !(c.is_alphanumeric() || c == '-')).find(|word| {
        let word = word.to_lowercase();
        let is_plain = word.len() > 2 && word.starts_with(char::is_alphabetic);
        let is_neutral = || {
            CONNECT.contains(&word.as_str())
                || ANYBODY.contains(&word.as_str())
                || names::qualifies(&word)
                || names::is_head(None, &word)
                || names::words(&word).iter().all(|part| of_name.contains(part))
        };
        is_plain && !is_neutral() && !speaks_of(run, &word)
    });
    match unknown {
        Some(word) => Verdict::unsupported(format!("the run that tells {name} never speaks of `{word}`"))
            .considered(scope.looked_at()),
        None => verdict,
    }
}

/// The statement that a number stands in: up to the marks and words that begin another one.
fn clause<'t>(text: &'t str, literal: &str) -> &'t str {
    let Some(at) = text.find(literal) else { return text };
    let end = at + literal.len();
    const MARKS: [&str; 9] = [". ", "; ", "\n", " and ", " while ", " but ", " whereas ", "(", ")"];
    let start = MARKS.iter().filter_map(|mark| text[..at].rfind(mark).map(|place| place + mark.len())).max();
    let behind = MARKS.iter().chain(&[", "]).filter_map(|mark| text[end..].find(mark)).min();
    &text[start.unwrap_or(0)..behind.map_or(text.len(), |behind| end + behind)]
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
