//! Characters that an interpreter stumbles over, and texts that were decoded wrongly.

use super::Case;

/// Characters that nobody sees.
const UNSEEN: [char; 5] = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'];

/// What UTF-8 looks like when it was read as another encoding.
const MOJIBAKE: [&str; 5] = ["â€", "âœ", "ðŸ", "Ã©", "Ã¼"];

/// Says what looks wrong and is left as it is.
pub(super) fn warn(case: &mut Case<'_>) {
    if MOJIBAKE.iter().any(|sign| case.block.code.contains(sign)) {
        case.block
            .warnings
            .push("some of its characters were damaged by a wrong encoding; it is run unchanged".to_owned());
    }
}

/// Spaces that are none become spaces, and what nobody sees goes, outside of strings. The answer keeps its own text.
pub(super) fn mend(case: &mut Case<'_>) {
    let text = case.block.text();
    if !text.contains('\u{a0}') && !text.contains(UNSEEN) {
        return;
    }
    let mut mended = String::with_capacity(text.len());
    let mut quote: Option<char> = None;
    for letter in text.chars() {
        quote = match (quote, letter) {
            (_, '\n') => None,
            (None, '"' | '\'') => Some(letter),
            (Some(open), _) if open == letter => None,
            (other, _) => other,
        };
        match letter {
            '\u{a0}' if quote.is_none() => mended.push(' '),
            _ if quote.is_none() && UNSEEN.contains(&letter) => {}
            _ => mended.push(letter),
        }
    }
    if mended != text {
        case.block.program = Some(mended);
        case.block
            .warnings
            .push("invisible characters and special spaces are replaced before it runs".to_owned());
    }
}
