//! Whether a timeout is one under which a run makes sense.

use actum_model::Span;
use std::time::Duration;

/// Why a timeout is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimeoutError {
    #[error("the timeout must be longer than zero")]
    Zero,
    #[error("the timeout {asked} is longer than the configured maximum of {most}")]
    TooLong { asked: Span, most: Span },
}

impl TimeoutError {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::Zero => "pass a timeout such as --timeout 60s".to_owned(),
            Self::TooLong { most, .. } => {
                format!("pass at most {most}, or raise the maximum in the configuration")
            }
        }
    }
}

/// Refuses a timeout of zero and one over the configured maximum, where there is one.
pub fn check_timeout(asked: Span, most: Option<Span>) -> Result<(), TimeoutError> {
    match most {
        _ if asked.0 == Duration::ZERO => Err(TimeoutError::Zero),
        Some(most) if asked > most => Err(TimeoutError::TooLong { asked, most }),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_too_long_are_refused() {
        let hour = Span::seconds(3600);
        assert_eq!(check_timeout(Span::seconds(0), None), Err(TimeoutError::Zero));
        assert_eq!(check_timeout(Span::seconds(0), Some(hour)), Err(TimeoutError::Zero));
        assert_eq!(check_timeout(hour, Some(hour)), Ok(()));
        assert_eq!(check_timeout(Span::seconds(90_000), None), Ok(()));
        let refused = check_timeout(Span::seconds(7200), Some(hour)).unwrap_err();
        assert_eq!(refused.to_string(), "the timeout 2h is longer than the configured maximum of 1h");
        assert_eq!(refused.hint(), "pass at most 1h, or raise the maximum in the configuration");
    }
}
