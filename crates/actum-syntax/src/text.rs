//! Bytes to text, and what is unusual about them.
//!
//! Lines keep their numbers: nothing here adds or removes one.

use actum_model::{Layout, LayoutKind};

/// A program as text, with line feeds only.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) layout: Vec<Layout>,
}

impl Text {
    pub(crate) fn decode(bytes: &[u8]) -> Self {
        let mut layout = Vec::new();
        let decoded = decode(bytes, &mut layout);
        let mut text = String::with_capacity(decoded.len());
        let mut line = 1;
        let mut characters = decoded.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\r' => {
                    notice(&mut layout, LayoutKind::CarriageReturn, line);
                    if characters.peek() != Some(&'\n') {
                        text.push('\n');
                        line += 1;
                    }
                }
                '\0' => {
                    notice(&mut layout, LayoutKind::ZeroBytes, line);
                    text.push(' ');
                }
                '\n' => {
                    text.push('\n');
                    line += 1;
                }
                other => text.push(other),
            }
        }
        Text { text, layout }
    }
}

/// Adds a kind of layout where it was not noticed yet: the first line counts.
pub(crate) fn notice(layout: &mut Vec<Layout>, kind: LayoutKind, line: u32) {
    if layout.iter().all(|one| one.kind != kind) {
        layout.push(Layout { kind, line });
    }
}

fn decode(bytes: &[u8], layout: &mut Vec<Layout>) -> String {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        notice(layout, LayoutKind::ByteOrderMark, 1);
        return decode_utf8(rest, layout);
    }
    for (mark, number) in
        [(b"\xff\xfe", u16::from_le_bytes as fn([u8; 2]) -> u16), (b"\xfe\xff", u16::from_be_bytes)]
    {
        if let Some(rest) = bytes.strip_prefix(mark) {
            notice(layout, LayoutKind::ByteOrderMark, 1);
            notice(layout, LayoutKind::Encoding, 1);
            let units: Vec<u16> = rest.chunks_exact(2).map(|pair| number([pair[0], pair[1]])).collect();
            return String::from_utf16_lossy(&units);
        }
    }
    decode_utf8(bytes, layout)
}

fn decode_utf8(bytes: &[u8], layout: &mut Vec<Layout>) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            notice(layout, LayoutKind::Encoding, u32::try_from(line).unwrap_or(u32::MAX));
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}

/// At most `longest` bytes of a text, cut between characters.
pub(crate) fn beginning(text: &str, longest: usize) -> &str {
    let mut end = text.len().min(longest);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use LayoutKind::{ByteOrderMark, CarriageReturn, Encoding, ZeroBytes};

    #[test]
    fn bytes_become_text() {
        type Case = (&'static [u8], &'static str, &'static [(LayoutKind, u32)]);
        let cases: &[Case] = &[
            (b"a\nb", "a\nb", &[]),
            (b"\xef\xbb\xbfa", "a", &[(ByteOrderMark, 1)]),
            (b"a\r\nb\rc", "a\nb\nc", &[(CarriageReturn, 1)]),
            (b"a\n\0b", "a\n b", &[(ZeroBytes, 2)]),
            (b"a\n\xff", "a\n\u{fffd}", &[(Encoding, 2)]),
            (b"\xff\xfea\0\n\0", "a\n", &[(ByteOrderMark, 1), (Encoding, 1)]),
            (b"\xfe\xff\0a\0", "a", &[(ByteOrderMark, 1), (Encoding, 1)]),
            (b"", "", &[]),
        ];
        for (bytes, expected, layout) in cases {
            let text = Text::decode(bytes);
            let noticed: Vec<_> = text.layout.iter().map(|one| (one.kind, one.line)).collect();
            assert_eq!((text.text.as_str(), noticed.as_slice()), (*expected, *layout), "{bytes:?}");
        }
    }

    #[test]
    fn beginnings_end_between_characters() {
        assert_eq!((beginning("aé", 2), beginning("aé", 3), beginning("", 5)), ("a", "aé", ""));
    }
}
