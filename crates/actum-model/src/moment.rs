//! A point in time, as it is written down.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::{fmt, str::FromStr};

/// Microseconds since 1970 in UTC, written as RFC 3339 has it: `2026-11-15T10:30:00.123456Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(pub u64);

/// Why a text is not a point in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time in UTC such as 2026-11-15T10:30:00Z")]
pub struct MomentError(String);

const SECOND: u64 = 1_000_000;
const DAY: u64 = 86_400;

impl Moment {
    pub fn milliseconds(self) -> u64 {
        self.0 / 1000
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, micros) = (self.0 / SECOND, self.0 % SECOND);
        let (year, month, day) = date_of((seconds / DAY) as i64);
        let (hour, minute, second) = (seconds % DAY / 3600, seconds % 3600 / 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }
}

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        read(text).ok_or_else(|| MomentError(text.chars().take(60).collect()))
    }
}

fn read(text: &str) -> Option<Moment> {
    let text = text.strip_suffix('Z')?;
    let (date, time) = text.split_once('T')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok())?;
    let parts = |text: &str, by: char| -> Option<[u64; 3]> {
        let read: Vec<u64> = text.split(by).map(number).collect::<Option<_>>()?;
        read.try_into().ok()
    };
    let ([year, month, day], [hour, minute, second]) = (parts(date, '-')?, parts(time, ':')?);
    let in_range = (1970..10_000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !in_range || hour > 23 || minute > 59 || second > 59 || fraction.len() > 6 {
        return None;
    }
    let micros = if fraction.is_empty() { 0 } else { number(&format!("{fraction:0<6}"))? };
    let days = days_to(year as i64, month as i64, day as i64) as u64;
    Some(Moment((days * DAY + hour * 3600 + minute * 60 + second) * SECOND + micros))
}

/// Days since 1970 as year, month and day of the Gregorian calendar. Years are counted from March, so that the day that
/// leap years add is the last of its year, and in eras of 400 years, which are all alike.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

fn days_to(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Moment {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_days() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (1_705_314_600, "2024-01-15T10:30:00.000000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
        ] {
            assert_eq!(Moment(seconds * SECOND).to_string(), text);
        }
        assert_eq!("2024-01-15T10:30:00Z".parse(), Ok(Moment(1_705_314_600 * SECOND)));
        for text in
            ["", "2024-01-15", "2024-13-01T00:00:00Z", "2024-01-01T00:00:00+01:00", "2024-01-01T24:00:00Z"]
        {
            assert!(text.parse::<Moment>().is_err(), "{text} should not read");
        }
    }

    proptest! {
        #[test]
        fn reads_back(micros in 0_u64..253_402_300_800_000_000) {
            prop_assert_eq!(Moment(micros).to_string().parse::<Moment>(), Ok(Moment(micros)));
        }
    }
}
