//! Bytes that are no source of any language, or not of this one.

use crate::{Encoding, Language, LanguageError};
use std::path::Path;

/// 64 MiB: far above what anybody writes, and what a compiler still takes. More is data in the wrong place.
pub const LARGEST: u64 = 64 * 1024 * 1024;

/// Refuses what cannot be a source at all.
pub(super) fn bytes(what: &Path, code: &[u8]) -> Result<(), LanguageError> {
    let what = || what.to_path_buf();
    let size = u64::try_from(code.len()).unwrap_or(u64::MAX);
    if size > LARGEST {
        return Err(LanguageError::TooLarge { what: what(), size, most: LARGEST });
    }
    if code.starts_with(b"\x7fELF") {
        return Err(LanguageError::Executable { what: what() });
    }
    if code.starts_with(b"\xff\xfe") || code.starts_with(b"\xfe\xff") {
        return Err(LanguageError::Utf16 { what: what() });
    }
    if code.contains(&0) {
        return Err(LanguageError::Binary { what: what() });
    }
    if code.trim_ascii().is_empty() {
        return Err(LanguageError::Empty { what: what() });
    }
    Ok(())
}

/// Refuses bytes that the language itself does not take.
pub(super) fn encoding(what: &Path, language: &Language, code: &[u8]) -> Result<(), LanguageError> {
    let is_free = match language.encoding {
        Encoding::Bytes => true,
        Encoding::Declared => declares(code),
        Encoding::Utf8 => false,
    };
    match std::str::from_utf8(code) {
        Err(error) if !is_free => Err(LanguageError::NotUtf8 {
            what: what.to_path_buf(),
            title: language.title.clone(),
            at: error.valid_up_to(),
        }),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Whether one of the first two lines names an encoding, as Python and Ruby allow.
fn declares(code: &[u8]) -> bool {
    let lines = code.split(|byte| *byte == b'\n').take(2);
    let mut comments = lines.filter(|line| line.trim_ascii_start().starts_with(b"#"));
    comments.any(|line| {
        [&b"coding:"[..], b"coding="].iter().any(|word| line.windows(word.len()).any(|at| at == *word))
    })
}
