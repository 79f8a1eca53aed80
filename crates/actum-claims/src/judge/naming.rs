//! Which runs the words of a claim name, where no command between backticks does.

use crate::evidence::RunFacts;
use crate::stance::pattern;
use crate::vocabulary::VOCABULARY;
use actum_commands::command;
use actum_model::Cleanliness;
use regex::bytes::Regex;
use std::sync::LazyLock;

/// How closely words name a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// The kind of work: `the build`, `the tests`.
    Kind,
    /// The program: `make`, `node`; or what its file is called after: `the migration` of `migrate.py`.
    Program,
    /// A file or a switch of its command.
    Word,
    /// The whole command, of so many letters.
    Whole(usize),
}

/// The runs that a text names most closely; none where it names none.
pub(crate) fn named<'e>(text: &str, runs: &[&'e RunFacts]) -> Vec<&'e RunFacts> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || "-_./".contains(c)))
        .map(|word| word.trim_end_matches(['.', '-', '/']))
        .filter(|word| !word.is_empty())
        .collect();
    let ranked: Vec<(&RunFacts, Option<Named>)> =
        runs.iter().map(|run| (*run, rank(&text, &words, run))).collect();
    let best = ranked.iter().filter_map(|(_, rank)| *rank).max();
    let best: Vec<&RunFacts> =
        ranked.into_iter().filter(|(_, rank)| rank.is_some() && *rank == best).map(|(run, _)| run).collect();
    // `the script` is none of the tools.
    let is_own = |run: &&RunFacts| is_script(run);
    let says_script = ["script", "program"].iter().any(|word| words.contains(word));
    if says_script && best.iter().any(is_own) {
        return best.into_iter().filter(is_own).collect();
    }
    best
}

fn is_script(run: &RunFacts) -> bool {
    command::checks(&run.command).is_empty() && !command::runs_tests(&run.command)
}

fn rank(text: &str, words: &[&str], run: &RunFacts) -> Option<Named> {
    let command = run.command.to_lowercase();
    let parts = command::words(&command);
    if parts.len() > 1 && text.contains(&command) || command.starts_with("./") && text.contains(&command) {
        return Some(Named::Whole(command.len()));
    }
    let file = |word: &String| word.rsplit('/').next().unwrap_or(word).to_owned();
    let is_file = |word: &String| word.contains('.') && word.len() > 3 && !word.starts_with('-');
    let files: Vec<String> = parts.iter().filter(|word| is_file(word)).map(file).collect();
    let has_file = files.iter().any(|file| text.contains(file.as_str()));
    let has_switch =
        parts.iter().any(|part| part.len() > 3 && part.starts_with("--") && words.contains(&part.as_str()));
    // `the demo build` of `make demo`
    let takes_targets =
        parts.first().is_some_and(|first| ["make", "npm", "just", "cargo", "yarn"].contains(&first.as_str()));
    let has_target = takes_targets
        && parts
            .iter()
            .skip(1)
            .any(|part| part.len() > 3 && !part.starts_with('-') && words.contains(&part.as_str()));
    if has_file || has_switch || has_target {
        return Some(Named::Word);
    }
    let stems = files.iter().filter_map(|file| file.split('.').next());
    if command::program_words(&command).iter().any(|program| words.contains(&program.as_str()))
        || stems.into_iter().any(|stem| stem.len() >= 3 && words.contains(&stem))
    {
        return Some(Named::Program);
    }
    is_kind(words, run).then_some(Named::Kind)
}

fn is_kind(words: &[&str], run: &RunFacts) -> bool {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let checks = |kind: Cleanliness| command::checks(&run.command).iter().any(|(what, _)| *what == kind);
    has(&["test", "tests", "suite", "full-suite"])
        && (run.tests.is_some() || command::runs_tests(&run.command))
        || words.iter().any(|word| VOCABULARY.building.contains(word)) && checks(Cleanliness::Build)
        || has(&["lint", "linter", "linting"]) && checks(Cleanliness::Lint)
        || has(&["type", "types", "type-check", "type-checking"]) && checks(Cleanliness::Types)
}

/// `every command`, `both runs`: whoever says so speaks of each.
pub(crate) fn speaks_of_all(text: &str) -> bool {
    static ALL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:every|all|each|both|none of|neither of|no)\b(?: \w+){0,3}? (?:runs?|commands?|invocations?|calls?|steps?|scripts?|programs?|processes|executions?|checks?|jobs?|of them)\b",
        )
    });
    ALL.is_match(text.to_lowercase().as_bytes())
}

/// `the last run`, `my latest pytest run`: the newest of those that are meant.
pub(crate) fn speaks_of_last(text: &str) -> bool {
    static LAST: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:last|latest|newest|final|(?:most )?recent)\b(?: [a-z0-9_.-]+){0,3}? (?:run|invocation|execution|call|pass)\b",
        )
    });
    LAST.is_match(text.to_lowercase().as_bytes())
}
