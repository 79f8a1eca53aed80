//! Remember, and prove: where runs are kept, how one is found again, and why it can be believed.
//!
//! | part | what |
//! |---|---|
//! | [`Store`] | the folder: the ledger, blobs, and a place for each run that goes on or has changes |
//! | `ledger/` | the log of entries with its tree; writing, reading, verifying, pruning, copying |
//! | [`merkle`], [`note`] | proofs and signed checkpoints |
//! | [`key`], [`Keyring`], [`signer`] | keys, where they are kept, and the process that alone uses them |
//! | [`attest`], [`bundle`] | what strangers verify with tools of their own |
//! | [`experiments`] | an index of metrics, derived from records |
//!
//! Start reading at [`Ledger`] and [`Reader`].

pub mod attest;
pub mod bundle;
mod error;
pub mod experiments;
pub mod key;
mod keyring;
mod ledger;
pub mod merkle;
mod named;
pub mod note;
mod pending;
pub mod signer;
mod store;

pub use error::StoreError;
pub use keyring::{Choice, Keyring, Named};
pub use ledger::{
    Against, Checked, Content, Copied, Depth, Filter, Ledger, Listed, Problem, Reader, Removal, Sealed,
    Sealing, Standing, Ticket, Verified, announce_removal, backup, prune, standing, verify, verify_held,
    verify_run,
};
pub use pending::Pending;
pub use store::{Kept, Store};
