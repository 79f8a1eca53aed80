//! What a person would have typed, for reports. Pure.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// The most of inline code that is shown: two lines of a terminal. The whole of it is in the record.
const LONGEST_CODE: usize = 160;

/// Words that stand for themselves. Templates hold them on purpose; arguments are quoted apart.
const OPERATORS: [&str; 2] = ["&&", "<"];

/// The words of a template, filled, as one line that a shell would take.
pub fn line(words: &[OsString]) -> String {
    let is_operator = |word: &OsString| OPERATORS.iter().any(|operator| word == operator);
    let shown = words
        .iter()
        .map(|word| if is_operator(word) { word.to_string_lossy().into_owned() } else { quoted(word) });
    shown.collect::<Vec<_>>().join(" ")
}

/// A word as a shell wants it.
pub(super) fn quoted(word: &OsStr) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(byte);
    let text = word.to_string_lossy();
    if !word.is_empty() && word.as_bytes().iter().all(plain) {
        return text.into_owned();
    }
    // Where it has single quotes and nothing that a double quote would leave alive, double quotes read better.
    if text.contains('\'') && !text.contains(['"', '$', '`', '\\', '!']) {
        return format!("\"{text}\"");
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Code on one line, cut where it is long.
pub(super) fn code(code: &[u8]) -> String {
    let head = &code[..code.len().min(LONGEST_CODE * 4)];
    let text = String::from_utf8_lossy(head);
    let text = text.trim();
    let first = text.lines().next().unwrap_or_default().trim_end();
    let cut: String = first.chars().take(LONGEST_CODE).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_a_person_would() {
        for (word, shown) in [
            ("a.py", "a.py"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", "\"it's\""),
            ("it's $5", r"'it'\''s $5'"),
            ("SELECT COUNT(*)", "'SELECT COUNT(*)'"),
        ] {
            assert_eq!(quoted(OsStr::new(word)), shown);
        }
    }

    #[test]
    fn long_code_is_cut() {
        assert_eq!(code(b"print(1)\n"), "print(1)");
        assert_eq!(code(b"\nprint(1)\nprint(2)\n"), "print(1)…");
        let long = code("é".repeat(500).as_bytes());
        assert_eq!(long.chars().count(), LONGEST_CODE + 1);
        assert_eq!(code(b""), "");
    }
}
