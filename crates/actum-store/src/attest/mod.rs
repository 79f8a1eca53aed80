//! Attestation: what a record says, in the forms that other people's verifiers read, and what is signed in each.
//!
//! Every form is derived from the bytes of the record, its place in the log and the key, and from nothing else. So
//! whoever has those can make each form again and compare: a form adds a signature and no facts. These derivations are
//! formats: a form that is to say more gets another type or version, and the old one stays as it is.
//!
//! One key signs them all, and no signed message can be taken for one of another kind: a link or layout begins with
//! `{`, an envelope's message with `DSSEv1 ` and does not end with a line, SSHSIG has a zero byte behind its first word,
//! and a note holds no zero byte and ends with a line. See docs/design/attestation.md.

pub mod dsse;
pub mod link;
mod sealed;
pub mod sigstore;
pub mod ssh;
pub mod statement;
pub mod test_result;

pub use sealed::Sealed;
