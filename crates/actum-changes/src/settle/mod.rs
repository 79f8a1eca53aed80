//! What becomes of a run's changes: applied, kept apart, undone, discarded.
//!
//! A run has a folder of its own. In it lie, once there are changes:
//!
//! | name | what |
//! |---|---|
//! | `changes.json` | the list, and what became of each ([`KeptChanges`](actum_model::KeptChanges)) |
//! | `changes/` | a shelf: new contents that are not in the workspace |
//! | `undo/` | a shelf: old contents that are no longer in the workspace |
//! | `applying.json` | the journal: a list that is being placed right now |
//! | `saved-N/` | a list and a shelf of what a run that goes on had written so far |
//!
//! Applying takes from `changes/` and saves to `undo/`; undoing is the same the other way round, with the inverse list.
//!
//! Promises:
//! - *All or nothing.* Everything that placing needs is in the run's folder before the journal is; from then on whoever
//!   finds the journal goes on with it. What fails on the way is put back.
//! - *Nobody's work is lost.* Conflicts are found before anything is written, and what is replaced is kept.
//! - *One at a time.* A lock of the store is held from looking to placing.
//! - A run without changes makes nothing and costs nothing; a start with nothing pending costs one look.
//!
//! Reading order: [`Keeping`], `carry` (apply, undo, discard), `journal`, `go_on`, `placer`.

mod carry;
mod error;
mod go_on;
mod journal;
mod keeping;
mod lock;
mod placer;
mod saved;

#[cfg(test)]
mod tests;

pub use carry::{Insist, Settled, apply, discard, undo};
pub use error::SettleError;
pub use go_on::{Pending, Trust, go_on, recover};
pub use journal::parse_journal;
pub use keeping::{Keeping, Sides};
pub use placer::Placer;
pub use saved::{Saved, Saver, adopt_saved, has_saved};

pub use carry::apply_listed;
pub use keeping::{Belonging, Identity, open_without_links};
