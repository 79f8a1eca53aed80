//! Reads a public key from whatever form somebody has it in.

use super::public::NOTE_ED25519;
use super::{KeyError, PublicKey, wire};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::str::FromStr;

/// 16 KiB: a public key has a few dozen bytes, whatever stands around it.
const LONGEST: u64 = 16 << 10;

impl FromStr for PublicKey {
    type Err = KeyError;

    /// From PEM, from a line of an OpenSSH `.pub` file, or from a note key.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        // Not shown again: somebody named the wrong half.
        if text.contains("PRIVATE KEY") {
            return Err(KeyError::PrivateHalf);
        }
        let bytes = pem(text).or_else(|| ssh_line(text)).or_else(|| note_key(text));
        let shown = || text.chars().take(60).collect();
        let key = Self::of(bytes.ok_or_else(|| KeyError::NotPublic { text: shown() })?)?;
        match note_name(text) {
            // An id that is not the key's own means that one of the two was changed.
            Some(name) if key.note_key(name) != text => Err(KeyError::NotPublic { text: shown() }),
            Some(_) | None => Ok(key),
        }
    }
}

impl PublicKey {
    /// From a file that holds one of the forms.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let failed = |source| KeyError::Open { path: path.to_owned(), source };
        let mut text = String::new();
        File::open(path).map_err(failed)?.take(LONGEST).read_to_string(&mut text).map_err(failed)?;
        text.parse()
    }

    /// From what somebody gave on a command line: a form itself, or the path of a file that holds one.
    pub fn given(text: &str) -> Result<Self, KeyError> {
        match text.parse() {
            Err(KeyError::NotPublic { .. }) if Path::new(text).exists() => Self::read(Path::new(text)),
            read => read,
        }
    }
}

fn pem(text: &str) -> Option<[u8; 32]> {
    let body = text.strip_prefix("-----BEGIN PUBLIC KEY-----")?.strip_suffix("-----END PUBLIC KEY-----")?;
    PublicKey::of_spki(&STANDARD.decode(body.split_whitespace().collect::<String>()).ok()?)
}

fn ssh_line(text: &str) -> Option<[u8; 32]> {
    let mut words = text.lines().next()?.split(' ');
    let kind = words.next()?;
    let key = words.next()?;
    (kind.as_bytes() == wire::ED25519 && text.lines().count() == 1)
        .then(|| wire::of_our_kind(&STANDARD.decode(key).ok()?))?
}

fn note_key(text: &str) -> Option<[u8; 32]> {
    let key = text.splitn(3, '+').nth(2)?;
    STANDARD.decode(key).ok()?.strip_prefix(&[NOTE_ED25519])?.try_into().ok()
}

fn note_name(text: &str) -> Option<&str> {
    note_key(text).and_then(|_| text.split('+').next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{KeyFile, Signs};
    use proptest::prelude::*;

    fn key() -> PublicKey {
        KeyFile::in_memory([7; 32]).public()
    }

    #[test]
    fn every_form_reads_back() {
        let key = key();
        let folder = tempfile::tempdir().unwrap();
        for form in [key.pem(), key.ssh_line(""), key.ssh_line("a comment + more"), key.note_key("a/b")] {
            assert_eq!(form.parse::<PublicKey>().unwrap(), key, "{form}");
            let path = folder.path().join("key");
            std::fs::write(&path, format!("{form}\n")).unwrap();
            assert_eq!(PublicKey::given(path.to_str().unwrap()).unwrap(), key, "{form}");
        }
    }

    /// As openssl's library, ssh-keygen, securesystemslib and Go's note package write the key of this seed.
    #[test]
    fn forms_are_those_of_others() {
        let key = key();
        assert_eq!(
            key.pem().lines().nth(1),
            Some("MCowBQYDK2VwAyEA6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=")
        );
        assert_eq!(
            key.ssh_line(""),
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs"
        );
        assert_eq!(key.fingerprint(), "SHA256:z/fSv0Z0RZS+Lccbc6ZoOWwt/fbj1VFJGSBKQbo4icE");
        assert_eq!(key.key_id(), "bfe1a83869e5bf574e3ff3acbb83f840de84a990d10059f3096f0bf4f2b90c10");
        assert_eq!(key.note_key("a/b"), "a/b+dbd9c952+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let (good, other) = (key(), KeyFile::in_memory([8; 32]).public());
        let renamed = good.note_key("one").replacen("one", "two", 1);
        let swapped = format!("{}+{}", good.note_key("n").rsplit_once('+').unwrap().0, {
            let theirs = other.note_key("n");
            theirs.rsplit_once('+').unwrap().1.to_owned()
        });
        let cut = good.pem().replace("MCow", "MCo");
        let two = format!("{}\n{}", good.ssh_line("a"), other.ssh_line("b"));
        let rsa = good.ssh_line("").replace("ssh-ed25519 ", "ssh-rsa ");
        for text in ["", "key", &renamed, &swapped, &cut, &two, &rsa, "a+00000000+AQ==", "/no/such/file"] {
            assert!(matches!(PublicKey::given(text), Err(KeyError::NotPublic { .. })), "{text}");
        }
        let mut identity = [0; 32];
        identity[0] = 1;
        assert!(matches!(PublicKey::of(identity), Err(KeyError::Weak { .. })));
    }

    proptest! {
        #[test]
        fn hostile_text_is_survived(text in "\\PC{0,80}", cut in 0_usize..200, with in any::<char>()) {
            let _ = text.parse::<PublicKey>();
            for form in [key().pem(), key().ssh_line("c"), key().note_key("name")] {
                let mut characters: Vec<char> = form.chars().collect();
                let at = cut % characters.len();
                characters[at] = with;
                let _ = characters.iter().collect::<String>().parse::<PublicKey>();
                let _ = characters[..at].iter().collect::<String>().parse::<PublicKey>();
            }
        }
    }
}
