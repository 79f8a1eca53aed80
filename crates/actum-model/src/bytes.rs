//! A number of bytes that is written with its unit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A number of bytes. Reads `512MiB`, `1.5GiB`, `2GB`, `4096`, `64k`; shows the largest binary unit that is exact.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// Why a text is not a number of bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BytesError {
    #[error("`{0}` has no number; write for example 512MiB")]
    NoNumber(String),
    #[error("`{unit}` is not a unit of bytes; use B, KiB, MiB, GiB, TiB, KB, MB, GB or TB")]
    Unit { unit: String },
    #[error("`{0}` is larger than this system can count")]
    TooLarge(String),
}

const UNITS: [(&str, u64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

impl Bytes {
    pub const fn kib(n: u64) -> Self {
        Self(n << 10)
    }
    pub const fn mib(n: u64) -> Self {
        Self(n << 20)
    }
    pub const fn gib(n: u64) -> Self {
        Self(n << 30)
    }

    /// The nearest reading with one decimal, for people: `1.4 GiB`. [`fmt::Display`] stays exact.
    pub fn approximate(self) -> String {
        UNITS
            .iter()
            .find(|(_, size)| self.0 >= *size)
            .map(|(name, size)| format!("{:.1} {name}", self.0 as f64 / *size as f64))
            .unwrap_or_else(|| format!("{} B", self.0))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, size)| self.0 >= *size && self.0.is_multiple_of(*size)) {
            Some((name, size)) => write!(f, "{}{name}", self.0 / size),
            None => write!(f, "{}B", self.0),
        }
    }
}

impl FromStr for Bytes {
    type Err = BytesError;

    fn from_str(text: &str) -> Result<Self, BytesError> {
        let text = text.trim();
        let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = (&text[..split], text[split..].trim());
        let scale = scale(unit).ok_or_else(|| BytesError::Unit { unit: unit.to_owned() })?;
        if let Ok(whole) = number.parse::<u64>() {
            return whole.checked_mul(scale).map(Bytes).ok_or_else(|| BytesError::TooLarge(text.to_owned()));
        }
        let value: f64 = number.parse().map_err(|_| BytesError::NoNumber(text.to_owned()))?;
        let bytes = value * scale as f64;
        // 2^63: beyond it the kernel's own signed sizes overflow, and f64 has lost the units anyway.
        if bytes >= 9.2e18 { Err(BytesError::TooLarge(text.to_owned())) } else { Ok(Bytes(bytes as u64)) }
    }
}

fn scale(unit: &str) -> Option<u64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_units() {
        for (text, bytes) in [
            ("4096", 4096),
            ("64k", 65536),
            ("1.5GiB", 3 << 29),
            ("2 GB", 2_000_000_000),
            ("512MiB", 512 << 20),
        ] {
            assert_eq!(text.parse::<Bytes>(), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn names_what_is_wrong() {
        for text in ["", "MiB", "12parsecs", "1..2k", "-3", "99999999999TiB"] {
            assert!(text.parse::<Bytes>().is_err(), "{text} should not read");
        }
    }

    proptest! {
        #[test]
        fn display_reads_back(n: u64) {
            prop_assert_eq!(Bytes(n).to_string().parse::<Bytes>(), Ok(Bytes(n)));
        }
    }
}
