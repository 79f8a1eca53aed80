//! Bytes to text with line feeds only. Lines keep their numbers.

use crate::error::AnswersError;
use actum_model::Bytes;

/// Longer than anything an agent wrote in one go: what is longer is data that was handed over by mistake.
pub const LARGEST: Bytes = Bytes::mib(64);

#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, AnswersError> {
    if bytes.len() as u64 > LARGEST.0 {
        return Err(AnswersError::TooLarge { most: LARGEST });
    }
    let mut notes = Vec::new();
    let text = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => {
            notes.push("it begins with a byte order mark, which is ignored".to_owned());
            utf8(rest)?
        }
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes, &mut notes)?,
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes, &mut notes)?,
        _ => utf8(bytes)?,
    };
    let text = if text.contains('\r') {
        notes.push("its lines end in carriage returns, which are read as line feeds".to_owned());
        text.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        text
    };
    if text.trim().is_empty() {
        return Err(AnswersError::Empty);
    }
    Ok(Decoded { text, notes })
}

fn utf8(bytes: &[u8]) -> Result<String, AnswersError> {
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(AnswersError::Binary { at });
    }
    let text = std::str::from_utf8(bytes);
    text.map(str::to_owned).map_err(|error| AnswersError::NotUtf8 { at: error.valid_up_to() })
}

fn utf16(bytes: &[u8], number: fn([u8; 2]) -> u16, notes: &mut Vec<String>) -> Result<String, AnswersError> {
    let pairs = bytes.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return Err(AnswersError::NotUtf16);
    }
    let units: Vec<u16> = pairs.map(|pair| number([pair[0], pair[1]])).collect();
    notes.push("it is UTF-16 and was decoded".to_owned());
    let text = String::from_utf16(&units).map_err(|_| AnswersError::NotUtf16)?;
    match text.bytes().position(|byte| byte == 0) {
        Some(at) => Err(AnswersError::Binary { at }),
        None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes).unwrap().text
    }

    #[test]
    fn every_encoding_comes_out_as_the_same_text() {
        let utf16 = |number: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}é\r\nb\n".encode_utf16().flat_map(number).collect()
        };
        for bytes in [
            "é\nb\n".as_bytes(),
            "\u{feff}é\nb\n".as_bytes(),
            "é\r\nb\r\n".as_bytes(),
            "é\rb\r".as_bytes(),
            &utf16(u16::to_le_bytes),
            &utf16(u16::to_be_bytes),
        ] {
            assert_eq!(text(bytes), "é\nb\n");
        }
    }

    #[test]
    fn what_is_no_text_is_told_apart() {
        assert_eq!(decode(b"ab\0c").unwrap_err(), AnswersError::Binary { at: 2 });
        assert_eq!(decode(b"ab\xe9c").unwrap_err(), AnswersError::NotUtf8 { at: 2 });
        assert_eq!(decode(b"\xff\xfea").unwrap_err(), AnswersError::NotUtf16);
        assert_eq!(decode(b" \n").unwrap_err(), AnswersError::Empty);
    }
}
