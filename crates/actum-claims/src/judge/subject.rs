//! Whom a number is told of: nobody is contradicted by a run that never spoke of the one that is meant.

use super::figured;
use super::places;
use super::scope::Scope;
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::figures::words::{is_optional, keys};
use actum_model::{Claim, ClaimStatus, Ratio, Said};

/// Where the subject of a statement ends.
const VERBS: &[&str] = &[
    "has", "had", "is", "was", "reaches", "reached", "achieves", "achieved", "gets", "got", "scores",
    "scored", "hits", "hit", "shows", "showed", "yields", "yielded", "gives", "gave", "attains", "attained",
    "obtains", "obtained", "comes", "came", "sits", "takes", "took", "needs", "needed", "uses", "used",
    "ran", "runs", "finished", "finishes", "produces", "produced", "returns", "returned", "peaks", "peaked",
    "ends", "ended", "managed", "manages",
];

/// Words of subjects that any run may be called by.
const ANYBODY: &[&str] = &[
    "model",
    "run",
    "script",
    "program",
    "job",
    "result",
    "network",
    "net",
    "classifier",
    "regressor",
    "pipelin",
    "benchmark",
    "experiment",
    "version",
    "cod",
    "training",
    "train",
    "evaluation",
    "eval",
    "new",
    "tun",
    "retrain",
    "fix",
    "updat",
    "optimis",
    "optimiz",
    "fin",
    "finetun",
    "finish",
    "select",
    "chosen",
    "export",
    "sav",
    "best",
    "final",
    "test",
    "suit",
    "output",
    "comput",
    "dataset",
    "data",
    "set",
    "baselin",
    "setup",
    "configuration",
    "config",
    "approach",
    "solution",
    "implementation",
    "tool",
    "app",
    "overall",
    "service",
    "command",
    "measur",
    "process",
    "every",
    "unseen",
    "held",
    "winner",
    "champion",
    "pick",
    "choic",
    "now",
    "still",
    "also",
];

/// What contradicts somebody else is no contradiction.
pub(crate) fn known<'e>(verdict: Verdict<'e>, scope: &Scope<'e>, claim: &Claim) -> Verdict<'e> {
    let (name, literal) =
        if let Said::Metric { name, value, .. } | Said::Count { noun: name, value, .. } = &claim.said {
            (name.as_str(), &value.literal)
        } else if let Said::Ratio(Ratio { of, by: Some(by), .. }) = &claim.said {
            (of.as_str(), &by.literal)
        } else {
            return verdict;
        };
    if let Some(run) = verdict.run.filter(|run| places::is_of_other(scope, run, literal)) {
        let why = format!("`{}` was another one than that which is named", run.command);
        return Verdict::unsupported(why);
    }
    let Some(run) = verdict.run.filter(|_| verdict.status == ClaimStatus::Contradicted) else {
        return verdict;
    };
    // Which of them are meant has to be said where the number is told.
    let line = format!("{} {}", verdict.why, run.command).replace(['/', '.'], " ");
    let told = keys(&line);
    if let Said::Count { noun, .. } = &claim.said
        && let Some(word) = modifiers(&claim.text, literal, noun)
            .into_iter()
            .chain(figured::qualifier(&claim.text, literal).into_iter().filter(|word| !is_by_the_way(word)))
            .find(|word| !told.contains(word))
    {
        return Verdict::unsupported(format!("no line that tells a number of {noun} speaks of {word}"));
    }
    if matches!(claim.said, Said::Count { .. }) && is_added(&claim.text, literal, run) {
        return Verdict::unsupported(format!("how many {name} were added is told by no run"));
    }
    let subject = subject(&claim.text, literal);
    let of_name = keys(name);
    let mut own = subject.iter().filter(|word| {
        let is_common = ANYBODY.contains(&word.as_str()) || is_optional(word) || of_name.contains(word);
        !is_common && word.len() > 1
    });
    match own.next() {
        Some(first) if !speaks_of(run, first) && own.all(|word| !speaks_of(run, word)) => {
            Verdict::unsupported(format!("no recorded run that tells {name} speaks of {}", subject.join(" ")))
        }
        Some(_) | None => verdict,
    }
}

/// The words of whom a number is told, from the beginning of its statement to the verb.
fn subject(text: &str, literal: &str) -> Vec<String> {
    let before = text.find(literal).map_or("", |at| &text[..at]);
    let clause =
        before.rsplit(['.', ';', ':', ',', '(', '\n']).find(|part| part.split_whitespace().count() > 1);
    let clause = clause.unwrap_or_default();
    let clause = [" and ", " while ", " but ", " whereas "]
        .iter()
        .filter_map(|seam| clause.rfind(seam).map(|at| &clause[at + seam.len()..]))
        .min_by_key(|rest| rest.len())
        .unwrap_or(clause);
    let words: Vec<&str> = clause.split_whitespace().collect();
    // A row of a table: `lz4 -1, compression ratio: 9.4`.
    if let Some(label) = text.strip_suffix(&format!(": {literal}")).and_then(|row| row.split_once(", ")) {
        return keys(label.0);
    }
    let verb = words.iter().position(|word| VERBS.contains(&word.to_lowercase().as_str()));
    match verb {
        Some(at) if (1..=6).contains(&at) => keys(&words[..at].join(" ")),
        // `5-fold cross-validated accuracy: 0.86`
        None if before.trim_end().ends_with(':') => keys(clause),
        Some(_) | None => Vec::new(),
    }
}

/// What is said with a number without choosing which are meant: `1,200 rows without errors`.
fn is_by_the_way(word: &str) -> bool {
    ["error", "warn", "issu", "problem", "fail", "exception", "success", "troubl", "hiccup", "conflict"]
        .contains(&word.trim_start_matches("no-"))
}

/// `83 noisy guests`: what stands between a number and its noun says which of them are meant.
fn modifiers(text: &str, literal: &str, noun: &str) -> Vec<String> {
    const ANY: [&str; 10] = [
        "differ",
        "distinct",
        "separat",
        "individual",
        "such",
        "actual",
        "singl",
        "independent",
        "input",
        "sourc",
    ];
    // `files reformatted`: what is counted are the files.
    let plural = noun.split_whitespace().rfind(|word| word.ends_with('s'));
    let Some(head) = plural.or(noun.split_whitespace().last()) else { return Vec::new() };
    let behind = text.split_once(literal).map_or("", |(_, behind)| behind);
    let words: Vec<&str> = behind.split(' ').filter(|word| !word.is_empty()).take(4).collect();
    let is_head = |word: &&str| word.to_lowercase().starts_with(&head.to_lowercase());
    let Some(end) = words.iter().position(is_head) else { return Vec::new() };
    let is_plain = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    if words[..end].iter().filter(is_plain).count() < end {
        return Vec::new();
    }
    let is_any = |word: &str| ANY.contains(&word) || ANYBODY.contains(&word) || is_optional(word);
    keys(&words[..end].join(" ")).into_iter().filter(|word| !is_any(word)).collect()
}

/// `added 4 checks`, `4 new checks`: whether it is told how many came to those that are there, and the run tells nothing of that.
fn is_added(text: &str, literal: &str, run: &RunFacts) -> bool {
    const MORE: [&str; 6] = ["new", "more", "extra", "additional", "further", "other"];
    const ADDED: [&str; 4] = ["added", "adds", "adding", "introduced"];
    let Some((before, behind)) = text.split_once(literal) else { return false };
    // A commit tells what it adds.
    if run.command.starts_with("git ") {
        return false;
    }
    let next = behind.split_whitespace().next().unwrap_or_default().to_lowercase();
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let tells = |word: &str| run.printed.iter().any(|line| line.text.to_lowercase().contains(word));
    MORE.contains(&next.as_str()) && !tells(&next) || ADDED.contains(&last.as_str()) && !tells("add")
}

/// Whether a run has the word anywhere: in its command, in what it printed, in what it wrote.
fn speaks_of(run: &RunFacts, word: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(word) || keys(text).iter().any(|one| one == word);
    has(&run.command)
        || run.printed.iter().any(|line| has(&line.text))
        || run.wrote.iter().any(|wrote| has(&wrote.path))
        || run.texts.iter().any(|file| has(&file.text))
        || run.metrics.iter().any(|metric| has(&metric.name))
}
