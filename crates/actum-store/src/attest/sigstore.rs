//! The same envelope in the bundle of Sigstore, for verifiers that are given the public key.
//!
//! It names no entry of a public log: ours stands in a log of its own, whose proof is in the bundle beside it.

use crate::key::PublicKey;
use serde_json::{Value, json};

pub const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

pub fn bundle(envelope: &Value, key: &PublicKey) -> Value {
    json!({
        "mediaType": MEDIA_TYPE,
        "verificationMaterial": { "publicKey": { "hint": key.key_id() }, "tlogEntries": [] },
        "dsseEnvelope": envelope,
    })
}
