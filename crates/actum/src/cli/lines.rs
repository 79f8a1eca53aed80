//! Lines out of a stream of bytes that comes in pieces: the last ones, those that match, those from one to another.
//!
//! Memory is bounded whatever comes: a line may be as long as its program likes.

use actum_model::Stream;
use regex::bytes::Regex;
use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// Counts lines over both streams, and remembers to which the last ones belong.
pub(super) struct Last {
    most: usize,
    /// The streams of the last lines, in the order in which those ended.
    streams: VecDeque<Stream>,
    lines: [u64; 2],
    /// Whether bytes came behind the last line end.
    is_open: [bool; 2],
}

impl Last {
    pub(super) fn new(most: u64) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Self { most, streams: VecDeque::new(), lines: [0; 2], is_open: [false; 2] }
    }

    pub(super) fn take(&mut self, stream: Stream, bytes: &[u8]) {
        for _ in bytes.iter().filter(|byte| **byte == b'\n') {
            self.line(stream);
        }
        self.is_open[stream.index()] =
            bytes.last().map_or(self.is_open[stream.index()], |last| *last != b'\n');
    }

    /// How many lines of each stream stand before the last ones.
    pub(super) fn before(mut self) -> [u64; 2] {
        for stream in Stream::ALL {
            if self.is_open[stream.index()] {
                self.line(stream);
            }
        }
        let mut before = self.lines;
        self.streams.iter().for_each(|stream| before[stream.index()] -= 1);
        before
    }

    fn line(&mut self, stream: Stream) {
        self.lines[stream.index()] += 1;
        self.streams.push_back(stream);
        if self.streams.len() > self.most {
            self.streams.pop_front();
        }
    }
}

/// Leaves away the first lines of a stream.
pub(super) fn without_first<'b>(left: &mut u64, bytes: &'b [u8]) -> &'b [u8] {
    let mut rest = bytes;
    while *left > 0 {
        match rest.iter().position(|byte| *byte == b'\n') {
            Some(at) => rest = &rest[at + 1..],
            None => return &[],
        }
        *left -= 1;
    }
    rest
}

/// Some lines of one stream, counted from 1, with their line ends.
pub(super) struct Stretch {
    wanted: RangeInclusive<u64>,
    /// The line that the next byte belongs to.
    line: u64,
    is_open: bool,
}

impl Stretch {
    pub(super) fn new(first: u64, last: u64) -> Self {
        Self { wanted: first..=last, line: 1, is_open: false }
    }

    /// What of these bytes belongs to the stretch.
    pub(super) fn take<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let (mut begin, mut end) = (None, bytes.len());
        let mut at = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.wanted.contains(&self.line) {
                begin.get_or_insert(at);
            } else if self.line > *self.wanted.end() {
                end = end.min(at);
            }
            at += line.len();
            self.is_open = line.last() != Some(&b'\n');
            self.line += u64::from(!self.is_open);
        }
        begin.map_or(&[], |begin| &bytes[begin..end])
    }

    pub(super) fn is_over(&self) -> bool {
        self.line > *self.wanted.end()
    }

    /// How many lines were seen.
    pub(super) fn lines(&self) -> u64 {
        self.line - u64::from(!self.is_open)
    }
}

/// Finds the lines of one stream that match.
pub(super) struct Search {
    number: u64,
    held: Vec<u8>,
    /// The beginning of a line that is too long to be held.
    head: Option<Vec<u8>>,
    length: u64,
    matched: bool,
}

/// A line that matched.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// Counted from 1.
    pub(super) number: u64,
    /// Without its line end; of a line that is too long, its beginning.
    pub(super) text: Vec<u8>,
    /// How long the line is, where that is not all of it.
    pub(super) cut_from: Option<u64>,
}

/// Longer lines are searched in pieces of this size.
const WINDOW: usize = 1 << 20;
/// How far two pieces overlap: what matches over a border and is no longer than this is found.
const OVERLAP: usize = 64 << 10;
/// How much of a line that is too long is shown.
const HEAD: usize = 4 << 10;

impl Search {
    /// Begins behind so many lines.
    pub(super) fn behind(lines: u64) -> Self {
        Self { number: lines + 1, held: Vec::new(), head: None, length: 0, matched: false }
    }

    pub(super) fn take(&mut self, pattern: &Regex, bytes: &[u8], found: &mut dyn FnMut(Match)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, has_ended) = match piece {
                [text @ .., b'\n'] => (text, true),
                text => (text, false),
            };
            self.add(pattern, text);
            if has_ended {
                self.end_line(pattern, found);
            }
        }
    }

    /// What follows the last line end is a line too.
    pub(super) fn finish(&mut self, pattern: &Regex, found: &mut dyn FnMut(Match)) {
        if self.length > 0 {
            self.end_line(pattern, found);
        }
    }

    fn add(&mut self, pattern: &Regex, mut text: &[u8]) {
        self.length += text.len() as u64;
        while self.held.len() + text.len() > WINDOW {
            let (now, later) = text.split_at(WINDOW - self.held.len());
            self.held.extend_from_slice(now);
            text = later;
            self.matched |= pattern.is_match(&self.held);
            self.head.get_or_insert_with(|| self.held[..HEAD].to_vec());
            self.held.drain(..WINDOW - OVERLAP);
        }
        self.held.extend_from_slice(text);
    }

    fn end_line(&mut self, pattern: &Regex, found: &mut dyn FnMut(Match)) {
        let text = std::mem::take(&mut self.held);
        if std::mem::take(&mut self.matched) || pattern.is_match(&text) {
            let cut_from = self.head.is_some().then_some(self.length);
            found(Match { number: self.number, text: self.head.take().unwrap_or(text), cut_from });
        }
        self.head = None;
        self.length = 0;
        self.number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OUT: Stream = Stream::Stdout;
    const ERR: Stream = Stream::Stderr;

    #[test]
    fn the_last_lines_are_those_that_ended_last() {
        let before = |most: u64| {
            let mut last = Last::new(most);
            for (stream, text) in [(OUT, "a\nb"), (ERR, "x\n"), (OUT, "c\n"), (ERR, "open"), (OUT, "d\n")] {
                last.take(stream, text.as_bytes());
            }
            last.before()
        };
        // In the order of their ends: a, x, bc, d, and the open one.
        assert_eq!(
            [before(0), before(1), before(2), before(3), before(4)],
            [[3, 2], [3, 1], [2, 1], [1, 1], [1, 0]]
        );
        assert_eq!(before(99), [0, 0]);
        let mut left = 2;
        assert_eq!(without_first(&mut left, b"a\nb"), b"");
        assert_eq!(without_first(&mut left, b"b\nc\nd"), b"c\nd");
    }

    fn search(text: &[u8], pattern: &str, piece: usize) -> Vec<Match> {
        let (pattern, mut search, mut found) = (Regex::new(pattern).unwrap(), Search::behind(0), Vec::new());
        text.chunks(piece).for_each(|piece| search.take(&pattern, piece, &mut |one| found.push(one)));
        search.finish(&pattern, &mut |one| found.push(one));
        found
    }

    #[test]
    fn a_line_without_end_is_searched_in_bounded_memory() {
        let mut text = vec![b'x'; 5 << 20];
        text[3_000_000..3_000_006].copy_from_slice(b"needle");
        text.extend_from_slice(b"\nneedle\n");
        let found = search(&text, "needle", 70_000);
        assert_eq!(found[0].cut_from, Some(5 << 20));
        assert_eq!((found[0].number, found[0].text.len()), (1, HEAD));
        assert_eq!(found[1], Match { number: 2, text: b"needle".to_vec(), cut_from: None });
        let mut search = Search::behind(0);
        let pattern = Regex::new("a").unwrap();
        (0..64).for_each(|_| search.take(&pattern, &[b'x'; 1 << 20], &mut |_| {}));
        assert!(search.held.capacity() < 4 * WINDOW);
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(text in "[ab\n]{0,60}", piece in 1_usize..9, first in 1_u64..6, more in 0_u64..4) {
            let bytes = text.as_bytes();
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let found = search(bytes, "ab", piece);
            let expected: Vec<u64> = (1..).zip(&lines).filter(|(_, line)| line.contains("ab")).map(|(at, _)| at).collect();
            prop_assert_eq!(found.iter().map(|one| one.number).collect::<Vec<_>>(), expected);

            let mut stretch = Stretch::new(first, first + more);
            let got: Vec<u8> = bytes.chunks(piece).flat_map(|piece| stretch.take(piece)).copied().collect();
            let wanted: String = lines.iter().skip(first as usize - 1).take(more as usize + 1).copied().collect();
            prop_assert_eq!(got, wanted.into_bytes());
            prop_assert_eq!(stretch.lines(), lines.len() as u64);
            prop_assert_eq!(stretch.is_over(), lines.len() as u64 > first + more || text.ends_with('\n') && lines.len() as u64 == first + more);

            let (mut last, mut kept) = (Last::new(more), Vec::new());
            bytes.chunks(piece).for_each(|piece| last.take(OUT, piece));
            let [mut left, _] = last.before();
            bytes.chunks(piece).for_each(|piece| kept.extend_from_slice(without_first(&mut left, piece)));
            let wanted: String = lines[lines.len().saturating_sub(more as usize)..].concat();
            prop_assert_eq!(kept, wanted.into_bytes());
        }
    }
}
