//! What a program prints, made harmless for a terminal.
//!
//! A terminal obeys what it shows: a program can set its title, write the clipboard, make links that lie, or answer as
//! if the user had typed. On a terminal only colours, erasing a line and moving within the lines that the program itself printed
//! pass: nothing above them can be overwritten. Every other sequence is shown with its escape character as `␛` and does nothing. Into a pipe or a file bytes pass as they are.

use super::characters::{Characters, REPLACED};

/// Keeps its place in a sequence between chunks.
#[derive(Debug, Default)]
pub struct Neutral {
    /// The beginning of a sequence whose end has not come yet.
    held: Vec<u8>,
    characters: Characters,
    /// A colour, or hiding, is switched on: what follows would have it too.
    is_coloured: bool,
    /// How far the cursor is below the line that the output began on, and below which it has never been.
    row: usize,
    lowest: usize,
}

const ESCAPE: u8 = 0x1b;
/// Longer than any colour; a sequence that has not ended by then is not one that passes.
const LONGEST: usize = 32;
const SHOWN: &[u8] = "␛".as_bytes();

impl Neutral {
    /// Takes a chunk and gives what may be written.
    pub fn pass(&mut self, chunk: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(chunk.len());
        for byte in chunk {
            if self.held.is_empty() {
                self.plain(*byte, &mut out);
            } else {
                self.held.push(*byte);
                self.decide(&mut out);
            }
        }
        out
    }

    /// What was still held at the end of the output, and the end of its colours: what is said next is seen as it is.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.show(&mut out);
        if std::mem::take(&mut self.is_coloured) {
            out.extend(b"\x1b[0m");
        }
        out
    }

    fn plain(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.characters.take(byte, out) {
            None => {}
            Some(ESCAPE) => self.held.push(byte),
            Some(b'\n') => {
                out.push(byte);
                self.row = self.row.saturating_add(1);
                self.lowest = self.lowest.max(self.row);
            }
            Some(b'\r' | b'\t' | 0x08) => out.push(byte),
            // The bell, and controls that switch character sets or are terminals' own.
            Some(_) => out.extend(REPLACED),
        }
    }

    fn decide(&mut self, out: &mut Vec<u8>) {
        let [_, kind, rest @ ..] = self.held.as_slice() else { return };
        if *kind != b'[' {
            return self.show(out);
        }
        match rest.last() {
            None => {}
            Some(b'0'..=b'9' | b';' | b':') if self.held.len() < LONGEST => {}
            Some(b'm') => {
                self.is_coloured = !matches!(rest, b"m" | b"0m");
                out.append(&mut self.held);
            }
            Some(b'K' | b'C' | b'D' | b'G') => out.append(&mut self.held),
            Some(b'A') => self.move_up(out),
            Some(b'B') => self.move_down(out),
            Some(_) => self.show(out),
        }
    }

    /// Moves up, at most to the line that the output began on. A line that was wrapped counts as one, so this is never too far.
    fn move_up(&mut self, out: &mut Vec<u8>) {
        let by = self.distance().min(self.row);
        self.row -= by;
        self.held.clear();
        out.extend(if by > 0 { format!("\x1b[{by}A") } else { String::new() }.bytes());
    }

    /// Moves down, at most to the lowest line that was printed.
    fn move_down(&mut self, out: &mut Vec<u8>) {
        let by = self.distance().min(self.lowest - self.row);
        self.row += by;
        self.held.clear();
        out.extend(if by > 0 { format!("\x1b[{by}B") } else { String::new() }.bytes());
    }

    /// The number in a sequence that moves; none is one, and so is zero.
    fn distance(&self) -> usize {
        let digits = self.held.get(2..self.held.len() - 1).unwrap_or_default();
        std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).unwrap_or(1).max(1)
    }

    /// Shows a sequence instead of obeying it; what followed the escape character is looked at again.
    fn show(&mut self, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        if let [_, rest @ ..] = held.as_slice() {
            out.extend(SHOWN);
            for byte in rest {
                self.plain(*byte, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(chunks: &[&[u8]]) -> String {
        let mut neutral = Neutral::default();
        let mut out: Vec<u8> = chunks.iter().flat_map(|chunk| neutral.pass(chunk)).collect();
        out.extend(neutral.finish());
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn colours_and_lines_pass() {
        for text in ["plain\n", "\x1b[1;31mred\x1b[0m", "\r\x1b[K50 %", "a\nb\n\x1b[2Aup\x1b[1B", "grün\tß"]
        {
            assert_eq!(shown(&[text.as_bytes()]), text);
        }
    }

    #[test]
    fn nothing_moves_out_of_the_lines_that_were_printed() {
        assert_eq!(shown(&[b"\x1b[11Aover"]), "over");
        assert_eq!(shown(&[b"one\n\x1b[11Aover\x1b[5Bx"]), "one\n\x1b[1Aover\x1b[1Bx");
        assert_eq!(shown(&[b"a\nb\n\x1b[A\x1b[0A\x1b[A"]), "a\nb\n\x1b[1A\x1b[1A");
        assert_eq!(shown(&[b"a\n\x1b[99999999999999999999A"]), "a\n\x1b[1A");
        assert_eq!(shown(&[b"a\n\x1b[1;2A"]), "a\n\x1b[1A");
    }

    /// Hidden letters, and letters in the colour of what is behind them, would hide what is said next.
    #[test]
    fn colours_end_with_the_output() {
        assert_eq!(shown(&[b"\x1b", b"[3", b"2mgreen"]), "\x1b[32mgreen\x1b[0m");
        assert_eq!(shown(&[b"\x1b[8mhidden"]), "\x1b[8mhidden\x1b[0m");
        assert_eq!(shown(&[b"\x1b[8mhidden\x1b[mseen"]), "\x1b[8mhidden\x1b[mseen");
    }

    #[test]
    fn everything_that_commands_a_terminal_is_shown() {
        assert_eq!(shown(&[b"\x1b]52;c;eA==\x07x"]), "␛]52;c;eA==\u{fffd}x");
        assert_eq!(shown(&[b"\x1b[2Jx"]), "␛[2Jx");
        assert_eq!(shown(&[b"\x1bPq\x1b\\"]), "␛Pq␛\\");
        assert_eq!(shown(&[b"\x1b\x1b[31mx"]), "␛\x1b[31mx\x1b[0m");
        assert_eq!(shown(&[b"\x1b["]), "␛[");
        assert_eq!(shown(&[b"\x9b31m"]), "\u{fffd}31m");
        assert_eq!(shown(&[b"\xc2", b"\x9b31m \xc2\xa9 \xe2\x82\xac"]), "\u{fffd}31m © €");
    }
}
