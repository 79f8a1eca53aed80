//! How much of a program's surroundings is fixed.

use crate::error::UnknownProfile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Nothing is fixed.
    Record,
    /// Whatever can be fixed by variables and start-up files.
    #[default]
    Pinned,
    /// The system's entropy and the clock as well.
    Strict,
}

impl Profile {
    pub const ALL: [Self; 3] = [Self::Record, Self::Pinned, Self::Strict];

    pub fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Pinned => "pinned",
            Self::Strict => "strict",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, UnknownProfile> {
        let found = Self::ALL.into_iter().find(|profile| profile.name() == text);
        found.ok_or_else(|| UnknownProfile { given: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(profile));
            assert_eq!(serde_json::to_value(profile).unwrap(), profile.name());
        }
        let error = "fast".parse::<Profile>().unwrap_err().to_string();
        assert_eq!(error, "there is no determinism profile `fast`; choose one of record, pinned, strict");
        assert_eq!(Profile::default(), Profile::Pinned);
    }
}
