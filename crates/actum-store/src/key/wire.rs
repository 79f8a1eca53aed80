//! The bytes of SSH: lengths of four bytes before each string. Reading is strict and never looks past the end.

/// The name of the kind of key that we use.
pub(crate) const ED25519: &[u8] = b"ssh-ed25519";

/// Adds a string with its length.
pub(crate) fn put(to: &mut Vec<u8>, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).expect("nothing that we sign or name is 4 GiB long");
    to.extend_from_slice(&length.to_be_bytes());
    to.extend_from_slice(bytes);
}

/// Strings one behind the other.
pub(crate) fn strings(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    parts.iter().for_each(|part| put(&mut bytes, part));
    bytes
}

/// Takes a number from the front.
pub(crate) fn number(from: &mut &[u8]) -> Option<u32> {
    let (first, rest) = from.split_first_chunk::<4>()?;
    *from = rest;
    Some(u32::from_be_bytes(*first))
}

/// Takes a string from the front.
pub(crate) fn string<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = number(from)? as usize;
    let (text, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(text)
}

/// A kind, 32 or 64 bytes of it, and nothing behind: how keys and signatures are written.
pub(crate) fn of_our_kind<const LENGTH: usize>(mut blob: &[u8]) -> Option<[u8; LENGTH]> {
    let (kind, bytes) = (string(&mut blob)?, string(&mut blob)?);
    (kind == ED25519 && blob.is_empty()).then(|| bytes.try_into().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_cut_short_or_goes_on_is_refused() {
        let whole = strings(&[ED25519, &[7; 32]]);
        assert_eq!(of_our_kind::<32>(&whole), Some([7; 32]));
        assert_eq!(of_our_kind::<64>(&whole), None);
        assert_eq!(of_our_kind::<32>(&[whole.as_slice(), b"x"].concat()), None);
        assert_eq!(of_our_kind::<32>(&strings(&[b"ssh-rsa", &[7; 32]])), None);
        for cut in 0..whole.len() {
            assert_eq!(of_our_kind::<32>(&whole[..cut]), None, "{cut}");
        }
    }

    proptest! {
        #[test]
        fn hostile_bytes_are_survived(bytes: Vec<u8>) {
            let mut rest = bytes.as_slice();
            while string(&mut rest).is_some() {}
            prop_assert_eq!(of_our_kind::<32>(&bytes), None);
        }
    }
}
