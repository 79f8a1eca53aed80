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

    proptest! {
        #[test]
        fn different_names_look_different(a: Vec<u8>, b: Vec<u8>) {
            prop_assume!(a != b);
            prop_assert_ne!(path_text(&a), path_text(&b));
        }
        #[test]
        fn nothing_controls_the_terminal(a: Vec<u8>) {
            prop_assert!(!path_text(&a).chars().any(char::is_control));
        }
    }
}
