//! The classic metadata of in-toto: a link that tells what the run did, and a layout that asks for it.
//!
//! The layout has one step, which the same key must have signed. It has no inspections: those are commands that a
//! verifier would execute, and looking at a record should execute nothing.

use super::Attested;
use super::dsse::Signed;
use crate::key::PublicKey;
use actum_model::{Digest, FileFacts, Record, SourceFacts};
use serde_json::{Map, Value, json};

/// The name of the only step.
pub const STEP: &str = "run";
pub const LAYOUT_FILE: &str = "root.layout";

/// in-toto asks for a day; what happened does not expire.
const EXPIRES: &str = "9999-12-31T23:59:59Z";

/// in-toto finds a link by this name.
pub fn link_file(key: &PublicKey) -> String {
    format!("{STEP}.{}.link", &key.key_id()[..8])
}

/// What is signed of a link.
pub fn link(attested: &Attested) -> Value {
    let record = &attested.record;
    json!({
        "_type": "link",
        "name": STEP,
        "command": [record.command],
        "materials": materials(record),
        "products": artifacts(&record.outputs),
        "byproducts": {
            "return-value": record.exit_code,
            "outcome": record.outcome,
            "stdout-sha256": record.stdout.sha256,
            "stderr-sha256": record.stderr.sha256,
            "record-sha256": attested.sha256(),
        },
        "environment": { "workdir": record.folder, "variables": record.variables.names },
    })
}

/// What is signed of the layout.
pub fn layout(attested: &Attested, key: &PublicKey) -> Value {
    let keyid = key.key_id();
    json!({
        "_type": "layout",
        "expires": EXPIRES,
        "inspect": [],
        "keys": { keyid.as_str(): key.in_toto() },
        "readme": format!("The run {} was carried out and witnessed by the holder of this key.", attested.record.run),
        "steps": [{
            "_type": "step",
            "name": STEP,
            "expected_command": [attested.record.command],
            "expected_materials": [["ALLOW", "*"]],
            "expected_products": [["ALLOW", "*"]],
            "pubkeys": [keyid],
            "threshold": 1,
        }],
    })
}

/// A link or layout with its signature.
pub fn metablock(signed: &Value, key: &PublicKey, signature: &[u8; 64]) -> Value {
    json!({ "signatures": [{ "keyid": key.key_id(), "sig": hex(signature) }], "signed": signed })
}

/// The signature of a link or layout, whatever else it says.
pub fn signature(metablock: &[u8]) -> Option<[u8; 64]> {
    let Signed { signatures: [signature] } = serde_json::from_slice(metablock).ok()?;
    let text = Some(signature.sig).filter(|text| text.is_ascii())?;
    let (left, right) = text.split_at_checked(64)?;
    let halves = [left.parse::<Digest>().ok()?.0, right.parse::<Digest>().ok()?.0];
    halves.concat().try_into().ok()
}

/// The bytes that in-toto signs: canonical JSON of the OLPC, which escapes nothing but quotes and backslashes, sorts
/// names by code point and knows no fractions. We make none.
pub fn canonical(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(value, &mut bytes);
    bytes
}

fn write(value: &Value, to: &mut Vec<u8>) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => to.extend(value.to_string().bytes()),
        Value::String(text) => write_text(text, to),
        Value::Array(values) => write_all(b"[]", values, to, write),
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            write_all(b"{}", &sorted, to, |(name, value), to| {
                write_text(name, to);
                to.push(b':');
                write(value, to);
            });
        }
    }
}

fn write_all<T>(brackets: &[u8; 2], values: &[T], to: &mut Vec<u8>, one: fn(&T, &mut Vec<u8>)) {
    to.push(brackets[0]);
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            to.push(b',');
        }
        one(value, to);
    }
    to.push(brackets[1]);
}

fn write_text(text: &str, to: &mut Vec<u8>) {
    to.push(b'"');
    to.extend(text.replace('\\', r"\\").replace('"', "\\\"").bytes());
    to.push(b'"');
}

/// The files that it was given, and the source where that is a file.
fn materials(record: &Record) -> Map<String, Value> {
    let SourceFacts { path, sha256, .. } = &record.source;
    let source = path.clone().zip(sha256.as_ref().and_then(|text| text.parse::<Digest>().ok()));
    let source = source.map(|(path, digest)| (path, json!({ "sha256": digest })));
    source.into_iter().chain(artifacts(&record.inputs)).collect()
}

fn artifacts(files: &[FileFacts]) -> Map<String, Value> {
    let known = files.iter().filter_map(|file| Some((file.path.clone(), file.sha256?)));
    known.map(|(path, digest)| (path, json!({ "sha256": digest }))).collect()
}

fn hex(bytes: &[u8; 64]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_json_is_that_of_the_olpc() {
        let value =
            json!({ "b": [1, true, null, "\n\u{e9}\"\\"], "a": {}, "B": [], "\u{1f600}": "", "\u{ffff}": 2 });
        let expected =
            "{\"B\":[],\"a\":{},\"b\":[1,true,null,\"\n\u{e9}\\\"\\\\\"],\"\u{ffff}\":2,\"\u{1f600}\":\"\"}";
        assert_eq!(String::from_utf8(canonical(&value)).unwrap(), expected);
    }

    #[test]
    fn signatures_read_back() {
        let key = crate::key::KeyFile::in_memory([1; 32]);
        let public = crate::key::Signs::public(&key);
        let bytes: [u8; 64] = std::array::from_fn(|at| at as u8 * 3);
        let block = metablock(&json!({}), &public, &bytes);
        assert_eq!(signature(block.to_string().as_bytes()), Some(bytes));
        for text in ["", "{}", r#"{"signatures":[{"sig":"é"}]}"#, r#"{"signatures":[{"sig":"00"}]}"#] {
            assert_eq!(signature(text.as_bytes()), None, "{text}");
        }
    }
}
