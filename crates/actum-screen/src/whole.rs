//! What a program shows on a terminal that the user gave it as a whole (`--pty`), less what reaches beyond the screen.
//!
//! Full-screen programs draw: they move, scroll, colour, switch to the other screen and ask for the mouse. All of that
//! passes. What does not is left out without a trace, because anything in its place would break the picture: titles,
//! the clipboard, links and everything else that is sent as a string; printing; and questions, because a terminal
//! answers them as if the user had typed. Start reading at [`Whole::pass`].

use super::characters::Characters;
use std::collections::BTreeSet;

/// Keeps its place in a sequence between chunks, and what was switched on.
#[derive(Debug, Default)]
pub struct Whole {
    state: State,
    characters: Characters,
    /// Modes that are now other than a shell expects them.
    changed: BTreeSet<u16>,
    /// Colours, character sets or margins may be other than a shell expects them.
    has_drawn: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Plain,
    /// After the escape character, with what has come since.
    Escape(Vec<u8>),
    /// After `ESC [`, with what has come since.
    Command(Vec<u8>),
    /// In a string that is left out, until its end.
    Text,
    /// In such a string, after an escape character.
    TextEscape,
}

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
/// Longer than any sequence that draws; the rest of a longer one is shown as the letters that it is.
const LONGEST: usize = 64;
/// Cursor keys, reverse, origin, wrap, blinking and visible cursor, backspace key, the other screen, the mouse, focus,
/// pasting in brackets, drawing at once.
const MODES: &[u16] = &[
    1, 5, 6, 7, 12, 25, 45, 47, 66, 67, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1047, 1048, 1049,
    2004, 2026,
];
/// Those that a shell expects to be on.
const USUALLY_ON: &[u16] = &[7, 25];

impl Whole {
    /// Takes a chunk and gives what may be written.
    pub fn pass(&mut self, chunk: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(chunk.len());
        for byte in chunk {
            self.take(*byte, &mut out);
        }
        out
    }

    /// Puts back what a program that was stopped could not.
    pub fn finish(&mut self) -> Vec<u8> {
        self.state = State::Plain;
        let mut out = Vec::new();
        for mode in std::mem::take(&mut self.changed) {
            let letter = if USUALLY_ON.contains(&mode) { 'h' } else { 'l' };
            out.extend(format!("\x1b[?{mode}{letter}").bytes());
        }
        if std::mem::take(&mut self.has_drawn) {
            // No colour, letters instead of lines, inserting off, and the whole screen scrolls; setting that moves the cursor.
            out.extend(b"\x1b[0m\x1b(B\x0f\x1b[4l\x1b7\x1b[r\x1b8");
        }
        out
    }

    fn take(&mut self, byte: u8, out: &mut Vec<u8>) {
        match std::mem::take(&mut self.state) {
            State::Plain => self.plain(byte, out),
            State::Escape(held) => self.escape(held, byte, out),
            State::Command(held) => self.command(held, byte, out),
            State::Text => {
                self.state = match byte {
                    BELL => State::Plain,
                    ESCAPE => State::TextEscape,
                    _ => State::Text,
                }
            }
            // Any other sequence ends the string too, as terminals have it.
            State::TextEscape => match byte {
                b'\\' => {}
                other => self.escape(Vec::new(), other, out),
            },
        }
    }

    fn plain(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.characters.take(byte, out) {
            Some(ESCAPE) => self.state = State::Escape(Vec::new()),
            // Bell, backspace, tab, line feeds, return, and the two that switch to line drawing and back.
            Some(control @ 0x07..=0x0f) => {
                self.has_drawn |= control == 0x0e;
                out.push(control);
            }
            // Among the rest is the question who is there (0x05), which is answered.
            Some(_) | None => {}
        }
    }

    fn escape(&mut self, mut held: Vec<u8>, byte: u8, out: &mut Vec<u8>) {
        held.push(byte);
        match held.as_slice() {
            [ESCAPE] => self.state = State::Escape(Vec::new()),
            [b'['] => self.state = State::Command(Vec::new()),
            [b']' | b'P' | b'X' | b'^' | b'_'] => self.state = State::Text,
            [b'(' | b')' | b'*' | b'+' | b'#'] => self.state = State::Escape(held),
            // Save, restore, keypad, line moves, tabs, reset.
            [b'7' | b'8' | b'=' | b'>' | b'D' | b'E' | b'H' | b'M' | b'c']
            | [b'(' | b')' | b'*' | b'+', b'0' | b'A' | b'B']
            | [b'#', b'3'..=b'6' | b'8'] => {
                self.has_drawn = true;
                out.push(ESCAPE);
                out.extend(held);
            }
            _ => {}
        }
    }

    fn command(&mut self, mut held: Vec<u8>, byte: u8, out: &mut Vec<u8>) {
        match byte {
            ESCAPE => self.state = State::Escape(Vec::new()),
            0x20..=0x3f if held.len() < LONGEST => {
                held.push(byte);
                self.state = State::Command(held);
            }
            0x40..=0x7e => self.decide(&held, byte, out),
            // A control in the middle of a sequence is obeyed at once by terminals; here it ends it.
            _ => self.plain(byte, out),
        }
    }

    fn decide(&mut self, held: &[u8], last: u8, out: &mut Vec<u8>) {
        let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b';' | b':');
        let passes = match held {
            [b'?', numbers @ ..] if matches!(last, b'h' | b'l') => return self.modes(numbers, last, out),
            [b'?', numbers @ ..] => matches!(last, b'J' | b'K') && numbers.iter().all(is_number),
            [numbers @ .., b' '] => last == b'q' && numbers.iter().all(is_number),
            [b'!'] => last == b'p',
            numbers => draws(last) && numbers.iter().all(is_number),
        };
        if passes {
            self.has_drawn |= matches!(last, b'm' | b'r' | b'h');
            out.extend([ESCAPE, b'[']);
            out.extend(held);
            out.push(last);
        }
    }

    /// Modes may be switched several at once: those that may be pass.
    fn modes(&mut self, numbers: &[u8], letter: u8, out: &mut Vec<u8>) {
        let numbers = numbers.split(|byte| *byte == b';');
        let numbers = numbers.filter_map(|digits| std::str::from_utf8(digits).ok()?.parse::<u16>().ok());
        for mode in numbers.filter(|mode| MODES.contains(mode)) {
            if (letter == b'h') == USUALLY_ON.contains(&mode) {
                self.changed.remove(&mode);
            } else {
                self.changed.insert(mode);
            }
            out.extend(format!("\x1b[?{mode}{}", char::from(letter)).bytes());
        }
    }
}

/// Moves, erases, inserts, deletes, scrolls, colours, tabs, margins, save and restore, and plain modes. Not among them:
/// questions (`c`, `n`, `x`, `y`), windows (`t`), printing (`i`).
fn draws(last: u8) -> bool {
    matches!(last, b'@'..=b'M' | b'P' | b'S' | b'T' | b'X' | b'Z' | b'`' | b'a' | b'b' | b'd'..=b'h')
        || matches!(last, b'l' | b'm' | b'r' | b's' | b'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(chunks: &[&[u8]]) -> String {
        let mut whole = Whole::default();
        let out: Vec<u8> = chunks.iter().flat_map(|chunk| whole.pass(chunk)).collect();
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn what_draws_passes() {
        for text in [
            "plain grün\r\n\t\x07\x08",
            "\x1b[1;31mred\x1b[0m\x1b[38:2::1:2:3m",
            "\x1b[?1049h\x1b[2J\x1b[H\x1b[3;20r\x1b[10;5Hx\x1b[?25l",
            "\x1b7\x1b8\x1b=\x1b>\x1b(0lqk\x1b(B\x0e\x0f\x1bM",
            "\x1b[2 q\x1b[!p\x1b[4h\x1b[K\x1b[5L\x1b[2S",
        ] {
            assert_eq!(shown(&[text.as_bytes()]), text);
            let single: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(shown(&single), text);
        }
    }

    #[test]
    fn what_reaches_beyond_the_screen_does_not() {
        for text in [
            "\x1b]52;c;c2VjcmV0\x07",
            "\x1b]52;c;c2VjcmV0\x1b\\",
            "\x1b]2;title\x07",
            "\x1b]8;;https://example.org\x1b\\",
            "\x1b]10;?\x07",
            "\x1bP+q544e\x1b\\",
            "\x1b_Gf=24;AAAA\x1b\\",
            "\x1b^x\x1b\\",
            "\x1bXx\x1b\\",
            "\x1b[6n",
            "\x1b[?6n",
            "\x1b[c",
            "\x1b[>c",
            "\x1b[=c",
            "\x1b[>q",
            "\x1b[?u",
            "\x1b[14t",
            "\x1b[21t",
            "\x1b[?2026$p",
            "\x1b[1;1;1;1;1;1*y",
            "\x1b[i",
            "\x1b[?5i",
            "\x1b[x",
            "\x1bZ",
            "\x05",
            "\x1b[?9999h",
        ] {
            assert_eq!(shown(&[b"a", text.as_bytes(), b"b"]), "ab", "{text:?}");
            let mut single: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            single.push(b"b");
            assert_eq!(shown(&single), "b", "{text:?}");
        }
        assert_eq!(shown(&[b"\x9b6n \xc2\x9b6n"]), "\u{fffd}6n \u{fffd}6n");
        assert_eq!(shown(&[b"\x1b]2;x\x1b[31mred"]), "\x1b[31mred");
        assert_eq!(shown(&[b"\x1b[?25;9999l"]), "\x1b[?25l");
    }

    #[test]
    fn what_was_switched_on_is_switched_off() {
        let mut whole = Whole::default();
        whole.pass(b"\x1b[?1049h\x1b[?25l\x1b[?1000;1006h\x1b[?1000l\x1b]2;half");
        assert_eq!(whole.finish(), b"\x1b[?25h\x1b[?1006l\x1b[?1049l");
        assert_eq!(whole.finish(), b"");
        assert_eq!(whole.pass(b"x"), b"x");
        for drawn in ["\x1b[8m", "\x1b(0", "\x0e", "\x1b[4h", "\x1b[2;3r"] {
            whole.pass(drawn.as_bytes());
            assert_eq!(whole.finish(), b"\x1b[0m\x1b(B\x0f\x1b[4l\x1b7\x1b[r\x1b8", "{drawn:?}");
        }
    }
}
