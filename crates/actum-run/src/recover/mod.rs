//! From a failure to the next attempt: one remedy at a time, around the program and never in it.
//!
//! The story: a [`Care`] goes with one program through its attempts. What it meets when it starts is a `Situation`; a failure
//! is diagnosed, `choose` decides what of the situation is changed, and `carry_out` prepares that. Every bound has a number
//! ([`Bounds`]), and no situation is met twice. Why it is so: docs/design/recovery.md.

mod bounds;
mod care;
mod carry_out;
mod choose;
mod dress;
mod failure;
mod gate;
mod provide;
mod scouting;
mod situation;
mod smoke;

pub use bounds::Bounds;
pub(crate) use care::{Care, Next, most_disk};
pub(crate) use carry_out::{Around, after, declared_file, provide_somehow};
pub(crate) use failure::Failed;
pub(crate) use gate::judge as judge_stranger;
pub(crate) use provide::{ProgramPython, Providing};
pub(crate) use situation::Situation;
pub(crate) use smoke::{failed as smoke, is_worth_it as is_worth_a_smoke};
