//! What looks like a secret without being known: one way to tell, built in or added by somebody.

use regex::bytes::{Regex, RegexBuilder};

/// A pattern that somebody added: a regular expression over bytes, looked for in each line by itself.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
}

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    #[error("understand it")]
    Syntax { source: regex::Error },
    #[error("look for it: it would be found everywhere, because it also means nothing at all")]
    Empty,
}

/// As much as somebody writes by hand comes to; a pattern that was blown up on purpose does not.
const LARGEST: usize = 1 << 20;

impl Pattern {
    /// Takes out its first group where it has one, else all of it.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let regex = RegexBuilder::new(text).unicode(false).size_limit(LARGEST).build();
        let regex = regex.map_err(|source| PatternError::Syntax { source })?;
        match regex.is_match(b"") {
            true => Err(PatternError::Empty),
            false => Ok(Self { regex }),
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        self.regex.as_str()
    }

    pub(super) fn regex(&self) -> &Regex {
        &self.regex
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
    }
}
