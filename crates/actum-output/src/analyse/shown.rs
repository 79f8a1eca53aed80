//! How text that a program chose is put into an analysis: harmless, in one line, of bounded length.

use actum_model::path_text;

/// 400: a message of a few lines on a screen; the output itself has the rest.
pub const MESSAGE: usize = 400;
/// 120: a name of a test, a kind, a function.
pub const NAME: usize = 120;
/// 240: what a summary takes of somebody else's words, so that it stays a line.
pub(super) const SUMMARY: usize = 240;

/// Escapes what controls a terminal or reorders what stands around it, and cuts after `longest` characters.
pub fn shown(text: &str, longest: usize) -> String {
    let text = text.trim();
    let mut out = String::with_capacity(text.len().min(4 * longest));
    let mut length = 0;
    for character in text.chars() {
        if length >= longest {
            out.push('…');
            break;
        }
        let before = out.len();
        match character {
            // A tab inside a message is layout; a backslash is what the program wrote and stays one.
            '\t' => out.push(' '),
            '\\' => out.push('\\'),
            plain if plain.is_ascii_graphic() || plain == ' ' => out.push(plain),
            other => out.push_str(&path_text(other.encode_utf8(&mut [0; 4]).as_bytes())),
        }
        // An escape is as long as it looks; another character is one, however many bytes it has.
        length += if out[before..].is_ascii() { out.len() - before } else { 1 };
    }
    out
}

/// `3,120`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 line`, `3,120 lines`.
pub(super) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_and_bounded() {
        assert_eq!(shown(" a\x1b[31m\u{202e}b\\c\td\u{7}ü ", 99), "a\\u{1b}[31m\\u{202e}b\\c d\\u{7}ü");
        assert_eq!(shown("abcdef", 3), "abc…");
        assert_eq!(shown("abc", 3), "abc");
        assert_eq!(shown("üüü", 3), "üüü");
        assert_eq!(shown("\u{202e}\u{202e}", 8), "\\u{202e}…");
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [(0, "0 lines"), (1, "1 line"), (999, "999 lines"), (3120, "3,120 lines")] {
            assert_eq!(counted(number, "line"), text);
        }
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
