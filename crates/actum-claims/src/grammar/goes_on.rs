//! What a sentence says about the thing that the one before it named: `I ran X. It ended with 3.`

use super::found::looks_like_command;
use crate::sentence::Sentence;
use crate::stance::pattern;
use actum_model::{Claim, Said};
use regex::bytes::Regex;
use std::sync::LazyLock;

static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^a-z]*(?:and |but |so )?(?:it|its|this|that|the (?:run|log|output|script|command|program|process))\b|\bthere (?:were|was|are|is) (?:no|zero|0|also no)\b",
    )
});

/// The one command that a sentence names.
#[derive(Default)]
pub(super) struct Spoken(Option<String>);

impl Spoken {
    /// Nothing where the sentence names none.
    pub(super) fn of(sentence: &Sentence) -> Option<Self> {
        let codes = sentence.code.iter().map(|range| sentence.part(range.clone()));
        let mut commands = codes.filter(|code| looks_like_command(code) || is_script(code));
        let command = commands.next().filter(|_| commands.next().is_none())?;
        Some(Self(Some(command.trim_start_matches("$ ").to_owned())))
    }

    /// Tells claims of a sentence that goes on which command they are about.
    pub(super) fn give(&self, claims: &mut [Claim]) {
        for claim in claims.iter_mut().filter(|claim| claim.command.is_none() && claim.anchor.is_none()) {
            let is_of_run =
                matches!(&claim.said, Said::Exit { .. } | Said::Absent { .. } | Said::Clean { .. });
            let is_of_tests = matches!(&claim.said, Said::Tests(counts) if counts.which.is_none());
            if is_of_run || is_of_tests {
                claim.command.clone_from(&self.0);
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
