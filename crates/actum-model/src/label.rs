//! A word by which somebody finds a run again.

use crate::path_text;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A label of a run: one short line, shown as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Label(String);

/// Why a text is no label.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a label: one line of 1 to {most} printable characters", most = Label::LONGEST)]
pub struct LabelError(String);

impl Label {
    /// Longer than any name, shorter than a sentence.
    pub const LONGEST: usize = 80;
    /// More than anybody sorts by.
    pub const MOST: usize = 32;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Label {
    type Err = LabelError;

    fn from_str(text: &str) -> Result<Self, LabelError> {
        let is_shown_as_it_is = path_text(text.as_bytes()) == text && text.trim() == text;
        if text.is_empty() || text.chars().count() > Self::LONGEST || !is_shown_as_it_is {
            return Err(LabelError(path_text(text.as_bytes()).chars().take(Self::LONGEST).collect()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.0
    }
}

impl TryFrom<String> for Label {
    type Error = LabelError;

    fn try_from(text: String) -> Result<Self, LabelError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_short_line_as_it_is_shown() {
        for text in ["nightly", "model=small", "a b", "größer", &"x".repeat(80)] {
            assert_eq!(text.parse::<Label>().map(String::from), Ok(text.to_owned()));
        }
        for text in ["", " a", "a ", "a\nb", "a\u{1b}[31m", "\u{202e}x", &"x".repeat(81)] {
            assert!(text.parse::<Label>().is_err(), "{text:?}");
        }
    }
}
