//! Text that somebody else chose.

use crate::path_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Text from a workspace, a project file, an answer, a package or a program's output.
///
/// It has no `Display`, so it cannot be put into a message as it is: [`shown`](Self::shown) makes it harmless first. Parsers
/// take [`as_str`](Self::as_str).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Untrusted(String);

impl Untrusted {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as it is: for parsers and comparisons, never for a terminal.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One harmless line of at most `most` characters: control characters, bidirectional marks and line ends are escaped.
    pub fn shown(&self, most: usize) -> String {
        match self.0.char_indices().nth(most) {
            Some((end, _)) => format!("{}…", path_text(&self.0.as_bytes()[..end])),
            None => path_text(self.0.as_bytes()),
        }
    }
}

/// Harmless and short: debug output reaches terminals too.
impl fmt::Debug for Untrusted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Untrusted({})", self.shown(80))
    }
}

impl From<String> for Untrusted {
    fn from(text: String) -> Self {
        Self(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_text_controls_nothing_and_is_bounded() {
        let text = Untrusted::new("a\u{1b}]0;x\u{7}b\u{202e}\n");
        assert_eq!(text.shown(80), "a\\u{1b}]0;x\\u{7}b\\u{202e}\\n");
        assert_eq!(Untrusted::new("x".repeat(1 << 20)).shown(10), format!("{}…", "x".repeat(10)));
        assert_eq!(format!("{text:?}"), "Untrusted(a\\u{1b}]0;x\\u{7}b\\u{202e}\\n)");
    }
}
