//! Bytes as characters, as far as it takes to find the controls that hide among them.
//!
//! Terminals know a second set of controls from 0x80 on: as single bytes, or as the two bytes that UTF-8 makes of them.
//! Both are replaced; everything else that is no control of the first set passes.

/// Keeps its place in a character between chunks.
#[derive(Debug, Default)]
pub struct Characters {
    /// How many bytes of a character are still to come; its first byte waits when it could be a control's.
    more: u8,
    waiting: Option<u8>,
}

pub const REPLACED: &[u8] = "\u{fffd}".as_bytes();

impl Characters {
    /// Takes a byte. Gives it back when it is a control of the first set, which the caller decides about.
    pub fn take(&mut self, byte: u8, out: &mut Vec<u8>) -> Option<u8> {
        if let Some(first) = self.waiting.take() {
            match byte {
                // The second set of controls, written as two bytes.
                0x80..=0x9f => {
                    out.extend(REPLACED);
                    return None;
                }
                0xa0..=0xbf => {
                    out.extend([first, byte]);
                    return None;
                }
                _ => out.extend(REPLACED),
            }
        }
        if self.more > 0 && (0x80..=0xbf).contains(&byte) {
            self.more -= 1;
            out.push(byte);
            return None;
        }
        self.more = 0;
        match byte {
            0xc2 => self.waiting = Some(byte),
            0xc3..=0xdf => self.first_of(1, byte, out),
            0xe0..=0xef => self.first_of(2, byte, out),
            0xf0..=0xf4 => self.first_of(3, byte, out),
            0x80..=0x9f => out.extend(REPLACED),
            0..0x20 | 0x7f => return Some(byte),
            _ => out.push(byte),
        }
        None
    }

    fn first_of(&mut self, more: u8, byte: u8, out: &mut Vec<u8>) {
        self.more = more;
        out.push(byte);
    }
}
