//! Why a run cannot be pinned.

use crate::profile::Profile;

/// A seed that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeedError {
    #[error(
        "the seed `{given}` is not a whole number from 0 to {}; give such a number, or `random` to have one drawn",
        u64::MAX
    )]
    NotASeed { given: String },
}

/// A name that is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no determinism profile `{given}`; choose one of {}", Profile::ALL.map(Profile::name).join(", "))]
pub struct UnknownProfile {
    pub given: String,
}

/// A request that cannot be met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    #[error(
        "the profile `strict` cannot be used with network access: its entropy is computed from the seed, so keys and tokens \
         would be known to everybody; remove the network, or use the profile `pinned`"
    )]
    FixedEntropyWithNetwork,
    #[error("the number of threads is 0; at least 1 is needed")]
    NoThreads,
    #[error(
        "the clock cannot start {started_at} seconds after 1970; a strict run needs a start from {} to {}",
        super::preload::EARLIEST,
        super::preload::LATEST
    )]
    ClockOutOfRange { started_at: u64 },
}
