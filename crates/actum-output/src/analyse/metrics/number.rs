//! A number as programs print it, and what may stand behind it.

/// A number at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number<'a> {
    /// With its sign and its unit.
    pub(super) literal: &'a str,
    pub(super) value: f64,
    /// Whether it has a fraction, an exponent or a percent sign: a count has none.
    pub(super) is_fractional: bool,
}

/// What may be written right behind a number. `3x` is three times as much.
const UNITS: [&str; 7] = ["%", "ms", "us", "µs", "s", "x", "dB"];
const LONGEST: usize = 40;

/// Reads one that ends where a number ends: `1.2.3`, `12:30` and `3/10` are something else.
pub(super) fn read(text: &str) -> Option<Number<'_>> {
    let bytes = text.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    if bytes.get(sign).is_some_and(|byte| b"nNiI".contains(byte)) {
        return not_finite(text, sign);
    }
    let whole = digits(&bytes[sign..]);
    let mut end = sign + whole;
    let mut is_fractional = false;
    end += grouped(&bytes[end..], &text[sign..end])?;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(&bytes[end + 1..]);
        // A full stop behind a number ends a sentence.
        if fraction > 0 {
            end += 1 + fraction;
            is_fractional = true;
        } else if whole > 0 && !matches!(bytes.get(end + 1), None | Some(b' ')) {
            return None;
        }
    }
    if whole == 0 && !is_fractional {
        return None;
    }
    if let Some(length) = exponent(&bytes[end..]) {
        end += length;
        is_fractional = true;
    }
    let value: f64 = text[..end].replace(',', "").parse().ok()?;
    let unit = UNITS.iter().find(|unit| text[end..].starts_with(**unit)).map_or(0, |unit| unit.len());
    is_fractional |= text[end..].starts_with('%');
    end += unit;
    (end <= LONGEST && ends(&text[end..])).then(|| Number { literal: &text[..end], value, is_fractional })
}

/// `nan`, `-inf`, `Infinity`: numbers to a program, and the first sign that a training went wrong.
fn not_finite(text: &str, sign: usize) -> Option<Number<'_>> {
    let word = text.as_bytes()[sign..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let end = sign + word;
    let is_known = ["nan", "inf", "infinity"].iter().any(|known| text[sign..end].eq_ignore_ascii_case(known));
    let value = text[..end].parse().ok().filter(|_| is_known && ends(&text[end..]))?;
    Some(Number { literal: &text[..end], value, is_fractional: true })
}

/// A whole number that counts steps: `3`, `3/10`, `3.0`.
pub(super) fn step(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let end = digits(bytes);
    let count: u64 = text.get(..end).filter(|text| !text.is_empty() && text.len() < 16)?.parse().ok()?;
    let rest = text[end..].strip_prefix(".0").unwrap_or(&text[end..]);
    let of = rest.strip_prefix('/').map(|rest| &rest[digits(rest.as_bytes())..]);
    let behind = of.unwrap_or(rest).chars().next();
    behind
        .is_none_or(|behind| !behind.is_alphanumeric() && !matches!(behind, '.' | '/' | '%'))
        .then_some(count)
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// `,234,567` behind `1`. None for a comma with digits that is no grouping: who could tell what it means?
fn grouped(bytes: &[u8], before: &str) -> Option<usize> {
    let mut length = 0;
    while bytes.get(length) == Some(&b',') && bytes.get(length + 1).is_some_and(u8::is_ascii_digit) {
        let is_group = digits(&bytes[length + 1..]) == 3;
        if !is_group || before.len() > 3 || before.starts_with('0') || before.is_empty() {
            return None;
        }
        length += 4;
    }
    Some(length)
}

fn exponent(bytes: &[u8]) -> Option<usize> {
    if !matches!(bytes.first(), Some(b'e' | b'E')) {
        return None;
    }
    let sign = usize::from(matches!(bytes.get(1), Some(b'-' | b'+')));
    let count = digits(&bytes[1 + sign..]);
    (count > 0 && count < 4).then_some(1 + sign + count)
}

fn ends(rest: &str) -> bool {
    let mut rest = rest.chars();
    match rest.next() {
        None => true,
        Some('.') => rest.next().is_none_or(char::is_whitespace),
        Some(behind) => behind.is_whitespace() || ",;)]}|│┃'\"*±(".contains(behind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_what_only_begins_like_one() {
        for (text, literal, value) in [
            ("0.9312", "0.9312", 0.9312),
            ("93.1%,", "93.1%", 93.1),
            ("-1.5e-05 next", "-1.5e-05", -1.5e-5),
            (".5", ".5", 0.5),
            ("1,234.5", "1,234.5", 1234.5),
            ("3, b=4", "3", 3.0),
            ("2.5x", "2.5x", 2.5),
            ("7.", "7", 7.0),
            ("12ms)", "12ms", 12.0),
            ("-inf, b", "-inf", f64::NEG_INFINITY),
        ] {
            let read = read(text).map(|number| (number.literal, number.value));
            assert_eq!(read, Some((literal, value)), "{text}");
        }
        for text in [
            "", "-", "1.2.3", "12:30", "3/10", "0,123", "12,34", "1.x", "0x10", "3rd", "1e5000", "nano",
            "nan1", "info",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn steps() {
        for (text, count) in
            [("3", Some(3)), ("3/10]", Some(3)), ("1.0,", Some(1)), ("1.5", None), ("3a", None)]
        {
            assert_eq!(step(text), count, "{text}");
        }
    }
}
