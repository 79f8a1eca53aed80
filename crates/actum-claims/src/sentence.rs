//! A passage to sentences, each with a mask on which patterns are looked for.
//!
//! The mask has the length of the text: small letters, blanks where a character is not ASCII, and [`HIDDEN`] where code or
//! somebody else's words stand, so that a place found in the mask is a place in the text.

use crate::markdown::Passage;
use std::ops::Range;

/// Stands for what is quoted: no pattern matches it.
pub(crate) const HIDDEN: u8 = 1;

/// One sentence.
#[derive(Clone, Debug)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    pub(crate) mask: Vec<u8>,
    /// What stood between backticks.
    pub(crate) code: Vec<Range<usize>>,
    pub(crate) line: u64,
    /// What stands above it, in small letters.
    pub(crate) under: String,
}

impl Sentence {
    /// A part of the text.
    pub(crate) fn part(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// A sentence of plain words, as cells of tables make them.
    pub(crate) fn plain(text: &str, line: u64, under: &str) -> Self {
        let (text, _) = normal(text, &[]);
        let mask = mask(&text, &[]);
        Self { text, mask, code: Vec::new(), line, under: under.to_lowercase() }
    }

    /// Takes a stretch away from later patterns.
    pub(crate) fn hide(&mut self, range: Range<usize>) {
        if let Some(part) = self.mask.get_mut(range) {
            part.fill(HIDDEN);
        }
    }
}

/// The sentences of a passage.
pub(crate) fn sentences(passage: &Passage) -> Vec<Sentence> {
    let (text, code) = normal(&passage.text, &passage.code);
    let under = passage.under.to_lowercase();
    let ranges: Vec<Range<usize>> =
        split(&text, &code).into_iter().flat_map(|range| pieces(&text, &code, range)).collect();
    let mut found = Vec::with_capacity(ranges.len());
    for range in ranges {
        let part = &text[range.clone()];
        let start = range.start + (part.len() - part.trim_start().len());
        let end = start + part.trim().len();
        if start >= end {
            continue;
        }
        // They are in order, and none within another.
        let first = code.partition_point(|one| one.start < start);
        let inside = code[first..].iter().take_while(|one| one.end <= end);
        let code: Vec<Range<usize>> = inside.map(|one| one.start - start..one.end - start).collect();
        let text = text[start..end].to_owned();
        let mask = mask(&text, &code);
        // Characters that were replaced are few and small: the line is that of the place, or its neighbour's.
        let line = passage.line(start.min(passage.text.len()));
        found.push(Sentence { text, mask, code, line, under: under.clone() });
    }
    found
}

/// Marks that are written in several ways, in one.
fn normal(text: &str, code: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let mut out = String::with_capacity(text.len());
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(code.len());
    let mut next = code.iter().peekable();
    for (at, character) in text.char_indices() {
        while let Some(one) = next.next_if(|one| one.start <= at) {
            ranges.push(out.len()..out.len() + one.len());
        }
        let inside = ranges.last().is_some_and(|last| {
            code.get(ranges.len() - 1).is_some_and(|one| one.contains(&at)) && last.start <= out.len()
        });
        match character {
            _ if inside => out.push(character),
            '’' | '‘' | 'ʼ' => out.push('\''),
            '“' | '”' | '„' => out.push('"'),
            'µ' | 'μ' => out.push('u'),
            '–' | '—' | '―' => out.push_str(" - "),
            '−' => out.push('-'),
            '→' | '⟶' | '➜' | '➔' | '⇒' => out.push_str(" -> "),
            '≥' => out.push_str(">="),
            '≤' => out.push_str("<="),
            '≈' => out.push('~'),
            '²' => out.push('2'),
            '×' => out.push('x'),
            '\u{a0}' | '\u{202f}' | '\u{2009}' | '\t' => out.push(' '),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {}
            '\u{fe0f}' => {}
            other => out.push(other),
        }
    }
    (out, ranges)
}

/// Words that end with a full stop and end no sentence.
const SHORT: &[&str] = &[
    "e.g", "i.e", "vs", "approx", "etc", "no", "fig", "eq", "cf", "resp", "incl", "max", "min", "avg", "ca",
];

/// Marks that stand before or behind a point of a list.
const TICKS: &[char] = &['✅', '✔', '☑', '❌', '✗', '✘', '⚠', '🎉', '🚀', '•', '·'];

/// A longer sentence is read in pieces, since patterns cost more than its length; each begins with the end of the one before it, so that
/// nothing that is said in a few words falls between two.
const LONGEST: usize = 800;
const OVERLAP: usize = 120;

fn pieces(text: &str, code: &[Range<usize>], range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = range.start;
    // A place between words, and not within code.
    let place = |at: usize, from: usize| {
        let (at, from) = (text.floor_char_boundary(at), text.floor_char_boundary(from));
        let at = text[from..at].rfind(' ').map_or(at, |blank| from + blank);
        let around = code[..code.partition_point(|one| one.start < at)].last().filter(|one| one.end > at);
        match around {
            Some(one) if one.start > from => one.start,
            Some(one) => one.end,
            None => at,
        }
    };
    while range.end.saturating_sub(start) > LONGEST {
        let end = place(start + LONGEST, start + OVERLAP).clamp(start + 1, range.end);
        let end = text.ceil_char_boundary(end);
        found.push(start..end);
        let next = place(end.saturating_sub(OVERLAP).max(start + 1), start);
        start = if next > start { text.ceil_char_boundary(next) } else { end };
    }
    if start < range.end {
        found.push(start..range.end);
    }
    found
}

fn split(text: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut open = code;
    for (at, character) in text.char_indices() {
        while open.first().is_some_and(|one| one.end <= at) {
            open = &open[1..];
        }
        if at < start || open.first().is_some_and(|one| one.contains(&at)) {
            continue;
        }
        let end = at + character.len_utf8();
        let rest = &text[end..];
        let is_end = match character {
            '\n' => true,
            ';' => rest.starts_with(' ') && !goes_on_counting(rest),
            '.' => {
                ends_sentence(&text[start..at], rest) || {
                    // A sentence may begin with code, in small letters.
                    let begins = end + 1;
                    rest.starts_with(' ')
                        && code.iter().any(|one| one.start == begins || one.start == begins + 1)
                        && ends_sentence(&text[start..at], " X")
                }
            }
            '!' | '?' => rest.is_empty() || rest.starts_with([' ', '\n']),
            _ if TICKS.contains(&character) => {
                let next = rest.trim_start().chars().next();
                !text[start..at].trim().is_empty() && next.is_some_and(char::is_uppercase)
            }
            _ => false,
        };
        if is_end {
            ranges.push(start..end);
            start = end;
        }
    }
    ranges.push(start..text.len());
    ranges
}

/// `6 passed; 1 failed` is one statement, as runners write it.
fn goes_on_counting(rest: &str) -> bool {
    let first = rest.split_whitespace().next().unwrap_or_default();
    // What `it` is stands before the mark.
    if ["it", "they", "both", "none"].contains(&first) {
        return true;
    }
    const WORDS: &[&str] = &[
        "passed", "failed", "ignored", "skipped", "measured", "filtered", "errors", "error", "xfailed",
        "pass", "fail", "warnings", "warning", "failures", "failure", "todo",
    ];
    let mut words = rest.split_whitespace();
    let is_number = words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let word = words.next().unwrap_or_default().trim_end_matches(['.', ',', ';', ')']);
    is_number && WORDS.contains(&word)
}

fn ends_sentence(before: &str, rest: &str) -> bool {
    let behind = rest.trim_start_matches(['"', '\'', ')', '*']);
    if !(behind.is_empty() || behind.starts_with(char::is_whitespace)) {
        return false;
    }
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(['(', '"']).to_lowercase();
    let next = behind.trim_start().chars().next();
    !SHORT.contains(&word.as_str()) && next.is_none_or(|next| !next.is_lowercase())
}

fn mask(text: &str, code: &[Range<usize>]) -> Vec<u8> {
    let lower = |byte: u8| if byte.is_ascii() { byte.to_ascii_lowercase() } else { b' ' };
    let mut mask: Vec<u8> = text.bytes().map(lower).collect();
    for range in code {
        if !reads_as_prose(text.get(range.clone()).unwrap_or_default()) {
            mask[range.clone()].fill(HIDDEN);
        }
    }
    hide_quotes(&mut mask);
    numerals(&mut mask);
    mask
}

/// From two on. One is left as it is: it is a pronoun more often than a number.
const NUMERALS: [&str; 19] = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// Words for small numbers as digits, with blanks for the rest of the word.
fn numerals(mask: &mut [u8]) {
    let mut start = 0;
    while start < mask.len() {
        let length = mask[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte))
            .count();
        let word = &mut mask[start..start + length];
        if let Some(at) = NUMERALS.iter().position(|name| name.as_bytes() == &*word) {
            let digits = (at + 2).to_string();
            word.fill(b' ');
            word[..digits.len()].copy_from_slice(digits.as_bytes());
        }
        start += length.max(1);
    }
}

/// Values, names and paths between backticks are part of the sentence; code is not.
fn reads_as_prose(code: &str) -> bool {
    let is_one_word =
        !code.replacen("==", "", 1).contains(|c: char| c.is_whitespace() || "={}()<>;$|&\"'".contains(c));
    let first = code.split(' ').next().unwrap_or_default();
    let is_number = first.starts_with(|c: char| c.is_ascii_digit() || "~<>-+".contains(c));
    let is_value = is_number && code.split(' ').count() <= 2 && !code.contains(['=', '(', '{']);
    let is_summary = is_number && (code.contains(" passed") || code.contains(" failed"));
    is_one_word || is_value || is_summary
}

/// Three words or more between double quotes are somebody else's.
fn hide_quotes(mask: &mut [u8]) {
    let quotes: Vec<usize> =
        mask.iter().enumerate().filter(|(_, byte)| **byte == b'"').map(|(at, _)| at).collect();
    for pair in quotes.chunks_exact(2) {
        let (from, to) = (pair[0] + 1, pair[1]);
        if mask[from..to].split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count() >= 3 {
            mask[from..to].fill(HIDDEN);
        }
    }
}

#[cfg(test)]
mod tests {
    /// Whatever is said in a hundred characters stands whole in one piece.
    #[test]
    fn nothing_short_falls_between_two_pieces() {
        for text in ["word ".repeat(1000), "x".repeat(5000), "é".repeat(3000), "a `b` ".repeat(900)] {
            let found = super::pieces(&text, &[], 0..text.len());
            assert_eq!((found[0].start, found[found.len() - 1].end), (0, text.len()));
            for two in found.windows(2) {
                assert!(two[0].len() <= 810 && two[1].start > two[0].start, "{two:?}");
                let shared = two[0].end as i64 - two[1].start as i64;
                assert!(shared >= 100, "{two:?}");
            }
        }
    }

    use super::*;
    use crate::markdown::passages;

    fn texts(text: &str) -> Vec<String> {
        passages(text).iter().flat_map(sentences).map(|sentence| sentence.text).collect()
    }

    #[test]
    fn sentences_end_where_they_end() {
        for (text, expected) in [
            ("Accuracy is 0.93. Loss is 0.1.", vec!["Accuracy is 0.93.", "Loss is 0.1."]),
            ("See out/a.csv for e.g. Rows.", vec!["See out/a.csv for e.g. Rows."]),
            ("✅ Tests pass ✅ Lint is clean", vec!["✅ Tests pass ✅", "Lint is clean"]),
            ("All pass ✅ (12/12)", vec!["All pass ✅ (12/12)"]),
            ("Did it pass? Yes!", vec!["Did it pass?", "Yes!"]),
            ("It’s 5–6 µs", vec!["It's 5 - 6 us"]),
            ("one; two", vec!["one;", "two"]),
            ("6 passed; 1 failed; done", vec!["6 passed; 1 failed;", "done"]),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn code_is_hidden_but_values_are_not() {
        let sentence = |text: &str| sentences(&passages(text)[0]).remove(0);
        let one = sentence("Ran `pytest -q` — accuracy `0.93` “as they always say here”");
        assert_eq!(one.part(one.code[0].clone()), "pytest -q");
        assert_eq!(one.part(one.code[1].clone()), "0.93");
        let mask = String::from_utf8(one.mask.clone()).unwrap();
        assert!(mask.contains("0.93") && !mask.contains("pytest") && !mask.contains("always"), "{mask:?}");
        assert_eq!(one.mask.len(), one.text.len());
    }
}
