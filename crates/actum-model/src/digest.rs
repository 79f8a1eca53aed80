//! The SHA-256 of some bytes, written as 64 hexadecimal digits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// SHA-256 of the contents: files with the same digest have the same bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
pub struct Digest(pub [u8; 32]);

/// Why a text is no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a SHA-256 of 64 hexadecimal digits")]
pub struct DigestError(String);

impl Digest {
    /// The digest of bytes that are at hand.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self::finish(Sha256::new_with_prefix(bytes))
    }

    /// The digest of bytes that came one after the other.
    pub fn finish(hash: Sha256) -> Self {
        Self(hash.finalize().into())
    }

    /// The first ten digits: enough to tell the files of one run apart by eye.
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(10);
        text
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.short())?;
        f.write_char('…')
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let refused = || DigestError(text.chars().take(70).collect());
        let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
        let digits = digits.filter(|digits| digits.len() == 64).ok_or_else(refused)?;
        Ok(Self(std::array::from_fn(|at| digits[2 * at] << 4 | digits[2 * at + 1])))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_digest_is_refused() {
        for text in ["", "ab", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64), &"é".repeat(32)] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn reads_back(bytes: [u8; 32]) {
            let digest = Digest(bytes);
            prop_assert_eq!(digest.to_string().parse(), Ok(digest));
            prop_assert!(digest.to_string().starts_with(&digest.short()));
        }
    }
}
