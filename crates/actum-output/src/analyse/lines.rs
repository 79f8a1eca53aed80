//! The lines of a stream as a person would see them, with their numbers.
//!
//! Colours are gone, of a progress line only its last state is left, what is not UTF-8 is marked. Numbers are those of
//! line feeds in the raw output, so that an anchor leads to the right place.

use super::text::Text;
use actum_model::Stream;
use std::ops::Range;

/// 4096: longer than any line that a compiler or a traceback prints, short enough that a line costs a bounded time.
const LONGEST: usize = 4096;
/// 50,000 lines of each part: an output of nothing but line feeds must not cost more memory than one of text.
const MOST: usize = 50_000;

/// The cleaned lines of one stream.
#[derive(Debug, Clone)]
pub struct Lines {
    pub(crate) stream: Stream,
    text: String,
    lines: Vec<Line>,
}

#[derive(Debug, Clone)]
struct Line {
    range: Range<usize>,
    number: u64,
}

impl Lines {
    pub(crate) fn read(stream: Stream, text: &Text) -> Self {
        let mut lines = Self { stream, text: String::new(), lines: Vec::new() };
        let parts = text.parts();
        let (_, head) = &parts[0];
        let head_lines = head.split_inclusive(|byte| *byte == b'\n').enumerate().take(MOST);
        head_lines.for_each(|(index, bytes)| lines.add(index as u64 + 1, bytes));
        if let Some((first, tail)) = parts.get(1) {
            // An empty line at the seam: nothing that is read over several lines reads across it.
            lines.add(first.saturating_sub(1).max(1), b"");
            let count = tail.split_inclusive(|byte| *byte == b'\n').count();
            let tail_lines = tail.split_inclusive(|byte| *byte == b'\n').enumerate();
            // The first line of the tail is the rest of one.
            let skipped = count.saturating_sub(MOST).max(1);
            tail_lines.skip(skipped).for_each(|(index, bytes)| lines.add(first + index as u64, bytes));
        }
        lines
    }

    fn add(&mut self, number: u64, bytes: &[u8]) {
        let start = self.text.len();
        clean(bytes, &mut self.text);
        self.lines.push(Line { range: start..self.text.len(), number });
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Leaves the lines before an index.
    pub(super) fn truncate(&mut self, index: usize) {
        if let Some(line) = self.lines.get(index) {
            self.text.truncate(line.range.start);
        }
        self.lines.truncate(index);
    }

    /// The line at an index; empty past the end, so that looking ahead needs no care.
    pub(crate) fn at(&self, index: usize) -> &str {
        self.lines.get(index).map_or("", |line| &self.text[line.range.clone()])
    }

    /// All lines behind one another, without what parts them: enough to see whether a word occurs at all.
    pub(crate) fn words_of_all(&self) -> &str {
        &self.text
    }

    /// The lines from `from` on that hold a word: the first and the last `most` of them. Costs one pass, however often
    /// the word occurs.
    pub(crate) fn holding(&self, word: &str, from: usize, most: usize) -> Vec<usize> {
        let start = self.lines.get(from).map_or(self.text.len(), |line| line.range.start);
        let line_of = |at: usize| self.lines.partition_point(|line| line.range.start <= at).saturating_sub(1);
        let text = &self.text[start..];
        let mut first: Vec<usize> = Vec::new();
        for (at, _) in text.match_indices(word) {
            let line = line_of(start + at);
            if first.last() != Some(&line) {
                first.push(line);
            }
            if first.len() >= most {
                break;
            }
        }
        let mut last: Vec<usize> = Vec::new();
        for (at, _) in text.rmatch_indices(word) {
            let line = line_of(start + at);
            if last.last() != Some(&line) {
                last.push(line);
            }
            if last.len() >= most {
                break;
            }
        }
        first.extend(last.into_iter().rev());
        first.sort_unstable();
        first.dedup();
        first
    }

    /// The number in the raw output.
    pub(crate) fn number(&self, index: usize) -> u64 {
        self.lines.get(index).or(self.lines.last()).map_or(1, |line| line.number)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        self.lines.iter().enumerate().map(|(index, line)| (index, &self.text[line.range.clone()]))
    }

    /// The last line that says something.
    pub(super) fn last_words(&self) -> Option<&str> {
        self.words().next()
    }

    /// The last line that says something and does not begin like this.
    pub(super) fn last_words_but(&self, beginning: &str) -> Option<&str> {
        self.words().find(|line| !line.starts_with(beginning))
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.iter().rev().map(|(_, line)| line.trim()).filter(|line| !line.is_empty())
    }
}

/// Appends one raw line without its end, its colours and its earlier states.
pub(super) fn clean(bytes: &[u8], out: &mut String) {
    let mut bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    while let Some(rest) = bytes.strip_suffix(b"\r") {
        bytes = rest;
    }
    if let Some(at) = bytes.iter().rposition(|byte| *byte == b'\r') {
        bytes = &bytes[at + 1..];
    }
    let start = out.len();
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == 0x1b) {
        append(&rest[..at], start, out);
        rest = &rest[at + escape_length(&rest[at..])..];
    }
    append(rest, start, out);
}

fn append(bytes: &[u8], start: usize, out: &mut String) {
    let room = LONGEST.saturating_sub(out.len() - start);
    let bytes = &bytes[..bytes.len().min(room)];
    out.push_str(&String::from_utf8_lossy(bytes));
}

/// The length of the control sequence that begins with this escape: `ESC [ … letter`, `ESC ] … BEL`, else two bytes.
/// Every byte that is looked at belongs to the sequence, so that hostile output costs no more than its length.
fn escape_length(bytes: &[u8]) -> usize {
    let first = |wanted: fn(u8) -> bool| bytes.iter().skip(2).position(|byte| wanted(*byte)).map(|at| at + 2);
    match bytes.get(1) {
        Some(b'[') => first(|byte| (0x40..=0x7e).contains(&byte)).map_or(bytes.len(), |at| at + 1),
        // An operating system command may also end with `ESC \`.
        Some(b']') => match first(|byte| byte == 0x07 || byte == 0x1b) {
            Some(at) if bytes[at] == 0x1b && bytes.get(at + 1) == Some(&b'\\') => at + 2,
            Some(at) if bytes[at] == 0x1b => at,
            Some(at) => at + 1,
            None => bytes.len(),
        },
        Some(_) => 2,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(bytes: &[u8]) -> Vec<String> {
        Lines::read(Stream::Stdout, &Text::of(bytes)).iter().map(|(_, line)| line.to_owned()).collect()
    }

    #[test]
    fn shows_what_a_person_sees() {
        let cases: &[(&[u8], &[&str])] = &[
            (b"a\nb", &["a", "b"]),
            (b"a\r\n\r\nb\r\n", &["a", "", "b"]),
            (b"10%\r50%\r100%\ndone\n", &["100%", "done"]),
            (b"\x1b[1m\x1b[31mFAIL\x1b[0m x\n", &["FAIL x"]),
            (b"\x1b]8;;file:///a\x07link\x1b]8;;\x1b\\ end", &["link end"]),
            (b"a\xff\xfeb\n", &["a\u{fffd}\u{fffd}b"]),
            (b"cut \x1b[3", &["cut "]),
            (b"\x1b", &[""]),
        ];
        for (bytes, lines) in cases {
            assert_eq!(cleaned(bytes), *lines, "{bytes:?}");
        }
    }

    #[test]
    fn long_lines_are_cut_and_numbers_stay() {
        let mut bytes = vec![b'x'; 3 << 20];
        bytes.extend_from_slice(b"\nlast\n");
        let lines = Lines::read(Stream::Stdout, &Text::of(&bytes));
        assert_eq!(lines.at(0).len(), LONGEST);
        assert_eq!(lines.last_words(), Some("last"));
        assert_eq!(lines.number(lines.len() - 1), 2);
    }

    #[test]
    fn nothing_but_line_feeds_is_bounded() {
        let lines = Lines::read(Stream::Stdout, &Text::of(&vec![b'\n'; 8 << 20]));
        assert!(lines.len() <= 2 * MOST + 1);
        assert_eq!(lines.number(lines.len() - 1), 8 << 20);
    }
}
