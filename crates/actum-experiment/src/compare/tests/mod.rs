//! One experiment, and everything that can drift in it.

mod compared;
mod drift;
pub(crate) mod fixture;
