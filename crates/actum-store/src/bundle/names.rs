//! What may stand in a bundle, and in which order.

use crate::attest::link;
use actum_model::Digest;

/// A part that is small enough to be held in memory. Their order in the file is the order here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Manual,
    Contents,
    Pem,
    NoteKey,
    SshKey,
    AllowedSigners,
    InTotoKey,
    Record,
    Checkpoint,
    Inclusion,
    Attestation,
    TestResult,
    Layout,
    Link,
    SshSignature,
    Sigstore,
}

/// 8 MiB: a record with the names and digests of fifty thousand files has less, and the signer takes its statement.
pub(super) const LONGEST_RECORD: u64 = 8 << 20;
/// 32 MiB: the longest part is a statement in base64, at most four times the record.
const LONGEST_PART: u64 = 4 * LONGEST_RECORD;
/// 64 KiB: keys, notes and words.
const LONGEST_WORDS: u64 = 64 << 10;

const BLOBS: &str = "blobs/";

impl Part {
    pub const ALL: [Part; 16] = [
        Part::Manual,
        Part::Contents,
        Part::Pem,
        Part::NoteKey,
        Part::SshKey,
        Part::AllowedSigners,
        Part::InTotoKey,
        Part::Record,
        Part::Checkpoint,
        Part::Inclusion,
        Part::Attestation,
        Part::TestResult,
        Part::Layout,
        Part::Link,
        Part::SshSignature,
        Part::Sigstore,
    ];

    /// The name of a part, where `link` is the name of the link's file, which begins with the key's.
    pub fn name(self, link: &str) -> String {
        match self {
            Part::Manual => "VERIFY.md",
            Part::Contents => "contents",
            Part::Pem => "keys/signer.pem",
            Part::NoteKey => "keys/signer.vkey",
            Part::SshKey => "keys/signer.pub",
            Part::AllowedSigners => "keys/allowed_signers",
            Part::InTotoKey => "keys/signer.intoto.json",
            Part::Record => "record.json",
            Part::Checkpoint => "checkpoint",
            Part::Inclusion => "inclusion.json",
            Part::Attestation => "attestation.dsse.json",
            Part::TestResult => "test-result.dsse.json",
            Part::Layout => return format!("link/{}", link::LAYOUT_FILE),
            Part::Link => return format!("link/{link}"),
            Part::SshSignature => "record.json.sig",
            Part::Sigstore => "sigstore.json",
        }
        .to_owned()
    }

    /// The part of this name. Which key the link's name belongs to is looked at later.
    pub fn of(name: &str) -> Option<Part> {
        match name.strip_prefix("link/").filter(|file| is_link(file)) {
            Some(_) => Some(Part::Link),
            None => Part::ALL.into_iter().find(|part| *part != Part::Link && part.name("") == name),
        }
    }

    /// The largest that it may be.
    pub fn longest(self) -> u64 {
        match self {
            Part::Record => LONGEST_RECORD,
            Part::Contents
            | Part::Attestation
            | Part::TestResult
            | Part::Layout
            | Part::Link
            | Part::Sigstore => LONGEST_PART,
            Part::Manual
            | Part::Pem
            | Part::NoteKey
            | Part::SshKey
            | Part::AllowedSigners
            | Part::InTotoKey
            | Part::Checkpoint
            | Part::Inclusion
            | Part::SshSignature => LONGEST_WORDS,
        }
    }

    /// Whether every bundle has it.
    pub fn is_required(self) -> bool {
        self != Part::TestResult
    }
}

fn is_link(file: &str) -> bool {
    let id = file.strip_prefix(link::STEP).and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".link"));
    id.is_some_and(|id| id.len() == 8 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

pub(super) fn blob_name(digest: &Digest) -> String {
    format!("{BLOBS}{digest}")
}

/// The digest in a blob's name, in the one form that we write.
pub(super) fn blob(name: &str) -> Option<Digest> {
    let digest = name.strip_prefix(BLOBS)?.parse().ok()?;
    (blob_name(&digest) == name).then_some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_are_unknown() {
        for part in Part::ALL {
            assert_eq!(Part::of(&part.name("run.0123abcd.link")), Some(part));
        }
        assert!(Part::ALL.is_sorted());
        for name in [
            "",
            "link/",
            "record.json/",
            "./record.json",
            "/record.json",
            "link/run.0123ABCD.link",
            "link/run.0123abc.link",
            "link/../x",
            "blobs/",
        ] {
            assert_eq!((Part::of(name), blob(name)), (None, None), "{name}");
        }
        let digest = Digest([0xab; 32]);
        assert_eq!(blob(&blob_name(&digest)), Some(digest));
        assert_eq!(blob(&blob_name(&digest).to_uppercase().replace("BLOBS", "blobs")), None);
    }
}
