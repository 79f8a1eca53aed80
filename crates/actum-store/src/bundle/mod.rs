//! The bundle: one file about one run that a stranger can verify, with our program or with their own.
//!
//! It is an uncompressed tar in one exact form. Every byte of it is accounted for: headers can only be what we would
//! write, parts are derived from the record ([`parts`]) or hashed and listed in `contents`, which is signed, and blobs
//! have their digest for a name. The keys inside are a convenience and are never trusted: whether the signer is known is
//! the caller's knowledge. Start reading at [`write`] and [`verify`].

mod contents;
mod inclusion;
mod manual;
mod names;
mod parts;
mod refused;
mod tar;
mod verify;
mod write;

pub use refused::Refused;
pub use verify::{NamedBlob, Signer, Verdict, verify};
pub use write::{Blob, BundleError, Parts, Written, write};
