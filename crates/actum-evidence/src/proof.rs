//! What the ledger proves about a record here and now, as a report tells it.

use actum_model::{Digest, Evidence};
use actum_store::key::{KeyError, PublicKey};
use actum_store::{Against, Keyring, Reader, Sealed, Standing, standing};

/// What stands about a record in a report, by the keys that are known here.
pub fn evidence(reader: &Reader, keyring: &Keyring, sealed: &Sealed) -> Evidence {
    let (keys, unreadable) = match known(keyring) {
        Ok(keys) => (keys, None),
        Err(error) => (Vec::new(), Some(format!("the keys cannot be read: {error}"))),
    };
    let Standing { level, signer, unsigned } =
        standing(reader, sealed, &Against { keys, ..Against::default() });
    Evidence {
        level,
        meaning: level.words().to_owned(),
        index: sealed.seq,
        record: Digest::of(&sealed.bytes),
        signer: signer.map(|key| key.fingerprint()),
        unsigned: unreadable.or(unsigned),
    }
}

/// Keys that sign or signed here, and those of others that are trusted.
pub fn known(keyring: &Keyring) -> Result<Vec<PublicKey>, KeyError> {
    let trusted = keyring.trusted()?.into_iter().map(|named| named.key);
    Ok(keyring.own()?.into_iter().chain(trusted).collect())
}
