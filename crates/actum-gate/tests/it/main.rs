//! The gate against folders that an attacker arranged.

#![allow(clippy::unwrap_used, reason = "tests: what goes wrong here should be loud")]

mod named;
mod own;
mod root;
