//! Names a value by a digest of canonical bytes.
//!
//! Every part is hashed with its length, so that no two lists of parts give the same bytes. Values are hashed in their JSON form:
//! fields in the order of their declaration, maps by their keys, no white space. `Debug` output is for people and changes with
//! the compiler; it names nothing.

use crate::Digest;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// Hashes the parts of an identity, one after the other.
#[derive(Clone, Debug)]
pub struct IdentityHash(Sha256);

impl IdentityHash {
    /// Starts an identity. The purpose keeps identities of different things apart, and has a version in it.
    pub fn new(purpose: &str) -> Self {
        let mut hash = Self(Sha256::new());
        hash.bytes(purpose);
        hash
    }

    /// Adds bytes as they are.
    pub fn bytes(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds a piece of something long, whose length was added before.
    pub fn piece(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds a list of any length.
    pub fn list(&mut self, parts: impl IntoIterator<Item = impl AsRef<[u8]>>) {
        let parts: Vec<_> = parts.into_iter().collect();
        self.bytes((parts.len() as u64).to_le_bytes());
        for part in parts {
            self.bytes(part);
        }
    }

    /// Adds a value. It holds no paths: those need not be text, and are added as bytes.
    pub fn value(&mut self, value: &impl Serialize) {
        let text = serde_json::to_vec(value).expect("BUG: a value in an identity has a JSON form");
        self.bytes(text);
    }

    pub fn finish(self) -> Digest {
        Digest::finish(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn of(add: impl FnOnce(&mut IdentityHash)) -> Digest {
        let mut hash = IdentityHash::new("test 1");
        add(&mut hash);
        hash.finish()
    }

    #[test]
    fn parts_do_not_run_together() {
        let ways = [
            of(|hash| {
                hash.bytes("ab");
                hash.bytes("c");
            }),
            of(|hash| {
                hash.bytes("a");
                hash.bytes("bc");
            }),
            of(|hash| hash.bytes("abc")),
            of(|hash| hash.list(["ab", "c"])),
            of(|hash| hash.list(["abc"])),
            of(|hash| hash.value(&"abc")),
            IdentityHash::new("test 2").finish(),
            IdentityHash::new("test 1").finish(),
        ];
        for (at, one) in ways.iter().enumerate() {
            assert!(!ways[..at].contains(one), "{at}");
        }
    }

    #[test]
    fn the_bytes_are_what_they_were() {
        let digest = of(|hash| hash.value(&BTreeMap::from([("b", 1), ("a", 2)])));
        assert_eq!(digest.to_string(), "d7d52dbab834fd85cf254c3ea5eeb333e1d4481df8af21760efa727591a78433");
    }
}
