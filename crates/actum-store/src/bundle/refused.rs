//! Why a bundle was not accepted.

use std::io;

/// The first thing that was wrong. Nothing of a refused bundle should be believed.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("cannot read the bundle")]
    Read(#[source] io::Error),
    #[error("this is not a bundle: it is {what}")]
    Another { what: &'static str },
    #[error("this is not a valid bundle: at byte {at}, {why}")]
    Form { at: u64, why: &'static str },
    #[error("the bundle is rejected: {name} {why}")]
    Part { name: String, why: String },
}

impl Refused {
    pub(super) fn part(name: &str, why: impl Into<String>) -> Self {
        Self::Part { name: name.to_owned(), why: why.into() }
    }

    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Another { .. } => Some("pass a file written by `actum bundle`, unchanged".to_owned()),
            Self::Read(_) | Self::Form { .. } | Self::Part { .. } => None,
        }
    }
}
