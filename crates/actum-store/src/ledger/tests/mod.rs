//! The ledger as its users see it: what is durable, what is refused, what is found again.

mod fixtures;
mod opening;
mod pruning;
mod reading;
mod tampering;
mod verifying;
mod writing;
