//! Verifies a bundle: everything in it against everything else, and its key against those that the caller trusts.

use super::contents;
use super::inclusion::Inclusion;
use super::names::{self, Part};
use super::parts::{self, Messages, Signatures};
use super::refused::Refused;
use super::tar::{Entry, LARGEST, Reader};
use crate::attest::{Attested, dsse, link, ssh};
use crate::key::PublicKey;
use crate::keyring::Named;
use crate::named::{Sizes, named};
use crate::note::{Checkpoint, NoteError, SignedNote};
use actum_model::{Digest, KeyReach, Level};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::Read;

/// What an intact bundle shows.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The record, its bytes, and where in which log it stands.
    pub attested: Attested,
    /// What the log said of itself when this was written.
    pub checkpoint: Checkpoint,
    pub signer: Signer,
    /// Never more than is true: what a signer claims of itself counts only when the signer is known.
    pub level: Level,
    /// Blobs that are here and are what the record says.
    pub present: Vec<NamedBlob>,
    /// Blobs that the record names and that are not here.
    pub absent: Vec<NamedBlob>,
}

/// Bytes that a record names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedBlob {
    pub digest: Digest,
    pub size: u64,
}

/// Who signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signer {
    /// One of those that the caller trusts, by the caller's name.
    Trusted(Named),
    /// Somebody. The bundle is intact; who made it is not known.
    Unknown(PublicKey),
}

/// Reads a bundle from its first byte to its last.
pub fn verify(from: impl Read, trusted: &[Named]) -> Result<Verdict, Refused> {
    let mut reader = Reader::new(from);
    let (parts, next) = read_parts(&mut reader)?;
    let proven = prove(&parts)?;
    let named = named(&proven.attested.record).map_err(|why| Refused::part("record.json", why))?;
    let listed = check_contents(&parts, &proven, &named)?;
    let present = read_blobs(&mut reader, next, &listed, &named)?;
    let is_absent = |digest: &[u8; 32]| listed.binary_search_by_key(digest, |listed| listed.0).is_err();
    let absent = named.iter().filter(|(digest, _)| is_absent(digest));
    let absent = absent.map(|(digest, size)| NamedBlob { digest: Digest(*digest), size: *size }).collect();
    let known = trusted.iter().find(|known| known.key == proven.key);
    let signer = known.cloned().map_or(Signer::Unknown(proven.key), Signer::Trusted);
    let level = match (&signer, proven.attested.record.key) {
        (Signer::Trusted(_), KeyReach::OutOfReach) => Level::E2,
        (Signer::Trusted(_), KeyReach::WithinReach) | (Signer::Unknown(_), _) => Level::E1,
    };
    let Proven { attested, checkpoint, .. } = proven;
    Ok(Verdict { attested, checkpoint, signer, level, present, absent })
}

type Held = BTreeMap<Part, Vec<u8>>;

/// The parts before the blobs, and the first entry behind them.
fn read_parts(reader: &mut Reader<impl Read>) -> Result<(Held, Option<Entry>), Refused> {
    let mut held = Held::new();
    let next = loop {
        let Some(entry) = reader.next()? else { break None };
        if names::blob(&entry.name).is_some() {
            break Some(entry);
        }
        let refused = |why: &str| Refused::part(&shown(&entry.name), why);
        let part = Part::of(&entry.name).ok_or_else(|| refused("does not belong in a bundle"))?;
        if held.last_key_value().is_some_and(|(last, _)| *last >= part) {
            return Err(refused("is duplicated or not in the expected order"));
        }
        held.insert(part, reader.bytes(&entry, part.longest())?);
        if part == Part::Link {
            // Its name holds the beginning of the key's, which is looked at together with its bytes.
            check_link_name(&held, &entry)?;
        }
    };
    let missing = Part::ALL.into_iter().find(|part| part.is_required() && !held.contains_key(part));
    match missing {
        Some(part) => Err(Refused::part(&part.name("run.<key>.link"), "is missing")),
        None => Ok((held, next)),
    }
}

fn check_link_name(held: &Held, entry: &Entry) -> Result<(), Refused> {
    let key = signer(held)?;
    match Part::Link.name(&link::link_file(&key)) == entry.name {
        true => Ok(()),
        false => Err(Refused::part(&entry.name, "has the name of another key")),
    }
}

/// Everything that was found to hold together.
struct Proven {
    key: PublicKey,
    attested: Attested,
    checkpoint: Checkpoint,
}

/// The record is in the log, the log's root is signed, and every form says what the record says and is signed by the
/// same key.
fn prove(parts: &Held) -> Result<Proven, Refused> {
    let key = signer(parts)?;
    let unread =
        |error: NoteError| Refused::part("checkpoint", format!("is not a valid checkpoint: {}", error.why));
    let note = SignedNote::parse(bytes(parts, Part::Checkpoint)).map_err(unread)?;
    let checkpoint = note.checkpoint().map_err(unread)?;
    if note.signatures() != 1 || !note.is_signed_by(&key, &checkpoint.origin) {
        return Err(Refused::part("checkpoint", "is not signed by the key of this bundle"));
    }
    let claimed: Inclusion = serde_json::from_slice(bytes(parts, Part::Inclusion))
        .map_err(|error| Refused::part("inclusion.json", unreadable(&error)))?;
    let record = bytes(parts, Part::Record);
    let inclusion = Inclusion::of(record, claimed.leaf_index, &checkpoint, claimed.hashes.clone());
    if inclusion != claimed || !inclusion.is_proven() {
        return Err(Refused::part("record.json", "has no valid proof of inclusion in the log"));
    }
    let attested = Attested::read(record.to_vec(), &checkpoint.origin, claimed.leaf_index)
        .map_err(|error| Refused::part("record.json", unreadable(&error)))?;
    let signatures = signatures(parts, &attested)?;
    for (part, expected) in parts::derived(&attested, &key, (&note, &inclusion), &signatures) {
        if bytes(parts, part) != expected {
            return Err(Refused::part(&name(part, &key), "does not match the record and its key"));
        }
    }
    match Messages::of(&attested, &key).unsigned(&signatures, &key) {
        Some(part) => Err(Refused::part(&name(part, &key), "is not signed by the key of this bundle")),
        None => Ok(Proven { key, attested, checkpoint }),
    }
}

/// The key that the bundle names. That it signed everything is proven; whose it is is not.
fn signer(parts: &Held) -> Result<PublicKey, Refused> {
    let text = str::from_utf8(bytes(parts, Part::Pem)).unwrap_or_default();
    let key: Result<PublicKey, _> = text.parse();
    let key =
        key.map_err(|_| Refused::part("keys/signer.pem", "does not contain a safe Ed25519 public key"))?;
    match key.pem() == text {
        true => Ok(key),
        false => Err(Refused::part("keys/signer.pem", "is not in the canonical form")),
    }
}

fn signatures(parts: &Held, attested: &Attested) -> Result<Signatures, Refused> {
    let read = |part: Part, read: fn(&[u8]) -> Option<[u8; 64]>| {
        read(bytes(parts, part))
            .ok_or_else(|| Refused::part(&part.name("run.<key>.link"), "contains no signature"))
    };
    let is_tested = attested.record.tests.is_some();
    if parts.contains_key(&Part::TestResult) != is_tested {
        let why = if is_tested { "is missing" } else { "reports tests that the record does not contain" };
        return Err(Refused::part("test-result.dsse.json", why));
    }
    Ok(Signatures {
        attestation: read(Part::Attestation, dsse::signature)?,
        test_result: is_tested.then(|| read(Part::TestResult, dsse::signature)).transpose()?,
        layout: read(Part::Layout, link::signature)?,
        link: read(Part::Link, link::signature)?,
        ssh: read(Part::SshSignature, ssh::signature)?,
    })
}

/// The list names exactly what is here. Returns the blobs that must follow.
fn check_contents(parts: &Held, proven: &Proven, named: &Sizes) -> Result<Vec<Digest>, Refused> {
    let refused = |why: &str| Refused::part("contents", why);
    let found = bytes(parts, Part::Contents);
    let note =
        SignedNote::parse(found).map_err(|error| refused(&format!("is not a valid list: {}", error.why)))?;
    if note.signatures() != 1 || !note.is_signed_by(&proven.key, &proven.checkpoint.origin) {
        return Err(refused("is not signed by the key of this bundle"));
    }
    let blobs =
        contents::blobs(note.text()).ok_or_else(|| refused("does not list blobs in the expected order"))?;
    let pieces = parts.iter().map(|(part, bytes)| (*part, bytes.as_slice()));
    let expected = contents::text(&link::link_file(&proven.key), pieces, blobs.iter().copied());
    if note.text() != expected || note.to_string().as_bytes() != found {
        return Err(refused("does not match the files in the bundle"));
    }
    match blobs.iter().all(|digest| named.contains_key(&digest.0)) {
        true => Ok(blobs),
        false => Err(refused("lists a blob that the record does not name")),
    }
}

fn read_blobs(
    reader: &mut Reader<impl Read>,
    mut next: Option<Entry>,
    listed: &[Digest],
    named: &Sizes,
) -> Result<Vec<NamedBlob>, Refused> {
    let mut present = Vec::new();
    for digest in listed {
        let name = names::blob_name(digest);
        let entry = next.filter(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| Refused::part(&name, "is missing or not in the expected order"))?;
        let size = named.get(&digest.0).copied().unwrap_or_default();
        if entry.size != size {
            return Err(Refused::part(
                &name,
                format!("has {} bytes, and the record says {size}", entry.size),
            ));
        }
        let mut hash = Sha256::new();
        reader.stream(&entry, |piece| hash.update(piece))?;
        if Digest::finish(hash) != *digest {
            return Err(Refused::part(&name, "does not match its recorded digest"));
        }
        present.push(NamedBlob { digest: *digest, size });
        next = reader.next()?;
    }
    match next {
        Some(entry) => Err(Refused::part(&shown(&entry.name), "is not in the list of contents")),
        None => Ok(present),
    }
}

impl NamedBlob {
    /// Whether a bundle has room for it.
    pub fn fits(&self) -> bool {
        self.size <= LARGEST
    }
}

fn bytes(parts: &Held, part: Part) -> &[u8] {
    parts.get(&part).map(Vec::as_slice).unwrap_or_default()
}

fn name(part: Part, key: &PublicKey) -> String {
    part.name(&link::link_file(key))
}

/// A name that somebody else chose, for people.
fn shown(name: &str) -> String {
    format!("`{}`", plain(name))
}

/// What a parser says may quote what it read.
fn unreadable(error: &serde_json::Error) -> String {
    format!("cannot be read: {}", plain(&error.to_string()))
}

fn plain(text: &str) -> String {
    text.chars().take(120).map(|one| if one.is_control() { '\u{fffd}' } else { one }).collect()
}
