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
//!
//! - What the workspace's owner did meanwhile is not compared: applying a change replaces what stands there.
//!
//! Reading order: `protect` and `withhold` (the judgement, pure), `reach` and `folder` (how anything is opened),
//! `collect`, `apply`, `snapshot`, `restore`.
//!
//! [`Change`]: actum_model::Change

mod apply;
mod collect;
mod compare;
mod copy;
mod error;
mod folder;
mod listing;
mod marks;
mod path;
mod place;
mod protect;
mod reach;
mod remove;
mod restore;
mod snapshot;
mod standing;
mod walk;
mod withhold;

#[cfg(test)]
mod tests;

pub use apply::{Applied, ApplyRules, apply};
pub use collect::{CollectRules, Collected, collect};
pub use error::ChangesError;
pub use marks::Marks;
pub use protect::is_protected;
pub use restore::{Lost, Restored};
pub use standing::Depth;
pub use snapshot::{Snapshot, SnapshotRules};
pub use withhold::Protection;
