//! Days, and the days that belong to an interpreter.
//!
//! Code without a date was mostly written for the Python that it is run with, in the years when that was the usual one. Half a
//! year after an interpreter's first release every popular package has wheels for it, and none has yet dropped what such code
//! uses: packages of that day fit old code far more often than the newest do. docs/design/corpus.md has the figures.
//! Pure: no clock.

use super::interpreter::Version;
use std::fmt;

/// A day, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

/// When each series of Python had its first release.
const BEGAN: &[(u32, u32, &str)] = &[
    (2, 7, "2010-07-03"),
    (3, 6, "2016-12-23"),
    (3, 7, "2018-06-27"),
    (3, 8, "2019-10-14"),
    (3, 9, "2020-10-05"),
    (3, 10, "2021-10-04"),
    (3, 11, "2022-10-24"),
    (3, 12, "2023-10-02"),
    (3, 13, "2024-10-07"),
    (3, 14, "2025-10-07"),
];

/// How long packages take to follow a new interpreter.
const FOLLOWED: i64 = 220;

/// The day of which packages fit code that was written for this interpreter. None for one that we do not know.
pub fn era(version: Version) -> Option<Day> {
    began(version).map(|day| day.after(FOLLOWED))
}

/// When this series began.
pub fn began(version: Version) -> Option<Day> {
    let row = BEGAN.iter().find(|(major, minor, _)| (*major, *minor) == (version.major, version.minor))?;
    Day::read(row.2)
}

impl Day {
    /// The day at the start of a moment as RFC 3339 writes it, or of a date alone.
    pub fn read(text: &str) -> Option<Self> {
        let date = text.get(..10)?;
        let mut fields = date.splitn(3, '-').map(str::parse::<i64>);
        let (year, month, day) = (fields.next()?.ok()?, fields.next()?.ok()?, fields.next()?.ok()?);
        let day = ((1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day))
            .then(|| Self::of(year, month, day))?;
        // The thirtieth of February is read as a day of March, which is another text.
        (day.to_string() == date).then_some(day)
    }

    /// How many days after another it is.
    pub fn since(self, other: Self) -> i64 {
        self.0.saturating_sub(other.0)
    }

    /// So many days later, or earlier.
    pub fn after(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// Years that begin in March put the odd day at their end (Hinnant's algorithm).
    fn of(year: i64, month: i64, day: i64) -> Self {
        let year = year - i64::from(month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Self(era * 146_097 + day_of_era - 719_468)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        write!(out, "{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_are_counted_over_leap_years() {
        for (day, later, expected) in [
            ("1970-01-01", 0, "1970-01-01"),
            ("2024-02-28", 1, "2024-02-29"),
            ("2023-02-28", 1, "2023-03-01"),
            ("2000-03-01", -1, "2000-02-29"),
            ("2018-07-15T15:33:55.821183Z", 180, "2019-01-11"),
            ("2021-12-07", -1, "2021-12-06"),
        ] {
            assert_eq!(Day::read(day).unwrap().after(later).to_string(), expected, "{day}");
        }
        for odd in
            ["", "2024", "2024-13-01", "2024-02-30", "2024-2-3", "yesterday..", "0000-01-01", "２０２４-01"]
        {
            assert_eq!(Day::read(odd), None, "{odd}");
        }
    }

    #[test]
    fn an_era_is_when_packages_had_followed() {
        let era = |major, minor| era(Version { major, minor, patch: 0 }).map(|day| day.to_string());
        assert_eq!(era(3, 11).as_deref(), Some("2023-06-01"));
        assert_eq!(era(3, 10).as_deref(), Some("2022-05-12"));
        assert_eq!(era(3, 99), None);
        for (_, _, day) in BEGAN {
            assert!(Day::read(day).is_some(), "{day}");
        }
    }

    proptest! {
        #[test]
        fn a_day_that_is_shown_is_read_again(days in 0_i64..2_932_896) {
            prop_assert_eq!(Day::read(&Day(days).to_string()), Some(Day(days)));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,20}") {
            let _ = Day::read(&text);
        }
    }
}
