//! How much of a message is read. Patterns cost more than a sentence's length, so what no person writes is not read, and that is
//! told: a claim behind it must not pass as judged.

use actum_model::{Claim, Said, When};
use std::borrow::Cow;

/// A longer line of prose is cut.
const LINE: usize = 4 << 10;
/// More prose than this is no message.
const PROSE: usize = 64 << 10;
/// Cells of one row of a table.
const CELLS: usize = 64;
/// Quotes within quotes.
const DEPTH: usize = 16;
/// More claims than anybody makes in one message.
pub(crate) const CLAIMS: usize = 500;

/// What stands for the part of a message that was not read. It is never verified.
pub(crate) const NOT_READ: &str = "the part of the message that is too long to be read";
/// The reason that is told for it.
pub const NOT_JUDGED: &str = "not judged: the message has more in it than is read";

/// A text within bounds, and whether something was left out.
pub(crate) fn bounded(text: &str) -> (Cow<'_, str>, bool) {
    let is_short =
        |line: &str| line.len() <= LINE && line.matches('|').count() <= CELLS && depth(line) <= DEPTH;
    if text.len() <= PROSE && text.lines().all(is_short) {
        return (Cow::Borrowed(text), false);
    }
    let (mut out, mut left_out, mut prose, mut fence) = (String::new(), false, 0, None);
    for line in text.split_inclusive('\n') {
        let mark = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark_of| mark.starts_with(mark_of));
        match (fence, mark) {
            (None, Some(opened)) => fence = Some(opened),
            (Some(open), Some(closed)) if open == closed => fence = None,
            _ => {}
        }
        let is_code = fence.is_some() || mark.is_some();
        if depth(line) > DEPTH {
            // Quoted words are nobody's claim; the line stays, so that others keep their numbers.
            out.push('\n');
            continue;
        }
        let kept = if is_code { line } else { shortened(line) };
        prose += if is_code { 0 } else { kept.len() };
        if prose > PROSE {
            left_out = true;
            break;
        }
        left_out |= kept.len() < line.len();
        out.push_str(kept);
        if !kept.ends_with('\n') && line.ends_with('\n') {
            out.push('\n');
        }
    }
    (Cow::Owned(out), left_out)
}

fn depth(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b'>' | b' ' | b'\t')).filter(|byte| *byte == b'>').count()
}

fn shortened(line: &str) -> &str {
    let cells = line.match_indices('|').nth(CELLS).map_or(line.len(), |(at, _)| at);
    let end = line.floor_char_boundary(cells.min(LINE));
    if end >= line.len() {
        return line;
    }
    // Not through a word.
    let kept = &line[..end];
    &kept[..kept.rfind(' ').filter(|at| *at > 0).unwrap_or(end)]
}

/// The claim that stands for what was left out.
pub(crate) fn not_read() -> Claim {
    Claim {
        text: String::new(),
        line: 0,
        said: Said::Ran { what: NOT_READ.to_owned(), well: false },
        anchor: None,
        command: None,
        when: When::default(),
        context: String::new(),
        tentative: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_writes_is_read_whole() {
        for text in ["", "All 12 tests pass.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "> quoted\n"] {
            assert_eq!(bounded(text), (Cow::Borrowed(text), false), "{text}");
        }
        let code = format!("Done.\n```\n{}\n```\n12 passed.\n", "x".repeat(LINE * 2));
        assert_eq!(bounded(&code), (Cow::Owned(code.clone()), false), "code is not prose");
    }

    #[test]
    fn what_is_left_out_is_told() {
        for text in [
            "word ".repeat(LINE),
            "x".repeat(LINE + 1),
            "é".repeat(LINE),
            "| a ".repeat(CELLS + 1),
            "One line.\n".repeat(PROSE / 5),
        ] {
            let (kept, left_out) = bounded(&text);
            assert!(left_out && kept.len() < text.len() && kept.len() <= PROSE, "{}", &text[..8]);
        }
        let text = format!("{} x\nAll pass.\n", ">".repeat(100));
        let (kept, left_out) = bounded(&text);
        assert_eq!((kept.as_ref(), left_out), ("\nAll pass.\n", false));
    }
}
