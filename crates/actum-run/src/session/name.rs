//! The name of a session.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Letters, digits, `-`, `_` and `.`, at most 64 of them, and neither `.` nor `..`: it is the name of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionName(String);

/// Why a text does not name a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid session name {0:?}: use at most {LONGEST} letters, digits, `-`, `_` and `.`, not starting with `.`"
)]
pub struct SessionNameError(String);

const LONGEST: usize = 64;

impl SessionName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionName {
    type Err = SessionNameError;

    fn from_str(text: &str) -> Result<Self, SessionNameError> {
        let is_usable = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        // A dot first is kept for what is not a session, and with it `.` and `..`.
        let fits =
            (1..=LONGEST).contains(&text.len()) && !text.starts_with('.') && text.bytes().all(is_usable);
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(SessionNameError(text.chars().take(LONGEST + 6).collect()))
        }
    }
}

impl TryFrom<String> for SessionName {
    type Error = SessionNameError;

    fn try_from(text: String) -> Result<Self, SessionNameError> {
        text.parse()
    }
}

impl From<SessionName> for String {
    fn from(name: SessionName) -> Self {
        name.0
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folders_and_nothing_else() {
        for good in ["a", "data-2.py_x", "-", &"x".repeat(64)] {
            assert_eq!(good.parse::<SessionName>().unwrap().as_str(), good);
        }
        for bad in ["", ".", "..", ".hidden", "a/b", "a b", "ü", "a\0", "a\n", &"x".repeat(65)] {
            assert!(bad.parse::<SessionName>().is_err(), "{bad:?}");
        }
    }
}
