//! Attempts to break out of the sandbox, run against harmless canaries on this very machine.
//!
//! The attempts are small programs under `attempts/`, embedded in the library, so that `actum sandbox test` can
//! run them anywhere. Each is started through a [`Runner`] in a fresh workspace; what it did is observed from the
//! outside ([`Observation`]), and a pure function decides ([`judge`]). The result is a [`Matrix`].
//!
//! Start reading at [`run`], then `observe.rs` for the hands and `judge.rs` for the judgement.
//! An attempt must be harmless even where nothing confines it: see docs/design/attack-suite.md.

mod canary;
mod catalogue;
mod clock;
mod compile;
mod error;
mod header;
mod judge;
mod limits;
mod marked;
mod matrix;
mod not_expressed;
mod observe;
mod parameters;
mod report;
mod runner;
mod suite;
mod token;
mod user;
mod watch;
mod workspace;

pub use catalogue::{Attempt, Entry, Language, attempt, attempts, entries};
pub use error::AttackError;
pub use header::{Header, HeaderError, InTierL, Judge, Wrap};
pub use judge::{Observation, Verdict, judge};
pub use limits::{Peak, RunLimits, Slack};
pub use matrix::{Matrix, Row, expected};
pub use not_expressed::{NotExpressed, not_expressed};
pub use runner::{Runner, RunnerKind};
pub use suite::{Filter, Options, Progress, run};
pub use token::{Form, Token};
pub use watch::Watch;

use parameters::Parameters;
use user::User;
