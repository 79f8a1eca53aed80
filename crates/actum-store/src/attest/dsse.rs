//! The envelope around a statement: DSSE, as in-toto, SLSA and Sigstore use it.

use crate::key::PublicKey;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

/// The type of every payload that we sign.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// What is signed: the payload with its type and both lengths, so that nothing can be moved from one to the other.
pub fn message(payload: &[u8]) -> Vec<u8> {
    let mut message = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len()).into_bytes();
    message.extend_from_slice(payload);
    message
}

pub fn envelope(payload: &[u8], key: &PublicKey, signature: &[u8; 64]) -> Value {
    json!({
        "payload": STANDARD.encode(payload),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [{ "keyid": key.key_id(), "sig": STANDARD.encode(signature) }],
    })
}

/// What is read of an envelope or a metablock before it is made again and compared: one signature. Everything else is
/// passed over without being held, since somebody else wrote it.
#[derive(Deserialize)]
pub(super) struct Signed<'a> {
    #[serde(borrow)]
    pub signatures: [SignedBy<'a>; 1],
}

#[derive(Deserialize)]
pub(super) struct SignedBy<'a> {
    pub sig: &'a str,
}

/// The signature of an envelope, whatever else it says.
pub fn signature(envelope: &[u8]) -> Option<[u8; 64]> {
    let Signed { signatures: [signature] } = serde_json::from_slice(envelope).ok()?;
    STANDARD.decode(signature.sig).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_that_of_the_specification() {
        assert_eq!(message(b"{}"), b"DSSEv1 28 application/vnd.in-toto+json 2 {}");
        assert_eq!(message(b""), b"DSSEv1 28 application/vnd.in-toto+json 0 ");
    }

    #[test]
    fn hostile_envelopes_have_no_signature() {
        for text in ["", "[]", "{}", r#"{"signatures":[]}"#, r#"{"signatures":[{"sig":"AA=="}]}"#] {
            assert_eq!(signature(text.as_bytes()), None, "{text}");
        }
    }
}
