//! From values to places on an axis, with ticks at numbers that people like.

use super::Axis;

/// An axis with its range. Places go from 0 to 1.
pub(super) struct Scale {
    low: f64,
    high: f64,
    axis: Axis,
    pub ticks: Vec<Tick>,
}

pub(super) struct Tick {
    /// From 0 to 1.
    pub at: f64,
    pub label: String,
}

/// More than any axis has room for; a bound against ranges that floating point cannot count.
const MOST_TICKS: usize = 40;

impl Scale {
    /// A scale that holds all values; about `ticks` ticks. None for no values. The values can be shown on the axis.
    pub fn fit(values: impl Iterator<Item = f64>, axis: Axis, ticks: usize) -> Option<Self> {
        let range = values.fold(None, |range: Option<(f64, f64)>, value| match range {
            None => Some((value, value)),
            Some((low, high)) => Some((low.min(value), high.max(value))),
        });
        let (low, high) = range?;
        let (low, high) = match axis {
            Axis::Linear => (low, high),
            Axis::Log => (low.log10(), high.log10()),
        };
        let (low, high) = if high > low { (low, high) } else { padded(low) };
        let mut scale = Self { low, high, axis, ticks: Vec::new() };
        scale.ticks = match axis {
            Axis::Linear => scale.linear_ticks(ticks.max(2)),
            Axis::Log => scale.log_ticks(ticks.max(2)),
        };
        Some(scale)
    }

    /// Where a value is. It can be shown on the axis.
    pub fn place(&self, value: f64) -> f64 {
        match self.axis {
            Axis::Linear => self.share(value),
            Axis::Log => self.share(value.log10()),
        }
    }

    /// By halves: the difference of two numbers may be too large for a number.
    fn share(&self, value: f64) -> f64 {
        let share = (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 }
    }

    fn linear_ticks(&self, wanted: usize) -> Vec<Tick> {
        let step = nice_step((self.high / 2.0 - self.low / 2.0) / wanted as f64 * 2.0);
        let first = (self.low / step).ceil();
        let values = (0..MOST_TICKS).map(|index| (first + index as f64) * step);
        let inside =
            values.take_while(|value| *value <= self.high + step * 1e-9).filter(|value| value.is_finite());
        let largest = self.low.abs().max(self.high.abs());
        let mut ticks: Vec<Tick> = inside
            .map(|value| {
                // What should be zero and is not, after rounding.
                let value = if value.abs() < step * 1e-9 { 0.0 } else { value };
                Tick { at: self.share(value), label: tick_label(value, step, largest) }
            })
            .collect();
        ticks.dedup_by(|a, b| a.label == b.label);
        ticks
    }

    /// Powers of ten; between them also 2 and 5 where there are few.
    fn log_ticks(&self, wanted: usize) -> Vec<Tick> {
        let decades = self.high - self.low;
        let parts: &[f64] = if decades < 1.0 {
            &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
        } else if decades < 3.0 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let stride = (decades / wanted as f64).ceil().max(1.0) as i32;
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let powers = (first..=last).filter(|power| power.rem_euclid(stride) == 0);
        let values = powers.flat_map(|power| parts.iter().map(move |part| part.log10() + f64::from(power)));
        let inside = values.filter(|value| (self.low - 1e-9..=self.high + 1e-9).contains(value));
        let ticks: Vec<Tick> = inside
            .take(MOST_TICKS)
            .map(|value| Tick { at: self.share(value), label: number(10_f64.powf(value)) })
            .collect();
        if ticks.len() > 1 {
            return ticks;
        }
        let ends = [self.low, self.high]
            .map(|value| Tick { at: self.share(value), label: number(10_f64.powf(value)) });
        ends.into_iter().collect()
    }
}

/// A range around a single value.
fn padded(value: f64) -> (f64, f64) {
    let by = if value == 0.0 { 1.0 } else { (value.abs() * 0.1).min(f64::MAX / 4.0) };
    ((value - by).max(-f64::MAX), (value + by).min(f64::MAX))
}

/// The next larger of 1, 2 and 5 times a power of ten.
fn nice_step(step: f64) -> f64 {
    if !(step.is_finite() && step > f64::MIN_POSITIVE) {
        return if step.is_finite() { f64::MIN_POSITIVE } else { f64::MAX / 4.0 };
    }
    let power = 10_f64.powf(step.log10().floor());
    let nice =
        [1.0, 2.0, 5.0, 10.0].map(|part| part * power).into_iter().find(|nice| *nice >= step * (1.0 - 1e-9));
    nice.filter(|nice| nice.is_finite() && *nice > 0.0).unwrap_or(step)
}

/// With as many digits as tell two ticks apart.
fn tick_label(value: f64, step: f64, largest: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e6).contains(&largest) {
        let digits = (largest.log10().floor() - step.log10().floor()).clamp(0.0, 12.0) as usize;
        return short_exponent(&format!("{value:.digits$e}"));
    }
    let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{value:.digits$}")
}

/// A number for people: six digits at most.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { value.to_string() };
    }
    let size = value.abs();
    if !(1e-4..1e6).contains(&size) {
        return short_exponent(&format!("{value:.4e}"));
    }
    let digits = (5.0 - size.log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `1.0000e-5` is `1e-5`.
fn short_exponent(text: &str) -> String {
    let Some((digits, exponent)) = text.split_once('e') else { return text.to_owned() };
    let digits =
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    format!("{digits}e{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(values: &[f64], axis: Axis) -> Vec<String> {
        let scale = Scale::fit(values.iter().copied(), axis, 5).expect("there are values");
        scale.ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_numbers_that_people_like() {
        assert_eq!(
            labels(&[0.0, 1.0], Axis::Linear),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"].map(|t| if t == "0.0" { "0" } else { t })
        );
        assert_eq!(labels(&[0.0, 97.0], Axis::Linear), ["0", "20", "40", "60", "80"]);
        assert_eq!(labels(&[-0.013, 0.02], Axis::Linear), ["-0.01", "0", "0.01", "0.02"]);
        assert_eq!(labels(&[0.0, 2e7], Axis::Linear), ["0", "5e6", "1e7", "1.5e7", "2e7"]);
        assert_eq!(
            labels(&[1e-4, 10.0], Axis::Log),
            ["1e-4", "0.001", "0.01", "0.1", "1", "10"].map(|t| if t == "1e-4" { "0.0001" } else { t })
        );
        assert_eq!(labels(&[1.0, 50.0], Axis::Log), ["1", "2", "5", "10", "20", "50"]);
    }

    #[test]
    fn numbers_are_short() {
        let cases =
            [(0.0, "0"), (0.1, "0.1"), (123456.7, "123457"), (1e-5, "1e-5"), (12.5, "12.5"), (-3e9, "-3e9")];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    proptest! {
        #[test]
        fn any_range_has_a_scale(a in any::<f64>(), b in any::<f64>(), log in any::<bool>()) {
            let axis = if log { Axis::Log } else { Axis::Linear };
            prop_assume!(axis.shows(a) && axis.shows(b));
            let scale = Scale::fit([a, b].into_iter(), axis, 6).expect("there are values");
            prop_assert!(scale.ticks.len() <= MOST_TICKS);
            for place in [scale.place(a), scale.place(b)].into_iter().chain(scale.ticks.iter().map(|tick| tick.at)) {
                prop_assert!((0.0..=1.0).contains(&place), "{}", place);
            }
        }
    }
}
