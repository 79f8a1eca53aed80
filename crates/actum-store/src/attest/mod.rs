//! Attestation: what a record says, in the forms that other people's verifiers read, and what is signed in each.
//!
//! Every form is derived from the bytes of the record, its place in the log and the key, and from nothing else. So
//! whoever has those can make each form again and compare: a form adds a signature and no facts. These derivations are
//! formats: a form that is to say more gets another type or version, and the old one stays as it is.
//!
//! One key signs them all, and no signed message can be taken for one of another kind: a link or layout begins with
//! `{`, an envelope's message with `DSSEv1 ` and does not end with a line, SSHSIG has a zero byte behind its first word,
//! and a note holds no zero byte and ends with a line. See docs/design/attestation.md.

mod attested;
pub mod dsse;
pub mod link;
pub mod sigstore;
pub mod ssh;
pub mod statement;
pub mod test_result;

pub use attested::Attested;

use crate::note::Checkpoint;

/// The first line of the list of a bundle's contents, which is a note as well.
pub const CONTENTS: &str = "urn:actum:bundle:v1";

/// Whether a message is of one of the kinds that are signed beside checkpoints. A signer that was asked for one of these
/// must not sign a checkpoint instead: those it signs only for a log that goes on from what it signed before.
pub fn is_message(message: &[u8]) -> bool {
    let begins = |with: &str| message.starts_with(with.as_bytes());
    let is_metadata = begins("{") && message.ends_with(b"}");
    let is_contents = begins(&format!("{CONTENTS}\n"))
        && str::from_utf8(message).is_ok_and(|text| Checkpoint::of_text(text).is_err());
    begins(&format!("DSSEv1 {} ", dsse::PAYLOAD_TYPE.len())) && !message.ends_with(b"\n")
        || begins("SSHSIG\0")
        || is_metadata
        || is_contents
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::Digest;

    #[test]
    fn no_checkpoint_passes_for_another_message() {
        for origin in ["log", "{}", "{\"_type\":\"link\"}", "SSHSIG", "DSSEv1", CONTENTS] {
            let checkpoint = Checkpoint { origin: origin.to_owned(), size: 1, root: Digest([7; 32]) };
            assert!(!is_message(checkpoint.text().as_bytes()), "{origin}");
        }
        let list = format!("{CONTENTS}\n{}  record.json\n", Digest([7; 32]));
        for message in [dsse::message(b"{}"), ssh::message(b"x"), b"{}".to_vec(), list.into_bytes()] {
            assert!(is_message(&message), "{message:?}");
        }
    }
}
