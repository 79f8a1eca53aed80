//! A private key in a file that nobody else can read.

use super::{KeyError, PublicKey, Signs};
use crate::store::private;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use rustix::rand::{GetRandomFlags, getrandom};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// A key that was read from its file, or is kept nowhere else.
pub struct KeyFile {
    signing: SigningKey,
}

/// What stands before the key in a PKCS#8 of RFC 8410, without the public half: the form that openssl writes.
const PKCS8: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const BEGIN: &str = "-----BEGIN PRIVATE KEY-----\n";
const END: &str = "\n-----END PRIVATE KEY-----\n";
/// 4 KiB: such a file has 119 bytes.
const LONGEST: u64 = 4 << 10;

impl KeyFile {
    /// Makes a new key in a new file. It is durable when this returns: a key that is lost takes with it every
    /// signature that was to follow.
    pub fn make(path: &Path) -> Result<Self, KeyError> {
        let mut seed = [0; 32];
        let filled = getrandom(&mut seed, GetRandomFlags::empty());
        if filled.map_err(|error| KeyError::Random(error.into()))? != seed.len() {
            return Err(KeyError::Random(io::ErrorKind::UnexpectedEof.into()));
        }
        let text = format!("{BEGIN}{}{END}", STANDARD.encode([PKCS8.as_slice(), &seed].concat()));
        place(path, text.as_bytes()).map_err(|source| KeyError::Make { path: path.to_owned(), source })?;
        Ok(Self::in_memory(seed))
    }

    /// Reads a key, unless somebody else could have read it before.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let failed = |source| KeyError::Open { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        if let Some(why) = exposed(&found) {
            return Err(KeyError::Exposed { path: path.to_owned(), why });
        }
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text).map_err(failed)?;
        seed(&text).map(Self::in_memory).ok_or_else(|| KeyError::NotPrivate { path: path.to_owned() })
    }

    /// A key from its seed, kept nowhere.
    pub fn in_memory(seed: [u8; 32]) -> Self {
        Self { signing: SigningKey::from_bytes(&seed) }
    }
}

impl Signs for KeyFile {
    fn public(&self) -> PublicKey {
        PublicKey::of_signer(&self.signing)
    }

    fn sign(&mut self, message: &[u8]) -> Result<[u8; 64], KeyError> {
        Ok(self.signing.sign(message).to_bytes())
    }
}

fn place(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = private().create_new(true).open(path)?;
    file.write_all(text)?;
    file.sync_all()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn exposed(found: &std::fs::Metadata) -> Option<String> {
    let us = rustix::process::geteuid().as_raw();
    if !found.is_file() {
        return Some("it is not a regular file".to_owned());
    }
    if found.uid() != us {
        return Some(format!("it belongs to user {}, but the current user is {us}", found.uid()));
    }
    let mode = found.mode() & 0o777;
    (mode & 0o077 != 0).then(|| format!("other users can access it (mode {mode:03o})"))
}

fn seed(text: &str) -> Option<[u8; 32]> {
    let body = text.trim().strip_prefix(BEGIN.trim_end())?.strip_suffix(END.trim())?;
    let der = STANDARD.decode(body.split_whitespace().collect::<String>()).ok()?;
    der.strip_prefix(&PKCS8)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_key_is_made_once_and_is_the_same_when_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        let mut made = KeyFile::make(&path).unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert!(
            matches!(KeyFile::make(&path), Err(KeyError::Make { .. })),
            "an old key is never written over"
        );
        let mut read = KeyFile::load(&path).unwrap();
        assert_eq!(made.public(), read.public());
        assert_eq!(made.sign(b"m").unwrap(), read.sign(b"m").unwrap());
        assert!(made.public().signed(b"m", &read.sign(b"m").unwrap()));
        assert!(!made.public().signed(b"n", &read.sign(b"m").unwrap()));
        assert_ne!(made.public(), KeyFile::make(&folder.path().join("other")).unwrap().public());
    }

    #[test]
    fn a_key_that_others_could_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        KeyFile::make(&path).unwrap();
        for mode in [0o640, 0o604, 0o620, 0o601] {
            set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let Err(error) = KeyFile::load(&path) else { panic!("{mode:o} was accepted") };
            assert!(matches!(error, KeyError::Exposed { .. }) && error.hint().is_some(), "{mode:o}");
        }
        if rustix::process::geteuid().is_root() {
            set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            std::os::unix::fs::chown(&path, Some(65_534), None).unwrap();
            assert!(matches!(KeyFile::load(&path), Err(KeyError::Exposed { .. })), "another user's");
        }
        assert!(matches!(KeyFile::load(folder.path()), Err(KeyError::Exposed { .. })), "a folder");
        assert!(matches!(KeyFile::load(&folder.path().join("none")), Err(KeyError::Open { .. })));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (number, text) in ["", "key", BEGIN, &format!("{BEGIN}AAAA{END}")].iter().enumerate() {
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, text).unwrap();
            set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            assert!(matches!(KeyFile::load(&path), Err(KeyError::NotPrivate { .. })), "{text}");
        }
    }
}
