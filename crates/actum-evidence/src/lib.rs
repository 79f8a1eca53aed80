//! Reads the ledger for people and for claims: finds runs, pieces of evidence, differences, and what claims are held against.
//!
//! Nothing here writes a record, prints, or reads a command line. Every record that becomes evidence is verified before.
//!
//! | what | file |
//! |---|---|
//! | the store, open for reading | `reading` |
//! | what a run printed, wherever it lies | `printed` |
//! | the piece that an anchor names | `piece` |
//! | what the ledger proves about a record | `proof` |
//! | what differs between two records | `compare` |
//! | evidence for claims | `claims`, start at `gather` |
//! | ids in tracking stores | `tracking`, `credit` |

mod claims;
pub mod compare;
mod credit;
mod error;
#[doc(hidden)]
pub mod foreign;
pub mod piece;
pub mod printed;
pub mod proof;
mod reading;
mod tracking;
mod unfinished;

pub use claims::gather;
pub use compare::Difference;
pub use credit::{Told, credit};
pub use error::EvidenceError;
pub use reading::Reading;
pub use tracking::Asker;
pub use unfinished::{RunProgress, UnfinishedChanges, UnfinishedRun};
