//! What the ledger proves about a record here and now: its level, and who signed for it.
//!
//! Nothing is taken on trust: the record's bytes are hashed, held against a checkpoint by an inclusion proof, and the
//! checkpoint against the keys that this user has or trusts. A key that comes with the store proves nothing.

use actum_model::{Digest, Evidence, KeyReach, Level};
use actum_store::key::PublicKey;
use actum_store::note::SignedNote;
use actum_store::{Keyring, Reader, Sealed, StoreError, merkle};
use sha2::{Digest as _, Sha256};

/// How a record is covered.
enum Covered {
    /// By a checkpoint that this key signed.
    Signed(PublicKey),
    /// It stands in the log, and nobody who is known here signed for it, because of this.
    Linked(String),
    /// It does not stand in the log.
    Not(String),
}

/// What stands about a record in a report.
pub(super) fn evidence(reader: &Reader, keyring: &Keyring, sealed: &Sealed) -> Evidence {
    let covered = covered(reader, keyring, sealed).unwrap_or_else(|error| Covered::Not(error.to_string()));
    let level = match (&covered, sealed.record.key) {
        (Covered::Signed(_), KeyReach::OutOfReach) => Level::E2,
        (Covered::Signed(_), KeyReach::WithinReach) | (Covered::Linked(_), _) => Level::E1,
        (Covered::Not(_), _) => Level::E0,
    };
    let (signer, unsigned) = match covered {
        Covered::Signed(key) => (Some(key.fingerprint()), None),
        Covered::Linked(why) | Covered::Not(why) => (None, Some(why)),
    };
    let record = Digest(Sha256::digest(&sealed.bytes).into());
    Evidence { level, meaning: level.words().to_owned(), index: sealed.seq, record, signer, unsigned }
}

fn covered(reader: &Reader, keyring: &Keyring, sealed: &Sealed) -> Result<Covered, StoreError> {
    let head = reader.head()?;
    if !is_in(reader, sealed, head.size, &head.root)? {
        return Ok(Covered::Not("the log does not hold this record".to_owned()));
    }
    let origin = reader.origin()?;
    let known = match known(keyring) {
        Ok(known) => known,
        Err(error) => return Ok(Covered::Linked(format!("the keys cannot be read: {error}"))),
    };
    // The first that covers it; and the newest, should another key have signed since.
    let notes = [reader.checkpoint_over(sealed.seq)?, reader.last_checkpoint()?];
    let mut why = "no checkpoint covers it yet".to_owned();
    for (size, text) in notes.into_iter().flatten().filter(|(size, _)| *size > sealed.seq) {
        let read = SignedNote::parse(text.as_bytes()).and_then(|note| Ok((note.checkpoint()?, note)));
        let Ok((checkpoint, note)) = read else {
            why = "the checkpoint over it cannot be read".to_owned();
            continue;
        };
        let Some(signer) = known.iter().find(|key| note.is_signed_by(key, &origin)) else {
            why = "no key that is known here signed the checkpoint over it".to_owned();
            continue;
        };
        let is_whole = checkpoint.origin == origin && checkpoint.size == size;
        if !is_whole || !is_in(reader, sealed, size, &checkpoint.root)? {
            return Ok(Covered::Not("the checkpoint over it was signed for another log".to_owned()));
        }
        return Ok(Covered::Signed(*signer));
    }
    Ok(Covered::Linked(why))
}

/// Whether the record's own bytes are where it says in the tree with this root.
fn is_in(reader: &Reader, sealed: &Sealed, size: u64, root: &Digest) -> Result<bool, StoreError> {
    let leaf = merkle::leaf(&sealed.bytes);
    Ok(merkle::verify_inclusion(&leaf, sealed.seq, size, root, &reader.inclusion(sealed.seq, size)?))
}

/// Keys that sign or signed here, and those of others that are trusted.
fn known(keyring: &Keyring) -> Result<Vec<PublicKey>, actum_store::key::KeyError> {
    let trusted = keyring.trusted()?.into_iter().map(|named| named.key);
    Ok(keyring.own()?.into_iter().chain(trusted).collect())
}
