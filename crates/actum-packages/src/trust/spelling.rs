//! When two names are one: as an index sees it, and as a reader sees it.

/// The longest name that is looked at. No package that anybody uses comes near it.
const LONGEST: usize = 100;

/// Whether an index would take this name: letters and digits, with dots, dashes and underscores between them.
pub(super) fn is_spelled(name: &str) -> bool {
    let inner = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'.' | b'-' | b'_');
    let bytes = name.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    bytes.len() <= LONGEST
        && bytes.iter().all(|letter| inner(*letter))
        && ends.iter().all(|end| end.is_some_and(u8::is_ascii_alphanumeric))
}

/// The form in which an index compares names: lower case, every run of separators one dash.
pub(crate) fn normal(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for letter in name.chars() {
        if matches!(letter, '-' | '_' | '.') {
            if !normal.ends_with('-') {
                normal.push('-');
            }
        } else {
            normal.extend(letter.to_lowercase());
        }
    }
    normal
}

/// Whether a name is, in the form in which an index compares names, this one.
pub(super) fn is_spelled_like(name: &str, other: &str) -> bool {
    let is_longer = name.len() < other.len();
    let same = |(one, other): (u8, u8)| {
        one.eq_ignore_ascii_case(&other) || other == b'-' && matches!(one, b'_' | b'.')
    };
    match name.len() == other.len() {
        true => name.bytes().zip(other.bytes()).all(same),
        // Only a run of separators makes a name longer than its normal form.
        false => !is_longer && name.contains(['-', '_', '.']) && normal(name) == other,
    }
}

/// What is left of a normal name to a hasty reader: letters that look alike are one, separators and doubled letters fall
/// away.
pub(super) fn skeleton(normal: &str) -> String {
    let mut skeleton = String::with_capacity(normal.len());
    for letter in normal.chars().map(lookalike).filter(|letter| *letter != '-') {
        if !skeleton.ends_with(letter) {
            skeleton.push(letter);
        }
    }
    skeleton.replace("rn", "m").replace("vv", "w")
}

/// A skeleton without what people put before and behind a name: `python-requests`, `requests-python`, `requests3`, `py-requests`.
pub(super) fn core(normal: &str) -> String {
    let parts =
        normal.split('-').filter(|part| !matches!(*part, "python" | "python3" | "py" | "py3" | "lib" | ""));
    let mut parts: Vec<&str> = parts.collect();
    parts.sort_unstable();
    let joined = parts.join("-");
    let bare = joined.trim_end_matches(|letter: char| letter.is_ascii_digit());
    skeleton(if bare.len() < 3 { &joined } else { bare })
}

/// Digits for letters, and letters of other alphabets that look like ours.
fn lookalike(letter: char) -> char {
    match letter {
        '0' | '\u{43e}' | '\u{3bf}' => 'o',
        '1' | '\u{456}' | '\u{131}' => 'l',
        '\u{430}' | '\u{251}' => 'a',
        '3' | '\u{435}' => 'e',
        '\u{440}' => 'p',
        '\u{441}' => 'c',
        '\u{445}' => 'x',
        '\u{443}' => 'y',
        '5' | '\u{455}' => 's',
        other => other,
    }
}
