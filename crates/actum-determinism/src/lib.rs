//! What a runner can pin from outside so that a program gives the same result again, without any change to its code.
//!
//! [`pin`] turns a [`PinRequest`] into a [`Pinning`]: files to lay beside the program, variables that lead to them, and in words
//! what each of these pins ([`Knob`]) and what stays open (`not_covered`). It says nothing about whether a result was repeated:
//! that is seen only by running twice.
//!
//! | profile | pins |
//! |---|---|
//! | [`Profile::Record`] | nothing; the program is told the seed |
//! | [`Profile::Pinned`] | numbers that programs draw, orders, kernels and threads of linear algebra, time zone and locale; no key is made of these |
//! | [`Profile::Strict`] | the system's entropy and the clock as well, by a preloaded library; refused with a network |
//!
//! Start at `pin.rs`, then `variables.rs`. What programs are given lies under `files/` and `native/`. Pure: no clock, no files, no
//! variables, no randomness; the caller gives all of them. Why: docs/design/determinism.md.

mod error;
mod knob;
mod limits;
mod pin;
mod preload;
mod processor;
mod profile;
mod request;
mod seed;
mod startup;
mod variables;

pub use error::{PinError, SeedError, UnknownProfile};
pub use knob::{Knob, KnobKind};
pub use pin::{Pinning, SetVariable, SupportFile, pin};
pub use processor::Processor;
pub use profile::Profile;
pub use request::{Linkage, NetworkAccess, PinRequest, ProcessIds};
pub use seed::{Seed, SeedOrigin};

/// What stands for the folder of the files in values.
pub const FOLDER: &str = "{support}";
