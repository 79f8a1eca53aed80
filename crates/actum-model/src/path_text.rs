//! How a path of bytes is shown: losslessly, and harmless on a terminal.

use std::fmt::Write as _;

/// Shows a file name that somebody else chose. Printable Unicode stays; control characters, bidirectional marks,
/// invalid UTF-8 and the backslash itself become escapes, so that different names never look the same.
pub fn path_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                c if c.is_control() || is_deceptive(c) => {
                    let _ = write!(text, "\\u{{{:x}}}", c as u32);
                }
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// Reads what [`path_text`] wrote. `None` for a text that it cannot have written: a wrong escape is not guessed at.
pub fn read_path_text(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let (character, after) = read_escape(&rest[at + 1..])?;
        match character {
            Escaped::Character(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Escaped::Byte(byte) => bytes.push(byte),
        }
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(bytes)
}

enum Escaped {
    Character(char),
    Byte(u8),
}

/// What stands behind a backslash, and the text behind that.
fn read_escape(text: &str) -> Option<(Escaped, &str)> {
    let kind = text.chars().next()?;
    let rest = &text[kind.len_utf8()..];
    match kind {
        '\\' => Some((Escaped::Character('\\'), rest)),
        'n' => Some((Escaped::Character('\n'), rest)),
        't' => Some((Escaped::Character('\t'), rest)),
        'x' => Some((Escaped::Byte(u8::from_str_radix(rest.get(..2)?, 16).ok()?), &rest[2..])),
        'u' => {
            let (digits, rest) = rest.strip_prefix('{')?.split_once('}')?;
            Some((Escaped::Character(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?), rest))
        }
        _ => None,
    }
}

/// Bytes that travel as their shown form: `#[serde(with = "shown")]`.
pub(crate) mod shown {
    use super::{path_text, read_path_text};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&path_text(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        read_path_text(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is not an escaped path")))
    }
}

/// Characters that reorder or hide what stands around them.
fn is_deceptive(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{61c}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn neutralises() {
        assert_eq!(path_text(b"a\x1b[31mb\n\\\xff"), "a\\u{1b}[31mb\\n\\\\\\xff");
        assert_eq!(path_text("übung\u{202e}txt".as_bytes()), "übung\\u{202e}txt");
    }

    #[test]
    fn wrong_escapes_are_refused() {
        for text in ["\\", "a\\q", "\\x", "\\x1", "\\xzz", "\\u", "\\u{}", "\\u{110000}", "\\u{1b", "\\xé"] {
            assert_eq!(read_path_text(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn different_names_look_different(a: Vec<u8>, b: Vec<u8>) {
            prop_assume!(a != b);
            prop_assert_ne!(path_text(&a), path_text(&b));
        }
        #[test]
        fn every_name_reads_back(a: Vec<u8>) {
            prop_assert_eq!(read_path_text(&path_text(&a)), Some(a));
        }
        #[test]
        fn names_of_characters_read_back(a in "\\PC*|[\\\\xnu{}0-9a-f\u{200b}\n]*") {
            prop_assert_eq!(read_path_text(&path_text(a.as_bytes())), Some(a.into_bytes()));
        }
        #[test]
        fn any_text_is_read_or_refused(a: String) {
            let _ = read_path_text(&a);
        }
        #[test]
        fn nothing_controls_the_terminal(a: Vec<u8>) {
            prop_assert!(!path_text(&a).chars().any(char::is_control));
        }
    }
}
