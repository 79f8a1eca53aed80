//! What is written verifies, trust comes from outside, and no byte can be changed.

use crate::exported::{self, MANY, blob, export, parts, signer};
use crate::records;
use actum_model::{Bytes, Digest, KeyReach, Level};
use actum_store::Named;
use actum_store::attest::{dsse, link};
use actum_store::bundle::{self, Blob, BundleError, Refused, Signer, verify};
use actum_store::key::{KeyFile, Signs as _};
use actum_store::note::{Checkpoint, SignedNote};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::OnceLock;

fn trusted(number: usize) -> Vec<Named> {
    let (key, origin) = signer(number);
    vec![Named { name: origin, key: key.public() }]
}

#[test]
fn what_is_written_verifies() {
    for number in 0..MANY {
        let exported = export(number);
        let verdict = verify(exported.bytes.as_slice(), &trusted(number)).unwrap();
        assert_eq!(verdict.attested.bytes, exported.record);
        assert_eq!(verdict.signer, Signer::Trusted(trusted(number).remove(0)));
        assert_eq!(verdict.absent, []);
        let reach = records::record(number).record.key;
        let expected = if reach == KeyReach::OutOfReach { Level::E2 } else { Level::E1 };
        assert_eq!(verdict.level, expected);
    }
}

#[test]
fn the_same_bundle_has_the_same_bytes() {
    assert!(export(5).bytes == export(5).bytes);
}

/// A bundle that was written once and is verified for ever: when this fails, a format was changed that others hold files in.
/// Mend the change, or give the form a new version and keep the old one beside it. Before the first release nobody holds
/// any, and `ACTUM_WRITE_GOLDEN=1` writes it anew.
#[test]
fn an_old_bundle_still_verifies() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v1.actum.tar");
    if std::env::var_os("ACTUM_WRITE_GOLDEN").is_some() {
        std::fs::write(path, export(1).bytes).unwrap();
    }
    let verdict = verify(std::fs::File::open(path).unwrap(), &trusted(1)).unwrap();
    assert_eq!((verdict.level, verdict.absent.len(), verdict.attested.index), (Level::E2, 0, 15));
    assert_eq!(verdict.signer, Signer::Trusted(trusted(1).remove(0)));
}

#[test]
fn trust_never_comes_from_inside() {
    let exported = export(1);
    for others in [Vec::new(), trusted(2)] {
        let verdict = verify(exported.bytes.as_slice(), &others).unwrap();
        assert_eq!((verdict.signer, verdict.level), (Signer::Unknown(exported.key), Level::E1));
    }
}

#[test]
fn blobs_that_are_gone_are_told() {
    let mut parts = parts(2);
    let gone = parts.blobs.swap_remove(0);
    let mut bytes = Vec::new();
    bundle::write(&parts, &mut signer(2).0, &mut bytes).unwrap();
    let verdict = verify(bytes.as_slice(), &[]).unwrap();
    assert_eq!(verdict.absent.iter().map(|named| named.digest).collect::<Vec<_>>(), [gone.digest]);
}

#[test]
fn a_blob_without_room_is_left_out_and_told() {
    let (mut key, origin) = signer(0);
    let mut record = records::record(0).record;
    record.stdout.bytes = Bytes(8 << 30);
    record.stdout.sha256 = Digest([7; 32]);
    let entry = records::entry(record);
    let root = actum_store::merkle::leaf(&entry);
    let checkpoint = Checkpoint { origin, size: 1, root }.sign(&mut key).unwrap();
    let mut huge = blob(Vec::new());
    (huge.digest, huge.size) = (Digest([7; 32]), 8 << 30);
    let parts = bundle::Parts { record: entry, index: 0, checkpoint, proof: vec![], blobs: vec![huge] };
    let mut bytes = Vec::new();
    let written = bundle::write(&parts, &mut key, &mut bytes).unwrap();
    assert_eq!(written.left_out, [Digest([7; 32])]);
    let verdict = verify(bytes.as_slice(), &[]).unwrap();
    assert!(verdict.absent.iter().any(|named| named.size == 8 << 30 && !named.fits()));
}

/// Reads zeros, so many.
fn zeros(size: u64) -> Blob<'static> {
    let open = move || -> std::io::Result<Box<dyn Read>> { Ok(Box::new(std::io::repeat(0).take(size))) };
    let mut hash = Sha256::new();
    let mut left = size;
    while left > 0 {
        let piece = left.min(1 << 16);
        hash.update(&[0; 1 << 16][..piece as usize]);
        left -= piece;
    }
    Blob { digest: Digest::finish(hash), size, open: Box::new(open) }
}

/// A quarter of a gibibyte of output, from one end of a pipe to the other: nowhere is it held.
#[test]
fn large_output_streams_through() {
    let size = 256 << 20;
    let (from, to) = std::io::pipe().unwrap();
    let writer = std::thread::spawn(move || {
        let (mut key, origin) = signer(0);
        let output = zeros(size);
        let mut record = records::record(0).record;
        (record.stdout.bytes, record.stdout.sha256) = (Bytes(size), output.digest);
        let entry = records::entry(record);
        let root = actum_store::merkle::leaf(&entry);
        let checkpoint = Checkpoint { origin, size: 1, root }.sign(&mut key).unwrap();
        let parts = bundle::Parts { record: entry, index: 0, checkpoint, proof: vec![], blobs: vec![output] };
        bundle::write(&parts, &mut key, &mut std::io::BufWriter::new(to)).unwrap();
    });
    let verdict = verify(from, &[]).unwrap();
    writer.join().unwrap();
    assert_eq!(verdict.present.iter().map(|blob| blob.size).collect::<Vec<_>>(), [size]);
}

#[test]
fn nothing_is_written_that_would_be_refused() {
    let refused = |change: &dyn Fn(&mut bundle::Parts<'static>)| {
        let mut parts = parts(2);
        change(&mut parts);
        bundle::write(&parts, &mut signer(2).0, &mut Vec::new()).unwrap_err()
    };
    let other = exported::parts(3);
    assert!(matches!(refused(&|parts| parts.index += 1), BundleError::Unproven));
    assert!(matches!(refused(&|parts| parts.proof.push(parts.proof[0])), BundleError::Unproven));
    assert!(matches!(refused(&|parts| parts.checkpoint = other.checkpoint.clone()), BundleError::OtherKey));
    assert!(matches!(refused(&|parts| parts.record = b"{}".to_vec()), BundleError::Record { .. }));
    assert!(matches!(
        refused(&|parts| parts.blobs.push(blob(b"unknown".to_vec()))),
        BundleError::Blob { why: "the record does not name it", .. }
    ));
    for wrong in [b"other".to_vec(), vec![0; 1 << 20]] {
        let broken = |parts: &mut bundle::Parts<'static>| {
            let open = blob(wrong.clone()).open;
            let named = parts.blobs.iter_mut().find(|blob| blob.size > 0).unwrap();
            named.open = open;
        };
        assert!(matches!(refused(&broken), BundleError::Blob { .. }));
    }
    let mut stranger = KeyFile::in_memory([99; 32]);
    let signed = bundle::write(&exported::parts(2), &mut stranger, &mut Vec::new());
    assert!(matches!(signed, Err(BundleError::OtherKey)));
}

/// Every header, every part, every blob, the padding and the end.
#[test]
fn no_byte_of_a_bundle_can_be_changed() {
    let bytes = export(4).bytes;
    for at in (0..bytes.len()).step_by(17) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at / 17 % 8);
        assert!(verify(changed.as_slice(), &[]).is_err(), "byte {at} was changed unnoticed");
    }
}

#[test]
fn no_bundle_can_be_cut_or_go_on() {
    let bytes = export(1).bytes;
    for length in (0..bytes.len()).step_by(512).chain([bytes.len() - 1]) {
        assert!(verify(&bytes[..length], &[]).is_err(), "{length}");
    }
    for more in [&[0][..], b"x", &[0; 512], &bytes] {
        assert!(verify([&bytes, more].concat().as_slice(), &[]).is_err());
    }
}

/// A part that belongs to another bundle of the same signer is as wrong as any other.
#[test]
fn no_part_can_be_taken_from_another_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (exported::unpack(1, folder.path()), exported::unpack(4, folder.path()));
    let mut tried = 0;
    for (name, theirs) in &other.files {
        let Some(ours) = one.files.get(name).filter(|ours| *ours != theirs) else { continue };
        let mut files = one.files.clone();
        files.insert(name.clone(), theirs.clone());
        let mixed = crate::hostile::packed(&files);
        assert!(matches!(verify(mixed.as_slice(), &[]), Err(Refused::Part { .. })), "{name}");
        tried += usize::from(!ours.is_empty());
    }
    assert!(tried >= 9, "{tried} parts differ");
    assert!(verify(crate::hostile::packed(&one.files).as_slice(), &[]).is_ok());
}

/// Even who holds the key cannot let one form say what the others do not.
#[test]
fn forms_that_disagree_are_refused_whoever_signed_them() {
    let folder = tempfile::tempdir().unwrap();
    let number = 1;
    let unpacked = exported::unpack(number, folder.path());
    let (mut key, origin) = signer(number);
    let link_name = unpacked.files.keys().find(|name| name.ends_with(".link")).unwrap().clone();
    for (name, from, to) in [
        ("attestation.dsse.json", "\"outcome\":\"success\"", "\"outcome\":\"failure\""),
        ("test-result.dsse.json", "\"result\":\"PASSED\"", "\"result\":\"FAILED\""),
        (&link_name, "\"return-value\":0", "\"return-value\":1"),
        ("link/root.layout", "9999-12-31", "9998-12-31"),
    ] {
        let mut files = unpacked.files.clone();
        files.insert(name.to_owned(), told_otherwise(&files[name], (from, to), &mut key));
        list_again(&mut files, &origin, &mut key);
        let Err(refused) = verify(crate::hostile::packed(&files).as_slice(), &[]) else { panic!("{name}") };
        assert!(refused.to_string().ends_with("does not match the record and its key"), "{refused}");
    }
    // The words for people are the signer's own, and nobody derives them again.
    let mut files = unpacked.files.clone();
    files.insert("VERIFY.md".to_owned(), b"Other words.\n".to_vec());
    assert!(verify(crate::hostile::packed(&files).as_slice(), &[]).is_err());
    list_again(&mut files, &origin, &mut key);
    assert!(verify(crate::hostile::packed(&files).as_slice(), &[]).is_ok());
}

/// An envelope or a link that says something else, rightly signed.
fn told_otherwise(bytes: &[u8], (from, to): (&str, &str), key: &mut KeyFile) -> Vec<u8> {
    let found: serde_json::Value = serde_json::from_slice(bytes).unwrap();
    let changed = |text: String| {
        assert!(text.contains(from), "{text}");
        text.replace(from, to)
    };
    let again = match found["payload"].as_str() {
        Some(payload) => {
            let payload = changed(String::from_utf8(STANDARD.decode(payload).unwrap()).unwrap());
            let signature = key.sign(&dsse::message(payload.as_bytes())).unwrap();
            dsse::envelope(payload.as_bytes(), &key.public(), &signature)
        }
        None => {
            let signed = serde_json::from_str(&changed(found["signed"].to_string())).unwrap();
            let signature = key.sign(&link::canonical(&signed)).unwrap();
            link::metablock(&signed, &key.public(), &signature)
        }
    };
    format!("{again}\n").into_bytes()
}

/// The list of contents for these files, rightly signed.
fn list_again(files: &mut BTreeMap<String, Vec<u8>>, origin: &str, key: &mut KeyFile) {
    let list = SignedNote::parse(&files["contents"]).unwrap();
    let line = |line: &str| match line.split_once("  ") {
        Some((_, name)) => format!("{}  {name}\n", records::digest(&files[name])),
        None => format!("{line}\n"),
    };
    let text: String = list.text().lines().map(line).collect();
    let note = SignedNote::sign(text, origin, key).unwrap();
    files.insert("contents".to_owned(), note.to_string().into_bytes());
}

/// Whoever signs again with a key of their own has made a bundle of their own.
#[test]
fn signing_again_makes_another_signer() {
    let mut thief = KeyFile::in_memory([42; 32]);
    let mut parts = parts(1);
    parts.checkpoint = parts.checkpoint.checkpoint().unwrap().sign(&mut thief).unwrap();
    let mut bytes = Vec::new();
    bundle::write(&parts, &mut thief, &mut bytes).unwrap();
    let verdict = verify(bytes.as_slice(), &trusted(1)).unwrap();
    assert_eq!((verdict.signer, verdict.level), (Signer::Unknown(thief.public()), Level::E1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn one_changed_byte_is_always_found(number in 0_usize..8, at: prop::sample::Index, by in 1_u8..) {
        static ALL: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
        let all = ALL.get_or_init(|| (0..8).map(|number| export(number).bytes).collect());
        let mut bytes = all[number].clone();
        let at = at.index(bytes.len());
        bytes[at] ^= by;
        prop_assert!(verify(bytes.as_slice(), &[]).is_err());
    }
}
