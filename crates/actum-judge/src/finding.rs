//! What a look at one place came to.

use actum_model::path_text;
use serde::{Deserialize, Serialize};

/// Whether an expectation held, what was found, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub held: bool,
    /// In Actum's own words.
    pub found: String,
    /// What the program wrote there, cut and harmless.
    pub quote: Option<String>,
    /// First and last line of a text, counted from 1.
    pub lines: Option<[u64; 2]>,
    /// Why nobody can tell.
    pub undecided: Option<String>,
}

/// More is not read on a screen, and the bytes are kept.
const LONGEST_QUOTE: usize = 160;

impl Finding {
    pub(crate) fn held(found: impl Into<String>) -> Self {
        Self { held: true, found: found.into(), quote: None, lines: None, undecided: None }
    }

    pub(crate) fn broken(found: impl Into<String>) -> Self {
        Self { held: false, ..Self::held(found) }
    }

    pub(crate) fn of(held: bool, found: impl Into<String>) -> Self {
        Self { held, ..Self::held(found) }
    }

    /// Nobody can tell.
    pub fn undecided(why: impl Into<String>) -> Self {
        Self { undecided: Some(why.into()), ..Self::broken("nothing that can be checked") }
    }

    pub(crate) fn quoting(self, text: &str) -> Self {
        Self { quote: Some(quoted(text)), ..self }
    }

    pub(crate) fn at_line(self, line: u64) -> Self {
        Self { lines: Some([line, line]), ..self }
    }
}

/// A text of the program's, cut to what a line holds, and with nothing in it that acts on a screen.
pub fn quoted(text: &str) -> String {
    let (kept, more) = match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    };
    format!("`{}{more}`", path_text(kept.as_bytes()))
}
