//! Reckons the digests of this room; what one is and how it is written is told by [`Digest`].

use actum_model::Digest;
use sha2::{Digest as _, Sha256};

/// The digest of bytes that are at hand.
pub(crate) fn of(bytes: &[u8]) -> Digest {
    finish(Sha256::new_with_prefix(bytes))
}

/// The digest of bytes that came one after the other.
pub(crate) fn finish(hash: Sha256) -> Digest {
    Digest(hash.finalize().into())
}
