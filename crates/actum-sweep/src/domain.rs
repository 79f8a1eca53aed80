//! What one parameter may be, and which of it a fraction between 0 and 1 stands for.

use crate::Value;
use crate::number::{self, exp, ln, normal_quantile};
use std::collections::HashSet;

/// The values that a parameter may have.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// One of these, each as likely as the others.
    Choice(Vec<Value>),
    /// `min`, `min + step` and so on up to `max`, which belongs to it.
    Integers {
        min: i64,
        max: i64,
        step: u64,
    },
    /// Integers from `min` to `max`, small ones as often as their logarithm says.
    LogIntegers {
        min: i64,
        max: i64,
    },
    /// Numbers from `min` to `max`; with a step only `min`, `min + step` and so on.
    Uniform {
        min: f64,
        max: f64,
        step: Option<f64>,
    },
    /// Numbers whose logarithm is uniform; with a step rounded to the nearest of `min`, `min + step` and so on.
    Log {
        min: f64,
        max: f64,
        step: Option<f64>,
    },
    Normal {
        mean: f64,
        deviation: f64,
    },
}

/// Why a domain is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DomainError {
    #[error("the list is empty")]
    Empty,
    #[error("the list has more than {MOST_CHOICES} values")]
    TooMany,
    #[error("the list has {0} twice")]
    Doubled(String),
    #[error("the minimum {min} is above the maximum {max}")]
    Reversed { min: String, max: String },
    #[error("the step must be above 0")]
    Step,
    #[error("the step is so small that there are more than 2^53 values")]
    TooFine,
    #[error("a logarithmic domain begins above 0, not at {0}")]
    NotPositive(String),
    #[error("the deviation must be above 0")]
    Deviation,
    #[error("the numbers are too large or too small")]
    OutOfReach,
}

/// More values in one list are taken for a mistake.
pub const MOST_CHOICES: usize = 10_000;

/// What logarithms and differences of numbers within it have no trouble with.
const REACH: f64 = 1e300;

impl Domain {
    /// Whether it has values, and all of them can be drawn.
    pub fn check(&self) -> Result<(), DomainError> {
        match self {
            Domain::Choice(values) => check_choice(values),
            Domain::Integers { min, max, step } => {
                check_order(*min, *max, i64::to_string)?;
                if *step == 0 { Err(DomainError::Step) } else { Ok(()) }
            }
            Domain::LogIntegers { min, max } => {
                check_order(*min, *max, i64::to_string)?;
                check_positive(*min as f64)
            }
            Domain::Uniform { min, max, step } => {
                check_order(*min, *max, |number| number::text(*number))?;
                check_reach(&[*min, *max])?;
                check_step(*min, *max, *step)
            }
            Domain::Log { min, max, step } => {
                check_order(*min, *max, |number| number::text(*number))?;
                check_positive(*min)?;
                check_reach(&[*min, *max, 1.0 / *min])?;
                check_step(*min, *max, *step)
            }
            Domain::Normal { mean, deviation } => {
                check_reach(&[*mean, *deviation])?;
                if *deviation > 0.0 { Ok(()) } else { Err(DomainError::Deviation) }
            }
        }
    }

    /// How many values there are, where they can be counted and each is as likely as the others.
    pub fn count(&self) -> Option<u64> {
        match self {
            Domain::Choice(values) => Some(values.len() as u64),
            Domain::Integers { min, max, step } => (min.abs_diff(*max) / step).checked_add(1),
            Domain::Uniform { min, max, step: Some(step) } => Some(steps(*min, *max, *step) + 1),
            Domain::LogIntegers { .. }
            | Domain::Uniform { step: None, .. }
            | Domain::Log { .. }
            | Domain::Normal { .. } => None,
        }
    }

    /// The value with this number, below [`Domain::count`].
    pub(crate) fn value(&self, index: u64) -> Value {
        match self {
            Domain::Choice(values) => {
                let index = usize::try_from(index).unwrap_or(usize::MAX).min(values.len() - 1);
                values[index].clone()
            }
            Domain::Integers { min, step, .. } => {
                Value::Integer(min.wrapping_add_unsigned(index.wrapping_mul(*step)))
            }
            Domain::Uniform { min, max, step: Some(step) } => stepped(*min, *max, *step, index),
            Domain::LogIntegers { .. }
            | Domain::Uniform { step: None, .. }
            | Domain::Log { .. }
            | Domain::Normal { .. } => self.at(index),
        }
    }

    /// The value at the fraction `bits / 2^64` of the probability.
    pub(crate) fn at(&self, bits: u64) -> Value {
        if let Some(count) = self.count() {
            return self.value(((u128::from(bits) * u128::from(count)) >> 64) as u64);
        }
        let fraction = fraction(bits);
        match self {
            Domain::Uniform { min, max, .. } => {
                drawn(min * (1.0 - fraction) + max * fraction).within(*min, *max)
            }
            Domain::Log { min, max, step } => {
                let number = log_uniform(*min, *max, fraction);
                match step {
                    None => drawn(number).within(*min, *max),
                    Some(step) => {
                        let nearest = ((number - min) / step).round() as u64;
                        stepped(*min, *max, *step, nearest.min(steps(*min, *max, *step)))
                    }
                }
            }
            Domain::LogIntegers { min, max } => {
                let number = log_uniform(*min as f64 - 0.5, *max as f64 + 0.5, fraction);
                Value::Integer((number.round() as i64).clamp(*min, *max))
            }
            Domain::Normal { mean, deviation } => {
                let number = mean + deviation * normal_quantile(fraction);
                drawn(number).within(-f64::MAX, f64::MAX)
            }
            // The few integers whose count is beyond 64 bits: all of them.
            Domain::Choice(_) | Domain::Integers { .. } => Value::Integer(bits as i64),
        }
    }
}

/// A number that was computed, rounded.
struct Drawn(f64);

fn drawn(number: f64) -> Drawn {
    Drawn(number::round(number))
}

impl Drawn {
    /// Rounding may have left the domain.
    fn within(self, min: f64, max: f64) -> Value {
        Value::Number(number::without_sign_of_zero(self.0.clamp(min, max)))
    }
}

/// Strictly between 0 and 1: 52 bits and a half.
fn fraction(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

fn log_uniform(min: f64, max: f64, fraction: f64) -> f64 {
    exp(ln(min) * (1.0 - fraction) + ln(max) * fraction)
}

/// How many whole steps there are from `min` to `max`. A billionth of a step is forgiven: 0.1 has no exact double.
fn steps(min: f64, max: f64, step: f64) -> u64 {
    ((max - min) / step + 1e-9).floor() as u64
}

fn stepped(min: f64, max: f64, step: f64, index: u64) -> Value {
    drawn(min + index as f64 * step).within(min, max)
}

fn check_choice(values: &[Value]) -> Result<(), DomainError> {
    if values.is_empty() {
        return Err(DomainError::Empty);
    }
    if values.len() > MOST_CHOICES {
        return Err(DomainError::TooMany);
    }
    let mut seen = HashSet::new();
    for value in values {
        if matches!(value, Value::Number(number) if !number.is_finite()) {
            return Err(DomainError::OutOfReach);
        }
        if !seen.insert(value.canonical()) {
            return Err(DomainError::Doubled(value.canonical()));
        }
    }
    Ok(())
}

fn check_order<T: PartialOrd>(min: T, max: T, text: impl Fn(&T) -> String) -> Result<(), DomainError> {
    if min <= max {
        return Ok(());
    }
    Err(DomainError::Reversed { min: text(&min), max: text(&max) })
}

fn check_positive(min: f64) -> Result<(), DomainError> {
    if min > 0.0 { Ok(()) } else { Err(DomainError::NotPositive(number::text(min))) }
}

fn check_reach(numbers: &[f64]) -> Result<(), DomainError> {
    let is_within = numbers.iter().all(|number| number.abs() <= REACH);
    if is_within { Ok(()) } else { Err(DomainError::OutOfReach) }
}

fn check_step(min: f64, max: f64, step: Option<f64>) -> Result<(), DomainError> {
    /// Beyond it two steps may be the same number.
    const MOST_STEPS: f64 = (1_u64 << 53) as f64;
    match step {
        None => Ok(()),
        Some(step) if !(1.0 / REACH..=REACH).contains(&step) => Err(DomainError::Step),
        Some(step) if (max - min) / step > MOST_STEPS => Err(DomainError::TooFine),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENDS: [u64; 2] = [0, u64::MAX];

    fn ends(domain: &Domain) -> [String; 2] {
        ENDS.map(|bits| domain.at(bits).canonical())
    }

    #[test]
    fn both_ends_are_reached() {
        let step = Some(0.1);
        for (domain, expected) in [
            (Domain::Integers { min: 8, max: 130, step: 8 }, ["8", "128"]),
            (Domain::Integers { min: i64::MIN, max: i64::MAX, step: 1 }, ["0", "-1"]),
            (Domain::LogIntegers { min: 1, max: 1000 }, ["1", "1000"]),
            (Domain::Uniform { min: 0.0, max: 0.5, step }, ["0.0", "0.5"]),
            (Domain::Uniform { min: -1.0, max: 1.0, step: None }, ["-1.0", "1.0"]),
            (Domain::Log { min: 1e-5, max: 0.1, step: None }, ["1e-5", "0.1"]),
            (Domain::Log { min: 0.1, max: 0.9, step }, ["0.1", "0.9"]),
        ] {
            assert_eq!(domain.check(), Ok(()));
            assert_eq!(ends(&domain), expected, "{domain:?}");
        }
    }

    #[test]
    fn steps_are_counted_as_they_are_written() {
        let domain = Domain::Uniform { min: 0.1, max: 0.7, step: Some(0.1) };
        let values: Vec<String> =
            (0..domain.count().unwrap()).map(|index| domain.value(index).canonical()).collect();
        assert_eq!(values, ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]);
    }

    #[test]
    fn the_middle_of_a_logarithmic_domain_is_its_geometric_mean() {
        let middle = Domain::Log { min: 1e-6, max: 1e-2, step: None }.at(1 << 63);
        assert_eq!(middle.canonical(), "0.0001");
        assert_eq!(Domain::Normal { mean: 3.0, deviation: 2.0 }.at(1 << 63).canonical(), "3.0");
    }

    #[test]
    fn what_has_no_values_is_refused() {
        for domain in [
            Domain::Choice(vec![]),
            Domain::Choice(vec![Value::Null, Value::Null]),
            Domain::Integers { min: 2, max: 1, step: 1 },
            Domain::Integers { min: 1, max: 2, step: 0 },
            Domain::LogIntegers { min: 0, max: 4 },
            Domain::Uniform { min: 0.0, max: f64::NAN, step: None },
            Domain::Uniform { min: 0.0, max: f64::INFINITY, step: None },
            Domain::Uniform { min: 0.0, max: 1.0, step: Some(-0.1) },
            Domain::Uniform { min: 0.0, max: 1e300, step: Some(1e-300) },
            Domain::Log { min: 1.0, max: 1e300, step: Some(1.0) },
            Domain::Log { min: 0.0, max: 1.0, step: None },
            Domain::Normal { mean: 0.0, deviation: 0.0 },
        ] {
            assert!(domain.check().is_err(), "{domain:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_drawn_is_within(min in -1e6_f64..1e6, width in 0.0_f64..1e6, bits: u64) {
            let max = min + width;
            let Value::Number(number) = (Domain::Uniform { min, max, step: None }).at(bits) else { panic!() };
            prop_assert!(min <= number && number <= max);
            let (min, max) = (min.abs() + 1e-9, min.abs() + 1e-9 + width);
            let Value::Number(number) = (Domain::Log { min, max, step: None }).at(bits) else { panic!() };
            prop_assert!(min <= number && number <= max);
        }

        #[test]
        fn integers_are_within(min: i64, max: i64, step in 1_u64.., bits: u64) {
            let (min, max) = (min.min(max), min.max(max));
            let Value::Integer(integer) = (Domain::Integers { min, max, step }).at(bits) else { panic!() };
            prop_assert!(min <= integer && integer <= max);
            prop_assert_eq!(min.abs_diff(integer) % step, 0);
        }
    }
}
