//! What a run did to its workspace: listed exactly, judged, and carried over only when it is harmless.
//!
//! In the tiers with an overlay the program writes into an upper layer: [`collect`] reads that layer into a list of
//! [`Change`]s and [`apply`] carries the list into the workspace. In tier L the program writes directly:
//! [`Snapshot`] remembers what was there, lists what changed, and puts protected paths back.
//!
//! Promises:
//! - *apply(collect(upper, lower)) to lower == the merged tree*, in types, contents, modes and link targets, as far
//!   as nothing was withheld. Owners, times of folders, extended attributes and hard links are not carried.
//! - Both trees are hostile. Every path is resolved beneath its root without following links; what was examined and
//!   what is used are the same open descriptor; FIFOs, sockets and devices are never opened.
//! - At most a handful of descriptors are open at any time, however deep the tree.
//! - What somebody else did to the same paths meanwhile is a conflict: [`collect`] notices it by time, [`rebase`] by
//!   contents. [`apply`] and [`place`] themselves replace what stands there.
//! - *Placing the inverse of what was placed gives the tree of before.* Contents wait on two shelves, one for what a
//!   run wrote and one for what it replaced, and placing moves them from one to the workspace.
//!
//! Reading order: `protect`, `withhold` and `select` (the judgement, pure), `reach` and `folder` (how anything is
//! opened), `standing`, `collect`, `shelf`, `keep`, `rebase`, `apply`, `snapshot`, `restore`.
//!
//! [`Change`]: actum_model::Change

mod apply;
mod bare;
mod clock;
mod collect;
mod compare;
mod copy;
mod error;
mod folder;
mod keep;
mod listing;
mod marks;
mod place;
mod reach;
mod rebase;
mod register;
mod remove;
mod restore;
mod select;
pub mod settle;
mod shelf;
mod snapshot;
mod standing;
mod walk;
mod withhold;

#[cfg(test)]
mod tests;

pub use apply::{Applied, ApplyRules, OnError, Pace, PlaceRules, apply, place};
pub use collect::{CollectRules, Collected, collect};
pub use error::ChangesError;
pub use keep::{is_keepable, keep, lost, placed, read_file, reclaim, save, sweep};
pub use marks::Marks;
pub use rebase::{Rebased, rebase};
pub use restore::{Lost, Restored};
pub use select::{Unselected, Waiting, select};
pub use snapshot::{Snapshot, SnapshotRules, identities};
pub use standing::Depth;
pub use withhold::Protection;
