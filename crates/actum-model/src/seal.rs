//! Seals: proof that a file in a store was written by this user's Actum, and not by a program that could write there.
//!
//! A store can lie in a folder that a program writes: a project below a workspace that is changed in place, or below a
//! granted folder. So a file that makes a later `actum` act (a journal, a list of changes, a request that waits for
//! approval) carries an HMAC-SHA256 with a key that no sandbox shows. A file without one, or with a wrong one, is never
//! carried out.
//!
//! A sealed file is JSON: `{"seal":"<64 hex digits>","sealed":<body>}`. The code covers the exact bytes of the body, the
//! kind of the file and what it is about (the run), so that no file can stand in for another one.
//!
//! Pure: the key is read by its owner, [`SealKey`] only carries it.

use sha2::{Digest as _, Sha256};
use std::fmt;

/// The secret of this user, or the reason why there is none.
#[derive(Clone)]
pub struct SealKey(Result<[u8; SealKey::LENGTH], String>);

/// What a sealed file is for. Part of what is authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealKind {
    /// Changes that are being placed.
    Journal,
    /// The changes that a run keeps.
    Changes,
    /// A request that waits for approval.
    Pending,
    /// What the hook of a coding agent decided about a command.
    HookDecision,
    /// The workspace of a coding agent's session.
    HookSession,
}

/// Why a file could not be sealed or is not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("the key that authenticates files of the store cannot be used: {0}")]
    NoKey(String),
    #[error("it has no authentication code")]
    Missing,
    #[error(
        "its authentication code is wrong: it was not written by this user's Actum, or was changed since"
    )]
    Wrong,
}

const BEFORE: &[u8] = b"{\"seal\":\"";
const BETWEEN: &[u8] = b"\",\"sealed\":";
const AFTER: &[u8] = b"}";
/// Hex digits of a code.
const DIGITS: usize = 64;

impl SealKey {
    pub const LENGTH: usize = 32;

    pub fn new(key: [u8; Self::LENGTH]) -> Self {
        Self(Ok(key))
    }

    /// No key: nothing can be sealed and nothing is believed.
    pub fn unusable(reason: &str) -> Self {
        Self(Err(reason.to_owned()))
    }

    /// The file for a body. `about` names what it belongs to, as a rule the id of a run.
    pub fn seal(&self, kind: SealKind, about: &str, body: &[u8]) -> Result<Vec<u8>, SealError> {
        let code = self.code(kind, about, body)?;
        let digits: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok([BEFORE, digits.as_bytes(), BETWEEN, body, AFTER].concat())
    }

    /// The body of a file, if this key sealed it for this kind and purpose.
    pub fn open<'a>(&self, kind: SealKind, about: &str, file: &'a [u8]) -> Result<&'a [u8], SealError> {
        let (digits, body) = parts(file).ok_or(SealError::Missing)?;
        let code = self.code(kind, about, body)?;
        let expected: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
        if is_equal(expected.as_bytes(), digits) { Ok(body) } else { Err(SealError::Wrong) }
    }

    fn code(&self, kind: SealKind, about: &str, body: &[u8]) -> Result<[u8; 32], SealError> {
        let key = self.0.as_ref().map_err(|reason| SealError::NoKey(reason.clone()))?;
        // The length of each part stands before it: no two different lists of parts are the same bytes.
        let length = |part: &[u8]| (part.len() as u64).to_be_bytes();
        let (kind, about) = (kind.name().as_bytes(), about.as_bytes());
        let parts = [b"actum seal 1".as_slice(), &length(kind), kind, &length(about), about, body];
        Ok(hmac_sha256(key, &parts))
    }
}

impl SealKind {
    fn name(self) -> &'static str {
        match self {
            Self::Journal => "journal",
            Self::Changes => "changes",
            Self::Pending => "pending",
            Self::HookDecision => "hook decision",
            Self::HookSession => "hook session",
        }
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_ok() { "SealKey(..)" } else { "SealKey(unusable)" })
    }
}

/// The body of a file without looking at its code: to show it, never to act on it. A file from before there were seals
/// is its own body.
pub fn unverified_body(file: &[u8]) -> &[u8] {
    parts(file).map_or(file, |(_, body)| body)
}

fn parts(file: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = file.strip_prefix(BEFORE)?;
    let (digits, rest) = rest.split_at_checked(DIGITS)?;
    let body = rest.strip_prefix(BETWEEN)?.strip_suffix(AFTER)?;
    Some((digits, body))
}

/// Takes the same time wherever two texts differ.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |sum, (one, other)| sum | (one ^ other)) == 0
}

/// RFC 2104 with SHA-256, over parts that follow each other.
fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let mut block = [0_u8; BLOCK];
    if key.len() > BLOCK {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let mut inner = Sha256::new_with_prefix(block.map(|byte| byte ^ 0x36));
    parts.iter().for_each(|part| inner.update(part));
    let mut outer = Sha256::new_with_prefix(block.map(|byte| byte ^ 0x5c));
    outer.update(inner.finalize());
    outer.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// RFC 4231, test cases 1, 2, 3 and 6.
    #[test]
    fn codes_are_those_of_the_standard() {
        for (key, text, expected) in [
            (
                vec![0x0b; 20],
                b"Hi There".to_vec(),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe".to_vec(),
                b"what do ya want for nothing?".to_vec(),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                vec![0xaa; 20],
                vec![0xdd; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
            (
                vec![0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First".to_vec(),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(hex(&hmac_sha256(&key, &[&text])), expected);
            let (one, other) = text.split_at(3);
            assert_eq!(hex(&hmac_sha256(&key, &[one, other])), expected, "in parts");
        }
    }

    #[test]
    fn only_what_was_sealed_for_the_same_purpose_opens() {
        let key = SealKey::new([7; 32]);
        let file = key.seal(SealKind::Journal, "run-1", b"{\"a\":1}").unwrap();
        assert!(serde_json::from_slice::<serde_json::Value>(&file).is_ok(), "it is JSON");
        assert_eq!(key.open(SealKind::Journal, "run-1", &file), Ok(b"{\"a\":1}".as_slice()));
        assert_eq!(unverified_body(&file), b"{\"a\":1}");
        assert_eq!(key.open(SealKind::Journal, "run-2", &file), Err(SealError::Wrong));
        assert_eq!(key.open(SealKind::Changes, "run-1", &file), Err(SealError::Wrong));
        assert_eq!(SealKey::new([8; 32]).open(SealKind::Journal, "run-1", &file), Err(SealError::Wrong));
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert!(key.open(SealKind::Journal, "run-1", &changed).is_err(), "byte {at}");
            assert!(key.open(SealKind::Journal, "run-1", &file[..at]).is_err(), "cut at {at}");
        }
        for text in [&b""[..], b"{}", b"{\"a\":1}", b"{\"seal\":\"\",\"sealed\":{}}"] {
            assert_eq!(key.open(SealKind::Journal, "run-1", text), Err(SealError::Missing));
            assert_eq!(unverified_body(text), text);
        }
    }

    #[test]
    fn without_a_key_nothing_is_sealed_or_believed() {
        let file = SealKey::new([7; 32]).seal(SealKind::Pending, "x", b"{}").unwrap();
        let none = SealKey::unusable("it is gone");
        assert!(matches!(none.seal(SealKind::Pending, "x", b"{}"), Err(SealError::NoKey(_))));
        assert!(matches!(none.open(SealKind::Pending, "x", &file), Err(SealError::NoKey(_))));
        assert!(!format!("{:?}", SealKey::new([7; 32])).contains('7'));
    }
}
