//! Private keys in their armour: what stands between `BEGIN … PRIVATE KEY` and `END`. Pure.
//!
//! The armour stays, so that a reader sees what was there. A key without its end is taken out as far as it looks like one.

use super::judge::Behind;

/// What tells that there may be one.
pub(super) const ANCHOR: &[u8] = b"BEGIN ";
/// More than any key has: 16,384 bits are 13 KiB. What is longer is taken out so far and then given up.
pub(super) const LONGEST: usize = 32 << 10;
/// The longest line of armour.
const HEADER: usize = 64;
const DASHES: &[u8] = b"-----";

/// What an anchor turned out to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    /// No private key.
    Nothing,
    /// More has to be seen.
    Wait,
    /// These bytes of the text are the key.
    Key { from: usize, to: usize, is_cut: bool },
}

/// Reads a text that begins with the anchor.
pub(super) fn read(text: &[u8], behind: Behind) -> Block {
    let head = &text[..text.len().min(HEADER)];
    let is_armour = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
    let words = head.iter().take_while(|byte| is_armour(byte)).count();
    let dashes = &text[words..];
    if words == head.len() {
        return if head.len() < HEADER { behind.wait() } else { Block::Nothing };
    }
    let is_private =
        [&b"PRIVATE KEY"[..], b"PRIVATE KEY BLOCK"].iter().any(|end| head[..words].ends_with(end));
    if !is_private || !DASHES.starts_with(&dashes[..dashes.len().min(DASHES.len())]) {
        return Block::Nothing;
    }
    if dashes.len() < DASHES.len() {
        return behind.wait();
    }
    let from = words + DASHES.len();
    let most = text.len().min(LONGEST);
    match end(&text[from..most.max(from)]) {
        Some(length) => key(text, from, from + length),
        None if most == LONGEST => Block::Key { from, to: LONGEST, is_cut: true },
        None => match behind {
            Behind::Nothing => key(text, from, text.len()),
            Behind::Unknown => Block::Wait,
        },
    }
}

impl Behind {
    /// What is not whole may become so where more may come.
    fn wait(self) -> Block {
        match self {
            Behind::Unknown => Block::Wait,
            Behind::Nothing => Block::Nothing,
        }
    }
}

/// Spaces and line ends around it are not the key.
fn key(text: &[u8], from: usize, to: usize) -> Block {
    let body = &text[from..to];
    let before = body.len() - body.trim_ascii_start().len();
    let length = body.trim_ascii().len();
    if length == 0 {
        return Block::Nothing;
    }
    Block::Key { from: from + before, to: from + before + length, is_cut: false }
}

/// Where a key's body ends: at the dashes of its last line, or where it no longer looks like one. A space is part of it at
/// the beginning of a line and behind a header's colon.
fn end(body: &[u8]) -> Option<usize> {
    let mut before = b'\n';
    for (at, byte) in body.iter().enumerate() {
        let goes_on = match byte {
            b'-' => !body[at..].starts_with(DASHES),
            b' ' | b'\t' => matches!(before, b'\n' | b':' | b' ' | b'\t' | b',' | b'|' | b'>'),
            b'\r' | b'\n' => true,
            byte => byte.is_ascii_alphanumeric() || b"+/=:,\\|>*#".contains(byte),
        };
        if !goes_on {
            return Some(at);
        }
        before = *byte;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, behind: Behind) -> String {
        match read(text.as_bytes(), behind) {
            Block::Nothing => "nothing".to_owned(),
            Block::Wait => "wait".to_owned(),
            Block::Key { from, to, is_cut } => {
                format!("{}{}", &text[from..to], if is_cut { "…" } else { "" })
            }
        }
    }

    #[test]
    fn a_key_is_what_stands_in_its_armour() {
        for (text, behind, expected) in [
            ("BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END", Behind::Unknown, "MIIE\nabc="),
            ("BEGIN PRIVATE KEY-----\\nMIIE\\nabc\\n-----END", Behind::Unknown, "\\nMIIE\\nabc\\n"),
            ("BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOY\n=ab\n-----END", Behind::Unknown, "lQOY\n=ab"),
            (
                "BEGIN EC PRIVATE KEY-----\nDEK-Info: AES,12\n\nMIIE\n-----END",
                Behind::Unknown,
                "DEK-Info: AES,12\n\nMIIE",
            ),
            (
                "BEGIN PRIVATE KEY-----\n  MIIE\n  abc\nTraceback (most",
                Behind::Unknown,
                "MIIE\n  abc\nTraceback",
            ),
            ("BEGIN PRIVATE KEY-----\nMIIE", Behind::Unknown, "wait"),
            ("BEGIN PRIVATE KEY-----\nMIIE", Behind::Nothing, "MIIE"),
            ("BEGIN PRIVATE KEY-----\n-----END", Behind::Unknown, "nothing"),
            ("BEGIN PRIVATE KEY--", Behind::Unknown, "wait"),
            ("BEGIN PRIVATE KEY--", Behind::Nothing, "nothing"),
            ("BEGIN PRIV", Behind::Unknown, "wait"),
            ("BEGIN PRIV", Behind::Nothing, "nothing"),
            ("BEGIN CERTIFICATE-----\nMIIE", Behind::Unknown, "nothing"),
            ("BEGIN TRANSACTION;", Behind::Unknown, "nothing"),
        ] {
            assert_eq!(shown(text, behind), expected, "{text}");
        }
    }

    #[test]
    fn one_that_never_ends_is_given_up() {
        let endless = format!("BEGIN PRIVATE KEY-----\n{}", "A".repeat(2 * LONGEST));
        let Block::Key { to, is_cut, .. } = read(endless.as_bytes(), Behind::Unknown) else { panic!() };
        assert_eq!((to, is_cut), (LONGEST, true));
        assert_eq!(shown(&format!("BEGIN {}", "A ".repeat(99)), Behind::Unknown), "nothing");
    }
}
