//! What looks like a secret without being known: one way to tell, built in or added by somebody.

use regex::bytes::{Regex, RegexBuilder};

/// A pattern that somebody added: a regular expression over bytes, looked for in each line by itself.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
    origin: Origin,
}

/// Who added a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    User,
    /// It comes from anywhere, so it is bounded, and given up where it takes too long.
    Project,
}

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    #[error("the regular expression is not valid")]
    Syntax { source: regex::Error },
    #[error("the pattern matches the empty string")]
    Empty,
    #[error("the pattern is longer than the {} bytes that a project may use", Pattern::LONGEST_OF_PROJECT)]
    Long,
    #[error("a project may have at most {} patterns", Pattern::MOST_OF_PROJECT)]
    TooMany,
}

/// As much as somebody writes by hand comes to; a pattern that was blown up on purpose does not.
const LARGEST: usize = 1 << 20;
/// The same for a project: some hundred states, so that one search of a stretch takes milliseconds at most.
const LARGEST_OF_PROJECT: usize = 16 << 10;

impl Pattern {
    /// How many patterns a project may add: each is looked for in every line.
    pub const MOST_OF_PROJECT: usize = 32;
    /// How long one of them may be.
    pub const LONGEST_OF_PROJECT: usize = 256;

    /// Takes out its first group where it has one, else all of it.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        Self::build(text, Origin::User, LARGEST)
    }

    /// The same for a pattern that a project brings.
    pub fn of_project(text: &str) -> Result<Self, PatternError> {
        if text.len() > Self::LONGEST_OF_PROJECT {
            return Err(PatternError::Long);
        }
        Self::build(text, Origin::Project, LARGEST_OF_PROJECT)
    }

    fn build(text: &str, origin: Origin, largest: usize) -> Result<Self, PatternError> {
        let regex = RegexBuilder::new(text).unicode(false).size_limit(largest).build();
        let regex = regex.map_err(|source| PatternError::Syntax { source })?;
        match regex.is_match(b"") {
            true => Err(PatternError::Empty),
            false => Ok(Self { regex, origin }),
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        self.regex.as_str()
    }

    pub(super) fn regex(&self) -> &Regex {
        &self.regex
    }

    pub(super) fn origin(&self) -> Origin {
        self.origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_looked_for_is_refused() {
        assert!(Pattern::new("acme_[0-9a-f]{32}").is_ok());
        assert!(matches!(Pattern::new("acme_["), Err(PatternError::Syntax { .. })));
        assert!(matches!(Pattern::new("x*"), Err(PatternError::Empty)));
        assert!(matches!(Pattern::new("(?:a{999}){999}"), Err(PatternError::Syntax { .. })));
        assert!(Pattern::of_project("acme_[0-9a-f]{32}").is_ok());
        assert!(Pattern::new("a{9999}").is_ok());
        assert!(matches!(Pattern::of_project("a{9999}"), Err(PatternError::Syntax { .. })));
        assert!(matches!(Pattern::of_project(&"a".repeat(257)), Err(PatternError::Long)));
    }
}
