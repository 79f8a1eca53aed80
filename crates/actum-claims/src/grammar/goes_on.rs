//! What a sentence says about the thing that the one before it named: `I ran X. It ended with 3.`

use super::found::{leads_to_now, looks_like_command, tells_of_before};
use crate::instruments;
use crate::sentence::Sentence;
use crate::stance::pattern;
use actum_model::{Claim, Said, TestOutcome, When};
use regex::bytes::Regex;
use std::sync::LazyLock;

static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^a-z]*(?:and |but |so )?(?:it|its|this|that|the (?:run|log|output|script|command|program|process))\b|\bthere (?:were|was|are|is) (?:no|zero|0|also no)\b",
    )
});

/// Whether the sentence before told of an earlier state: `At first 14 passed; the one that failed was X.`
#[derive(Default)]
pub(super) struct Earlier(bool);

impl Earlier {
    /// Tests that a sentence speaks on about failed then.
    pub(super) fn give(&mut self, sentence: &Sentence, claims: &mut [Claim]) {
        static SPEAKS_ON: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"^[^a-z]*(?:and |but )?(?:the (?:only |other |single )?(?:ones?|others?|failing|failed|failures?|culprits?|rest)|it|that|this|these|those|they|both)\b",
            )
        });
        let is_on = self.0 && SPEAKS_ON.is_match(&sentence.mask) && !leads_to_now(&sentence.mask);
        for claim in claims.iter_mut().filter(|_| is_on) {
            if matches!(&claim.said, Said::Test { outcome, .. } if *outcome != TestOutcome::Passed) {
                claim.when = When::Before;
            }
        }
        self.0 = is_on || tells_of_before(&sentence.mask);
    }
}

/// The one command and the one file that a sentence names, and what it says something ran under.
#[derive(Default)]
pub(super) struct Spoken {
    command: Option<String>,
    file: Option<String>,
    instrument: Option<String>,
}

impl Spoken {
    /// Nothing where the sentence names none.
    pub(super) fn of(sentence: &Sentence) -> Option<Self> {
        let codes: Vec<&str> = sentence.code.iter().map(|range| sentence.part(range.clone())).collect();
        let only = |is_it: &dyn Fn(&str) -> bool| {
            let mut all = codes.iter().filter(|code| is_it(code));
            all.next().filter(|_| all.next().is_none()).map(|code| code.trim_start_matches("$ ").to_owned())
        };
        let (command, file) = (only(&|code| looks_like_command(code) || is_script(code)), only(&is_data));
        let instrument = instruments::named(&sentence.text);
        let is_any = command.is_some() || file.is_some() || instrument.is_some();
        is_any.then_some(Self { command, file, instrument })
    }

    /// Tells claims of a sentence that goes on what it goes on about.
    pub(super) fn give(&self, claims: &mut [Claim]) {
        if let Some(instrument) = &self.instrument {
            claims.iter_mut().for_each(|claim| claim.context.push_str(&format!(" under {instrument}")));
        }
        for claim in claims.iter_mut().filter(|claim| claim.command.is_none() && claim.anchor.is_none()) {
            let is_of_run =
                matches!(&claim.said, Said::Exit { .. } | Said::Absent { .. } | Said::Clean { .. });
            let is_of_tests = matches!(&claim.said, Said::Tests(counts) if counts.which.is_none());
            if is_of_run || is_of_tests {
                claim.command.clone_from(&self.command);
            }
            if let Said::Count { noun, file: file @ None, .. } = &mut claim.said
                && is_of_file(noun)
            {
                file.clone_from(&self.file);
            }
        }
    }
}

/// Whether a sentence speaks on about what was named before it.
pub(super) fn goes_on(sentence: &Sentence) -> bool {
    GOES_ON.is_match(&sentence.mask)
}

fn is_script(code: &str) -> bool {
    !code.contains(' ')
        && [".py", ".sh", ".js", ".ts", ".rb", ".R", ".pl"].iter().any(|ending| code.ends_with(ending))
}

fn is_data(code: &str) -> bool {
    !code.contains(' ')
        && [".csv", ".tsv", ".json", ".jsonl", ".txt", ".parquet"].iter().any(|ending| code.ends_with(ending))
}

/// Things that a file has.
fn is_of_file(noun: &str) -> bool {
    let last = noun.rsplit(' ').next().unwrap_or(noun);
    ["rows", "lines", "records", "entries"].contains(&last)
}
