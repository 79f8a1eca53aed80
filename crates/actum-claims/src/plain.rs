//! Text as a person reads it: characters that cannot be seen are left out, and those that only look like Latin letters are those.
//!
//! Only letters and digits change. Marks, dashes and units stay as they are written, and so do line breaks. Pure.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The text in plain letters and digits. Linear in its length.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut letters = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_ignorable(*c)) {
        // A mark that was put on a plain letter hides the word.
        let is_hidden = is_combining_mark(c) && letters.ends_with(|c: char| c.is_ascii_alphanumeric());
        match digit(c) {
            Some(digit) => letters.push(digit),
            None if is_styled(c) => letters.extend(c.nfkc()),
            None if !is_hidden => letters.push(c),
            None => {}
        }
    }
    Cow::Owned(in_latin(&letters))
}

/// Characters that have no look of their own (`Default_Ignorable_Code_Point` of Unicode).
fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Letters and digits of another style: full-width, mathematical, circled, raised, small capitals, ligatures. `²`, `½` and `µ` are units and
/// numbers of their own.
fn is_styled(c: char) -> bool {
    matches!(
        c,
        '\u{1d00}'..='\u{1dbf}'
            | '\u{2100}'..='\u{2115}'
            | '\u{2118}'..='\u{2121}'
            | '\u{2124}'..='\u{2125}'
            | '\u{2128}'..='\u{2139}'
            | '\u{2145}'..='\u{2149}'
            | '\u{2160}'..='\u{217f}'
            | '\u{24b6}'..='\u{24e9}'
            | '\u{fb00}'..='\u{fb06}'
            | '\u{ff01}'..='\u{ff5e}'
            | '\u{1d400}'..='\u{1d7ff}'
            | '\u{1f130}'..='\u{1f149}'
    )
}

/// Decimal digits of scripts that write numbers as we do.
fn digit(c: char) -> Option<char> {
    const ZEROS: [u32; 8] = [0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xe50];
    let value = ZEROS.iter().find_map(|zero| (c as u32).checked_sub(*zero).filter(|value| *value < 10))?;
    char::from_digit(value, 10)
}

/// Replaces look-alikes in words that mix scripts, or that are made of nothing else.
fn in_latin(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphabetic) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
        let (word, behind) = word.split_at(end);
        let is_mixed = word.contains(|c: char| c.is_ascii_alphabetic());
        // One letter alone is a name of its own: `α`.
        let is_mimic = word.chars().nth(1).is_some() && word.chars().all(|c| latin(c).is_some());
        out.push_str(before);
        match is_mixed || is_mimic {
            true => out.extend(word.chars().map(|c| latin(c).unwrap_or(c))),
            false => out.push_str(word),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The Latin letter that a Cyrillic, Greek, Armenian or phonetic one looks like.
fn latin(c: char) -> Option<char> {
    const ALIKE: &str = "АAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSаaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwѵvӏlкk\
                         ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXοoνvρpαaιiκkυuτtεeηnχxγy\
                         օoսuհhոnցgɑaɡgıiʟlꜱsᴀaᴇeᴏoᴘpᴛtɪiʀrɴnɢgʜhʏyʙbɩiӀIɭlꞮIѡw";
    let mut pairs = ALIKE.chars();
    while let (Some(other), Some(own)) = (pairs.next(), pairs.next()) {
        if other == c {
            return Some(own);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_word_is_that_word() {
        for text in [
            "All 2 te\u{ad}sts pass.",
            "All 2 t\u{200b}e\u{2060}sts pa\u{fe0f}ss.",
            "All 2 tests p\u{332}a\u{332}ss.",
            "Ａｌｌ ２ ｔｅｓｔｓ ｐａｓｓ．",
            "𝐀𝐥𝐥 𝟐 𝐭𝐞𝐬𝐭𝐬 𝐩𝐚𝐬𝐬.",
            "𝓐𝓵𝓵 𝟸 𝕥𝕖𝕤𝕥𝕤 𝗽𝗮𝘀𝘀.",
            "Ⓐⓛⓛ ٢ tests pass.",
            "Аll 2 tеsts рass.",
            "Αll 2 tests pαss.",
            "All 2 tests раѕѕ.",
        ] {
            assert_eq!(plain(text), "All 2 tests pass.", "{text:?}");
        }
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "R² = 0.91, α = 0.5, 3 µs, 4 μs, ½ of it – “quoted” … ✅ ×2",
            "Größe: 12 – naïve café",
            "Привет, мир",
            "λ = 3 und π",
            "① first",
        ] {
            assert_eq!(plain(text), text, "{text:?}");
        }
    }
}
