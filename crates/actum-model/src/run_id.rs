//! The name of one run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The name of one run: a UUID of version 7, so that names sort by the time at which runs began.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct RunId(u128);

/// Why a text is not the name of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a run id: 32 hexadecimal digits in five groups, as `actum run` shows them")]
pub struct RunIdError(String);

impl RunId {
    /// From the time in milliseconds since 1970 and bits that nobody can guess. Both are the caller's.
    pub fn new(milliseconds: u64, random: [u8; 10]) -> Self {
        const VERSION: u128 = 7 << 76;
        const VARIANT: u128 = 2 << 62;
        let mut bytes = [0_u8; 16];
        bytes[6..].copy_from_slice(&random);
        let random = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0x3 << 62);
        Self((u128::from(milliseconds & 0xffff_ffff_ffff) << 80) | VERSION | VARIANT | random)
    }

    /// As it is kept in a table: sorts like the name.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// When the run began, in milliseconds since 1970.
    pub fn milliseconds(self) -> u64 {
        (self.0 >> 80) as u64
    }

    /// The end of the name, which is random: enough to tell runs apart, and short enough to type.
    pub fn short(self) -> String {
        self.to_string().split_off(24)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = format!("{:032x}", self.0);
        write!(f, "{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for RunId {
    type Err = RunIdError;

    /// Only the form that [`fmt::Display`] writes: one run has one name.
    fn from_str(text: &str) -> Result<Self, RunIdError> {
        let wrong = || RunIdError(text.chars().take(60).collect());
        let hex: String = text.chars().filter(|c| *c != '-').collect();
        let id = u128::from_str_radix(&hex, 16).map(Self).map_err(|_| wrong())?;
        if id.to_string() == text && (id.0 >> 76) & 0xf == 7 { Ok(id) } else { Err(wrong()) }
    }
}

impl TryFrom<String> for RunId {
    type Error = RunIdError;
    fn try_from(text: String) -> Result<Self, RunIdError> {
        text.parse()
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> String {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn has_the_form_of_version_7() {
        let id = RunId::new(0x0192_3456_789a, [0xff; 10]);
        assert_eq!(id.to_string(), "01923456-789a-7fff-bfff-ffffffffffff");
        assert_eq!(id.short(), "ffffffffffff");
        for text in ["", "last", "01923456-789a-4fff-bfff-ffffffffffff", "01923456789a7fffbfffffffffffffff"] {
            assert!(text.parse::<RunId>().is_err(), "{text} should not read");
        }
    }

    proptest! {
        #[test]
        fn reads_back_and_sorts_by_time(a in 0_u64..1 << 48, b in 0_u64..1 << 48, random: [u8; 10]) {
            let id = RunId::new(a, random);
            prop_assert_eq!(id.to_string().parse::<RunId>(), Ok(id));
            prop_assert_eq!(id.milliseconds(), a);
            prop_assert!(a >= b || id < RunId::new(b, random));
        }
    }
}
