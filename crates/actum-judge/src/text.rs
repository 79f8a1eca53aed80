//! Texts: the same, a part of it, a match. The first two may run anywhere. A match takes time by the length of the text *and* by
//! the size of the pattern, and both may be somebody else's: a worker that can be ended looks for it.

use crate::finding::Finding;
use actum_model::TextTest;
use regex::bytes::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

/// A text, and what many expectations ask about it, worked out once.
pub(crate) struct Text<'t> {
    bytes: &'t [u8],
    /// As it is shown.
    shown: OnceCell<Cow<'t, str>>,
    lines: OnceCell<u64>,
    /// So many bytes may still be looked through.
    left: Cell<u64>,
}

/// Looking through as many bytes takes two seconds: 32 texts in the longest stream that is judged.
const MOST_LOOKED_THROUGH: u64 = 2 << 30;

impl<'t> Text<'t> {
    pub(crate) fn of(bytes: &'t [u8]) -> Self {
        let left = Cell::new(MOST_LOOKED_THROUGH);
        Self { bytes, shown: OnceCell::new(), lines: OnceCell::new(), left }
    }

    /// Judges what a stream holds; none where a worker has to.
    pub(crate) fn judge(&self, test: &TextTest) -> Option<Finding> {
        match test {
            TextTest::Equals { text: expected } => Some(equals(expected.as_bytes(), self.bytes)),
            TextTest::Contains { text: expected } => Some(self.contains(expected.as_bytes())),
            TextTest::Matches { .. } | TextTest::Json { .. } => None,
        }
    }

    /// Through text as it is shown: an expectation is text, and so holds nothing that is replaced there but by chance.
    fn contains(&self, expected: &[u8]) -> Finding {
        let Some(left) = self.left.get().checked_sub(self.bytes.len() as u64) else {
            return Finding::undecided("too many texts to search for in output of this length");
        };
        self.left.set(left);
        let expected = String::from_utf8_lossy(without_last_line_end(expected));
        let shown = self.shown.get_or_init(|| String::from_utf8_lossy(self.bytes));
        match shown.find(expected.as_ref()) {
            Some(at) => Finding::held("it").at_line(line_of(shown.as_bytes(), at)),
            None => {
                let count = self.lines.get_or_init(|| lines(self.bytes));
                Finding::broken(format!("no such text in {count} lines"))
            }
        }
    }
}

/// The same, for one look.
pub(crate) fn judge(test: &TextTest, text: &[u8]) -> Option<Finding> {
    Text::of(text).judge(test)
}

/// A line end at the very end is left out of account: people do not type it, and most programs print it.
fn without_last_line_end(text: &[u8]) -> &[u8] {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.strip_suffix(b"\r").unwrap_or(text)
}

fn equals(expected: &[u8], text: &[u8]) -> Finding {
    let (expected, found) = (without_last_line_end(expected), without_last_line_end(text));
    if expected == found {
        return Finding::held("equal text");
    }
    if found.is_empty() {
        return Finding::broken("nothing");
    }
    let (line, expected, found) = first_difference(expected, found);
    match (expected, found) {
        (Some(_), None) => Finding::broken(format!("the end before line {line}")),
        (None, Some(found)) => Finding::broken(format!("additional text from line {line} on"))
            .quoting(&beginning(found))
            .at_line(line),
        (Some(expected), Some(found)) => {
            let differs = expected.iter().zip(found).take_while(|(one, other)| one == other).count();
            let words = format!("a difference in line {line}, byte {}", differs + 1);
            Finding::broken(words).quoting(&beginning(found)).at_line(line)
        }
        (None, None) => Finding::broken("a difference"),
    }
}

/// The first line in which two texts differ, counted from 1, with both sides.
fn first_difference<'a>(one: &'a [u8], other: &'a [u8]) -> (u64, Option<&'a [u8]>, Option<&'a [u8]>) {
    let (mut ones, mut others) = (one.split(is_line_end), other.split(is_line_end));
    for line in 1.. {
        match (ones.next(), others.next()) {
            (Some(one), Some(other)) if one == other => {}
            (one, other) => return (line, one, other),
        }
    }
    (0, None, None)
}

fn is_line_end(byte: &u8) -> bool {
    *byte == b'\n'
}

/// What a pattern becomes is no larger than this: one that counts to a hundred thousand would take hours for some megabytes.
const LARGEST_PATTERN: usize = 256 << 10;

pub(crate) fn pattern(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).multi_line(true).unicode(false).size_limit(LARGEST_PATTERN).build()
}

pub(crate) fn matches(text_of_pattern: &str, text: &[u8]) -> Finding {
    match pattern(text_of_pattern).map(|pattern| pattern.find(text).map(|found| found.range())) {
        Ok(Some(range)) => {
            let quote = lossy(&text[range.clone()]);
            Finding::held("a match").quoting(&quote).at_line(line_of(text, range.start))
        }
        Ok(None) => Finding::broken(format!("no match in {} lines", lines(text))),
        Err(error) => Finding::undecided(format!("the pattern cannot be used: {error}")),
    }
}

pub(crate) fn line_of(text: &[u8], at: usize) -> u64 {
    text[..at.min(text.len())].iter().filter(|byte| is_line_end(byte)).count() as u64 + 1
}

fn lines(text: &[u8]) -> u64 {
    let ends = text.iter().filter(|byte| is_line_end(byte)).count() as u64;
    ends + u64::from(text.last().is_some_and(|last| *last != b'\n'))
}

/// As much of a line as is quoted, and some more: a line may be all that was printed.
fn beginning(line: &[u8]) -> String {
    lossy(&line[..line.len().min(LONGEST_LINE)])
}

const LONGEST_LINE: usize = 1 << 10;

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn equal(expected: &str, found: &str) -> Finding {
        equals(expected.as_bytes(), found.as_bytes())
    }

    fn contains(expected: &[u8], text: &[u8]) -> Finding {
        Text::of(text).contains(expected)
    }

    #[test]
    fn the_first_difference_is_told() {
        for (expected, found, held, words, lines) in [
            ("a", "a\n", true, "equal text", None),
            ("a\n", "a", true, "equal text", None),
            ("a\nb", "a\r\nb\n", false, "a difference in line 1, byte 2", Some(1)),
            ("a\nb", "a\nc\n", false, "a difference in line 2, byte 1", Some(2)),
            ("a\nb", "a\n", false, "the end before line 2", None),
            ("a", "a\nb\n", false, "additional text from line 2 on", Some(2)),
            ("a", "", false, "nothing", None),
            ("", "x", false, "a difference in line 1, byte 1", Some(1)),
        ] {
            let finding = equal(expected, found);
            assert_eq!((finding.held, finding.found.as_str()), (held, words), "{expected:?} {found:?}");
            assert_eq!(finding.lines.map(|lines| lines[0]), lines, "{expected:?} {found:?}");
        }
        assert_eq!(equal("a", "\u{1b}[2J").quote.as_deref(), Some("`\\u{1b}[2J`"));
    }

    #[test]
    fn a_part_and_a_match() {
        assert_eq!(contains(b"b.", b"a\nxb.\n").lines, Some([2, 2]));
        assert_eq!(contains(b"b.", b"a\nxbc\n").found, "no such text in 2 lines");
        let found = matches("^loss: [0-9.]+$", b"start\nloss: 0.25\n");
        assert_eq!((found.held, found.quote.as_deref()), (true, Some("`loss: 0.25`")));
        assert!(!matches("^loss$", b"").held);
        assert!(matches("(", b"").undecided.is_some());
    }

    #[test]
    fn a_text_is_worked_out_once_and_not_looked_through_for_ever() {
        let text = Text::of(b"a\nb");
        let test = |text: &str| TextTest::Contains { text: text.to_owned() };
        text.left.set(11);
        let found = ["a", "c", "b"].map(|one| text.judge(&test(one)).unwrap());
        assert_eq!(found.each_ref().map(|one| one.held), [true, false, true]);
        assert!(text.shown.get().is_some_and(|shown| matches!(shown, Cow::Borrowed(_))));
        assert_eq!((text.left.get(), text.lines.get()), (2, Some(&2)));
        let over = text.judge(&test("a")).unwrap();
        assert!(!over.held && over.undecided.is_some(), "{over:?}");
        // Equality is no look through it.
        assert!(text.judge(&TextTest::Equals { text: "a\nb".to_owned() }).unwrap().held);
    }

    #[test]
    fn a_long_line_is_quoted_as_far_as_it_is_shown() {
        let line = "é".repeat(1 << 20);
        assert_eq!(equal("x", &line).quote, Some(crate::quoted(&line)));
    }

    proptest! {
        #[test]
        fn a_text_equals_itself_and_contains_each_part(text in "[ -~\n]{0,40}", from in 0usize..40, to in 0usize..40) {
            prop_assert!(equal(&text, &text).held);
            let (from, to) = (from.min(text.len()), to.min(text.len()));
            let part = &text[from.min(to)..from.max(to)];
            prop_assert!(contains(part.as_bytes(), text.as_bytes()).held, "{:?}", part);
        }

        #[test]
        fn equal_is_equal_but_for_the_last_line_end(one in "[ab\n]{0,6}", other in "[ab\n]{0,6}") {
            let bare = |text: &str| text.strip_suffix('\n').unwrap_or(text).to_owned();
            prop_assert_eq!(equal(&one, &other).held, bare(&one) == bare(&other));
        }
    }
}
