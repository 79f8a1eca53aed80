//! The ledger: an append-only log of entries, the tree over it, and the contents that its records name.
//!
//! | file | what |
//! |---|---|
//! | `schema` | the tables, and how a connection is set up |
//! | `index` | what the tables hold about an entry, derived from its bytes |
//! | `append`, `tree` | what one transaction writes |
//! | `writer` | the one thread that writes, and its group commit; or whoever asks, without one |
//! | `blobs` | contents by their digest |
//! | `open` | making, refusing, recovering |
//! | `reader` | finding and reading |
//! | `prune`, `backup` | removing bodies, copying the whole |
//! | `verify/` | holding everything against what was hashed and signed |
//!
//! Promises: what was acknowledged is durable; what is given back is what was hashed; a run ends once. The bytes of an entry are
//! written once and never again, so every table but `blob` and `checkpoint` can be made anew from them.

mod append;
mod backup;
mod blobs;
mod index;
mod open;
mod prune;
mod reader;
mod schema;
mod tree;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use backup::{Copied, backup};
pub use blobs::{Checked, Content};
pub use open::{Ledger, Sealing};
pub use prune::{Removal, announce_removal, prune};
pub(crate) use reader::LogState;
pub use reader::{Filter, Listed, Reader, Sealed};
pub use verify::{Against, Depth, Problem, Standing, Verified, standing, verify, verify_held, verify_run};
pub use writer::Ticket;
