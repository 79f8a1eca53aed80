//! The parts that can be derived: from the record, its place in the log, the key, and the signatures.

use super::inclusion::Inclusion;
use super::names::Part;
use crate::attest::{Attested, dsse, link, sigstore, ssh, statement, test_result};
use crate::key::{KeyError, PublicKey, Signs};
use crate::note::SignedNote;

/// One signature for each form, over the message of that form.
pub(super) struct Signatures {
    pub attestation: [u8; 64],
    /// Present when a test runner was recognised.
    pub test_result: Option<[u8; 64]>,
    pub layout: [u8; 64],
    pub link: [u8; 64],
    pub ssh: [u8; 64],
}

/// What is signed for each form.
pub(super) struct Messages {
    pub attestation: Vec<u8>,
    pub test_result: Option<Vec<u8>>,
    pub layout: Vec<u8>,
    pub link: Vec<u8>,
    pub ssh: Vec<u8>,
}

impl Messages {
    pub fn of(attested: &Attested, key: &PublicKey) -> Self {
        Self {
            attestation: dsse::message(&statement::of(attested)),
            test_result: test_result::of(attested).map(|payload| dsse::message(&payload)),
            layout: link::canonical(&link::layout(attested, key)),
            link: link::canonical(&link::link(attested)),
            ssh: ssh::message(&attested.bytes),
        }
    }

    pub fn sign(&self, signer: &mut dyn Signs) -> Result<Signatures, KeyError> {
        Ok(Signatures {
            attestation: signer.sign(&self.attestation)?,
            test_result: self.test_result.as_ref().map(|message| signer.sign(message)).transpose()?,
            layout: signer.sign(&self.layout)?,
            link: signer.sign(&self.link)?,
            ssh: signer.sign(&self.ssh)?,
        })
    }

    /// The first part whose signature is not by this key.
    pub fn unsigned(&self, signatures: &Signatures, key: &PublicKey) -> Option<Part> {
        let test_result = self.test_result.as_deref().zip(signatures.test_result.as_ref());
        let pairs = [
            (Part::Attestation, Some((self.attestation.as_slice(), &signatures.attestation))),
            (Part::TestResult, test_result),
            (Part::Layout, Some((self.layout.as_slice(), &signatures.layout))),
            (Part::Link, Some((self.link.as_slice(), &signatures.link))),
            (Part::SshSignature, Some((self.ssh.as_slice(), &signatures.ssh))),
        ];
        let is_wrong = |pair: Option<(&[u8], &[u8; 64])>| {
            pair.is_some_and(|(message, signature)| !key.signed(message, signature))
        };
        pairs.into_iter().find(|(_, pair)| is_wrong(*pair)).map(|(part, _)| part)
    }
}

/// All parts but the manual and the list of contents, in order.
pub(super) fn derived(
    attested: &Attested,
    key: &PublicKey,
    (checkpoint, inclusion): (&SignedNote, &Inclusion),
    signatures: &Signatures,
) -> Vec<(Part, Vec<u8>)> {
    let envelope = dsse::envelope(&statement::of(attested), key, &signatures.attestation);
    let tested = test_result::of(attested).zip(signatures.test_result.as_ref());
    let test_result = tested.map(|(payload, signature)| dsse::envelope(&payload, key, signature));
    let layout = link::metablock(&link::layout(attested, key), key, &signatures.layout);
    let link = link::metablock(&link::link(attested), key, &signatures.link);
    let parts = [
        (Part::Pem, Some(key.pem())),
        (Part::NoteKey, Some(line(key.note_key(&attested.origin)))),
        (Part::SshKey, Some(line(key.ssh_line(&attested.origin)))),
        (Part::AllowedSigners, Some(ssh::allowed_signer(key))),
        (Part::InTotoKey, Some(line(key.in_toto()))),
        (Part::Checkpoint, Some(checkpoint.to_string())),
        (Part::Inclusion, serde_json::to_string(inclusion).ok().map(line)),
        (Part::Attestation, Some(line(&envelope))),
        (Part::TestResult, test_result.map(line)),
        (Part::Layout, Some(line(layout))),
        (Part::Link, Some(line(link))),
        (Part::SshSignature, Some(ssh::armoured(key, &signatures.ssh))),
        (Part::Sigstore, Some(line(sigstore::bundle(&envelope, key)))),
    ];
    let mut parts: Vec<(Part, Vec<u8>)> =
        parts.into_iter().filter_map(|(part, text)| Some((part, text?.into_bytes()))).collect();
    parts.push((Part::Record, attested.bytes.clone()));
    parts.sort_by_key(|(part, _)| *part);
    parts
}

fn line(text: impl ToString) -> String {
    text.to_string() + "\n"
}
