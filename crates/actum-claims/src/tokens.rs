//! The words and numbers of a sentence, with their places.

use crate::sentence::{HIDDEN, Sentence};
use crate::vocabulary::VOCABULARY;
use actum_model::{Meant, Quantity, Unit};

/// One word, number or mark.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// In small letters.
    Word(String),
    Number(Quantity),
    Mark(u8),
}

impl Token {
    pub(crate) fn word(&self) -> Option<&str> {
        match &self.what {
            What::Word(word) => Some(word),
            What::Number(_) | What::Mark(_) => None,
        }
    }

    pub(crate) fn number(&self) -> Option<&Quantity> {
        match &self.what {
            What::Number(number) => Some(number),
            What::Word(_) | What::Mark(_) => None,
        }
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    pub(crate) fn is_mark(&self, mark: u8) -> bool {
        self.what == What::Mark(mark)
    }
}

/// The tokens of a sentence; what is hidden is a mark that nothing matches.
pub(crate) fn tokens(sentence: &Sentence) -> Vec<Token> {
    let mask = &sentence.mask;
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < mask.len() {
        let end = match mask[at] {
            b' ' => at + 1,
            HIDDEN => at + mask[at..].iter().take_while(|byte| **byte == HIDDEN).count(),
            _ => match number(sentence, at) {
                Some((quantity, end)) => {
                    found.push(Token { start: at, end, what: What::Number(quantity) });
                    at = end;
                    continue;
                }
                None => word_end(mask, at),
            },
        };
        if mask[at] != b' ' {
            let what = match (mask[at], end - at) {
                (HIDDEN, _) => What::Mark(HIDDEN),
                (byte, 1) if !byte.is_ascii_alphanumeric() => What::Mark(byte),
                (_, _) => What::Word(String::from_utf8_lossy(&mask[at..end]).into_owned()),
            };
            found.push(Token { start: at, end, what });
        }
        at = end;
    }
    found
}

/// Letters, digits and what joins them: `f1-score`, `out/a.csv`, `r^2`, `test_x.py::test_y`.
fn word_end(mask: &[u8], at: usize) -> usize {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let joins = |byte: u8| b"-./@:^'+\\".contains(&byte);
    if !is_letter(mask[at]) {
        return at + 1;
    }
    let mut end = at + 1;
    while end < mask.len() {
        let next = mask.get(end + 1).copied().unwrap_or(b' ');
        let is_joint = joins(mask[end]) && (is_letter(next) || (mask[end] == b':' && next == b':'));
        if !is_letter(mask[end]) && !is_joint {
            break;
        }
        end += 1;
    }
    end
}

/// A number that begins here, with its unit, and where it ends.
fn number(sentence: &Sentence, at: usize) -> Option<(Quantity, usize)> {
    let mask = &sentence.mask;
    let before = at.checked_sub(1).map(|before| mask[before]);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_.#".contains(&byte)) {
        return None;
    }
    let sign =
        usize::from(matches!(mask[at], b'-' | b'+') && !before.is_some_and(|byte| byte.is_ascii_digit()));
    let mut end = at + sign;
    let digits =
        |from: usize| mask[from.min(mask.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(end);
    end += whole;
    while mask.get(end) == Some(&b',') && digits(end + 1) == 3 && whole <= 3 {
        end += 4;
    }
    if mask.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    } else if whole == 0 {
        return None;
    }
    if mask.get(end) == Some(&b'e') {
        let sign = usize::from(matches!(mask.get(end + 1), Some(b'-' | b'+')));
        let count = digits(end + 1 + sign);
        end += if count > 0 && count < 4 { 1 + sign + count } else { 0 };
    }
    let digits_end = end;
    let factor = sentence.text.as_bytes().get(end).copied();
    let alone = |at: usize| !mask.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric());
    if matches!(factor, Some(b'k' | b'K' | b'M')) && alone(end + 1) {
        end += 1;
    }
    // A word for a number has its digits in the mask alone.
    let digits = std::str::from_utf8(&mask[at..end]).ok()?;
    let read = sentence.text.get(at..end).and_then(Quantity::read).or_else(|| Quantity::read(digits))?;
    // Blanks stand for the rest of a word.
    let is_word = sentence.text.as_bytes().get(at).is_some_and(u8::is_ascii_alphabetic);
    let blanks = mask[end..].iter().take_while(|byte| **byte == b' ').count();
    let place = if is_word && blanks > 1 { end + blanks - 1 } else { end };
    let (unit, end) = match unit(mask, place) {
        _ if end != digits_end => (Unit::Plain, end),
        (Unit::Plain, _) if is_bytes(sentence, end) => (Unit::Size(1.0), end + 2),
        (Unit::Plain, _) => (Unit::Plain, end),
        found => found,
    };
    let plus = mask.get(end) == Some(&b'+') && alone(end + 1);
    if !ends(mask, end) || is_in_date(mask, at, digits_end) {
        return None;
    }
    let meant = meant(mask, at);
    let meant = if plus { Meant::AtLeast } else { meant };
    let literal = match sentence.text.get(at..digits_end).and_then(Quantity::read) {
        Some(_) => sentence.text.get(at..end)?.to_owned(),
        None => read.literal.clone(),
    };
    Some((Quantity { unit, meant, literal, ..read }, end))
}

/// `770 B`: bytes, where a capital stands alone and counts no parameters.
fn is_bytes(sentence: &Sentence, end: usize) -> bool {
    let Some(rest) = sentence.text.get(end..).and_then(|rest| rest.strip_prefix(" B")) else { return false };
    let next = rest.trim_start().to_lowercase();
    let is_many = ["param", "token", "model", "weights"].iter().any(|word| next.starts_with(word));
    !rest.starts_with(|c: char| c.is_alphanumeric() || "_-/".contains(c)) && !is_many
}

/// `2031-04-07`, `07/04/31`: three numbers that are one day.
fn is_in_date(mask: &[u8], start: usize, end: usize) -> bool {
    let mark = [start.checked_sub(1), Some(end)].into_iter().flatten().filter_map(|at| mask.get(at).copied());
    mark.filter(|mark| b"-/".contains(mark)).any(|mark| {
        let is_part = |byte: &&u8| byte.is_ascii_digit() || **byte == mark;
        let first = start - mask[..start].iter().rev().take_while(is_part).count();
        let last = end + mask[end..].iter().take_while(is_part).count();
        let parts: Vec<&[u8]> = mask[first..last].split(|byte| *byte == mark).collect();
        parts.len() == 3 && parts.iter().all(|part| matches!(part.len(), 1 | 2 | 4))
    })
}

/// The unit behind a number: right behind it, or after one blank.
fn unit(mask: &[u8], end: usize) -> (Unit, usize) {
    let gap = usize::from(mask.get(end) == Some(&b' ') || mask.get(end) == Some(&b'-'));
    for (start, is_near) in [(end, true), (end + gap, gap == 0)] {
        let rest = mask.get(start..).unwrap_or_default();
        if rest.starts_with(b"%") {
            return (Unit::Percent, start + 1);
        }
        if rest.starts_with(b"percentage point") {
            let plural = usize::from(rest.get(16) == Some(&b's'));
            return (Unit::Points, start + 16 + plural);
        }
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = std::str::from_utf8(&rest[..length]).unwrap_or_default();
        let stops = !rest.get(length).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        // `5 h` and `5 b` are more often something else.
        let is_meant = is_near || word.len() > 1 || word == "s";
        if let Some(unit) = Unit::named(word).filter(|_| stops && is_meant && !word.is_empty()) {
            return (unit, start + length);
        }
        let minutes = is_near
            && (word == "m" || (word.starts_with('m') && rest.get(1).is_some_and(u8::is_ascii_digit)));
        if minutes && (stops || rest.get(1).is_some_and(u8::is_ascii_digit)) && length == 1 {
            return (Unit::Time(60.0), start + 1);
        }
    }
    (Unit::Plain, end)
}

/// What may follow a number: `1.2.3`, `12:30` and `3rd` are something else.
fn ends(mask: &[u8], end: usize) -> bool {
    let Some(byte) = mask.get(end) else { return true };
    let next = mask.get(end + 1).copied().unwrap_or(b' ');
    match byte {
        b'.' | b':' | b',' | b'-' => !next.is_ascii_digit() || (*byte == b'-' && next.is_ascii_digit()),
        b'_' => false,
        byte => !byte.is_ascii_alphanumeric(),
    }
}

/// Verbs before `up to` by which what follows is the new value.
const MOVED: [&[u8]; 6] = [b"went", b"climbed", b"is", b"rose", b"came", b"now"];

/// How exactly it is meant, by what stands before it.
fn meant(mask: &[u8], at: usize) -> Meant {
    let before = mask[..at].trim_ascii_end();
    let before = before.strip_suffix(b" a").or(before.strip_suffix(b" an")).unwrap_or(before);
    let is_before = |word: &str| {
        before.strip_suffix(word.as_bytes()).is_some_and(|rest| {
            !word.starts_with(|c: char| c.is_ascii_alphabetic())
                || rest.last().is_none_or(|byte| !byte.is_ascii_alphanumeric())
        })
    };
    // `went up to 87 %` is a value, `up to 87 %` is a bound.
    let moved = before.strip_suffix(b" up to").map(|verb| verb.rsplit(|byte| *byte == b' ').next());
    if moved.flatten().is_some_and(|verb| MOVED.contains(&verb)) {
        return Meant::Exactly;
    }
    // `->` is an arrow.
    if before.ends_with(b"->") {
        return Meant::Exactly;
    }
    let words = &*VOCABULARY;
    let bounds = [
        (&words.about, Meant::About),
        (&words.at_least, Meant::AtLeast),
        (&words.at_most, Meant::AtMost),
        (&words.over, Meant::Over),
        (&words.under, Meant::Under),
    ];
    let found = bounds.into_iter().find(|(list, _)| list.iter().any(is_before));
    found.map_or(Meant::Exactly, |(_, meant)| meant)
}

/// `at nx=20`, `with r = 0.4`: what somebody set, said by the way.
pub(crate) fn is_set(all: &[Token], at: usize) -> bool {
    const BY_THE_WAY: [&str; 6] = ["at", "with", "for", "using", "when", "where"];
    let Some([way, name, mark]) =
        at.checked_sub(3).map(|first| [&all[first], &all[first + 1], &all[first + 2]])
    else {
        return false;
    };
    mark.is_mark(b'=') && name.word().is_some() && BY_THE_WAY.iter().any(|word| way.is(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(text: &str) -> Vec<(f64, Unit, Meant)> {
        let all = tokens(&Sentence::plain(text, 1, ""));
        all.iter().filter_map(Token::number).map(|one| (one.value, one.unit, one.meant)).collect()
    }

    #[test]
    fn numbers_have_units_and_meanings() {
        use Meant::*;
        for (text, expected) in [
            ("93.1% and 12 s", vec![(93.1, Unit::Percent, Exactly), (12.0, Unit::Time(1.0), Exactly)]),
            ("about 1,000 rows", vec![(1000.0, Unit::Plain, About)]),
            ("over 90 %", vec![(90.0, Unit::Percent, Over)]),
            ("12/12", vec![(12.0, Unit::Plain, Exactly), (12.0, Unit::Plain, Exactly)]),
            ("took 2m30s", vec![]),
            ("2 min 5 s", vec![(2.0, Unit::Time(60.0), Exactly), (5.0, Unit::Time(1.0), Exactly)]),
            ("3.1x faster", vec![(3.1, Unit::Times, Exactly)]),
            ("0.85 -> 0.91", vec![(0.85, Unit::Plain, Exactly), (0.91, Unit::Plain, Exactly)]),
            ("version 1.2.3 at 12:30 on 2024", vec![(2024.0, Unit::Plain, Exactly)]),
            ("p95 f1 3rd test_12 abc123", vec![]),
            ("1.2M rows", vec![(1.2e6, Unit::Plain, Exactly)]),
            ("loss 1.5e-3.", vec![(1.5e-3, Unit::Plain, Exactly)]),
            ("1000+ rows", vec![(1000.0, Unit::Plain, AtLeast)]),
            ("a 45-second run", vec![(45.0, Unit::Time(1.0), Exactly)]),
        ] {
            assert_eq!(numbers(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn tokens_are_in_order_and_within(text in ".{0,80}") {
            let sentence = Sentence::plain(&text, 1, "");
            let all = tokens(&sentence);
            for pair in all.windows(2) {
                prop_assert!(pair[0].end <= pair[1].start);
            }
            prop_assert!(all.last().is_none_or(|last| last.end <= sentence.text.len()));
        }
    }
}
