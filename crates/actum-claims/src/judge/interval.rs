//! What a number means: an interval around it, and whether an observed value lies in it.

use actum_model::{Meant, Quantity, Unit};

/// How an observed value fits what was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    No,
    /// What was recorded has fewer digits than what was told: it may be.
    Perhaps,
    /// The last digit was cut off instead of rounded.
    Truncated,
    Yes,
}

/// A recorded value, with half of its own last digit.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pub(crate) value: f64,
    pub(crate) half: f64,
    pub(crate) unit: Unit,
    /// It is a fraction of one, which people tell in percent.
    pub(crate) is_fraction: bool,
}

/// ± 5 %.
const ABOUT: f64 = 0.05;

/// Holds a told number against a recorded one, in every unit that both can be read in.
pub(crate) fn fit(told: &Quantity, observed: &Observed) -> Fit {
    // Nobody who says an accuracy of 1 means anything from a half on.
    let is_whole =
        told.unit == Unit::Plain && told.half >= 0.5 && observed.is_fraction && observed.value.abs() <= 1.0;
    let told = &Quantity { half: if is_whole { 0.005 } else { told.half }, ..told.clone() };
    readings(told, observed)
        .into_iter()
        .map(|(value, half)| within(told, value, half))
        .max()
        .unwrap_or(Fit::No)
}

/// Whether a number was told as a part of one, with digits behind the point.
fn is_share(told: &Quantity) -> bool {
    told.half < 0.5 && told.value.abs() <= 1.0
}

/// The recorded value in the unit that was told.
fn readings(told: &Quantity, observed: &Observed) -> Vec<(f64, f64)> {
    let Observed { value, half, unit, is_fraction } = *observed;
    let by = |factor: f64| (value * factor, half * factor);
    match (told.unit, unit) {
        (Unit::Percent | Unit::Points, Unit::Percent | Unit::Points) => vec![by(1.0)],
        // A fraction above one was recorded in percent, without saying so.
        (Unit::Percent | Unit::Points, Unit::Plain) if is_fraction && value.abs() > 1.0 => vec![by(1.0)],
        (Unit::Percent | Unit::Points, Unit::Plain) if is_fraction => vec![by(100.0)],
        (Unit::Percent | Unit::Points, Unit::Plain) => vec![by(1.0), by(100.0)],
        (Unit::Plain, Unit::Percent) if is_share(told) => vec![by(0.01), by(1.0)],
        (Unit::Plain, Unit::Percent) => vec![by(1.0)],
        // `0.97` of what was recorded as `97.2`; a whole number is never such a fraction.
        (Unit::Plain, Unit::Plain) if is_fraction && value.abs() > 1.0 && is_share(told) => {
            vec![by(1.0), by(0.01)]
        }
        (Unit::Time(told), Unit::Time(recorded)) | (Unit::Size(told), Unit::Size(recorded)) => {
            let mut all = vec![by(recorded / told)];
            if matches!(unit, Unit::Size(_)) {
                // A megabyte is often a mebibyte.
                let binary = |scale: f64| match scale {
                    1e3 => 1024.0,
                    1e6 => 1_048_576.0,
                    1e9 => 1_073_741_824.0,
                    other => other,
                };
                all.push(by(recorded / binary(told)));
            }
            all
        }
        // `an accuracy of 93.1` leaves the sign away.
        (Unit::Plain, Unit::Plain) if is_fraction && told.value.abs() > 1.0 => vec![by(1.0), by(100.0)],
        (Unit::Plain | Unit::Times, Unit::Plain | Unit::Times) => vec![by(1.0)],
        // One of both did not say its unit.
        (Unit::Plain, Unit::Time(_) | Unit::Size(_)) => vec![by(1.0)],
        (Unit::Time(_) | Unit::Size(_), Unit::Plain) => vec![by(1.0), by(1.0 / told.unit.scale())],
        (_, _) => Vec::new(),
    }
}

/// Whether a value in the told unit lies in the told interval.
pub(crate) fn within(told: &Quantity, value: f64, half: f64) -> Fit {
    let Quantity { value: claimed, half: own, .. } = *told;
    // What floating point loses must not decide.
    let slack = 1e-9 * claimed.abs().max(value.abs()).max(1e-9);
    let distance = (value - claimed).abs();
    let yes = |held: bool| if held { Fit::Yes } else { Fit::No };
    match told.meant {
        Meant::About => yes(distance <= (ABOUT * claimed.abs()).max(own) + slack),
        Meant::Over => yes(value > claimed),
        Meant::AtLeast => yes(value >= claimed - slack),
        Meant::Under => yes(value < claimed),
        Meant::AtMost => yes(value <= claimed + slack),
        Meant::Exactly if distance <= own + slack => Fit::Yes,
        // A whole number of things that is one too small is a wrong number; whole percents and seconds are cut like others.
        Meant::Exactly if (own < 0.5 || told.unit != Unit::Plain) && is_cut(claimed, own, value, slack) => {
            Fit::Truncated
        }
        Meant::Exactly if half > own && distance <= own + half + slack => Fit::Perhaps,
        Meant::Exactly => Fit::No,
    }
}

/// 0.9399 told as 0.93.
fn is_cut(claimed: f64, half: f64, value: f64, slack: f64) -> bool {
    let beyond = if claimed < 0.0 { claimed - value } else { value - claimed };
    beyond >= 0.0 && beyond < 2.0 * half - slack
}

/// Counts are exact, but for what is told as about or at least.
pub(crate) fn counts(told: &Quantity, observed: u64) -> bool {
    let value = observed as f64;
    match told.meant {
        Meant::Exactly if told.half <= 0.5 => told.value == value,
        // `1.2k` has digits to round.
        Meant::Exactly => (told.value - value).abs() <= told.half,
        Meant::About | Meant::Over | Meant::AtLeast | Meant::Under | Meant::AtMost => {
            within(told, value, 0.0) == Fit::Yes
        }
    }
}

/// The interval in words, for who asks why.
pub(crate) fn shown(told: &Quantity) -> String {
    let half = match told.meant {
        Meant::Exactly => told.half,
        Meant::About => ABOUT * told.value,
        Meant::Over | Meant::AtLeast | Meant::Under | Meant::AtMost => return format!("claimed: {told}"),
    };
    format!("{told} means {} to {}", short(told.value - half), short(told.value + half))
}

/// Without digits that only floating point has.
fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seen(value: f64, half: f64) -> Observed {
        Observed { value, half, unit: Unit::Plain, is_fraction: true }
    }

    #[test]
    fn rounding_as_people_round() {
        let accuracy = seen(0.9312, 0.00005);
        for text in [
            "93 %",
            "0.93",
            "0.931",
            "93.1 %",
            "93.12 %",
            "0.9312",
            "~0.95",
            "over 93%",
            "at least 0.93",
            "under 94%",
            "about 90%",
        ] {
            assert_eq!(fit(&text.parse().unwrap(), &accuracy), Fit::Yes, "{text}");
        }
        for text in ["94 %", "0.932", "93.5 %", "over 94%", "~0.99", "1"] {
            assert_eq!(fit(&text.parse().unwrap(), &accuracy), Fit::No, "{text}");
        }
        assert_eq!(fit(&"0.93".parse().unwrap(), &seen(0.9399, 0.00005)), Fit::Truncated);
        assert_eq!(fit(&"93%".parse().unwrap(), &seen(0.9399, 0.00005)), Fit::Truncated);
        assert_eq!(fit(&"0.9312".parse().unwrap(), &seen(0.93, 0.005)), Fit::Perhaps);
    }

    #[test]
    fn counts_are_no_percents() {
        for (text, value) in
            [("0", 13.0), ("0", 49.0), ("1", 99.0), ("0", 2.0), ("1", 120.0), ("0 errors", 13.0)]
        {
            let Ok(told) = text.parse::<Quantity>() else { continue };
            assert_eq!(fit(&told, &seen(value, 0.5)), Fit::No, "{text} {value}");
            let percent = Observed { value, half: 0.5, unit: Unit::Percent, is_fraction: true };
            assert_eq!(fit(&told, &percent), Fit::No, "{text} {value} %");
        }
    }

    #[test]
    fn units_are_normalised() {
        let ms = |value: f64| Observed { value, half: 0.05, unit: Unit::Time(1e-3), is_fraction: false };
        for (text, value, expected) in [
            ("85 ms", 85.2, Fit::Yes),
            ("0.085 s", 85.2, Fit::Yes),
            ("0.09 s", 85.2, Fit::Yes),
            ("90 ms", 85.2, Fit::No),
        ] {
            assert_eq!(fit(&text.parse().unwrap(), &ms(value)), expected, "{text}");
        }
        let percent = Observed { value: 93.12, half: 0.005, unit: Unit::Percent, is_fraction: true };
        assert_eq!(fit(&"0.931".parse().unwrap(), &percent), Fit::Yes);
        assert_eq!(fit(&"93.1%".parse().unwrap(), &seen(93.12, 0.005)), Fit::Yes);
    }

    proptest! {
        /// What is rounded to any number of digits agrees, and what is a digit off does not.
        #[test]
        fn rounding_agrees(value in 0.001_f64..1000.0, digits in 0_usize..6) {
            let text = format!("{value:.digits$}");
            let told: Quantity = text.parse().unwrap();
            let observed = Observed { value, half: 0.0, unit: Unit::Plain, is_fraction: false };
            prop_assert!(fit(&told, &observed) == Fit::Yes, "{text} {value}");
            let off = Quantity { value: told.value + 4.0 * told.half, ..told };
            prop_assert_eq!(fit(&off, &observed), Fit::No);
        }

        #[test]
        fn counts_are_exact(count in 0_u64..1_000_000, other in 0_u64..1_000_000) {
            let told: Quantity = count.to_string().parse().unwrap();
            prop_assert_eq!(counts(&told, other), count == other);
        }
    }
}
