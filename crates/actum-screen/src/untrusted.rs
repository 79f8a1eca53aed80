//! Text that a program chose, made harmless to look at and bounded.
//!
//! Control characters and marks that reorder become escapes, as [`path_text`] writes them. Backslashes stay single: much
//! of the text was neutralised where it was picked out, and must look the same when that is done once more.

use super::look::OWN_SEQUENCES;
use actum_model::path_text;
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// More than any line on a screen; what is beyond is cut before it costs anything.
const LONGEST_LINE: usize = 2000;

/// One line, whatever the text holds.
pub fn line(text: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']);
    match text.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", neutral(&text[..end])),
        None => neutral(text),
    }
}

/// Cut to a number of columns, with `…` where something is missing.
///
/// A text may be wider than its characters one by one: `1` followed by the mark that makes it an emoji fills two columns.
pub fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 0;
    let fits_one_by_one = |character: &char| {
        used += character.width().unwrap_or(0);
        used < columns
    };
    let mut kept: String = text.chars().take_while(fits_one_by_one).collect();
    while kept.width() >= columns && kept.pop().is_some() {}
    kept + "…"
}

/// Several lines of at most so many bytes: the head, what is left out, and the tail.
pub fn block(text: &str, most: usize) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    // Neutral text is never shorter, so nothing beyond these bounds could come through.
    let (head, tail) = (most / 4 * 3, most / 4);
    if text.len() <= most {
        let whole = neutral_lines(text);
        if whole.len() <= most {
            return whole;
        }
    }
    let head = &text[..floor(text, head)];
    let head = &head[..head.rfind('\n').unwrap_or(head.len())];
    let tail = &text[ceiling(text, text.len().saturating_sub(tail)).max(head.len())..];
    let tail = &tail[tail.find('\n').map_or(0, |at| at + 1)..];
    let (head, tail) = (neutral_lines(head), neutral_lines(tail));
    let (head, tail) =
        (&head[..floor(&head, most / 4 * 3)], &tail[ceiling(&tail, tail.len().saturating_sub(most / 4))..]);
    format!("{head}\n[… middle omitted, {} bytes in total …]\n{tail}", text.len())
}

/// Whether a character may be shown as it is: it controls nothing, and hides and reorders nothing.
pub fn is_harmless(character: char) -> bool {
    let is_harmless_beyond_ascii = || {
        let mut bytes = [0; 4];
        let encoded: &str = character.encode_utf8(&mut bytes);
        path_text(encoded.as_bytes()) == encoded
    };
    matches!(character, ' '..='~') || is_harmless_beyond_ascii()
}

/// Several lines that go to a person, whatever they hold: line ends, tabs and our own colours stay.
///
/// This is the last step before a terminal or a log, so that no message can be forgotten. Only the five sequences that
/// [`Look::paint`](super::Look::paint) writes pass; a stranger who writes one of them changes a colour and nothing else.
pub fn lines(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let own = OWN_SEQUENCES.iter().find(|sequence| rest.starts_with(**sequence));
        let length = own.map_or(character.len_utf8(), |sequence| sequence.len());
        match own {
            Some(sequence) => out.push_str(sequence),
            None if matches!(character, '\n' | '\t' | '\\') => out.push(character),
            None => out.push_str(&path_text(&rest.as_bytes()[..length])),
        }
        rest = &rest[length..];
    }
    Cow::Owned(out)
}

fn neutral(text: &str) -> String {
    text.split('\\').map(|piece| path_text(piece.as_bytes())).collect::<Vec<_>>().join("\\")
}

/// Line ends and tabs stay what they are, and so does a carriage return before a line end.
fn neutral_lines(text: &str) -> String {
    let line = |line: &str| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.split('\t').map(neutral).collect::<Vec<_>>().join("\t")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

fn ceiling(text: &str, at: usize) -> usize {
    text.ceil_char_boundary(at)
}

#[cfg(test)]
mod tests {
    use super::super::look::{Colour, Detail, Look, Tone};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_obeys_nothing_and_reads_the_same_twice() {
        let hostile = "a\u{1b}[2Jb\u{202e}c\nd\\e\tf";
        assert_eq!(line(hostile), "a\\u{1b}[2Jb\\u{202e}c\\nd\\e\\tf");
        assert_eq!(line(&line(hostile)), line(hostile));
    }

    #[test]
    fn only_our_own_colours_reach_a_terminal() {
        let own = Look { colour: Colour::Coloured, ..Look::plain(Detail::Brief) }.paint(Tone::Bad, "no");
        assert_eq!(lines(&own), own);
        assert_eq!(lines("a\tb\n漢 \\u{1b}"), "a\tb\n漢 \\u{1b}");
        assert_eq!(
            lines("x\u{1b}]0;t\u{7}\r\u{9b}8m\u{1b}[8m"),
            "x\\u{1b}]0;t\\u{7}\\u{d}\\u{9b}8m\\u{1b}[8m"
        );
    }

    #[test]
    fn cut_lines_say_so() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abcde…");
        assert_eq!(fit("漢字漢字", 8), "漢字漢字");
        assert_eq!(fit("漢字漢字", 7), "漢字漢…");
        assert_eq!(fit("漢字漢字", 6), "漢字…");
        assert_eq!(fit("a1\u{fe0f}b", 4), "a1\u{fe0f}b");
        assert_eq!(fit("a1\u{fe0f}b", 3), "a1…");
        assert_eq!(fit("1\u{fe0f}1\u{fe0f}1\u{fe0f}", 5), "1\u{fe0f}1\u{fe0f}…");
        assert_eq!(fit(&"x".repeat(1 << 20), 40).chars().count(), 40);
    }

    #[test]
    fn a_block_keeps_its_lines_and_tells_what_is_missing() {
        assert_eq!(block("a\r\n\tb\u{7}\n", 100), "a\n\tb\\u{7}");
        let long: String = (0..1000).map(|number| format!("line {number}\n")).collect();
        let shown = block(&long, 400);
        assert!(shown.starts_with("line 0\nline 1\n") && shown.ends_with("\nline 999"), "{shown}");
        assert!(shown.contains("middle omitted, 8889 bytes in total"), "{shown}");
        assert!(block(&"\u{1b}".repeat(1 << 20), 1000).len() < 1100);
    }

    proptest! {
        #[test]
        fn bounds_hold_for_any_text(text in "[\\PC\\p{Cc}]{0,300}", most in 0_usize..200) {
            prop_assert!(fit(&line(&text), most.max(1)).width() <= most.max(1));
            let shown = block(&text, most);
            prop_assert!(shown.len() <= most + 80, "{}", shown.len());
            prop_assert!(shown.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
            let shown = OWN_SEQUENCES.iter().fold(lines(&text).into_owned(), |text, own| text.replace(own, ""));
            prop_assert!(shown.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
        }
    }
}
