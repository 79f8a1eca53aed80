//! A number as somebody tells it: with the digits that it was given, its unit, and how exactly it is meant.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::{fmt, str::FromStr};

/// `93.1 %`, `~12 s`, `over 1,000`, `0.9312`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// In the unit that it was told in.
    pub value: f64,
    /// Half of the last digit, in the same unit: how far the value may lie from what was rounded.
    pub half: f64,
    pub unit: Unit,
    pub meant: Meant,
    /// As it was written.
    pub literal: String,
}

/// What a number is a number of, with how many of the base unit one of it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    Plain,
    Percent,
    /// Percentage points.
    Points,
    /// Base unit: seconds.
    Time(f64),
    /// Base unit: bytes.
    Size(f64),
    /// `3.1x`: so many times as much.
    Times,
}

/// How exactly a number is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    Exactly,
    /// `about`, `roughly`, `~`.
    About,
    /// `over`, `more than`.
    Over,
    /// `at least`.
    AtLeast,
    /// `under`, `less than`.
    Under,
    /// `at most`, `up to`.
    AtMost,
}

/// Why a text is no quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a number such as 0.93, ~12 s or >= 90 %")]
pub struct QuantityError(String);

const UNITS: &[(&str, Unit)] = &[
    ("%", Unit::Percent),
    ("percent", Unit::Percent),
    ("per cent", Unit::Percent),
    ("pp", Unit::Points),
    ("percentage points", Unit::Points),
    ("percentage point", Unit::Points),
    ("points", Unit::Points),
    ("ns", Unit::Time(1e-9)),
    ("nanoseconds", Unit::Time(1e-9)),
    ("us", Unit::Time(1e-6)),
    ("µs", Unit::Time(1e-6)),
    ("microseconds", Unit::Time(1e-6)),
    ("ms", Unit::Time(1e-3)),
    ("msec", Unit::Time(1e-3)),
    ("milliseconds", Unit::Time(1e-3)),
    ("millisecond", Unit::Time(1e-3)),
    ("s", Unit::Time(1.0)),
    ("sec", Unit::Time(1.0)),
    ("secs", Unit::Time(1.0)),
    ("second", Unit::Time(1.0)),
    ("seconds", Unit::Time(1.0)),
    ("min", Unit::Time(60.0)),
    ("mins", Unit::Time(60.0)),
    ("minute", Unit::Time(60.0)),
    ("minutes", Unit::Time(60.0)),
    ("h", Unit::Time(3600.0)),
    ("hr", Unit::Time(3600.0)),
    ("hrs", Unit::Time(3600.0)),
    ("hour", Unit::Time(3600.0)),
    ("hours", Unit::Time(3600.0)),
    ("bytes", Unit::Size(1.0)),
    ("byte", Unit::Size(1.0)),
    ("b", Unit::Size(1.0)),
    ("kb", Unit::Size(1e3)),
    ("mb", Unit::Size(1e6)),
    ("gb", Unit::Size(1e9)),
    ("tb", Unit::Size(1e12)),
    ("kib", Unit::Size(1024.0)),
    ("mib", Unit::Size(1_048_576.0)),
    ("gib", Unit::Size(1_073_741_824.0)),
    ("kilobytes", Unit::Size(1e3)),
    ("megabytes", Unit::Size(1e6)),
    ("gigabytes", Unit::Size(1e9)),
    ("x", Unit::Times),
    ("×", Unit::Times),
    ("times", Unit::Times),
    ("-fold", Unit::Times),
    ("fold", Unit::Times),
];

const MEANT: &[(&str, Meant)] = &[
    (">=", Meant::AtLeast),
    ("≥", Meant::AtLeast),
    ("<=", Meant::AtMost),
    ("≤", Meant::AtMost),
    (">", Meant::Over),
    ("<", Meant::Under),
    ("~", Meant::About),
    ("≈", Meant::About),
    ("about ", Meant::About),
    ("roughly ", Meant::About),
    ("at least ", Meant::AtLeast),
    ("at most ", Meant::AtMost),
    ("over ", Meant::Over),
    ("under ", Meant::Under),
];

impl Unit {
    /// By its name in small letters.
    pub fn named(word: &str) -> Option<Self> {
        UNITS.iter().find(|(name, _)| *name == word).map(|(_, unit)| *unit)
    }

    /// How many of the base unit one of it is.
    pub fn scale(self) -> f64 {
        match self {
            Unit::Plain | Unit::Percent | Unit::Points | Unit::Times => 1.0,
            Unit::Time(scale) | Unit::Size(scale) => scale,
        }
    }
}

impl Quantity {
    /// A plain number that is meant exactly as it is written.
    pub fn read(literal: &str) -> Option<Self> {
        let (value, half) = number(literal)?;
        let (unit, meant) = (Unit::Plain, Meant::Exactly);
        Some(Self { value, half, unit, meant, literal: literal.to_owned() })
    }

    /// Whether it can be a count: whole, not negative.
    pub fn whole(&self) -> Option<u64> {
        let is_whole = self.value >= 0.0 && self.value.fract() == 0.0 && self.value < 9e15;
        is_whole.then_some(self.value as u64)
    }
}

/// The value of a literal, and half of its last digit. Thousands may be grouped; `k` and `M` multiply.
fn number(literal: &str) -> Option<(f64, f64)> {
    let (digits, factor) = match literal.as_bytes().last()? {
        b'k' | b'K' => (&literal[..literal.len() - 1], 1e3),
        b'M' => (&literal[..literal.len() - 1], 1e6),
        _ => (literal, 1.0),
    };
    let plain = digits.replace([',', '_'], "");
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    if !plain.contains(|c: char| c.is_ascii_digit()) || !plain.chars().all(is_part) {
        return None;
    }
    let value: f64 = plain.parse().ok()?;
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let exponent: i32 = exponent.parse().ok()?;
    let last = 10f64.powi(exponent.saturating_sub(i32::try_from(decimals).ok()?));
    let half = 0.5 * last * factor;
    let value = value * factor;
    (value.is_finite() && half.is_finite()).then_some((value, half))
}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let refused = || QuantityError(text.chars().take(40).collect());
        let text = text.trim();
        let prefix = MEANT.iter().find(|(prefix, _)| text.starts_with(prefix));
        let (meant, rest) =
            prefix.map_or((Meant::Exactly, text), |(prefix, meant)| (*meant, &text[prefix.len()..]));
        let rest = rest.trim_start();
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '_' | '-' | '+');
        let mut end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
        let after = &rest.as_bytes()[end..];
        let is_exponent = matches!(after.first(), Some(b'e' | b'E'))
            && after.get(1).is_some_and(|c| c.is_ascii_digit() || *c == b'-' || *c == b'+');
        if is_exponent {
            end += 2 + after[2..].iter().take_while(|c| c.is_ascii_digit()).count();
        }
        let is_factor = matches!(rest.as_bytes().get(end), Some(b'k' | b'K' | b'M')) && rest.len() == end + 1;
        end += usize::from(is_factor);
        let unit = rest[end..].trim().to_lowercase();
        let unit = if unit.is_empty() { Some(Unit::Plain) } else { Unit::named(&unit) };
        let read = Quantity::read(&rest[..end]).ok_or_else(refused)?;
        Ok(Self { unit: unit.ok_or_else(refused)?, meant, literal: text.to_owned(), ..read })
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.literal)
    }
}

/// In JSON a quantity is its text; a number is read as well.
impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.literal)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Told {
            Number(serde_json::Number),
            Text(String),
        }
        let text = match Told::deserialize(deserializer)? {
            Told::Number(number) => number.to_string(),
            Told::Text(text) => text,
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Quantity {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number"], "description": "a number with its unit, such as `~93.1 %`" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_people_write() {
        for (text, value, half, unit, meant) in [
            ("0.9312", 0.9312, 0.00005, Unit::Plain, Meant::Exactly),
            ("93.1 %", 93.1, 0.05, Unit::Percent, Meant::Exactly),
            ("~12s", 12.0, 0.5, Unit::Time(1.0), Meant::About),
            (">= 1,000", 1000.0, 0.5, Unit::Plain, Meant::AtLeast),
            ("under 85ms", 85.0, 0.5, Unit::Time(1e-3), Meant::Under),
            ("1.5k", 1500.0, 50.0, Unit::Plain, Meant::Exactly),
            ("3.1x", 3.1, 0.05, Unit::Times, Meant::Exactly),
            ("-1.5e-3", -0.0015, 0.00005, Unit::Plain, Meant::Exactly),
        ] {
            let read: Quantity = text.parse().unwrap();
            assert!((read.value - value).abs() < 1e-12 && (read.half - half).abs() < 1e-12, "{read:?}");
            assert_eq!((read.unit, read.meant), (unit, meant), "{text}");
        }
        for text in ["", "-", "about", "12 apples", "1.2.3", "e5", "1e999"] {
            assert!(text.parse::<Quantity>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in ".{0,30}") {
            let _ = text.parse::<Quantity>();
        }

        #[test]
        fn what_json_says_reads_back(value in -1e6_f64..1e6) {
            let read: Quantity = serde_json::from_value(serde_json::json!(value)).unwrap();
            prop_assert!((read.value - value).abs() <= 1e-9 * value.abs().max(1.0));
        }
    }
}
