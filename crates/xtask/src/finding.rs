//! One thing that is wrong with the tree: where, which rule, what to do.

use std::fmt;

/// Shown as `place: rule; advice`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// `file:line`, a file, or a crate.
    pub place: String,
    pub rule: String,
    pub advice: String,
}

impl Finding {
    pub fn new(place: impl Into<String>, rule: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { place: place.into(), rule: rule.into(), advice: advice.into() }
    }

    /// A finding on one line, counted from one.
    pub fn at(path: &str, line: usize, rule: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding::new(format!("{path}:{line}"), rule, advice)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}; {}", self.place, self.rule, self.advice)
    }
}
