//! The record signed as `ssh-keygen -Y sign` would: SSHSIG, armoured.

use crate::key::{PublicKey, wire};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha512};

/// What the signature is good for: nothing else of SSH accepts it.
pub const NAMESPACE: &str = "actum";
/// Under which name a signer stands in `allowed_signers`.
pub const PRINCIPAL: &str = "actum";

const MAGIC: &[u8] = b"SSHSIG";
/// Nothing is reserved; SHA-512 is what OpenSSH itself uses.
const RESERVED: &[u8] = b"";
const HASH: &[u8] = b"sha512";
const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----\n";
const END: &str = "-----END SSH SIGNATURE-----\n";
/// 70: as OpenSSH breaks its lines.
const WIDTH: usize = 70;

/// What is signed.
pub fn message(bytes: &[u8]) -> Vec<u8> {
    let digest = Sha512::digest(bytes);
    [MAGIC, &wire::strings(&[NAMESPACE.as_bytes(), RESERVED, HASH, &digest])].concat()
}

pub fn armoured(key: &PublicKey, signature: &[u8; 64]) -> String {
    let mut blob = MAGIC.to_vec();
    blob.extend_from_slice(&1_u32.to_be_bytes());
    let signature = wire::strings(&[wire::ED25519, signature]);
    blob.extend(wire::strings(&[&key.ssh(), NAMESPACE.as_bytes(), RESERVED, HASH, &signature]));
    let text = STANDARD.encode(blob);
    let mut armoured = BEGIN.to_owned();
    for line in text.as_bytes().chunks(WIDTH) {
        armoured.extend(line.iter().map(|byte| char::from(*byte)));
        armoured.push('\n');
    }
    armoured + END
}

/// The signature of an armoured one, whatever else it says.
pub fn signature(armoured: &[u8]) -> Option<[u8; 64]> {
    let text = str::from_utf8(armoured).ok()?.strip_prefix(BEGIN)?.strip_suffix(END)?;
    let blob = STANDARD.decode(text.replace('\n', "")).ok()?;
    blob.last_chunk().copied()
}

/// A line of an `allowed_signers` file.
pub fn allowed_signer(key: &PublicKey) -> String {
    format!("{PRINCIPAL} namespaces=\"{NAMESPACE}\" {}\n", key.ssh_line(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{KeyFile, Signs as _};

    #[test]
    fn signatures_read_back() {
        let mut key = KeyFile::in_memory([1; 32]);
        let signature_made = key.sign(&message(b"bytes")).unwrap();
        let text = armoured(&key.public(), &signature_made);
        assert_eq!(signature(text.as_bytes()), Some(signature_made));
        assert!(text.lines().all(|line| line.len() <= WIDTH));
        for bad in ["", BEGIN, &format!("{BEGIN}{END}"), &format!("{BEGIN}AAAA\n{END}")] {
            assert_eq!(signature(bad.as_bytes()), None, "{bad}");
        }
    }
}
