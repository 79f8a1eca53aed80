//! A time as people type it: a moment, a day, or how long ago.

use actum_model::{Moment, Span};
use std::str::FromStr;

/// A time that somebody typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    At(Moment),
    Ago(Span),
}

/// Why a text is no time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is neither a time such as 2026-11-15T10:30:00Z or 2026-11-15, nor a span such as 2h or 3d")]
pub(super) struct WhenError;

impl When {
    /// The moment that is meant.
    pub(super) fn before(self, now: Moment) -> Moment {
        match self {
            Self::At(moment) => moment,
            Self::Ago(span) => {
                Moment(now.0.saturating_sub(u64::try_from(span.0.as_micros()).unwrap_or(u64::MAX)))
            }
        }
    }
}

impl FromStr for When {
    type Err = WhenError;

    fn from_str(text: &str) -> Result<Self, WhenError> {
        let text = text.trim();
        if let Some(moment) = moment(text).or_else(|| format!("{text}T00:00:00Z").parse().ok()) {
            return Ok(Self::At(moment));
        }
        // A bare number would be seconds elsewhere; here it is more likely half of a date.
        let has_unit = text.ends_with(|last: char| last.is_ascii_alphabetic());
        text.parse().ok().filter(|_| has_unit).map(Self::Ago).ok_or(WhenError)
    }
}

/// RFC 3339, also with another zone than UTC.
fn moment(text: &str) -> Option<Moment> {
    if let Ok(moment) = text.parse() {
        return Some(moment);
    }
    let (local, zone) = text.split_at_checked(text.len().checked_sub(6)?)?;
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let number = |text: &str, below: u64| -> Option<u64> {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| is_number && *number < below)
    };
    let offset = (number(hours, 24)? * 60 + number(minutes, 60)?) * 60_000_000;
    let Moment(micros) = format!("{local}Z").parse().ok()?;
    match zone.as_bytes().first()? {
        b'+' => micros.checked_sub(offset).map(Moment),
        b'-' => micros.checked_add(offset).map(Moment),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_read_as_people_type_them() {
        let now = Moment(1_763_202_600_000_000);
        for (text, meant) in [
            ("2025-11-15T10:30:00Z", "2025-11-15T10:30:00.000000Z"),
            ("2025-11-15T11:30:00+01:00", "2025-11-15T10:30:00.000000Z"),
            ("2025-11-15T05:00:00.5-05:30", "2025-11-15T10:30:00.500000Z"),
            ("2025-11-14", "2025-11-14T00:00:00.000000Z"),
            ("2h", "2025-11-15T08:30:00.000000Z"),
            ("1d 1h", "2025-11-14T09:30:00.000000Z"),
        ] {
            assert_eq!(
                text.parse::<When>().map(|when| when.before(now).to_string()),
                Ok(meant.to_owned()),
                "{text}"
            );
        }
        for text in
            ["", "yesterday", "2025", "2025-13-01", "5", "-2h", "2025-11-15T10:30:00+25:00", "éé+01:00"]
        {
            assert_eq!(text.parse::<When>(), Err(WhenError), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,30}", digits in "[0-9TZ:+.-]{0,30}") {
            let _ = (text.parse::<When>(), digits.parse::<When>());
        }
    }
}
