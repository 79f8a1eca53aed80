//! Why a bundle was not accepted.

use std::io;

/// The first thing that was wrong. Nothing of a refused bundle should be believed.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("cannot read the bundle")]
    Read(#[source] io::Error),
    #[error("cannot take this for a bundle: it is {what}")]
    Another { what: &'static str },
    #[error("cannot take this for a bundle: at byte {at}, {why}")]
    Form { at: u64, why: &'static str },
    #[error("cannot accept the bundle: {name} {why}")]
    Part { name: String, why: String },
}

impl Refused {
    pub(super) fn part(name: &str, why: impl Into<String>) -> Self {
        Self::Part { name: name.to_owned(), why: why.into() }
    }

    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Another { .. } => {
                Some("a bundle is the file that `actum bundle` wrote, as it is".to_owned())
            }
            Self::Read(_) | Self::Form { .. } | Self::Part { .. } => None,
        }
    }
}
