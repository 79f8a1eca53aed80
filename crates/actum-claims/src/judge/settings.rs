//! Settings that runs were given, and which of them a text names: `with lr 0.02`, `batch size 8`, `the new model`.

use crate::command;
use crate::evidence::RunFacts;
use crate::figures::words::keys;
use crate::sentence::Sentence;
use crate::tokens::{Token, tokens};
use actum_model::Quantity;

/// What a run was given: by its command, or as it tells itself.
pub(super) struct Settings {
    numbers: Vec<(String, f64)>,
    words: Vec<(String, String)>,
}

impl Settings {
    pub(super) fn of(run: &RunFacts) -> Self {
        let mut numbers = command::options(&run.command);
        let told = run.printed.iter().take(MOST).filter_map(|line| configured(&line.text)).flatten();
        for (name, value) in told {
            if let Ok(value) = value.parse::<f64>() {
                numbers.push((name.to_owned(), value));
            }
        }
        Self { numbers, words: command::worded_options(&run.command) }
    }

    pub(super) fn has(&self, name: &str, value: f64) -> bool {
        let wanted = bare(name);
        self.numbers.iter().any(|(one, held)| bare(one) == wanted && *held == value)
    }
}

/// How it is set a run tells at its beginning.
const MOST: usize = 20;

/// `config: batch_size=8 requests=2000`, `Namespace(lr=0.1, depth=3)`: a line that tells how something is set.
fn configured(line: &str) -> Option<Vec<(&str, &str)>> {
    const HEADS: [&str; 10] = [
        "config",
        "configuration",
        "settings",
        "args",
        "arguments",
        "params",
        "parameters",
        "options",
        "hyperparameters",
        "namespace",
    ];
    let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
    let end = line.find(|c: char| !c.is_alphabetic())?;
    if !HEADS.contains(&line[..end].to_lowercase().as_str()) {
        return None;
    }
    let parts = line[end..].split(|c: char| c.is_whitespace() || ",;(){}".contains(c));
    let pairs = parts.filter_map(|part| part.split_once('=').or_else(|| part.split_once(':')));
    Some(pairs.filter(|(name, _)| !name.is_empty()).collect())
}

/// The words of a setting's name: a batch and the size of a batch are one.
pub(super) fn bare(name: &str) -> Vec<String> {
    let mut words = keys(name);
    words.retain(|word| word != "siz");
    words
}

/// Names of numbers that runs were given.
pub(super) fn names(given: &[Settings]) -> Vec<String> {
    let mut names: Vec<String> =
        given.iter().flat_map(|one| &one.numbers).map(|(name, _)| name.clone()).collect();
    names.dedup();
    names
}

const WITH: [&str; 6] = ["with", "using", "at", "on", "for", "over"];

/// Settings that a text names with a number right behind.
pub(super) fn numbers(text: &str, names: &[String]) -> Vec<(String, Quantity)> {
    let sentence = Sentence::plain(text, 1, "");
    let all = tokens(&sentence);
    let mut found = Vec::new();
    for (at, token) in all.iter().enumerate() {
        let Some(value) = token.number() else { continue };
        let first = all[..at].iter().rposition(|token| token.number().is_some()).map_or(0, |edge| edge + 1);
        let before = &all[first.max(at.saturating_sub(4))..at];
        let mut words: Vec<&str> = before.iter().filter_map(Token::word).collect();
        words.truncate(words.len() - words.iter().rev().take_while(|word| **word == "of").count());
        let is_named = |name: &&String| {
            let wanted = bare(name);
            let count = keys(name).len().max(2).min(words.len());
            let near = bare(&words[words.len() - count..].join(" "));
            !wanted.is_empty() && near.ends_with(&wanted)
        };
        // `with 4 workers`
        let is_with = before.last().is_some_and(|token| WITH.iter().any(|word| token.is(word)));
        let behind = bare(all.get(at + 1).and_then(Token::word).unwrap_or_default());
        let is_counted = |name: &&String| is_with && !behind.is_empty() && bare(name) == behind;
        if let Some(name) = names.iter().find(is_named).or_else(|| names.iter().find(is_counted)) {
            found.push((name.clone(), value.clone()));
        }
    }
    found
}

/// The part of a sentence that a number stands in, where it names one value of a setting and the rest names others:
/// `with batch 1 it takes 47 ms; with batch 8 it takes 8 ms`.
pub(super) fn own_part<'t>(text: &'t str, literal: Option<&str>, names: &[String]) -> &'t str {
    const SEAMS: [&[&str]; 2] = [&["; ", " while ", " whereas ", " but "], &[", ", " and "]];
    let Some(literal) = literal else { return text };
    let mut part = text;
    for seams in SEAMS {
        let Some(at) = part.find(literal) else { return part };
        let start = seams.iter().filter_map(|seam| Some(part[..at].rfind(seam)? + seam.len())).max();
        let end = seams.iter().filter_map(|seam| Some(at + part[at..].find(seam)?)).min();
        let own = &part[start.unwrap_or(0)..end.unwrap_or(part.len())];
        // Less than this says nothing about how it was set.
        if numbers(part, names).len() < 2 && words_of(own) < words_of(part) && numbers(own, names).is_empty()
        {
            return part;
        }
        part = own;
    }
    part
}

fn words_of(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Which runs were given a word that a text names: `the new model` of `--model new`. Nothing where it names none, or all alike.
pub(super) fn by_words(text: &str, given: &[Settings]) -> Option<Vec<bool>> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || "-_".contains(c)))
        .filter(|word| !word.is_empty())
        .collect();
    let is_named = |(name, value): &(String, String)| {
        let differs =
            given.iter().any(|one| one.words.iter().any(|(key, other)| key == name && other != value));
        differs && words.windows(2).any(|pair| is_pair(pair, name, value))
    };
    let chosen: Vec<bool> = given.iter().map(|one| one.words.iter().any(is_named)).collect();
    (chosen.contains(&true) && chosen.contains(&false)).then_some(chosen)
}

/// `new model`, `model new`; `the baseline` where a model was called so, and no other thing of it follows.
fn is_pair(pair: &[&str], name: &str, value: &str) -> bool {
    let key = name.rsplit(['-', '_']).next().unwrap_or(name);
    let is = |word: &str, wanted: &str| word == wanted || word.trim_end_matches("'s") == wanted;
    is(pair[0], value) && is(pair[1], key) || is(pair[0], key) && is(pair[1], value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_in_a_text() {
        let names = vec!["batch".to_owned(), "lr".to_owned()];
        let told = |text: &str| -> Vec<(String, f64)> {
            numbers(text, &names).into_iter().map(|(name, value)| (name, value.value)).collect()
        };
        assert_eq!(told("with batch size 8 it took 7.85 ms"), [("batch".to_owned(), 8.0)]);
        assert_eq!(told("latency at batch size 8: 7.85 ms"), [("batch".to_owned(), 8.0)]);
        assert_eq!(told("on the batch 8 run"), [("batch".to_owned(), 8.0)]);
        assert_eq!(told("a learning rate of 0.02"), [("lr".to_owned(), 0.02)]);
        assert_eq!(told("with 8 batches it took 3 s"), [("batch".to_owned(), 8.0)]);
        assert_eq!(told("8 batches took 3 s"), []);
        let both = "With batch 1, latency is 47.4 ms; with batch 8 it is 7.85 ms";
        assert_eq!(own_part(both, Some("47.4"), &names), "With batch 1, latency is 47.4 ms");
        assert_eq!(own_part(both, Some("7.85"), &names), "with batch 8 it is 7.85 ms");
        let both = "p50 is 13.2 ms with batch 1 and 5.03 ms with batch 8";
        assert_eq!(own_part(both, Some("5.03"), &names), "5.03 ms with batch 8");
    }

    #[test]
    fn lines_that_tell_how_it_is_set() {
        assert_eq!(configured("config: batch_size=8 seed=5"), Some(vec![("batch_size", "8"), ("seed", "5")]));
        assert_eq!(configured("Namespace(lr=0.1, depth=3)"), Some(vec![("lr", "0.1"), ("depth", "3")]));
        assert_eq!(configured("loss=0.3 accuracy=0.9"), None);
    }
}
