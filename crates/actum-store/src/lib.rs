//! Remember: where runs are kept, and how one is found again.
//!
//! A run has a folder of its own, named by its id and open to nobody but its user. What lies in it is the business of
//! whoever wrote it: `actum-run` keeps output and changes there, the door the report. Start reading at [`Store`].

pub mod attest;
pub mod bundle;
mod error;
pub mod key;
mod keyring;
mod ledger;
pub mod merkle;
pub mod note;
mod pending;
pub mod signer;
mod store;

pub use error::StoreError;
pub use keyring::{Choice, Keyring, Named};
pub use ledger::{
    Against, Checked, Content, Copied, Depth, Filter, Ledger, Listed, Problem, Reader, Removal, Sealed,
    Sealing, Standing, Ticket, Verified, backup, prune, standing, verify, verify_run,
};
pub use pending::Pending;
pub use store::{Kept, Store};
