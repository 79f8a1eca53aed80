//! The number that everything random is computed from.

use crate::error::SeedError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every run has one, so that it can be told and given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seed {
    pub value: u64,
    pub origin: SeedOrigin,
}

/// Who chose it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeedOrigin {
    /// Nobody: 42.
    Default,
    Given,
    /// Drawn for this run, because that was asked for.
    Drawn,
}

/// The seed of runs for which none was given: the one that most examples use.
const DEFAULT: u64 = 42;
/// The word that asks for a new one.
const RANDOM: &str = "random";
/// The most characters of a wrong seed that an error repeats.
const SHOWN: usize = 40;

impl Default for Seed {
    fn default() -> Self {
        Self { value: DEFAULT, origin: SeedOrigin::Default }
    }
}

impl Seed {
    /// Reads what `--seed` was given. `drawn` is a number that the caller drew, for the word `random`.
    pub fn parse(text: &str, drawn: u64) -> Result<Self, SeedError> {
        let text = text.trim();
        if text == RANDOM {
            return Ok(Self { value: drawn, origin: SeedOrigin::Drawn });
        }
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let value = is_number.then(|| text.parse().ok()).flatten();
        let error = || SeedError::NotASeed { given: text.chars().take(SHOWN).collect() };
        value.map(|value| Self { value, origin: SeedOrigin::Given }).ok_or_else(error)
    }

    /// For what takes 32 bits, as Python's hashes do.
    pub fn as_32_bits(self) -> u32 {
        (self.value & u64::from(u32::MAX)) as u32
    }

    /// For what takes a number with a sign, as R does.
    pub fn as_31_bits(self) -> u32 {
        self.as_32_bits() & (u32::MAX >> 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_seed_is_a_number_or_drawn() {
        let given = |value| Ok(Seed { value, origin: SeedOrigin::Given });
        assert_eq!(Seed::parse("7", 1), given(7));
        assert_eq!(Seed::parse(" 0 ", 1), given(0));
        assert_eq!(Seed::parse("18446744073709551615", 1), given(u64::MAX));
        assert_eq!(Seed::parse("random", 9), Ok(Seed { value: 9, origin: SeedOrigin::Drawn }));
        assert_eq!(Seed::default().value, 42);
    }

    #[test]
    fn anything_else_is_an_error_that_names_the_range() {
        for text in ["", "-1", "+1", "1.5", "0x2a", "18446744073709551616", "Random", "4 2", "٣"] {
            let error = Seed::parse(text, 1).unwrap_err().to_string();
            assert!(
                error.contains("from 0 to 18446744073709551615") && error.contains("`random`"),
                "{error}"
            );
        }
    }

    #[test]
    fn narrow_seeds_keep_the_low_bits() {
        let seed = Seed { value: u64::MAX - 1, origin: SeedOrigin::Given };
        assert_eq!((seed.as_32_bits(), seed.as_31_bits()), (0xffff_fffe, 0x7fff_fffe));
    }

    proptest! {
        #[test]
        fn every_number_is_read_back(value: u64) {
            prop_assert_eq!(Seed::parse(&value.to_string(), 0).unwrap().value, value);
        }

        #[test]
        fn no_text_panics_or_is_repeated_at_length(text: String) {
            if let Err(error) = Seed::parse(&text, 0) {
                prop_assert!(error.to_string().chars().count() < 200);
            }
        }
    }
}
