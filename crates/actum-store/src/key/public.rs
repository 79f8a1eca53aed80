//! The half of a key that everybody may know, in the forms that other people's verifiers read.

use super::{KeyError, wire};
use actum_model::Digest;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// An Ed25519 public key that is safe to verify with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

/// What stands before the key in a SubjectPublicKeyInfo of RFC 8410.
const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// The kind of a note key that stands for Ed25519.
pub(super) const NOTE_ED25519: u8 = 1;

impl PublicKey {
    /// Refuses what is no point of the curve, and the few points for which anybody can sign.
    pub fn of(bytes: [u8; 32]) -> Result<Self, KeyError> {
        let shown = || Digest(bytes).to_string();
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| KeyError::NotPublic { text: shown() })?;
        if key.is_weak() {
            return Err(KeyError::Weak { text: shown() });
        }
        Ok(Self(bytes))
    }

    /// Of a key that was made by signing, and so is a good one.
    pub(super) fn of_signer(key: &ed25519_dalek::SigningKey) -> Self {
        Self(key.verifying_key().to_bytes())
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Of the raw key: how the ledger names a key.
    pub fn sha256(&self) -> Digest {
        Digest::of(self.0)
    }

    /// Whether this key signed that message. Strict: a message has one signature by a key, and no other bytes pass.
    pub fn signed(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        let Ok(key) = VerifyingKey::from_bytes(&self.0) else { return false };
        key.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }

    /// SubjectPublicKeyInfo, the binary form that most libraries read.
    pub fn spki(&self) -> Vec<u8> {
        [SPKI.as_slice(), &self.0].concat()
    }

    pub(super) fn of_spki(der: &[u8]) -> Option<[u8; 32]> {
        der.strip_prefix(&SPKI)?.try_into().ok()
    }

    /// PEM, for openssl and in-toto.
    pub fn pem(&self) -> String {
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(self.spki()))
    }

    /// The binary form of SSH.
    pub fn ssh(&self) -> Vec<u8> {
        wire::strings(&[wire::ED25519, &self.0])
    }

    /// One line as in OpenSSH's `.pub` files, without its end.
    pub fn ssh_line(&self, comment: &str) -> String {
        format!("ssh-ed25519 {} {comment}", STANDARD.encode(self.ssh())).trim_end().to_owned()
    }

    /// What `ssh-keygen -l` prints: `SHA256:…`.
    pub fn fingerprint(&self) -> String {
        format!("SHA256:{}", STANDARD_NO_PAD.encode(Sha256::digest(self.ssh())))
    }

    /// The four bytes by which a signed note says who signed it: a hint, never a proof.
    pub fn note_id(&self, name: &str) -> [u8; 4] {
        let digest: [u8; 32] = Sha256::new_with_prefix(name)
            .chain_update([b'\n', NOTE_ED25519])
            .chain_update(self.0)
            .finalize()
            .into();
        [digest[0], digest[1], digest[2], digest[3]]
    }

    /// The verifier key of a C2SP note: `name+id+base64`.
    pub fn note_key(&self, name: &str) -> String {
        let id = u32::from_be_bytes(self.note_id(name));
        let key = STANDARD.encode([&[NOTE_ED25519], self.0.as_slice()].concat());
        format!("{name}+{id:08x}+{key}")
    }

    /// The key object of in-toto and securesystemslib, as it stands in a layout.
    pub fn in_toto(&self) -> Value {
        let public = Digest(self.0).to_string();
        json!({ "keyid": self.key_id(), "keytype": "ed25519", "keyval": { "public": public }, "scheme": "ed25519" })
    }

    /// The name that in-toto and securesystemslib give to a key: the SHA-256 of its canonical object. They find a
    /// signature by it, so it must be theirs to the last byte.
    pub fn key_id(&self) -> String {
        let public = Digest(self.0);
        let canonical =
            format!(r#"{{"keytype":"ed25519","keyval":{{"public":"{public}"}},"scheme":"ed25519"}}"#);
        Digest::of(canonical).to_string()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fingerprint())
    }
}
